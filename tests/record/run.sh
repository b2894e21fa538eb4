#!/bin/bash
# run.sh -- softpmu record and what reads it: counts stand at the instructions that cause them, sum to stat's totals, and repeat; files
# survive.
#
# tests/record/where.S predicts its addresses; step.c counts executions by single-stepping.
set -u
. "$(dirname "$0")/../lib.sh"
here=$PWD/tests/record
CC=${CC:-cc}
cd "$work" || exit 1

"$CC" -nostdlib -static -no-pie -o where "$here/where.S" && "$CC" -O1 -o step "$here/step.c" &&
	"$CC" -O1 -g -o busy "$here/busy.c" -pthread && "$CC" -O1 -static -o busy-static "$here/busy.c" -pthread ||
	{ echo "FAIL the programs do not compile"; exit 1; }
"$CC" -m32 -O1 -o busy-32 "$here/busy.c" -pthread 2>/dev/null || echo "note: no 32-bit compiler, nothing of 32 bits is tested"

# ---- predicted addresses ---------------------------------------------------------------------------

# Offsets in the file of the labels of where.S: its code lies at 401000h, 1000h in the file.
at() { printf '%d' $((0x$(nm where | awk -v n="$1" '$3 == n { print $1 }') - 0x400000)); }
# count EVENT LABEL: what the instruction at the label counted.
count() { jq -r --arg e "$1" --argjson o "$(at "$2")" '[.rows[] | select(.offset == $o).counts[$e]] | add' where.json; }
# expect LABEL EVENT N
expect() {
	local n
	n=$(count "$2" "$1")
	[ "$n" = "$3" ] && ok || bad "where: $1 counts $n of $2, not $3"
}

"$SOFTPMU" record -q -o where.rec -e inst_retired,data_mem_refs,dcu_lines_in,dcu_m_lines_in,br_taken_retired -- ./where 2>err ||
	bad "record where: $(cat err)"
"$SOFTPMU" report where.rec --by address --json >where.json || bad "report --by address"
expect walk_lines_load inst_retired 256
expect walk_lines_load data_mem_refs 256
expect walk_lines_load dcu_lines_in 256
expect walk_lines_load dcu_m_lines_in 0
expect walk_again_load data_mem_refs 256
expect walk_again_load dcu_lines_in 0
expect store_lines_store dcu_lines_in 64
expect store_lines_store dcu_m_lines_in 64
expect flip_branch br_taken_retired 500
expect flip_branch dcu_lines_in 0

# A Pentium with MMX: references, misses and branches at the same places.
"$SOFTPMU" record -q --cpu pentium-mmx -o where.rec -e instructions_executed,data_read,data_write,data_read_miss,taken_branches -- ./where 2>err ||
	bad "record where on a Pentium: $(cat err)"
"$SOFTPMU" report where.rec --by address --json >where.json || bad "report --by address"
expect walk_lines_load data_read 256
expect walk_lines_load data_read_miss 256
expect walk_again_load data_read_miss 0
expect store_lines_store data_write 64
expect flip_branch taken_branches 500

# Executions are those that single-stepping sees, at every address.
./step ./where | while read -r pc n; do echo $((0x$pc - 0x400000)) "$n"; done | sort -n >stepped
jq -r '.rows[] | select(.counts.instructions_executed > 0) | "\(.offset) \(.counts.instructions_executed)"' where.json | sort -n >counted
cmp -s stepped counted && [ -s stepped ] && ok || bad "executions by address are not those of single-stepping: $(diff stepped counted | head -n 3)"

# ---- predicted clocks ------------------------------------------------------------------------------

