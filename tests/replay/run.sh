#!/bin/bash
# run.sh -- softpmu trace and softpmu replay: a recorded run counts, for any processor, what a run of
# its own under the recording's --cpuid and --isa counts; damaged files are told.
. "$(dirname "$0")/../engine/lib.sh"
src=$PWD/tests/engine
same="--env clean --isa v2 --cpuid pentium3"

$CC -O1 -D_GNU_SOURCE -w -pthread -o "$work/tree" "$PWD/tests/replay/tree.c" || exit 1
bare "$work/bare" "$src/static_prog.c" || exit 1
has_32_bit && $CC -m32 -O1 -D_GNU_SOURCE -w -pthread -o "$work/tree32" "$PWD/tests/replay/tree.c" 2>/dev/null
printf 'create table t(a, b); insert into t values (1, 2), (3, 4); select sum(a * b) from t;\n' >"$work/q.sql"

# numbers FILE: name and value of each event
numbers() { grep -oE '"name": "[^"]*"|"value": [0-9.]+' "$1" | sed '/"name"/{h;d};H;x;s/\n/ /'; }

# equal TITLE CPU LIVE-OPTIONS REPLAY-OPTIONS PROGRAM...: replay of $work/t.spt against a run
equal() {
	local title=$1 cpu=$2 live=$3 options=$4
	shift 4
	"$SOFTPMU" stat $same --cpu $cpu $live $options --json -o "$work/live.json" -- "$@" >/dev/null 2>"$work/err" </dev/null ||
		{ bad "$title: $(head -n 1 "$work/err")"; return; }
	"$SOFTPMU" replay --cpu $cpu $options --json -o "$work/again.json" "$work/t.spt" 2>"$work/err" ||
		{ bad "$title on $cpu: replay: $(head -n 1 "$work/err")"; return; }
	numbers "$work/live.json" >"$work/a"
	numbers "$work/again.json" >"$work/b"
	[ "$(wc -l <"$work/a")" -ge 1 ] && cmp -s "$work/a" "$work/b" && ok ||
		bad "$title on $cpu: $(diff "$work/a" "$work/b" | head -n 4 | tr '\n' ' ')"
	[ "$(grep input_digest "$work/live.json")" = "$(grep input_digest "$work/again.json")" ] && ok ||
		bad "$title on $cpu: the digest differs"
}

# trace OPTIONS PROGRAM...
trace() {
	local options=$1
	shift
	"$SOFTPMU" trace -q $same $options -o "$work/t.spt" -- "$@" >/dev/null 2>"$work/err" </dev/null && ok ||
		bad "trace $*: $(head -n 1 "$work/err")"
}

cpus="pentium pentium-mmx pentiumpro pentium2 pentium3"
for way in plain threads signals fork spawn vfork exec; do
	trace "" "$work/tree" $way
	for cpu in pentium-mmx pentium3; do
		in_turn || continue
		equal $way $cpu "" --all "$work/tree" $way
	done
	in_turn # the next way begins with the other processor
	[ -x "$work/tree32" ] && in_turn 32 || continue
	trace "" "$work/tree32" $way
	equal "$way (32)" pentium2 "" "--all" "$work/tree32" $way
done
trace "" sqlite3 :memory: ".read $work/q.sql"
for cpu in $cpus; do
	equal sqlite3 $cpu "" --all sqlite3 :memory: ".read $work/q.sql"
done
equal "tier 1" pentium3 "" "-e instructions,uops_retired" sqlite3 :memory: ".read $work/q.sql"
equal "geometry" pentium3 "" "--l1d 8K:2:32 --l2 256K --all --tier 2" sqlite3 :memory: ".read $work/q.sql"
equal "figures" pentium3 "" "--set mispredict_clk=20 -e cycles" sqlite3 :memory: ".read $work/q.sql"
equal "--counters 2" pentium3 "" "--counters 2 -e dcu_lines_in,l2_lines_in,br_miss_pred_retired" sqlite3 :memory: ".read $work/q.sql"
equal "samples" pentium3 "" "--clocks sampled -e cycles,resource_stalls" sqlite3 :memory: ".read $work/q.sql"
trace "--cpus 2" "$work/tree" threads
equal "--cpus 2" pentium2 "--cpus 2" "--all" "$work/tree" threads

