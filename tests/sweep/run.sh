#!/bin/bash
# run.sh -- softpmu sweep and softpmu collect: jobs of a plan run under any engine, are stopped and go on, and give one table;
# two writers of one file; names of files; results that are missing, failed, foreign or disagree.
. "$(dirname "$0")/../engine/lib.sh"

cp /bin/true "$work/bare" || exit 1
cd "$work" || exit 1
seq 300 >in.txt
sleep 0.1; cat in.txt >/dev/null # the first read changes a time that gzip looks at
cat >plan <<END
# a comment
program one: $work/bare
program two: gzip -c 'in.txt'
program three: gzip <in.txt
cpu: pentium-mmx pentium3
l1d: 8K 16K
options: --isa v2 -e instructions
END

# refused STATUS PATTERN COMMAND...: one sentence
refused() {
	local status=$1 pattern=$2
	shift 2
	"$@" >out 2>&1 </dev/null
	local is=$?
	[ $is = "$status" ] && grep -q -- "$pattern" out && [ "$(grep -c '^softpmu:' out)" = 1 ] && ok ||
		bad "$*: status $is or sentence: $(head -n 2 out | tr '\n' ' ')"
}
# table DIR...: the table of the results; status of collect
table() { "$SOFTPMU" collect "$@" 2>said; }

# --- jobs and engines -------------------------------------------------------------------------
"$SOFTPMU" sweep plan -o r >list && [ "$(wc -l <list)" = 12 ] && ok || bad "list: $(wc -l <list) lines"
head -n 5 list | xargs -d '\n' -n 1 sh -c 2>err && ok || bad "xargs: $(head -n 1 err)"
[ "$("$SOFTPMU" sweep -o r | wc -l)" = 7 ] && ok || bad "a sweep that was stopped does not go on"
table r >t1 && bad "collect: status 0 with missing jobs"
grep -q '5 jobs in the table, 7 without a result' said && ok || bad "collect: $(tail -n 1 said)"
grep -A 1 'no result' said | sed -n '2s/^  //p' | sed "s| softpmu | $SOFTPMU |" >again
sh again 2>err && [ "$(ls r/*.json | wc -l)" = 6 ] && ok || bad "the command for a missing job: $(head -n 1 again err)"
"$SOFTPMU" sweep -o r --run -j 2 2>>said && grep -q '12 of 12 jobs have a result' said && ok || bad "--run: $(cat said)"
table r >t1 && grep -q '^ 12 jobs in the table$' said && ok || bad "collect: $(cat said)"
[ "$(wc -l <t1)" = 13 ] && head -n 1 t1 | grep -q '^program,cpu,l1d,instructions,run_instructions,input_digest,softpmu$' && ok || bad "table: $(head -n 1 t1)"
for at in one,pentium-mmx,8K two,pentium3,16K three,pentium3,8K; do
	IFS=, read -r name cpu l1d <<<"$at"
	case $name in one) set -- "$work/bare" ;; two) set -- gzip -c in.txt ;; three) set -- gzip ;; esac
	env --default-signal "$SOFTPMU" stat --env clean --isa v2 --cpu $cpu --l1d $l1d -e instructions -x, -o v "$@" >/dev/null <in.txt
	grep -q "^$at,$(cut -d, -f1 v)," t1 && ok || bad "table: $at is not $(cut -d, -f1 v): $(grep "^$at" t1)"
done
"$SOFTPMU" sweep -o r --run 2>said && grep -q '12 of 12' said && ok || bad "a sweep that is done: $(cat said)"
refused 125 "nothing to run" "$SOFTPMU" sweep -o r --slurm

head -n 1 list | grep -q -- '--env clean' && ! "$SOFTPMU" sweep -o e --over 'options: --env=clean,A -e instructions' -- true | grep -q -- '--env clean' && ok || bad "jobs: their environment"

# Slurm's array runs the same jobs; other engines and any order give the same table.
"$SOFTPMU" sweep plan -o s --slurm >script && grep -q '^#SBATCH --array=1-12$' script && ok || bad "slurm: $(head -n 4 script)"
for task in $(seq 12 -1 1); do SLURM_ARRAY_TASK_ID=$task sh script 2>>err || bad "slurm: task $task"; done
table s >t2 && cmp -s t1 t2 && ok || bad "slurm: $(diff t1 t2 | head -n 3)"
if parallel --version 2>/dev/null </dev/null | grep -q '^GNU parallel'; then
	"$SOFTPMU" sweep plan -o p | parallel --will-cite -j 2 2>err
	table p >t2 && cmp -s t1 t2 && ok || bad "parallel: $(diff t1 t2 | head -n 3)"