"$CC" -nostdlib -static -no-pie -o clocks "$here/clocks.S" || bad "clocks.S does not compile"
# clocks CPU EVENTS: record the program, and note "label event count" of each label.
clocks() {
	"$SOFTPMU" record -q --cpu "$1" -o clocks.rec -e "$2" -- ./clocks 2>err || bad "record clocks: $(cat err)"
	"$SOFTPMU" report clocks.rec --by address --json | jq -r '.rows[] | .offset as $o | .counts | to_entries[] | "\($o) \(.key) \(.value)"' >rows
	nm clocks | while read -r address _ name; do echo "$((0x$address - 0x400000)) $name"; done >labels
	awk 'NR == FNR { name[$1] = $2; next } $1 in name { print name[$1], $2, $3 }' labels rows >clocks.txt
}
# more LOOP LABEL EVENT N: LABEL counts N more in 2000 rounds of LOOP than in 1000.
more() {
	local n
	n=$(awk -v a="$1_once_$2" -v b="$1_twice_$2" -v e="$3" '$2 == e && $1 == a { n -= $3 } $2 == e && $1 == b { n += $3 } END { print n + 0 }' clocks.txt)
	[ "$n" = "$4" ] && ok || bad "clocks: 1000 rounds of $1 are $n of $3 at $2, not $4"
}
# has LABEL EVENT N
has() {
	local n
	n=$(awk -v a="$1" -v e="$2" '$1 == a && $2 == e { print $3 }' clocks.txt)
	[ "$n" = "$3" ] && ok || bad "clocks: $1 counts $n of $2, not $3"
}

# P6: a division takes 39 clocks in which nothing behind it retires; DEC retires with it, a taken branch only as the first of the next
# clock. What needs a load retires a clock later, and so on. A wrong path is decoded for the branch that was mispredicted.
clocks pentium3 cycles,inst_retired,inst_decoded,dcu_lines_in,br_miss_pred_retired
more divide div cycles 39000
more divide dec cycles 0
more divide jnz cycles 1000
more chase load dcu_lines_in 1000
more chase need cycles 1000
more chase next cycles 1000
more chase dec cycles 0
more chase jnz cycles 1000
[ "$(awk '$1 == "chase_once_load" && $2 == "cycles" && $3 > 70000' clocks.txt)" ] && ok || bad "clocks: a load from memory does not have its clocks"
has guess_again inst_decoded 1000
[ "$(awk '$1 == "guess_branch" { n[$2] = $3 } END { print (n["br_miss_pred_retired"] > 400 && n["inst_decoded"] > 1000 + 3 * n["br_miss_pred_retired"]) }' clocks.txt)" = 1 ] && ok ||
	bad "clocks: the wrong path is not the branch's"

# P5: a division takes 41 clocks, and pairs with nothing; DEC and the branch pair. Here the branch of a random one is in V: 4 clocks each.
for cpu in pentium pentium-mmx; do
	clocks $cpu cycles,pipeline_flushes,data_read_miss
	more divide div cycles 41000
	more divide dec cycles 1000
	more divide jnz cycles 0
	more chase load data_read_miss 1000
	more chase need cycles 1000
	more chase next cycles 1000
	more chase dec cycles 0
	more chase jnz cycles 1000
	[ $cpu = pentium ] && [ "$(awk '$1 == "guess_branch" { n[$2] = $3 } END { print (n["pipeline_flushes"] > 100 && n["cycles"] == 4 * n["pipeline_flushes"]) }' clocks.txt)" = 1 ] && ok ||
		[ $cpu != pentium ] || bad "clocks: a mispredicted branch in V does not have 4 clocks"
done

# Samples of period 1 inside softpmu run, which go another way, find the same instructions.
if command -v perf >/dev/null && perf record -q -e dummy:u -o perf.data true >/dev/null 2>&1 && [ -s perf.data ]; then
	pairs="45:DCU_LINES_IN 24:L2_LINES_IN c5:BR_MISS_PRED_RETIRED c2:UOPS_RETIRED 81:IFU_IFETCH_MISS"
	"$SOFTPMU" record -q -o perf.rec -e "$(echo $pairs | sed 's/[^ ]*://g; s/ /,/g')" -- ./where 2>err || bad "record where: $(cat err)"
	"$SOFTPMU" report perf.rec --by address --json >perf.json
	for pair in $pairs; do
		"$SOFTPMU" run --tier 2 --counters all perf record -q -e "r${pair%:*}:u" -c 1 -o perf.data ./where >/dev/null 2>err ||
			bad "perf record $pair: $(head -n 1 err)"
		perf script -i perf.data -F ip 2>/dev/null | awk 'NF { n[$1]++ } END { for (i in n) print i, n[i] }' | sort >sampled
		jq -r --arg e "${pair#*:}" '.rows[] | select(.counts[$e] > 0) | "\(.offset + 4194304) \(.counts[$e])"' perf.json |
			while read -r pc n; do printf '%x %d\n' "$pc" "$n"; done | sort >counted
		cmp -s sampled counted && [ -s counted ] && ok ||
			bad "$pair: samples are not the record's counts: $(diff sampled counted | head -n 3 | tr '\n' ' ')"
	done
