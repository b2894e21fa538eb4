#!/bin/bash
# marks.sh -- marks of regions in a trace: replay --per-region lists what stat --per-region lists, and record --from-trace --region
# writes the bytes of record --region, for Valgrind's marks, LIKWID's and functions, of threads and processes.
. "$(dirname "$0")/../lib.sh"

trap 'rm -rf "$work"' EXIT
: "${CC:=cc}"
export LC_ALL=C
same="--env clean --isa v2 --cpuid pentium3" more=
if ! echo '#include <valgrind/callgrind.h>' | $CC -E - >/dev/null 2>&1; then
	skip "client requests: Valgrind's headers are not installed (package valgrind)"
	finish
fi
$CC -O1 -w -o "$work/one" tests/engine/regions.c && $CC -O1 -w -pthread -o "$work/threads" tests/record/regions.c &&
	$CC -O1 -w -pthread -o "$work/spawn" tests/replay/marks.c && $CC -O1 -w -o "$work/functions" -pthread tests/record/functions.c ||
	{ bad "the programs do not build"; finish; }

# trace PROGRAM...; by timeout, as all runs here
trace() { timeout 120 "$SOFTPMU" trace -q $same $more -o "$work/t.spt" -- "$@" >/dev/null 2>"$work/err" </dev/null && ok || bad "trace $*: $(head -n 1 "$work/err")"; }

# regions OPTIONS PROGRAM...: the same list of stat and replay
regions() {
	local options=$1
	shift
	timeout 120 "$SOFTPMU" stat $same $more --per-region $options -x, -o "$work/live" -- "$@" >/dev/null 2>"$work/err" </dev/null || { bad "$*: $(head -n 1 "$work/err")"; return; }
	timeout 120 "$SOFTPMU" replay --per-region $options -x, -o "$work/again" "$work/t.spt" 2>"$work/err" || { bad "$options, $*: $(head -n 1 "$work/err")"; return; }
	for f in live again; do cut -d, -f1-4 "$work/$f" >"$work/$f.counts"; done
	[ "$(grep -c '^region-' "$work/live")" -ge 2 ] && cmp -s "$work/live.counts" "$work/again.counts" && ok ||
		bad "replay --per-region $options, $*: $(diff "$work/live.counts" "$work/again.counts" | head -n 4 | tr '\n' ' ')"
}

# timeless FILE: a record up to its last section, the times
timeless() { head -c "$(grep -abo times "$1" | tail -n 1 | cut -d: -f1)" "$1"; }

# region NAME OPTIONS PROGRAM...: a record of the region, live and from $work/t.spt
region() {
	local name=$1 options=$2
	shift 2
	timeout 120 "$SOFTPMU" record -q $same --region "$name" $options -o "$work/live.rec" -- "$@" >/dev/null 2>"$work/err" </dev/null || { bad "$*: $(head -n 1 "$work/err")"; return; }
	timeout 120 "$SOFTPMU" record -q --from-trace "$work/t.spt" --region "$name" $options -o "$work/again.rec" 2>"$work/err.again" || { bad "$options, $*: $(head -n 1 "$work/err.again")"; return; }
	timeless "$work/live.rec" >"$work/a"
	timeless "$work/again.rec" >"$work/b"
	"$SOFTPMU" report --json "$work/again.rec" >"$work/rows" 2>>"$work/err.again"
	grep -q '"function"' "$work/rows" && cmp -s "$work/a" "$work/b" && cmp -s "$work/err" "$work/err.again" && ok ||
		bad "record --region $name $options, $*: other bytes than a live record: $(cat "$work/err" "$work/err.again" | head -n 2 | tr '\n' ' ')"
}

trace "$work/one"
regions "-e instructions" "$work/one"
regions "--all" "$work/one"
regions "--cpu pentium-mmx --all" "$work/one"
region collect "--all" "$work/one"
region collect "--cpu pentium --all --stacks on" "$work/one"
trace "$work/threads"
for cpu in pentium3 pentium-mmx; do
	in_turn || continue
	regions "--cpu $cpu --all --tier 2" "$work/threads"
	regions "--cpu $cpu -e instructions,cycles" "$work/threads"
	region collect "--cpu $cpu -e instructions,cycles" "$work/threads"
	region collect "--cpu $cpu --per-thread -e instructions,cycles" "$work/threads"
done
trace "$work/spawn"
regions "-e instructions,cycles" "$work/spawn"
regions "-i -e instructions,dcu_lines_in" "$work/spawn"
region outer "-e instructions,cycles" "$work/spawn"
region "inner" "--cpu pentium --per-thread -e instructions,cycles" "$work/spawn"

# A region that is a function: the marks say that no mark has its name.
trace "$work/functions"
region times:2 "--all --tier 2 --stacks on" "$work/functions"
region deep "--cpu pentium-mmx -e instructions,cycles" "$work/functions"
region begins_a_child "--per-thread -e instructions" "$work/functions"
"$SOFTPMU" record -q $same --region nothing -e instructions -o "$work/none.rec" -- "$work/functions" >/dev/null 2>"$work/a"
status=$?
"$SOFTPMU" record -q --from-trace "$work/t.spt" --region nothing -e instructions -o "$work/none.rec" 2>"$work/b"
[ $? = 125 ] && [ $status = 125 ] && cmp -s "$work/a" "$work/b" && [ ! -e "$work/none.rec" ] && ok || bad "a region that was never met: $(cat "$work/a" "$work/b")"