# Several processors in one pass: each column is its own run's.
trace "" "$work/tree" fork
"$SOFTPMU" replay --cpu pentium-mmx,pentiumpro,pentium3 -e instructions,cycles -x, -o "$work/columns" "$work/t.spt" 2>"$work/err" || bad "columns: $(head -n 1 "$work/err")"
for cpu in pentium-mmx pentiumpro pentium3; do
	"$SOFTPMU" stat $same --cpu $cpu -e instructions,cycles -x, -o "$work/one" -- "$work/tree" fork >/dev/null 2>&1 </dev/null
	for event in instructions cycles; do
		value=$(awk -F, -v e=$event '$3 == e { print $1 }' "$work/one")
		[ -n "$value" ] && grep -q "$cpu.*$value\|$value.*$cpu" "$work/columns" && ok || bad "columns: $cpu $event is not $value: $(head -n 3 "$work/columns" | tr '\n' ' ')"
	done
done

"$SOFTPMU" replay --cpu pentium-mmx,pentium3 -e instructions "$work/t.spt" 2>&1 | grep -q 'The program saw a pentium3;' && ok ||
	bad "columns: they do not say what the program saw"

# A report knows the settings that it was counted with.
"$SOFTPMU" replay --l1d 32K --json -e dcu_lines_in -o "$work/other.json" "$work/t.spt" 2>/dev/null
refused_against=$("$SOFTPMU" replay --against "$work/other.json" --limit dcu_lines_in=1% "$work/t.spt" 2>&1)
[ $? = 2 ] && ok || bad "two geometries are compared: $(echo "$refused_against" | tail -n 1)"

# What a trace says about itself.
"$SOFTPMU" trace --info "$work/t.spt" >"$work/info" 2>&1
grep -q 'fixed: --cpuid pentium3, --isa v2, --cpus 1, --seed 0' "$work/info" && grep -q '4 processes' "$work/info" &&
	ok || bad "--info: $(cat "$work/info")"
# It is a file of Zstandard's, whose streams begin with the head.
[ "$(zstd -dcq <"$work/t.spt" | head -c 7)" = SPMUTRC ] && ok || bad "zstd does not read a trace"

# A file for each process counts what the process counted.
"$SOFTPMU" stat $same --cpu pentium3 -e dcu_lines_in --per-process -x, -o "$work/parts" --trace "$work/p-%p" -- "$work/tree" fork >/dev/null 2>&1 </dev/null
for birth in 1 1.1; do
	"$SOFTPMU" replay -e instructions "$work/p-$birth" >"$work/err" 2>&1 && ok || bad "the trace of process $birth: $(head -n 1 "$work/err")"
done

# --- bad input --------------------------------------------------------------------------------
# refused STATUS PATTERN OPTIONS...
refused() {
	local status=$1 pattern=$2
	shift 2
	"$SOFTPMU" "$@" >"$work/out" 2>&1
	[ $? = "$status" ] && grep -q "$pattern" "$work/out" && [ "$(grep -c '^softpmu:' "$work/out")" = 1 ] && ok ||
		bad "$*: status or sentence: $(head -n 2 "$work/out" | tr '\n' ' ')"
}
refused 125 "which trace" replay
refused 125 "cannot read" replay "$work/none"
refused 125 "is not a trace" replay "$work/q.sql"
refused 125 "is no regular file" replay /dev/null
refused 125 "made with 1" replay --cpus 2 "$work/t.spt"
refused 125 "options stand before" replay "$work/t.spt" -e cycles
refused 125 "of which trace" trace --info
head -c 100 "$work/t.spt" >"$work/cut"
refused 125 "is not a trace" replay "$work/cut"
trace "" "$work/tree" plain
size=$(stat -c %s "$work/t.spt")
head -c $((size - 700)) "$work/t.spt" >"$work/cut"
refused 125 "ends early" replay -e instructions "$work/cut"
{ head -c $((size / 2)) "$work/t.spt"; printf 'xxxxxxxx'; tail -c +$((size / 2 + 9)) "$work/t.spt"; } >"$work/bent"
refused 125 "is damaged" replay -e instructions "$work/bent"

