#!/bin/bash
# run.sh -- softpmu log: results by commit are added once, shown, compared and drawn; bisect finds the commit that changed a
# count, among some that do not build or run; files that are no history are one sentence.
. "$(dirname "$0")/../engine/lib.sh"

cd "$work" || exit 1
export HOME=$work GIT_CONFIG_NOSYSTEM=1
if ! git --version >/dev/null 2>&1; then
	skip "git is not installed"
	finish
fi

# refused STATUS PATTERN COMMAND...: one sentence
refused() {
	local status=$1 pattern=$2
	shift 2
	"$@" >out 2>said </dev/null
	local is=$?
	[ $is = "$status" ] && grep -q -- "$pattern" said && [ "$(grep -c '^softpmu:' said)" = 1 ] && ok ||
		bad "$*: status $is or sentence: $(head -n 2 said | tr '\n' ' ')"
}

# --- a repository ------------------------------------------------------------------------------
# Twelve commits of a program that does 2 N + 4 instructions; commit 15 does not build, 13 ends with status 1, 17 adds 1000.
git init -q -b main repo && cd repo || exit 1
git config user.name T
git config user.email t@localhost
printf 'prog: prog.s\n\tas -o prog.o prog.s && ld -o prog prog.o\n' >Makefile
printf '/prog\n/prog.o\n/.softpmu-log.sqlite\n/other*\n' >.gitignore
loops=1000
for i in $(seq 10 21); do
	[ $i = 17 ] && loops=1500
	status=0 rest=
	[ $i = 13 ] && status=1
	[ $i = 15 ] && rest='no instruction'
	printf '.globl _start\n_start:\n\tmov $%s, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\tmov $60, %%eax\n\tmov $%s, %%edi\n\tsyscall\n# %s\n%s\n' \
		$loops $status $i "$rest" >prog.s
	git add -A
	GIT_AUTHOR_DATE="2026-01-01T00:00:${i}Z" GIT_COMMITTER_DATE="2026-01-01T00:00:${i}Z" git commit -q -m "change $i"
done
log() { "$SOFTPMU" log "$@"; }

log bisect -e instructions --build 'make -s' HEAD~11 -- ./prog >out 2>said
[ $? = 0 ] && grep -q '^+1,000 of instructions (+49.90%) came with$' out && grep -q 'change 17$' out && ok || bad "bisect: $(cat out said)"
[ "$(git symbolic-ref --short HEAD)" = main ] && [ -z "$(git status --porcelain -uno)" ] && ! git bisect log >/dev/null 2>&1 && ok || bad "bisect leaves the tree otherwise"
log show -x, -e instructions >fields
[ "$(sort -u -t, -k4,4 fields | cut -d, -f12 | uniq | tr '\n' ' ')" = "2004 3004 " ] && ok || bad "counts of a bisection: $(cat fields)"
env --default-signal=INT timeout -s INT 0.7 "$SOFTPMU" log bisect -e instructions --build 'sleep 5' main~11 -- ./prog >out 2>said
[ $? = 124 ] && [ "$(git symbolic-ref --short HEAD)" = main ] && ! git bisect log >/dev/null 2>&1 && ok || bad "Ctrl-C leaves the tree otherwise: $(cat said)"
# All commits between that are left cannot be built or run.
git checkout -q -b skips HEAD~6
log bisect -e instructions --build '[ $(git rev-list --count HEAD) != 5 ] && make -s' main~9 main -- ./prog >out 2>said
grep -q 'change 17$' out && ok || bad "bisect from another branch: $(cat out said)"
[ "$(git symbolic-ref --short HEAD)" = skips ] && ok || bad "bisect does not go back to the branch"
git checkout -q main
log bisect -e instructions --build 'case $(git log -1 --format=%s) in *1[1267]) false ;; *) make -s ;; esac' main~11 main -- ./prog >out 2>said
[ $? = 1 ] && grep -q 'no single commit was found' said && ok || bad "only skipped commits: $(cat out said)"
refused 125 'instructions is 2004 in both' "$SOFTPMU" log bisect -e instructions --build 'make -s' main~11 main~9 -- ./prog
refused 125 'the bad commit has no count' "$SOFTPMU" log bisect -e instructions --build 'make -s' main~11 main~8 -- ./prog
refused 125 'is no ancestor' "$SOFTPMU" log bisect -e instructions main main~3 -- ./prog
refused 125 'no commit .nonsense' "$SOFTPMU" log bisect -e instructions nonsense -- ./prog
refused 125 'which count' "$SOFTPMU" log bisect main~3 -- ./prog
refused 125 'two runs of the good commit differ' "$SOFTPMU" log bisect -e instructions main~11 -- sh -c 'echo line >>../runs; while read -r line; do :; done <../runs'
refused 125 'cycles is an estimate, +-[0-9]*, and the change is' "$SOFTPMU" log bisect -e cycles --build 'make -s' main~11 -- --clocks sampled sh -c 'seq 1 50000; ./prog'
# A history that is committed would be put back by git at each step; the new one is left out of what git adds.
git checkout -q -b committed
git add -f .softpmu-log.sqlite && git commit -q -m 'with the history'
refused 125 'is committed, so git would change it' "$SOFTPMU" log bisect -e instructions main~3 -- ./prog
[ "$(git symbolic-ref --short HEAD)" = committed ] && ok || bad "HEAD is elsewhere after a refusal"
git checkout -q main
git init -q -b main ../fresh
(cd ../fresh && echo >file && git add -A && git -c user.name=T -c user.email=t@localhost commit -q -m one && "$SOFTPMU" stat -q --json -e instructions -o ../fresh.json -- /bin/true && "$SOFTPMU" log add ../fresh.json) >said 2>&1
[ -s ../fresh/.softpmu-log.sqlite ] && [ -z "$(git -C ../fresh status --porcelain)" ] && ok || bad "git adds the history: $(git -C ../fresh status --porcelain; cat said)"
# Two changes on the way: that of the commit that is found is stated, and the whole.
git checkout -q -b twice
sed -i 's/\$1500/$1600/' prog.s && git commit -q -a -m 'change 22'
sed -i 's/\$1600/$2600/' prog.s && git commit -q -a -m 'change 23'
log bisect -e instructions --build 'make -s' main~3 -- ./prog >out 2>said
grep -q '^+2,000 of instructions (+62.42%) came with$' out && grep -q 'change 23$' out && grep -q 'it is +2,200 (+73.24%); other commits' out && ok || bad "two changes: $(cat out said)"
git checkout -q main
make -s
echo '# more' >>prog.s
refused 125 'has changes' "$SOFTPMU" log bisect -e instructions main~3 -- ./prog
git checkout -q prog.s
mkdir other
cd other
refused 125 'top directory' "$SOFTPMU" log bisect -e instructions main~3 -- ../prog
cd ..
make -s
log judge -e instructions 2004 3004 -- ./prog >/dev/null 2>&1; [ $? = 1 ] && ok || bad "judge: a bad one"
log judge -e instructions 3004 2004 -- ./prog >/dev/null 2>&1; [ $? = 0 ] && ok || bad "judge: a good one"
log judge -e instructions 3004 2004 -- sh -c 'exit 1' >/dev/null 2>&1; [ $? = 125 ] && ok || bad "judge: one that cannot run"