else
	skip "GNU parallel is not installed"
fi
mkdir a b && cp r/one* a && cp r/t* b
table b a >t2 && cmp -s t1 t2 && table a b s/plan r >t2
cmp -s t1 t2 && grep -q '12 results were there more than once' said && ok || bad "merged: $(tail -n 2 said)"
"$SOFTPMU" collect r -o t.json 2>said && [ "$(grep -o '"program":"two","cpu":"pentium3"' t.json | wc -l)" = 2 ] && ok || bad "json: $(cat said)"

# Pictures: a point for each job; the front of a table whose numbers are known.
"$SOFTPMU" collect r --plot l.svg 2>/dev/null && [ "$(grep -c '<circle' l.svg)" = 12 ] && [ "$(grep -c '>one pentium3<' l.svg)" = 1 ] && ok || bad "lines: $(grep -c '<circle' l.svg)"
"$SOFTPMU" collect r --plot h.svg --as heat --over cpu -o p.csv 2>/dev/null && [ "$(grep -c '<rect x' h.svg)" = 12 ] && cmp -s p.csv t1 && ok || bad "heat map: $(grep -c '<rect' h.svg)"
mkdir front && for at in 4K:40 8K:20 16K:30 512K:10 1M:10; do
	sed "s/\"value\": [0-9]*/\"value\": ${at#*:}/; s/\"l1d\": \"8K\"/\"l1d\": \"${at%:*}\"/" "$(ls r/one*pentium3*=8K.json)" >front/${at%:*}.json
