seq 1 200 | awk '{ s += $1 } END { print s }'
for i in 1 2 3; do (echo "sub $i"; exit $i); echo "status $?"; done
printf 'c\nb\na\n' | sort | tee copy | tr a-z A-Z; cat copy | wc -l
x=$(echo one; echo two >&2) 2>/dev/null; echo "$x"
{ sleep 0.1; echo late; } & { echo early; } ; wait; echo "waited $?"
trap 'echo trapped' USR1; kill -USR1 $$
cat <<END | head -n 1
here
document
END
(kill -9 $BASHPID 2>/dev/null || sh -c 'kill -9 $$'); echo "killed $?"
false | true; echo "pipe $?"; exec sh -c 'echo replaced; exit 6'