# --- adding and showing ------------------------------------------------------------------------
rm -f .softpmu-log.sqlite
for i in 10 16 17; do
	git checkout -q main~$((21 - i)) && make -s
	"$SOFTPMU" stat --json --env clean --isa v2 -e instructions,inst_decoded -o other.json ./prog 2>/dev/null
	log add other.json 2>said || bad "add: $(cat said)"
done
git checkout -q main
log add --commit main~4 other.json 2>said && grep -q '0 results added.*1 was there already' said && ok || bad "add twice: $(cat said)"
COLUMNS=80 log show >out
[ "$(awk 'length > 80' out | wc -l)" = 0 ] && [ "$(sed -n '2,4s/  */ /gp' out | cut -d ' ' -f 2)" = "$(printf '3\n2\n1')" ] && ok || bad "show: $(cat out)"
sed -n 2p out | grep -q ' 2026-01-01 *3,004 *+49.90%  ./prog$' && sed -n 3p out | grep -q ' = ' && ok || bad "show: $(cat out)"
[ "$(log show --json | jq -r '.results[0] | .subject, .counts.instructions' | tr '\n' ' ')" = "change 17 3004 " ] && ok || bad "show --json"
log diff main~5 main~4 >out && grep -q ' instructions .* 2,004 .* 3,004 .* +1,000 +49.90%$' out && ok || bad "diff: $(cat out)"
log diff 1 2 >out2 && grep -q 'change 10' out2 && ok || bad "diff of numbers: $(cat out2)"
echo '# more' >>prog.s
make -s && "$SOFTPMU" record -q --env clean --isa v2 -e instructions -o other.rec ./prog && log add other.rec 2>said && grep -q 'commit [0-9a-f]\{9\}+$' said && ok || bad "a tree with changes: $(cat said)"
git checkout -q prog.s
# A record has settings of its own kind, so it is another series.
refused 2 'can be compared' "$SOFTPMU" log diff 3 4
"$SOFTPMU" sweep -o other.sweep --over 'l1d: 8K 16K' --over 'options: -e instructions' --run -- ./prog >/dev/null 2>&1
log add other.sweep 2>said && grep -q '2 results added' said && log show --match l1d=16K | grep -q 'program=prog l1d=16K$' && ok || bad "a sweep: $(cat said)"
[ "$(log show --match l1d= -x';' | wc -l)" = 2 ] && ok || bad "--match"
log plot instructions -o other.svg 2>/dev/null && [ "$(grep -c '<circle' other.svg)" = 6 ] && grep -q '</svg>' other.svg && ok || bad "plot: $(grep -c circle other.svg)"
log plot instructions -o other.gp 2>/dev/null && grep -q '^0 "[0-9a-f]\{9\}" 2004' other.gp && ok || bad "plot for gnuplot: $(cat other.gp)"
if gnuplot --version >/dev/null 2>&1; then
	gnuplot -e "set term svg; set output 'other.2.svg'" other.gp 2>said && [ -s other.2.svg ] && [ ! -s said ] && ok || bad "gnuplot: $(cat said)"
