#!/bin/bash
# faults.sh -- the table of faults: what the handler of each is shown, natively and under softpmu, in all three tiers.
#
# faults/rows64.c and rows32.c run every row; what they print must be the same. Where processors differ, the row's text is
# Intel's manual (bench.h). Under softpmu the rows also compare the instructions that retired with their own figure.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

widths=64
native_32_bit && widths="64 32" || skip "32-bit programs: this machine does not build or run them"
for w in $widths; do
	program=$work/rows$w
	[ -e "$src/faults/rows$w.c" ] || continue
	$CC -m$w -O1 -Wall -Wextra -Wno-override-init -static -no-pie -o "$program" "$src/faults/rows$w.c" || exit 1
	timeout 30 "$program" >"$work/native"
	case $? in
	0) ;;
	124) # a hypervisor that loses traps leaves a row where it was
		skip "$w bits: natively the rows do not end on this machine, so there is nothing to compare with"
		continue ;;
	*) bad "$w bits, natively: status $?" ;;
	esac
	for events in instructions instructions,dcu_lines_in instructions,cycles; do
		timeout 900 "$SOFTPMU" run -e $events -- "$program" model >"$work/out" 2>"$work/err" </dev/null
		rc=$?
		[ $rc = 0 ] && cmp -s "$work/native" "$work/out" && ok ||
			bad "$w bits, $events: status $rc, $(diff "$work/native" "$work/out" | grep -c '^>') rows differ: $(diff "$work/native" "$work/out" | sed -n 2,7p)$(head -n 1 "$work/err")"
	done
	timeout 900 "$SOFTPMU" run --cpu pentium-mmx -e instructions_executed,data_read -- "$program" model >"$work/out" 2>"$work/err" </dev/null
	cmp -s "$work/native" "$work/out" && ok || bad "$w bits on a pentium-mmx: $(diff "$work/native" "$work/out" | sed -n 2,7p)$(head -n 1 "$work/err")"
done
finish
