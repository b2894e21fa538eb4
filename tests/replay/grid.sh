#!/bin/bash
# Many machines in one pass of a trace: each column is, to the digit, what a pass of its own counts, and what a run
# counts. Whether the machines are shared out among processors of the host, or all in one process, does not matter.
# CHECK_LEVEL=all: of more programs.
. "$(dirname "$0")/../lib.sh"

trap 'rm -rf "$work"' EXIT
command -v zstd >/dev/null || { skip "zstd is not installed"; finish; }
: "${CC:=cc}"
export LC_ALL=C
$CC -O1 -w -o "$work/odd" tests/replay/odd.c || { bad "odd.c does not build"; finish; }
$CC -O1 -D_GNU_SOURCE -w -pthread -o "$work/tree" tests/replay/tree.c || { bad "tree.c does not build"; finish; }

# column FILE NUMBER: name and value of each event of a column; -1: of a report of one machine
column() {
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); n = int(sys.argv[2])
for e in (r if n < 0 else r["columns"][n])["events"]: print(e["name"], e.get("value", e["status"]))' "$@"
}
command -v python3 >/dev/null || { skip "python3 is not installed"; finish; }

# same TITLE GRID.json NUMBER OPTIONS...: the column is what a pass of its own counts
same() {
	local title=$1 grid=$2 n=$3
	shift 3
	"$SOFTPMU" replay "$@" --json -o "$work/one.json" "$work/t.spt" 2>"$work/err" || { bad "$title: $(head -n 1 "$work/err")"; return; }
	column "$work/one.json" -1 >"$work/a"
	column "$grid" "$n" | grep -v 'no such event' >"$work/b"
	[ "$(wc -l <"$work/a")" -ge 1 ] && cmp -s "$work/a" "$work/b" && ok || bad "$title: $(diff "$work/a" "$work/b" | head -n 4 | tr '\n' ' ')"
}

# trace PROGRAM...
trace() { "$SOFTPMU" trace -q --env clean -o "$work/t.spt" -- "$@" >/dev/null 2>"$work/err" </dev/null && ok || bad "trace $*: $(head -n 1 "$work/err")"; }

# grid NAME OPTIONS...: counted into $work/NAME.json
grid() {
	local name=$1
	shift
	"$SOFTPMU" replay "$@" --json -o "$work/$name.json" "$work/t.spt" 2>"$work/err" && ok || bad "grid $name: $(head -n 1 "$work/err")"
}