fi
# Estimates keep their intervals, and a change inside them is none.
i=0
for value in 3000 3030 4000; do
	jq -c "del(.events[1]) | .events[0] += {value: $value, low: ($value - 60), high: ($value + 60)}" other.json >other.e.json
	log add --file other.est --commit main~$((9 - i)) other.e.json 2>said || bad "add an estimate: $(cat said)"
	i=$((i + 1))
done
log diff --file other.est 1 2 >out && grep -q ' 3,030 *+30 as before +-2.83%$' out && ok || bad "diff of estimates: $(cat out)"
log diff --file other.est 2 3 >out && grep -q ' 4,000 *+970 +32.01% +-2.80%$' out && ok || bad "diff of estimates: $(cat out)"
log show --file other.est >out && grep -q ' 4,000 *+32.01%' out && grep -q ' 3,030 *+-2.83%' out && grep -q '^ Note: estimates' out && ok || bad "show of estimates: $(cat out)"
[ "$(log show --file other.est --json | jq -c '[.results[].half.instructions]')$(log show --file other.est -x, | cut -d, -f12- | head -n 1)" = '[60,60,60]4000,60' ] && ok ||
	bad "show --json, -x of estimates: $(log show --file other.est -x,)"
# Writers at once: none is lost.
rm -f .softpmu-log.sqlite
for i in 1 2 3 4 5 6; do
	sed "s/\"value\": 3004/\"value\": 400$i/" other.json >other.$i.json
	log add other.$i.json 2>/dev/null &
done
wait
[ "$(log show -x, -e instructions | cut -d, -f12 | sort | tr '\n' ' ')" = "4001 4002 4003 4004 4005 4006 " ] && ok || bad "writers at once: $(log show)"
# All or none.
refused 125 'is no record' "$SOFTPMU" log add --file other.new other.1.json .gitignore
refused 125 'has no result' "$SOFTPMU" log show --file other.new

# --- what is no history ------------------------------------------------------------------------
refused 125 "softpmu log add RESULT begins one" "$SOFTPMU" log show --file none
refused 125 'is damaged, or no history' "$SOFTPMU" log show --file other.json
refused 125 'is damaged, or no history' "$SOFTPMU" log add --file other.json other.1.json
refused 125 'is no file' "$SOFTPMU" log show --file .
refused 125 'no such action' "$SOFTPMU" log drop
refused 125 'is not for it' "$SOFTPMU" log show -o x
refused 125 'a picture is .svg' "$SOFTPMU" log plot instructions -o x.png
refused 125 'no result counted' "$SOFTPMU" log plot nothing
refused 125 'which two' "$SOFTPMU" log diff 1
if sqlite3 --version >/dev/null 2>&1; then
	sqlite3 other.db 'CREATE TABLE x (a)'
	refused 125 'no history of softpmu log' "$SOFTPMU" log add --file other.db other.1.json
	cp .softpmu-log.sqlite other.new && sqlite3 other.new 'PRAGMA user_version = 9'
	refused 125 'newer softpmu' "$SOFTPMU" log show --file other.new
	cp .softpmu-log.sqlite other.view && sqlite3 other.view 'CREATE TRIGGER t AFTER INSERT ON result BEGIN DELETE FROM count; END'
	refused 125 'no history of softpmu log' "$SOFTPMU" log add --file other.view other.json
	cp .softpmu-log.sqlite other.text && sqlite3 other.text "UPDATE result SET command = 'a' || char(27) || '[31m' || char(10) || 'b', revision = 'x'"
	log show --file other.text | grep -q 'a?\[31m?b' && ok || bad "control characters in a history"
fi
# Bytes at random: a table or one sentence.
[ "$CHECK_LEVEL" = all ] && n=1000 || n=40
n_bad=0
for seed in $(seq $n); do
	cp .softpmu-log.sqlite other.bad
	for at in $(awk -v s=$seed 'BEGIN { srand(s); for (i = 0; i < 12; i++) print int(rand() * 16384) }'); do
		printf "\\x$(printf %02x $((seed * at % 256)))" | dd of=other.bad bs=1 seek=$at conv=notrunc 2>/dev/null
	done
	timeout 20 "$SOFTPMU" log show --json --file other.bad >out 2>said
	is=$?
	[ $is = 0 ] || { [ $is = 125 ] && [ "$(wc -l <said)" = 1 ]; } || { n_bad=$((n_bad + 1)); bad "a damaged history, seed $seed: status $is: $(head -n 2 said)"; }
done
[ $n_bad = 0 ] && ok
finish
