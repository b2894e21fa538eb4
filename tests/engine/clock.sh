#!/bin/bash
# clock.sh -- with --clock model the program's clocks are the modelled processor's: the same on every run, sleep included.
. "$(dirname "$0")/lib.sh"

widths=64
has_32_bit && widths="64 32" || skip "32-bit programs: this machine does not build or run them"
for w in $widths; do
	$CC -m$w -O1 -Wall -Wextra -o "$work/clock$w" "$src/clock.c" -lpthread || exit 1
	for cpu in pentium:133 pentium3:450; do
		for i in 1 2; do
			timeout 60 "$SOFTPMU" run --clock model --cpu ${cpu%:*} -- "$work/clock$w" ${cpu#*:} \
				>"$work/out$i" 2>"$work/err" </dev/null && ok ||
				bad "${cpu%:*}, $w bits: status $?: $(cat "$work/err" "$work/out$i" | tr '\n' '|')"
		done
		[ -s "$work/out1" ] && cmp -s "$work/out1" "$work/out2" && ok ||
			bad "${cpu%:*}, $w bits: two runs differ: $(diff "$work/out1" "$work/out2" | head -n 4 | tr '\n' ' ')"
	done
done
timeout 60 "$SOFTPMU" run --clock model --cpu toy -- /bin/true 2>"$work/err"
[ $? = 125 ] && grep -q 'clocks of toy are not modelled' "$work/err" && ok || bad "toy has no clock: $(cat "$work/err")"
finish