sixteen="4K:1 4K:2 4K:4 8K:1 8K:2 8K:4 16K:1 16K:2 16K:4 16K:8 32K:1 32K:2 32K:4 32K:8 64K:4 64K:16"
list=${sixteen// /,}

# One group of sixteen, in one process and in several; a small L2 takes lines away from L1D.
trace "$work/odd"
grid alone --l1d $list --l2 32K:4 --all --tier 2
taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" "$SOFTPMU" replay --l1d $list --l2 32K:4 --all --tier 2 --json -o "$work/taskset.json" "$work/t.spt" 2>"$work/err" && ok ||
	bad "on one processor: $(head -n 1 "$work/err")"
n=0
for g in $sixteen; do
	same "l1d $g" "$work/alone.json" $n --l1d $g --l2 32K:4 --all --tier 2
	column "$work/alone.json" $n >"$work/a"
	column "$work/taskset.json" $n | cmp -s - "$work/a" && ok || bad "l1d $g: one process and several differ"
	n=$((n + 1))
done
[ "$(column "$work/alone.json" 0 | grep -c ' 0$')" -lt "$(column "$work/alone.json" 0 | wc -l)" ] && ok || bad "all counts are 0"
for i in 2 13; do
	g=$(echo $sixteen | cut -d' ' -f$((i + 1)))
	"$SOFTPMU" stat --env clean --l1d $g --l2 32K:4 --all --tier 2 --json -o "$work/live.json" -- "$work/odd" >/dev/null 2>&1 </dev/null
	column "$work/live.json" -1 >"$work/a"
	column "$work/alone.json" $i | cmp -s - "$work/a" && ok || bad "l1d $g: not what a run counts: $(column "$work/alone.json" $i | diff "$work/a" - | head -n 4 | tr '\n' ' ')"
done

# Other parts, and what the members of a group must not share: line sizes, processors, clocks, a Pentium.
grid parts --l1i 4K:1,16K --dtlb 16:1,64 --l2 64K,128K:8 --replace lru --all --tier 2
n=0
for i in 4K:1 16K; do for l in 64K 128K:8; do for d in 16:1 64; do
	[ "$CHECK_LEVEL" = all ] || [ $((n % 3)) = 1 ] && same "l1i $i, l2 $l, dtlb $d" "$work/parts.json" $n --l1i $i --l2 $l --dtlb $d --replace lru --all --tier 2
	n=$((n + 1))
done; done; done
grid mixed --cpu pentium,pentium2,pentium3 --l1d 8K,8K:2:64,32K:8 -e instructions,dcu_lines_in,data_read_miss,br_miss_pred_retired
n=0
for cpu in pentium pentium2 pentium3; do for g in 8K 8K:2:64 32K:8; do
	same "$cpu, l1d $g" "$work/mixed.json" $n --cpu $cpu --l1d $g -e "$([ $cpu = pentium ] && echo instructions,data_read_miss || echo instructions,dcu_lines_in,br_miss_pred_retired)"
	n=$((n + 1))
done; done
grid clocks --l1d 8K,16K -e cycles,dcu_lines_in
same "clocks, l1d 8K" "$work/clocks.json" 0 --l1d 8K -e cycles,dcu_lines_in
same "clocks, l1d 16K" "$work/clocks.json" 1 --l1d 16K -e cycles,dcu_lines_in
grid random --l1d 4K:1,32K:2 --phys random:3 --all --tier 2
same "random frames" "$work/random.json" 1 --l1d 32K:2 --phys random:3 --all --tier 2
grid counters --l1d 8K,16K --counters 2 -e dcu_lines_in,l2_lines_in,br_miss_pred_retired
same "--counters" "$work/counters.json" 1 --l1d 16K --counters 2 -e dcu_lines_in,l2_lines_in,br_miss_pred_retired
ways="threads fork"
[ "$CHECK_LEVEL" = all ] && ways="plain threads signals fork spawn vfork exec"
for way in $ways exec; do
	trace "$work/tree" $way
	grid tree --l1d 4K:2,16K,64K:8 --all --tier 2
	same "$way, l1d 4K:2" "$work/tree.json" 0 --l1d 4K:2 --all --tier 2
	same "$way, l1d 64K:8" "$work/tree.json" 2 --l1d 64K:8 --all --tier 2
done

# A run counts for up to four.
"$SOFTPMU" stat --env clean --l1d 8K,16K,32K -e dcu_lines_in -x, -o "$work/live" -- "$work/tree" plain >/dev/null 2>&1 </dev/null
for g in 8K 16K 32K; do
	value=$("$SOFTPMU" stat --env clean --l1d $g -e dcu_lines_in -x, -- "$work/tree" plain 2>&1 >/dev/null </dev/null | cut -d, -f1)
	grep -q "^l1d=$g,$value," "$work/live" && ok || bad "stat --l1d: $g is not $value: $(tr '\n' ' ' <"$work/live")"
done

# A damaged trace is said once, whoever finds it.
size=$(stat -c %s "$work/t.spt")
head -c $((size - 700)) "$work/t.spt" >"$work/cut"
"$SOFTPMU" replay --l1d 4K,8K -e dcu_lines_in "$work/cut" >"$work/out" 2>&1
[ $? = 125 ] && [ "$(grep -c 'ends early' "$work/out")" -ge 1 ] && ok || bad "a cut trace: $(head -n 3 "$work/out" | tr '\n' ' ')"

# refused PATTERN OPTIONS...
refused() {
	local pattern=$1
	shift
	"$SOFTPMU" "$@" >"$work/out" 2>&1
	[ $? = 125 ] && grep -q -- "$pattern" "$work/out" && [ "$(grep -c '^softpmu:' "$work/out")" = 1 ] && ok ||
		bad "$*: status or sentence: $(head -n 2 "$work/out" | tr '\n' ' ')"
}
refused "20 machines are asked for, and one pass" replay --l1d 4K,8K,16K,32K --l2 128K,256K,512K,1M,2M "$work/t.spt"
refused "8 machines are asked for, and one run" stat --l1d 4K,8K,16K,32K --l2 256K,512K -- true
refused "a size is missing" replay --l1d 8K, "$work/t.spt"
refused "17408:4: size divided by ways" replay --l1d 8K,17K:4 "$work/t.spt"
refused "one size is wanted" check --l1d 8K,16K -- true
refused "--tag" replay --l1d 8K,16K --json --tag a=b "$work/t.spt"
finish