else
	echo "note: no perf here: records are not compared with its samples"
fi

# ---- sums ------------------------------------------------------------------------------------------

# sums CPU EVENTS... -- PROGRAM: rows sum to stat's totals, and the machine has nothing.
sums() {
	local cpu=$1 options=()
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	"$SOFTPMU" record -q --cpu "$cpu" --env clean "${options[@]}" -o sums.rec -- "$@" >/dev/null 2>err </dev/null ||
		bad "record $cpu ${options[*]} $*: $(head -n 1 err)"
	"$SOFTPMU" stat --cpu "$cpu" --env clean "${options[@]}" --json -o stat.json -- "$@" >/dev/null 2>err </dev/null
	"$SOFTPMU" report sums.rec --by object --json >sums.json || bad "report of $*"
	jq -n --slurpfile s stat.json --slurpfile r sums.json '
		[$s[0].events[] | select(.status == "counted")] as $e | $r[0].rows as $rows |
		[$e[] | .name as $n | .value as $v | ([$rows[].counts[$n]] | add) as $sum |
		 ([$rows[] | select(.function == "[machine]").counts[$n]] | add // 0) as $machine |
		 select($sum != $v or $r[0].totals[$n] != $v or $machine != 0) | "\($n): stat \($v), rows \($sum), machine \($machine)"] |
		if ($e | length) == 0 then "no event" else .[] end' -r >odd
	[ -s odd ] && bad "$cpu ${options[*]} $*: $(head -n 3 odd | tr '\n' ';')" || ok
}

for cpu in pentium3 pentium-mmx; do
	for program in ./busy ./busy-static ./busy-32; do
		for tier in 2 3; do
			[ -x "$program" ] && in_turn && sums $cpu --all --tier $tier -- $program
		done
	done
	in_turn # the next processor begins with the other tier
	sums $cpu --all --tier 1 -- ./busy
done
sums pentium --all -- ./busy
steady_numbers
sums pentium3 --all -- sh -c 'for i in 1 2 3; do :; done; /bin/true'
sums pentium3 -e cycles,inst_retired,resource_stalls --chaos 16 -- ./busy
sums pentium3 -e cycles,inst_retired --chaos 256 -- ./busy
sums pentium3 --all --tier 2 --l1d 48K:12:64 -- ./busy
sums pentium3 --all --tier 2 --chaos 16 -- ./busy
sums pentium3 --all --tier 2 --chaos 1 -- ./busy

# The way without short cuts finds the same instructions.
for cpu in pentium3 pentium; do
	for chaos in 0 256 512 1036; do
		[ $chaos = 0 ] || in_turn || continue
		"$SOFTPMU" record -q --cpu $cpu --env clean --all --tier 2 --chaos $chaos -o way.rec -- ./busy >/dev/null 2>err || bad "record --chaos $chaos: $(cat err)"
		"$SOFTPMU" report way.rec --by address --json | jq -S '[.rows[] | del(.function)] | sort_by(.object, .offset)' >way.$chaos
		cmp -s way.0 way.$chaos && ok || bad "$cpu: --chaos $chaos gives other places"
	done
done

# Kept timings give the same places as those that are worked out anew.
for cpu in pentium3 pentium pentium-mmx; do
	in_turn || continue
	for chaos in 256 0 512; do
		"$SOFTPMU" record -q --cpu $cpu --env clean --all --chaos $chaos -o way.rec -- ./busy >/dev/null 2>err || bad "record --all --chaos $chaos: $(cat err)"
		"$SOFTPMU" report way.rec --by address --json | jq -S '[.rows[] | del(.function)] | sort_by(.object, .offset)' >way.$chaos
	done
	for chaos in 0 512; do
		cmp -s way.256 way.$chaos && [ -s way.256 ] && ok || bad "$cpu: kept timings give other places with --chaos $chaos"
	done
done

# Processes are told apart.
"$SOFTPMU" record -q --env clean -e instructions -o busy.rec -- ./busy 2>err || bad "record busy: $(cat err)"
"$SOFTPMU" stat --env clean -e instructions --per-process --json -o stat.json -- ./busy 2>/dev/null
"$SOFTPMU" report busy.rec --by process --json | jq -r '.rows[] | "\(.process) \(.counts.instructions)"' | sort >one
jq -r '.processes[] | "\(.birth) \(.program) \(.events[0].value)"' stat.json | sort >two
cmp -s one two && [ "$(wc -l <one)" -ge 5 ] && ok || bad "processes of the record are not those of stat: $(diff one two | head -n 3)"

# So are threads, where it is asked for: what each counted is what stat says of it, and rows of all sum to what they did together.
for cpu in pentium3 pentium; do
	"$SOFTPMU" record -q --per-thread --env clean --all --cpu $cpu -o threads.rec -- ./busy >/dev/null 2>err || bad "record --per-thread: $(cat err)"
	"$SOFTPMU" stat --per-thread --env clean --all --cpu $cpu --json -o stat.json -- ./busy >/dev/null 2>&1
	"$SOFTPMU" report threads.rec --by thread --json | jq -r '.rows[] | (.process | split(" ")[0] // "[machine]") as $p |
		.counts | to_entries[] | select(.value != 0) | "\($p) \(.key) \(.value)"' | sort >one
	jq -r '.threads[] | "\(.process):\(.number)" as $p | .events[] | select(.value != 0 and .value != null) | "\($p) \(.name) \(.value)"' stat.json | sort >two
	cmp -s one two && [ "$(cut -d' ' -f1 two | sort -u | wc -l)" = 7 ] && ok || bad "threads of the record on a $cpu are not those of stat: $(diff one two | head -n 3)"
done
"$SOFTPMU" record -q --env clean --all --cpu pentium -o busy.rec -- ./busy >/dev/null 2>err || bad "record busy: $(cat err)"
for r in busy threads; do "$SOFTPMU" report $r.rec --json | jq -S '[.rows[] | {function, object, n: .counts.INSTRUCTIONS_EXECUTED}] | sort_by(.object, .function)' >rows.$r; done
cmp -s rows.busy rows.threads && [ "$(jq length rows.busy)" -gt 20 ] && ok || bad "functions of all threads: $(diff rows.busy rows.threads | head -n 3)"
"$SOFTPMU" report threads.rec --process 1:1 --json >one.json && [ "$(jq '.totals.INSTRUCTIONS_EXECUTED' one.json)" = "$(awk '$1 == "1:1" && $2 == "INSTRUCTIONS_EXECUTED" { print $3 }' two)" ] &&
	[ "$(jq '.totals.INSTRUCTIONS_EXECUTED == ([.rows[].counts.INSTRUCTIONS_EXECUTED] | add)' one.json)" = true ] && ok || bad "report --process 1:1: $(jq -c .totals.INSTRUCTIONS_EXECUTED one.json)"
"$SOFTPMU" report threads.rec --process 1 --json | jq -e '[.rows[] | select(.function == "work")] | length == 1' >/dev/null && ok || bad "report --process 1"
# no OPTIONS WORDS: report says in one sentence why not
no() {
	"$SOFTPMU" report $1 >out 2>err
	[ $? = 125 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q "$2" err && ok || bad "report $1 says: $(cat out err)"
}
no "busy.rec --by thread" "record --per-thread does"
no "busy.rec --process 1:1" "record --per-thread does"
no "threads.rec --process 7" "report --by thread lists them"

# A region alone: what stat says of it, and nothing that was executed elsewhere, by whichever thread or process.
if "$CC" -O1 -w -pthread -o regions "$here/regions.c" 2>/dev/null; then
	for how in "pentium3 instructions,dcu_lines_in" "pentium instructions,data_read_miss" "pentium3 instructions,cycles" "pentium instructions,cycles"; do
		set -- $how
		"$SOFTPMU" record -q --region collect --env clean --cpu $1 -e $2 -o region.rec -- ./regions 2>err || bad "record --region: $(cat err)"
		"$SOFTPMU" stat --per-region --env clean --cpu $1 -e $2 --json -o stat.json -- ./regions >/dev/null 2>&1
		"$SOFTPMU" report region.rec --json >region.json
		jq -r '.totals | to_entries[] | .value' region.json >one
		jq -r '.regions[] | select(.name == "collect") | .events[].value' stat.json >two
		cmp -s one two && [ "$(head -n 1 one)" -gt 3000 ] && ok || bad "the region on a $how: record $(tr '\n' ' ' <one), stat $(tr '\n' ' ' <two)"
		[ "$(jq '[.rows[].function] | index("inside") != null and index("outside") == null' region.json)" = true ] &&
			[ "$(jq '(.totals.instructions // .totals.INSTRUCTIONS_EXECUTED) == ([.rows[].counts | .instructions // .INSTRUCTIONS_EXECUTED] | add)' region.json)" = true ] && ok ||
			bad "rows of the region on a $how: $(jq -c '[.rows[] | [.function, .counts]]' region.json | head -c 300)"
	done
	"$SOFTPMU" record -q --region collect --per-thread --env clean -e instructions -o region.rec -- ./regions 2>err || bad "record --region --per-thread: $(cat err)"
	[ "$("$SOFTPMU" report region.rec --by thread --json | jq -r '[.rows[] | select(.counts.instructions > 0).process] | sort | join(" ")')" = "1.1:0 regions 1:1 regions 1:2 regions" ] && ok ||
		bad "threads of the region: $("$SOFTPMU" report region.rec --by thread)"
	"$SOFTPMU" record -q --region nothing --env clean -e instructions -o none.rec -- ./regions >/dev/null 2>err
	grep -q "never in the region 'nothing', so nothing is recorded: no file that was executed has a function nothing.*(it marked: collect)$" err && [ ! -e none.rec ] && ok || bad "a region that is not there: $(cat err)"
	"$SOFTPMU" record -q --env clean -e instructions -o all.rec -- ./regions >/dev/null 2>&1
	"$SOFTPMU" diff all.rec region.rec >/dev/null 2>err
	[ $? = 2 ] && grep -q 'parts of the run' err && ok || bad "diff of a region and the run: $(cat err)"
else
	echo "note: no valgrind/callgrind.h: regions are not recorded"
fi
# Nothing, until somebody says so.
rm -f none.rec
"$SOFTPMU" record -q --delay -1 -e instructions -o none.rec -- /bin/true 2>err && [ "$("$SOFTPMU" report none.rec --json | jq .totals.instructions)" = 0 ] && ok || bad "record --delay -1: $(cat err)"
"$SOFTPMU" report none.rec | grep -q '^ Nothing was counted\.$' && ok || bad "report of nothing: $("$SOFTPMU" report none.rec)"

# ---- files -----------------------------------------------------------------------------------------

# body FILE: all of it but the sections of times and the end.
body() { head -c "$(grep -obUa 'times' "$1" | tail -n 1 | cut -d: -f1)" "$1"; }
"$SOFTPMU" record -q --env clean -o a.rec -- ./busy 2>/dev/null
"$SOFTPMU" record -q --env clean -o b.rec -- ./busy 2>/dev/null
[ "$(body a.rec | sha1sum)" = "$(body b.rec | sha1sum)" ] && [ "$(body a.rec | wc -c)" -gt 1000 ] && ok || bad "two runs give different files"

# A program that dies, and one that is interrupted, leave what they counted.
"$SOFTPMU" record -q -e instructions -o dead.rec -- sh -c 'kill -SEGV $$' 2>/dev/null
[ $? = 139 ] && "$SOFTPMU" report dead.rec >/dev/null && ok || bad "a program that dies leaves no record"
for signal in INT TERM; do
	"$SOFTPMU" record -q -e instructions -o cut.rec -- sh -c 'while :; do :; done' 2>/dev/null &
	sleep 1
	kill -$signal $!
	wait $!
	"$SOFTPMU" report cut.rec --json 2>err | jq -e '.totals.instructions > 1000' >/dev/null && ok || bad "SIG$signal leaves no record: $(cat err)"
	rm -f cut.rec
done
echo old >kept.rec
"$SOFTPMU" record -q -e instructions -o kept.rec -- sh -c 'while :; do :; done' 2>/dev/null &
sleep 1
kill -KILL $!
wait $! 2>/dev/null
[ "$(cat kept.rec)" = old ] && [ -z "$(ls kept.rec.* 2>/dev/null)" ] && ok || bad "SIGKILL does not leave the old file alone"

# The start of an interpreter, some 100 000 instructions, is a small file.
if command -v python3 >/dev/null; then
	"$SOFTPMU" record -q --env clean -o python.rec -- python3 -c pass 2>/dev/null
	[ "$(stat -c %s python.rec)" -le 300000 ] && ok || bad "record of python3 -c pass has $(stat -c %s python.rec) bytes"
fi

# What cannot be read says so in a sentence.
# refused FILE WORDS
refused() {
	"$SOFTPMU" report "$1" >out 2>err
	[ $? = 125 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q "$2" err && ok || bad "report $1 says: $(cat out err)"
}
refused nothing.rec "there is no record 'nothing.rec'"
head -c 700 a.rec >short.rec
refused short.rec 'is cut off'
(head -c 200 a.rec; printf X; tail -c +202 a.rec) >wrong.rec
refused wrong.rec 'is damaged'
refused "$here/run.sh" 'is no record'
(printf 'SPMUREC\2'; tail -c +9 a.rec) >newer.rec
refused newer.rec 'newer softpmu'
(head -c 16 a.rec; printf '\1\0'; tail -c +19 a.rec) >older.rec
refused older.rec 'older softpmu'
mkdir dir
"$SOFTPMU" record -q -e instructions -o dir -- /bin/true 2>err
[ $? = 125 ] && grep -q "cannot write 'dir'" err && ok || bad "record -o DIRECTORY says: $(cat err)"

# ---- the difference of two -------------------------------------------------------------------------

# A parameter by value instead of by reference: a copy for each call.
"${CXX:-c++}" -O1 -g -o by-reference "$here/copies.cpp" && "${CXX:-c++}" -O1 -g -DBY_VALUE -o by-value "$here/copies.cpp" || bad "copies.cpp does not compile"
for which in by-reference by-value; do
	"$SOFTPMU" record -q --env clean -o $which.rec -- ./$which >/dev/null 2>err || bad "record $which: $(cat err)"
done
"$SOFTPMU" diff by-reference.rec by-value.rec --limit INST_RETIRED=1% >out 2>err
[ $? = 3 ] && grep -q 'limit INST_RETIRED=1% is broken' err && ok || bad "diff with a broken limit: $(cat err)"
"$SOFTPMU" diff -v by-reference.rec by-value.rec >out 2>/dev/null # every row
names="malloc copies.cpp:"
[ -d /usr/lib/debug/.build-id ] && names="$names _int_free memcpy" # libc6-dbg
for name in $names; do
	grep -qE "^ +\+.*$name" out && ok || bad "diff does not name $name: $(cat out)"
done
"$SOFTPMU" diff by-reference.rec by-value.rec --limit @all=1000% --limit inst_retired=+100000000 >/dev/null 2>err &&
	[ ! -s err ] && ok || bad "diff within its limits says: $(cat err)"
"$SOFTPMU" diff by-value.rec by-reference.rec --limit @all=0% >/dev/null 2>&1 && ok || bad "falling breaks a limit"
"$SOFTPMU" diff by-value.rec by-reference.rec --limit @all=0% --both-ways >/dev/null 2>&1
[ $? = 3 ] && ok || bad "falling does not break a limit --both-ways"
"$SOFTPMU" diff by-value.rec by-value.rec --limit @all=0% --both-ways --json >out 2>err &&
	[ "$(jq '.functions + .lines | length' out)" = 0 ] && ok || bad "a record differs from itself: $(cat err)"
"$SOFTPMU" record -q --env clean --l1d 32K -o other.rec -- ./by-value >/dev/null 2>&1
"$SOFTPMU" record -q --env clean --cpu pentium -o pentium.rec -- ./by-value >/dev/null 2>&1
for other in other pentium a; do
	"$SOFTPMU" diff by-value.rec $other.rec >out 2>err
	code=$?
	case $other in
	other) [ $code = 2 ] && grep -q 'different settings' err && ok || bad "diff of two geometries: $code $(cat err)" ;;
	pentium) [ $code = 2 ] && grep -q 'two processors' err && ok || bad "diff of two processors: $code $(cat err)" ;;
	a) [ $code = 0 ] && ok || bad "diff of two programs: $code $(cat err)" ;;
	esac
