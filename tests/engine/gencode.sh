#!/bin/bash
# gencode.sh -- programs with more code than softpmu keeps: everything is translated anew, no count is lost,
# and memory does not grow with the run.
#
# One that fills the tables (524288 blocks) with code that stays, one that writes its code again and again.
. "$(dirname "$0")/lib.sh"

tool maxrss && $CC -O1 -Wall -o "$work/gencode" "$src/gencode.c" || exit 1

# run NAME EVENTS ARGS...: counts to $work/NAME, output to $work/NAME.out, memory in MiB to $rss
run() {
	local name=$1 events=$2
	shift 2
	timeout 900 "$work/maxrss" "$work/rss" "$SOFTPMU" stat -x, --env clean -e "$events" -o "$work/$name" -- "$work/gencode" "$@" \
		>"$work/$name.out" 2>"$work/err" </dev/null || echo "status $? $(head -n 1 "$work/err")" >>"$work/$name.out"
	rss=$(($(cat "$work/rss") / 1024))
}

# between TITLE LOW NUMBER HIGH
between() { [ -n "$3" ] && [ "$3" -ge "$2" ] && [ "$3" -le "$4" ] && ok || bad "$1: $3, not from $2 to $4"; }

# check TITLE LEAST MOST ARGS...: output as natively, equal counts in both tiers, instructions in the range
check() {
	local title=$1 least=$2 most=$3
	shift 3
	"$work/gencode" "$@" >"$work/native"
	run one inst_retired,br_inst_retired "$@"
	between "$title, memory in MiB" 1 "$rss" 500
	run two inst_retired,br_inst_retired,dcu_lines_in "$@"
	between "$title, memory in MiB with a stream" 1 "$rss" 500
	for n in one two; do
		cmp -s "$work/native" "$work/$n.out" && ok || bad "$title ($n): $(cat "$work/$n.out") instead of $(cat "$work/native")"
	done
	between "$title, instructions" "$least" "$(count_of "$work/one" inst_retired)" "$most"
	for e in inst_retired br_inst_retired; do
		[ "$(count_of "$work/one" $e)" = "$(count_of "$work/two" $e)" ] && ok ||
			bad "$title: $e is $(count_of "$work/one" $e) in tier 1 and $(count_of "$work/two" $e) in tier 2"
	done
}

# libc takes 100000 to 300000 instructions, writing a block or function 5 to 20
check "600000 blocks twice" $((600000 * 2 * 3 + 600000 * 4)) $((600000 * 2 * 3 + 600000 * 20 + 400000)) fill 600000 2
check "32768 functions 6 times" $((32768 * 6 * 7)) $((32768 * 6 * 30 + 400000)) rewrite 64 6

# Memory after 24 rounds is that after 12.
run few inst_retired rewrite 64 12
few=$rss
run many inst_retired rewrite 64 24
between "memory in MiB after 24 rounds" 1 "$rss" $((few + 8))

finish
