# Names, sizes and digests of what the program was given; of the environment no values.
printf 'one\n' >in
softpmu stat -e instructions --env clean,TOKEN=abracadabra --json -o j -- sh -c 'read a <in; exec cat in missing' 2>/dev/null >/dev/null
grep -c abracadabra j
sed -n '/"inputs"/,$p' j | grep -o '"TOKEN": ".*"\|"name": "in"\|"name": "/.*cat"\|"kind": "program"\|"name": "missing"'
echo many files
mkdir d && (cd d && seq 1100 | split -l1)
softpmu stat -e instructions --env clean --json -o j -- sh -c 'cat d/*' >/dev/null
[ $(grep -c '"name": "d/' j) -gt 1000 ] && echo more than 1000
grep has_more_files j
echo "none without need: $(softpmu stat -v -e instructions --env clean -j -- true 2>&1 | grep -c inputs)"
