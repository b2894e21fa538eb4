# Which input differs first; each case changes one thing. wc and sh are not named with their libraries: any one changes.
printf 'one\ntwo\n' >in
cp "$(command -v wc)" own
count() {
	softpmu stat -e instructions --env clean -o table "$@" >/dev/null 2>&1
	grep -o 'against.*' table | sed 's/itself differs (.*)/itself differs (SIZES)/'
}
base() { softpmu stat -e instructions --env clean --json -o base.json -- "$@" >/dev/null 2>&1; }
base ./own -l in
count --against base.json -- ./own -l in
count --against base.json -- ./own -w in
count --against base.json -- ./own -l in in
count --against base.json --env clean,TERM=vt100 -- ./own -l in
count --against base.json --env clean,SECRET=abc -- ./own -l in
count --against base.json --cpu pentium2 -- ./own -l in
count --against base.json --l1d 32K:8:64 -- ./own -l in
count --against base.json --seed 7 -- ./own -l in
echo three >>in
count --against base.json -- ./own -l in
count --against base.json -- ./own -l /dev/null
printf 'one\ntwo\n' >in
printf x >>own
count --against base.json -- ./own -l in
echo standard input
base wc -l <in
echo three >>in
count --against base.json -- wc -l <in
echo clocks
base sh -c 'times; [ ! -d d ] || times'
mkdir d
count --against base.json -- sh -c 'times; [ ! -d d ] || times'
echo a pipe
printf 'one\n' | base wc -l
printf 'one\ntwo\n' | count --against base.json -- wc -l
echo children
base sh -c 'cat other 2>&1; wc in; true'
echo is there >other
count --against base.json -- sh -c 'cat other 2>&1; wc in; true'
echo output
base wc in
softpmu stat -e instructions --env clean -o table --against base.json -- wc in 2>/dev/null | cat
grep -o 'against.*' table
