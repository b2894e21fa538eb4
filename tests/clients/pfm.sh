#!/bin/bash
# pfm.sh -- libpfm4's own example programs, built from Debian's source package for 32 bits, inside softpmu.
. "$(dirname "$0")/lib.sh"
for what in papi examples; do # libpfm4 comes with PAPI
	if ! why=$("$clients/fetch.sh" "$papi" $what); then
		skip "libpfm4: $why"
		finish
	fi
done
from=$papi/src/perf_examples
# 48 thousand million clocks between two notifications would take minutes
for p in notify_self notify_group; do sed 's/2400000000ULL/240000ULL/; s/received < 1024/received < 20/' "$from/$p.c" >"$work/$p.c"; done
for p in notify_self notify_group self_smpl_multi task task_cpu task_smpl evt2raw; do
	c=$from/$p.c
	[ ! -e "$work/$p.c" ] || c=$work/$p.c
	if ! cc32 -D_GNU_SOURCE -pthread -I"$from" -I"$papi/src/include" -o "$work/$p" "$c" "$from/perf_util.c" -l:libpfm.so.4; then
		skip "libpfm4: $p cannot be built: $(head -n 1 "$work/err")"
		finish
	fi
done
for p in check_events showevtinfo; do
	cc32 -D_GNU_SOURCE -I"$papi/src/include" -o "$work/$p" "$papi/src/examples/$p.c" -l:libpfm.so.4 || bad "$p: $(head -n 1 "$work/err")"
done

# --- names: libpfm4 finds the processor by CPUID
pmu_of() { inside --cpu $1 --tier 1 -- "$work/showevtinfo" -L 2>/dev/null | grep -c "^$2::"; }
for pair in pentiumpro:ppro pentium2:pii pentium3:p6; do
	within "showevtinfo, lines of ${pair#*:} on ${pair%:*}" "$(pmu_of ${pair%:*} ${pair#*:})" 60 200
done
inside --tier 1 -- "$work/check_events" p6::L2_LD:M:E:u:c=1 >"$work/out" 2>&1
grep -q '^Codes  *: 0x1510c29$' "$work/out" && ok || bad "check_events: $(tail -n 3 "$work/out" | tr '\n' '|')"
[ "$(inside --tier 1 -- "$work/evt2raw" L2_LD:M:E:u)" = rc29:uh ] && ok || bad "evt2raw: $(inside --tier 1 -- "$work/evt2raw" L2_LD:M:E:u)"

# --- task: events on a child, from its exec on
for program in /usr/bin/true "/usr/bin/seq 1 2000"; do
	inside --counters all -- "$work/task" -e instructions:u,INST_RETIRED:u,BR_INST_RETIRED:u,L2_LD:M:E:S:I:u $program >"$work/out" 2>&1
	"$SOFTPMU" stat -x, -o "$work/outer" -e inst_retired,br_inst_retired,l2_ld $program >"$work/said"
	told() { awk -v e="$1" '$2 == e { print $1 }' "$work/out"; }
	n=$(count_of "$work/outer" inst_retired)
	within "task $program: instructions" "$(told instructions:u)" $n $n
	within "task $program: INST_RETIRED" "$(told INST_RETIRED:u)" $n $n
	n=$(count_of "$work/outer" br_inst_retired)
	within "task $program: BR_INST_RETIRED" "$(told BR_INST_RETIRED:u)" $n $n
	n=$(count_of "$work/outer" l2_ld) # the child does not begin with empty caches
	within "task $program: L2_LD" "$(told L2_LD:M:E:S:I:u)" $((n * 9 / 10)) $((n * 11 / 10))
done
inside -- "$work/task_cpu" -e instructions:u /usr/bin/true >"$work/out" 2>&1
n=$("$SOFTPMU" stat -x, -e inst_retired /usr/bin/true 2>&1 | cut -d, -f1)
within "task_cpu true" "$(awk '$3 == "instructions:u" { print $2 }' "$work/out")" $n $n