# --from and --to by marks: what lies between is the region, also for machines that share a pass.
trace "$work/one"
for cpu in pentium3 pentium-mmx; do
	timeout 120 "$SOFTPMU" stat $same --cpu $cpu --per-region --all -x, -o "$work/live" -- "$work/one" >/dev/null 2>&1 </dev/null
	grep '^region-instrumentation,' "$work/live" | cut -d, -f2,4 >"$work/a"
	"$SOFTPMU" replay --cpu $cpu --from instrumentation --to instrumentation --all -x, "$work/t.spt" 2>&1 | cut -d, -f1,3 | grep ',.' >"$work/b"
	[ -s "$work/a" ] && cmp -s "$work/a" "$work/b" && ok || bad "$cpu, --from and --to a mark: $(diff "$work/a" "$work/b" | head -n 4 | tr '\n' ' ')"
done
cp "$work/t.spt" "$work/one.spt"
part() { "$SOFTPMU" replay -e instructions -x, "$@" "$work/t.spt" 2>&1 | cut -d, -f1; }
sum=$(($(part --from collect:1 --to collect) + $(part --from collect:2 --to collect) + $(part --from collect:3 --to collect:3)))
[ "$sum" = "$(timeout 120 "$SOFTPMU" stat $same --per-region -e instructions -x, -- "$work/one" 2>&1 >/dev/null | grep '^region-collect' | cut -d, -f2)" ] && ok || bad "three times in a region are $sum instructions"
"$SOFTPMU" replay --l1d 4K,16K --from collect --to collect -e dcu_lines_in -x, "$work/t.spt" 2>&1 | sed -n 2p | cut -d, -f2 >"$work/a"
"$SOFTPMU" replay --l1d 16K --from collect --to collect -e dcu_lines_in -x, "$work/t.spt" 2>&1 | cut -d, -f1 >"$work/b"
[ -s "$work/b" ] && cmp -s "$work/a" "$work/b" && ok || bad "a part by marks in a column: $(cat "$work/a" "$work/b" | tr '\n' ' ')"
"$SOFTPMU" replay --from collect:2 --to 'after twenty' -e instructions "$work/t.spt" 2>&1 | grep -q 'counted from the begin of the region collect:2 to the end of the region after twenty' && ok || bad "the table does not say which part it is of"

# LIKWID's markers, several processors.
for f in Init ThreadInit RegisterRegion StartRegion StopRegion ResetRegion GetRegion Close; do
	echo "int likwid_marker$f(void) { return 7; }"
done >"$work/likwid.c"
$CC -shared -fPIC -o "$work/liblikwid.so" "$work/likwid.c" &&
	$CC -O1 -w -o "$work/likwid" tests/engine/regions_likwid.c -L"$work" -llikwid -lpthread -Wl,-rpath,"$work" || bad "likwid does not build"
same="--env clean,LD_PRELOAD=$PWD/$BUILD/lib/libsoftpmu-likwid.so --isa v2 --cpuid pentium3" more="--cpus 2"
trace "$work/likwid"
regions "-e instructions" "$work/likwid"

# A count while no thread is in the region does not fall below nothing where other programs are begun.
timeout 120 "$SOFTPMU" stat --delay -1 -e instructions -x, -o "$work/out" -- "$work/spawn" 2>/dev/null
grep -q '^0,,instructions' "$work/out" && ok || bad "stat --delay -1: $(head -n 1 "$work/out")"

# refused PATTERN OPTIONS...
refused() {
	local pattern=$1
	shift
	"$SOFTPMU" "$@" >"$work/out" 2>&1
	[ $? = 125 ] && grep -q -- "$pattern" "$work/out" && [ "$(grep -c '^softpmu:' "$work/out")" = 1 ] && ok ||
		bad "$*: status or sentence: $(head -n 2 "$work/out" | tr '\n' ' ')"
}
refused "per-region away" replay --per-region --from 10 -i "$work/t.spt"
refused "per-region .*for one machine" replay --per-region --cpu pentium,pentium3 "$work/t.spt"
refused "did not begin that region so often; it marked: instrumentation" replay --from collect:9 -x, -e instructions "$work/one.spt"
refused "did not end that region" replay --from collect:3 --to instrumentation:1 -x, -e instructions "$work/one.spt"
refused "nothing lies between" replay --from collect --to 10 -e instructions "$work/one.spt"
refused "name of a region of 1 to 63" replay --from "$(printf 'x%.0s' {1..70})" "$work/one.spt"
timeout 120 "$SOFTPMU" stat -x, -o "$work/out" --trace "$work/t.spt" -- "$work/one" >/dev/null
refused "has no marks of regions" replay --per-region "$work/t.spt"
refused "has no marks of regions" record --from-trace "$work/t.spt" --region collect
finish
