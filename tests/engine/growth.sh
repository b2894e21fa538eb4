#!/bin/bash
# growth.sh -- the memory of softpmu does not grow with the length of a run: what growth.c does N times and 4 N times takes the
# same at the end, in every tier.
#
# N is beyond what fills up once: translations are forgotten when 16384 of them are dead, timings of blocks are kept up to a limit (which
# 300 rounds of signals have not reached, and how far a model is behind its program differs from run to run).
. "$(dirname "$0")/lib.sh"
$CC -O1 -D_GNU_SOURCE -w -pthread -o "$work/growth" "$src/growth.c" -ldl || exit 1

# at WAY N EVENTS...: KiB at the end; what went wrong instead
at() {
	local way=$1 n=$2
	shift 2
	timeout 900 "$SOFTPMU" stat "$@" -o "$work/counts" -- "$work/growth" "$way" "$n" "$work/kib" 2>"$work/err" >&2 &&
		cat "$work/kib" || echo "status $?: $(tail -n 1 "$work/err")"
}

# grow WAY N MOST OPTIONS...: 4 N take at most MOST KiB more than N
grow() {
	local way=$1 n=$2 most=$3 one four
	shift 3
	one=$(at "$way" "$n" "$@")
	four=$(at "$way" $((4 * n)) "$@")
	case $one$four in *[!0-9]*) bad "$way ($*): $one $four"; return ;; esac
	[ $((four - one)) -le "$most" ] && ok || bad "$way ($*): $one KiB after $n, $four after $((4 * n))"
}

# all SCALE MOST OPTIONS...: and so much more where code is forgotten at some time, which is when garbage makes half of it
all() {
	local scale=$1 most=$2
	shift 2
	grow forks $((20 * scale)) $most "$@"
	grow execs $((20 * scale)) $most "$@"
	grow threads $((100 * scale)) $most "$@"
	grow signals 4800 $most "$@"
	grow descriptors $((300 * scale)) $most "$@"
	grow sockets $((3000 * scale)) $most "$@"
	grow memory $((10 * scale)) $most "$@"
	grow libraries $((120 * scale)) $((most + 8192)) "$@"
	grow code $((100 * scale)) $((most + 4096)) "$@"
	grow rewrites 34000 $((most + 8192)) "$@"
}

scale=1
[ "$CHECK_LEVEL" = all ] && scale=10
all $scale 512 -e inst_retired
all $scale 512 -e inst_retired,dcu_lines_in
if [ "$CHECK_LEVEL" = all ]; then
	all 3 8192 --workers 1 -e cpu_clk_unhalted
	# the second worker begins with the second stretch, and has met what there is long after the first one
	grow execs 240 8192 -e cpu_clk_unhalted
	grow sockets 36000 8192 -e cpu_clk_unhalted
	grow descriptors 14400 8192 -e cpu_clk_unhalted
	grow timings 3000 8192 -e cpu_clk_unhalted # fills the room that two workers have for them
	grow orders 1000 8192 --cpu pentium-mmx -e pipeline_flushes
	all 3 8192 --cpu pentium-mmx -e pipeline_flushes,data_cache_tlb_miss_stall_duration
else
	grow signals 4800 8192 -e cpu_clk_unhalted
	grow code 100 4096 --cpu pentium-mmx -e data_cache_tlb_miss_stall_duration
fi
finish