# --- self-monitoring: self_basic by read(2), self by prctl(2), self_count by RDPMC; short versions of them
# short PROGRAM SED-COMMANDS EVENT...: $outer is what softpmu counted of all of it
short() {
	sed "$2" "$from/$1.c" >"$work/short.c"
	cc32 -D_GNU_SOURCE -pthread -I"$from" -I"$papi/src/include" -o "$work/short" "$work/short.c" "$from/perf_util.c" -l:libpfm.so.4
	outside -e inst_retired,cycles -- "$work/short" "${@:3}" >"$work/out" 2>&1 || bad "$1: $(tail -n 1 "$work/out")"
	outer=$(count_of "$work/outside" inst_retired) clocks=$(count_of "$work/outside" cycles)
}
# clocks: what is not measured takes about the same, whatever is computed
for n in 10 24; do
	short self_basic "s/define N 30/define N $n/"
	count=$(sed -n 's/^count=//p' "$work/out")
	[ $n = 24 ] || { first=$count first_clocks=$clocks start=$outer; } # nearly all of this one is the start of libpfm4
done
within "self_basic, a larger number" $((count - first)) $((clocks - first_clocks - 500)) $((clocks - first_clocks + 200))
short self 's/alarm(10)/alarm(1)/' instructions:u
told=$(awk '$1 == "FINAL:" && $3 == "instructions:u" { print $2 }' "$work/out")
within "self" "$told" $((outer - 2 * start)) $outer
[ "${told:-0}" -gt 1000000 ] && ok || bad "self: ${told:-nothing}"
short self_count 's/alarm(10)/alarm(1)/; s/fib(35)/fib(20)/' instructions:u
told=$(awk '$2 == "instructions:u" { sum += $1 } END { print sum }' "$work/out")
within "self_count" "$told" $((outer - 2 * start - 1000000)) $outer # the last round is not read
grep -q 'width=40' "$work/out" && ! grep -q 'using read' "$work/out" && ok || bad "self_count: no RDPMC: $(tail -n 2 "$work/out" | tr '\n' '|')"
# each round is the same fibonacci number, and one reading
awk '$2 == "instructions:u" { print $1 }' "$work/out" | sed 1,2d | sort -n | awk 'NR == 1 { a = $1 } { b = $1 } END { exit !(NR > 3 && b - a < 3000) }' &&
	ok || bad "self_count: rounds differ: $(awk '$2 == "instructions:u" { print $1 }' "$work/out" | sort -nu | tr '\n' ' ' | head -c 200)"

# --- sampling: a notification each period, and samples of a child
inside -- "$work/notify_self" >"$work/out" 2>&1
within "notify_self: notifications" "$(grep -c '^Notification:' "$work/out")" 20 20
# three events in a group, two of them the same: these overflow at the same instruction
inside --counters all -- "$work/notify_group" >"$work/out" 2>&1
n=$(grep -c '^Notification .* fd=3 cycles' "$work/out")
within "notify_group: notifications" "$(grep -c '^Notification ' "$work/out")" 20 21
within "notify_group: of the same event twice" "$(grep -c '^Notification .* fd=5 cycles' "$work/out")" $((n - 1)) $n
# each thread's signals are its own: the program knows
inside -- "$work/self_smpl_multi" -t 4 -p 20000 -n 2 -f >"$work/out" 2>&1
[ "$(grep -c 'total = *[1-9].* mismatch = 0, bad_msg = 0, bad_restart = 0' "$work/out")" = 2 ] && ok ||
	bad "self_smpl_multi: $(grep total "$work/out" | tr '\n' '|')"
inside --counters all -- "$work/task_smpl" -e instructions:u:period=9973 /usr/bin/seq 1 5000 >"$work/out" 2>&1
n=$("$SOFTPMU" stat -x, -e inst_retired /usr/bin/seq 1 5000 2>&1 >"$work/said" | cut -d, -f1)
within "task_smpl: samples" "$(sed -n 's/^\([0-9]*\) samples collected.*/\1/p' "$work/out")" $((n / 9973 - 1)) $((n / 9973 + 1))
finish