done
"$SOFTPMU" collect front --plot f.svg -e l1d,instructions 2>/dev/null && [ "$(grep -c '<circle' f.svg)" = 5 ] && [ "$(grep -c 'fill="#fff"><title>one, pentium3 l1d=\(16K\|1M\)' f.svg)" = 2 ] && [ "$(grep -c 'fill="#fff"><title>' f.svg)" = 2 ] && ok || bad "front: $(grep '<circle' f.svg)"
"$SOFTPMU" collect front --plot o.svg 2>/dev/null && [ "$(grep -o '>[0-9]*[KM]</text>' o.svg | tr -d '\n')" = '>4K</text>>8K</text>>16K</text>>512K</text>>1M</text>' ] && ok || bad "sizes in order: $(grep -o '>[0-9]*[KM]</text>' o.svg)"
for kind in lines heat front; do
	"$SOFTPMU" collect r --plot p.gp --as $kind 2>/dev/null && ok || bad "a script: $kind"
	gnuplot --version >/dev/null 2>&1 || continue
	rm -f p.svg
	gnuplot -e "set term svg; set output 'p.svg'" p.gp 2>said && [ -s p.svg ] && [ ! -s said ] && ok || bad "gnuplot: $kind: $(head -n 3 said)"
done
refused 125 'a picture is .svg' "$SOFTPMU" collect r --plot x.png
refused 125 'no job has this tag' "$SOFTPMU" collect r --plot x.svg --over nothing
refused 125 'no result has an event' "$SOFTPMU" collect r --plot x.svg -e nothing
refused 125 'show one event' "$SOFTPMU" collect r --plot x.svg -e l1d,instructions --as heat
refused 125 'say how --plot' "$SOFTPMU" collect r --as heat
refused 125 'lines, heat or front' "$SOFTPMU" collect r --plot x.svg --as pie

# A trace is a program, too.
"$SOFTPMU" trace -q --env clean --isa v2 --cpuid pentium3 -o t.spt -- "$work/bare" >/dev/null 2>&1
printf 'trace bare: t.spt\ncpu: pentium-mmx pentium3\noptions: -e instructions\n' >traces
"$SOFTPMU" sweep traces -o q --run 2>said && table q >t2 && grep -q "^bare,pentium3,$(sed -n 's/^one,pentium3,8K,\([0-9]*\),.*/\1/p' t1)," t2 && ok || bad "trace: $(cat said t2)"

# --- results that are no result ---------------------------------------------------------------
sed -i 's/"value": \([0-9]*\)/"value": 1\1/' a/one*pentium3*8K.json
table r a >t2; [ $? = 1 ] && grep -q 'counted otherwise: a/one' said && [ "$(wc -l <t2)" = 12 ] && ok || bad "disagree: $(tail -n 3 said)"
printf 'program false: false\nprogram kill: sh -c "kill -9 \\$\\$"\ncpu: pentium3\noptions: -e instructions\n' >failing
"$SOFTPMU" sweep failing -o f --run >/dev/null 2>&1
table f >t2; [ $? = 1 ] && grep -q 'ended with status 1' said && grep -q 'ended by signal 9' said && grep -q "^  rm f/false" said && ok || bad "failed: $(cat said)"
cp r/one*mmx*8K.json f/other.json; echo '{}' >f/none.json; head -c 700 r/two*mmx*8K.json >f/cut.json
table f >t2
grep -q 'of no job of the plan: f/other.json' said && [ "$(grep -c 'is no report of stat --json' said)" = 2 ] && ok || bad "foreign: $(cat said)"
"$SOFTPMU" stat --json --no-clobber -o stopped.json --timeout 200 -- sh -c 'while :; do :; done' >/dev/null 2>err
[ ! -e stopped.json ] && [ ! -e stopped.json.part ] && grep -q 'did not come to its end' err && ok || bad "a run that was stopped has a result"

# --- plans ------------------------------------------------------------------------------------
refused 125 "results of another plan" "$SOFTPMU" sweep traces -o r
sed 's/-e instructions/-e uops_retired/' plan >other
refused 125 "was run by another command" "$SOFTPMU" sweep other -o r
sed 's/^l1d.*/l1d: 8K 16K 32K/' plan >grown
[ "$("$SOFTPMU" sweep grown -o r | wc -l)" = 6 ] && ok || bad "a plan that grows"
bad_plan() { # PATTERN LINE...
	local pattern=$1
	shift
	printf '%s\n' "$@" >wrong
	refused 125 "$pattern" "$SOFTPMU" sweep wrong -o w
}
printf 'program a: true\ncpu: pentium-mmx\ndtlb: 32\noptions: -e instructions\n' >misfit
"$SOFTPMU" sweep misfit -o m --run >/dev/null 2>&1
table m >t2
grep -q 'no result, softpmu: --dtlb 32:64' said && [ "$(wc -l <m/a,cpu=pentium-mmx,dtlb=32.err)" = 1 ] && ok || bad "a job that cannot run: $(cat said)"
bad_plan 'not an option of softpmu stat.*did you mean --cpu' 'program a: true' 'cpi: pentium3'
bad_plan 'pentium9' 'program a: true' 'cpu: pentium9'
bad_plan 'l1d 7X' 'program a: true' 'l1d: 8K 7X'
bad_plan 'not an option of softpmu replay' 'trace a: t.spt' 'seed: 1 2'
bad_plan '--json is not for a plan' 'program a: true' 'options: --json'
bad_plan "'x' is no option" 'program a: true' 'options: --all x'
bad_plan 'which program' 'cpu: pentium3'
bad_plan 'two programs of the name' 'program a: true' 'program a: false'
bad_plan 'stands twice' 'program a: true' 'cpu: pentium3' 'cpu: pentium2'
bad_plan 'the value 8K stands twice' 'program a: true' 'l1d: 8K 8K'
bad_plan 'begins no line' 'program a: true' 'programme b: true'
bad_plan 'has no colon' 'program a true'
bad_plan 'is for a shell' 'program a: cat x | wc'
bad_plan 'has no end' "program a: echo 'x"
bad_plan 'more than 1000000 jobs' 'program a: true' "seed: $(seq -s ' ' 1001)" "l1d: $(seq -s ' ' 1001)"
[ ! -e w ] && ok || bad "a wrong plan made a directory"
refused 125 'write -o DIR' "$SOFTPMU" sweep plan
refused 125 'cannot read the plan' "$SOFTPMU" sweep none -o w
refused 125 'cannot read' "$SOFTPMU" collect none
refused 125 'of which results' "$SOFTPMU" collect
# The name says how a table is written; a pipe has none, and gets CSV. One of a thing is no plural.
for name in x.txt x x.JSON; do
	refused 125 "collect -o $name: a table is .csv or .json" "$SOFTPMU" collect r -o $name
	[ ! -e $name ] && ok || bad "collect -o $name wrote a file"
done
"$SOFTPMU" collect r -o piped.csv 2>/dev/null
"$SOFTPMU" collect r -o /dev/stdout 2>/dev/null | cmp -s - piped.csv && ok || bad "a pipe does not get CSV"
mkdir single && cp "$(find r -name '*.json' | head -n 1)" single/ && echo nothing >single/other.json
table single >t1
grep -q '^ 1 job in the table, 1 file that is no result$' said && ok || bad "one of each: $(cat said)"
if [ -c /dev/full ]; then # a device is written to, and stays
	ln -s /dev/full full.csv
	refused 125 'completely' "$SOFTPMU" collect r -o full.csv
	[ -L full.csv ] && ok || bad "collect replaced a device by a table"
fi
[ "$("$SOFTPMU" sweep -o o --over 'cpu: pentium2 pentium3' --over 'options: -e instructions' -- gzip -c 'a b' | grep -c "gzip -c 'a b' </dev/null")" = 2 ] && ok || bad "a plan of options"

# --- files ------------------------------------------------------------------------------------
stat="$SOFTPMU stat --json -e instructions"
refused 125 'never writes over' $stat --no-clobber -o in.txt "$work/bare"
refused 125 'add -o FILE' $stat --no-clobber "$work/bare"
refused 125 'NAME=VALUE' $stat --tag x "$work/bare"
refused 125 'report of --json' "$SOFTPMU" stat --tag x=y "$work/bare"
X=7 $stat -o 'n-%q{X}-%h-%%-%p' "$work/bare" >/dev/null 2>&1; ls n-7-"$(hostname)"-%-[0-9]* >/dev/null 2>&1 && ok || bad "marks: $(ls n*)"
X=8 "$SOFTPMU" record -q -e instructions -o 'n-%q{X}.rec' "$work/bare" >/dev/null 2>&1; [ -e n-8.rec ] && ok || bad "record: marks"
X=8 "$SOFTPMU" trace -q -o 'n-%q{X}-%p.spt' "$work/bare" >/dev/null 2>&1; [ -e n-8-1.spt ] && ok || bad "trace: marks: $(ls n*)"
refused 125 'is not set' $stat -o '%q{NO_SUCH}' "$work/bare"
refused 125 'in braces' $stat -o '%qX' "$work/bare"
refused 125 'behind % stands' $stat -o '50%' "$work/bare"
export OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=2
refused 125 '4 ranks would write this one file' $stat -o rank.json "$work/bare"
refused 125 '4 ranks would write this one file' "$SOFTPMU" record -e instructions "$work/bare"
refused 125 '4 ranks would write this one file' "$SOFTPMU" trace -o 'rank-%p' "$work/bare"
$stat -o 'rank.%q{OMPI_COMM_WORLD_RANK}.json' "$work/bare" >/dev/null 2>&1 && [ -e rank.2.json ] && ok || bad "ranks: $(ls rank*)"
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
# A second writer, while the first one still runs.
mkfifo go
for once in "" --no-clobber; do
	$stat $once -o held.json sh -c 'echo x >go; read x <go' >/dev/null 2>&1 &
	read -r x <go
	refused 125 'another softpmu is writing this file' $stat $once -o held.json "$work/bare"
	echo x >go
	wait $!
	grep -q '"exit": 0' held.json && ok || bad "the first writer $once"
	rm held.json
done
"$SOFTPMU" trace -q -o held.spt sh -c 'echo x >go; read x <go' >/dev/null 2>&1 &
read -r x <go
refused 125 'another softpmu is writing' "$SOFTPMU" trace -o held.spt "$work/bare"
echo x >go
wait $!
"$SOFTPMU" replay -e instructions held.spt >/dev/null 2>&1 && ok || bad "the first writer of a trace"
# What a killed job leaves is in nobody's way.
echo rest >late.json.part
$stat --no-clobber -o late.json "$work/bare" >/dev/null 2>&1 && grep -q '"exit": 0' late.json && [ ! -e late.json.part ] && ok || bad "a killed job is in the way"
# A file system that is full keeps no result.
if mkdir full && mount -t tmpfs -o size=4k none full 2>/dev/null; then
	head -c 4096 /dev/zero >full/x 2>/dev/null
	$stat --no-clobber -o full/r.json "$work/bare" >/dev/null 2>err; [ $? = 125 ] && [ ! -e full/r.json ] && ok || bad "a full file system: $(cat err)"
	umount full
else
	skip "no tmpfs can be mounted here"
fi
finish