done

# The same by clocks: the calling line, too.
for which in by-reference by-value; do
	"$SOFTPMU" record -q --env clean -e cycles -o $which.clk -- ./$which >/dev/null 2>err || bad "record -e cycles $which: $(cat err)"
done
"$SOFTPMU" diff -v by-reference.clk by-value.clk --limit cycles=1% >out 2>err
[ $? = 3 ] && grep -q 'limit cycles=1% is broken' err && ok || bad "diff of cycles with a broken limit: $(cat err)"
for name in malloc copies.cpp:; do
	grep -qE "^ +\+.*$name" out && ok || bad "diff of cycles does not name $name: $(cat out)"
done

# ---- lines and instructions ------------------------------------------------------------------------

"$SOFTPMU" annotate use by-value.rec -e inst_retired >out 2>err && grep -qE '^ +[0-9]+,000 .*for \(char c : s\)' out && ok ||
	bad "annotate use: $(cat out err)"
n=$(grep -n 'use(s);' "$here/copies.cpp" | cut -d: -f1)
"$SOFTPMU" annotate "copies.cpp:$n" by-value.rec -e inst_retired >out 2>err && grep -qE "^ +[0-9],0[0-9]+ .* $n +.*use\(s\);" out && ok ||
	bad "annotate copies.cpp:$n: $(cat out err)"
