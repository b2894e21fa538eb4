#!/bin/bash
# clock.sh -- with --clock model the program's clocks and timers are the modelled processor's: the same on every run, sleep included.
. "$(dirname "$0")/lib.sh"

# same CPU PROGRAM ARGS...: two runs end well and print the same.
same() {
	local cpu=$1 what
	what="$cpu, $(basename "$2")"
	shift
	for i in 1 2; do
		timeout 900 "$SOFTPMU" run --clock model --cpu "$cpu" -- "$@" >"$work/out$i" 2>"$work/err" </dev/null && ok ||
			bad "$what: status $?: $(cat "$work/err" "$work/out$i" | tr '\n' '|')"
	done
	[ -s "$work/out1" ] && cmp -s "$work/out1" "$work/out2" && ok ||
		bad "$what: two runs differ: $(diff "$work/out1" "$work/out2" | head -n 4 | tr '\n' ' ')"
}

widths=64
has_32_bit && widths="64 32" || skip "32-bit programs: this machine does not build them"
for w in $widths; do
	for program in clock timers; do
		$CC -m$w -O1 -Wall -Wextra -o "$work/$program$w" "$src/$program.c" -lpthread -lrt || exit 1
	done
	for cpu in pentium:133 pentium3:450; do
		same ${cpu%:*} "$work/clock$w" ${cpu#*:}
	done
done
same pentium3 "$work/timers64"
[ "$widths" = 64 ] || same pentium "$work/timers32"
timeout 900 "$SOFTPMU" run --clock model --cpu toy -- /bin/true 2>"$work/err"
[ $? = 125 ] && grep -q 'clocks of toy are not modelled' "$work/err" && ok || bad "toy has no clock: $(cat "$work/err")"
finish