# A run that is killed leaves frames that count; Ctrl-C ends a trace in order. A frame of this program
# has 0.65 MB, so two of them are whole in a file of 2 MB.
"$SOFTPMU" trace -q -o "$work/long.spt" -- "$work/tree" long >/dev/null 2>&1 </dev/null &
pid=$!
for _ in $(seq 600); do [ "$(stat -c %s "$work/long.spt" 2>/dev/null || echo 0)" -gt 2000000 ] && break; sleep 0.1; done
kill -9 $pid; wait $pid 2>/dev/null
"$SOFTPMU" replay -e instructions -x, "$work/long.spt" >"$work/out" 2>"$work/err"
grep -q 'ends early' "$work/out" "$work/err" && grep -qE '^[1-9][0-9]{4,},,instructions' "$work/out" "$work/err" && ok || bad "a killed recording: $(cat "$work/out" "$work/err" | head -n 3 | tr '\n' ' ')"
"$SOFTPMU" trace -q -o "$work/ended.spt" -- "$work/tree" long >/dev/null 2>&1 </dev/null &
pid=$!
for _ in $(seq 600); do [ "$(stat -c %s "$work/ended.spt" 2>/dev/null || echo 0)" -gt 20000 ] && break; sleep 0.1; done
kill -TERM $pid; wait $pid 2>/dev/null
"$SOFTPMU" replay -e instructions -x, "$work/ended.spt" >"$work/out" 2>&1 && grep -qE '^[1-9][0-9]{4,},,instructions' "$work/out" && ok ||
	bad "a recording that was ended: $(head -n 2 "$work/out" | tr '\n' ' ')"
grep -q "did not come to its end: SIGTERM ended it early" "$work/out" && [ "$(grep -c '^softpmu:' "$work/out")" = 1 ] && ok || bad "a recording that was ended: no note: $(head -n 2 "$work/out" | tr '\n' ' ')"
"$SOFTPMU" replay -q --json -e instructions "$work/ended.spt" 2>&1 | grep -q '"interrupted": true' && ok || bad "--json does not say that the recording was ended"
"$SOFTPMU" trace --info "$work/ended.spt" | grep -q '^end: SIGTERM ended it early$' && "$SOFTPMU" trace --info "$work/t.spt" | grep -q '^end: exit status 0$' && ok || bad "--info: how runs ended"
"$SOFTPMU" trace --info "$work/ended.spt" | grep -q -- '--isa auto, .*; the program was shown v2$' && ok || bad "--info: the ISA level: $("$SOFTPMU" trace --info "$work/ended.spt" | grep fixed)"

# Without operands: what needs no clocks counts alike, in a smaller file; what needs operands says so.
printf 'int main(void) { volatile double x = 1, y = 3; for (int i = 0; i < 20000; i++) x = x / y + 1; return 0; }\n' >"$work/x87.c"
$CC -O1 -mfpmath=387 -o "$work/x87" "$work/x87.c" || bad "x87.c does not build"
trace "" "$work/x87"
whole=$(stat -c %s "$work/t.spt")
trace --lean "$work/x87"
[ "$(stat -c %s "$work/t.spt")" -lt "$whole" ] && ok || bad "--lean: no smaller than $whole bytes"
equal "--lean" pentium3 "" "-e instructions,dcu_lines_in,br_miss_pred_retired,flops" "$work/x87"
equal "--lean" pentium-mmx "" "-e instructions,data_read,flops" "$work/x87"
"$SOFTPMU" replay -x, -e fp_assist "$work/t.spt" 2>&1 | grep -q '^<not modelled>,,fp_assist' && ok || bad "--lean: FP_ASSIST"
refused 125 "trace --lean and has no operands" replay -e cycles "$work/t.spt"
refused 125 "trace --lean and has no operands" replay --cpu pentium,pentium3 -e cycles "$work/t.spt"
"$SOFTPMU" trace --info "$work/t.spt" | grep -q '^fixed: .*; no operands (--lean)$' && ok || bad "--info: --lean"

# Changed records with checksums made right: no reader crashes, hangs or takes memory without bound.
make -s BUILD="$BUILD" "$BUILD/libsoftpmu.a" >/dev/null 2>&1
n=1000
[ "$CHECK_LEVEL" = all ] && n=200000
trace "" "$work/tree" fork
if $CC -fno-lto -O1 -D_GNU_SOURCE -w -Isrc -Iinclude -I"$BUILD" -o "$work/mutants" tests/replay/mutants.c "$BUILD/libsoftpmu.a" \
	-lZydis -ljansson -lzstd -lm -lpthread; then
	out=$("$work/mutants" "$work/t.spt" $n 2>&1) && ok || bad "mutants: $out"
else
	bad "mutants.c does not build"
fi
finish