# Each instruction has objdump's address, and its byte in the function.
objdump -d --no-show-raw-insn where | sed -n 's/^ *\([0-9a-f]*\):\t\([a-z]*\).*/\1 \2/p' >objdump.out
"$SOFTPMU" annotate walk_again where.rec --instructions -e instructions_executed >out 2>err
begin=$(nm where | sed -n 's/^\([0-9a-f]*\) . walk_again$/\1/p') n=0
while read -r address byte; do
	[ $((0x$begin + 0x${byte#+})) = $((0x$address)) ] && grep -q "^0*$address " objdump.out && n=$((n + 1)) || bad "annotate --instructions: $address $byte"
done < <(sed -n 's/^ *[0-9,]* *[0-9.]*%  *\([0-9a-f]*\)  \(+[0-9a-f]*\)  .*/\1 \2/p' out)
[ $n -gt 4 ] && ok || bad "annotate --instructions: $(cat out err)"
"$SOFTPMU" annotate walk_again where.rec --instructions -e instructions_executed >out 2>err &&
	grep -qE '^ +256 .* add rsi, 0x20$' out && grep -qE '^ +1 .* ret$' out && ok || bad "annotate --instructions: $(cat out err)"
"$SOFTPMU" annotate nothing by-value.rec >out 2>err
[ $? = 125 ] && [ ! -s out ] && grep -q 'no function of the record' err && ok || bad "annotate nothing: $(cat out err)"

# ---- exports ---------------------------------------------------------------------------------------

# Valgrind's tools read the export, and their totals are the record's.
if command -v cg_annotate >/dev/null; then
	"$SOFTPMU" export cachegrind by-value.rec -o by-value.cg && "$SOFTPMU" export cachegrind by-reference.rec >by-reference.cg ||
		bad "export cachegrind"
	cg_annotate by-value.cg >out 2>err || bad "cg_annotate: $(cat err)"
	want=$("$SOFTPMU" report by-value.rec --json | jq -r '.totals.INST_RETIRED')
	got=$(awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }' out)
	[ "$got" = "$want" ] && ok || bad "cg_annotate sums to $got, the record to $want"
	grep -q 'copies.cpp:use' out && ok || bad "cg_annotate does not name the function: $(sed -n 20,30p out)"
	cg_diff by-reference.cg by-value.cg >diff.cg 2>err && cg_annotate diff.cg 2>err | grep -q malloc && ok || bad "cg_diff: $(cat err)"
else
	echo "note: no cg_annotate (Debian: valgrind): exports to it are not tested"
fi

finish
