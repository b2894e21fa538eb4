#!/bin/bash
# fuzz_insn.sh [SEED [CASES [BITS]]] -- random instructions natively and under softpmu: same results, and as
# many instructions as stepping counts. Prints its seeds; a failing case is shown with its instructions.
# BITS: 64 or 32, the width of the code; both when not given.
. "$(dirname "$0")/lib.sh"

tool fuzz_insn && tool fuzz_insn32 && tool oracle || exit 1
widths=${3:-64 32}
if [ $# -gt 0 ]; then
	seeds=$1 cases=${2:-500}
else
	cases=500
	seeds="1 2 3 4 5"
	[ "$CHECK_LEVEL" = all ] && seeds="$(seq 1 40) $RANDOM $RANDOM $RANDOM"
fi

# The program of $seed, as $work/prog.
build() {
	"$work/$generate" -s "$seed" -n "$cases" >"$work/cases.S" || return
	if [ "$bits" = 32 ]; then
		$CC -m32 $BARE -mgeneral-regs-only -o "$work/prog" "$src/fuzz_main32.c" "$work/cases.S" "$src/start.S"
	else
		bare "$work/prog" -mgeneral-regs-only -funroll-all-loops -Wl,--defsym=arena_low=0x2000f00 \
			"$src/fuzz_main.c" "$work/cases.S"
	fi
}

# The instructions of one case, in one line.
show() {
	"$work/$generate" -s "$seed" -n "$cases" -k "$1" | sed -n '/^# body/,/^# end/p' | grep -v '^#' | tr '\n\t' '; '
}

# One seed, $bits wide.
fuzz() {
	local name="$bits bits, seed $seed" tier2= cpu=pentium3 rc n k found last want got

	build || { bad "$name: cannot be built"; return; }
	"$work/prog" >"$work/native" || { bad "$name: does not run natively, status $?"; return; }
	# Odd seeds record every reference (tier 2), half of them operand classes or operand values too, even
	# ones only counts: the emitted code differs.
	[ $((seed % 2)) = 1 ] && tier2=,data_mem_refs
	[ $((seed % 4)) = 3 ] && tier2=$tier2,fp_assist
	[ $((seed % 8)) = 5 ] && cpu=pentium-mmx tier2=,cycles,saturations_performed
	"$SOFTPMU" stat --cpu $cpu -x, -e instructions$tier2 -o "$work/counts" -- "$work/prog" >"$work/out" 2>"$work/err"
	rc=$?
	if [ $rc = 0 ] && cmp -s "$work/native" "$work/out"; then
		passed=$((passed + cases))
	elif [ $rc = 0 ]; then
		# Cases are independent of each other: list those that differ.
		diff <(cat "$work/native") <(cat "$work/out") | awk '/^</ { print $2 }' >"$work/bad"
		n=$(wc -l <"$work/bad")
		passed=$((passed + cases - n))
		for k in $(head -n 5 "$work/bad"); do
			k=$((16#$k))
			bad "$name case $k: $(show $k)"
		done
		[ "$n" -gt 5 ] && { failed=$((failed + n - 5)); echo "FAIL ... $((n - 5)) more of $name"; }
	else
		# It died on the way: find which cases alone do.
		bad "$name: status $rc: $(head -n 1 "$work/err")"
		found=0
		for ((k = 0; k < cases && found < 5; k++)); do
			"$SOFTPMU" stat --cpu $cpu -e instructions$tier2 -o /dev/null -- "$work/prog" $k $((k + 1)) >"$work/one" 2>&1 &&
				cmp -s "$work/one" <(sed -n "$((k + 1))p" "$work/native") && continue
			found=$((found + 1))
			bad "$name case $k: $(show $k)"
		done
		return
	fi
	# Exact counts, on as many cases as stepping can do in time.
	[ $((seed % 8)) -le 2 ] && [ $((seed % 8)) -ge 1 ] || return
	last=40
	[ "$CHECK_LEVEL" = all ] && last=100
	"$work/oracle" -o "$work/steps" "$work/prog" 0 $last >/dev/null
	want=$(awk '$1 == "instructions" { print $2 }' "$work/steps")
	"$SOFTPMU" stat --cpu $cpu -x, -e instructions$tier2 -o "$work/counts" -- "$work/prog" 0 $last >/dev/null 2>"$work/err"
	got=$(count_of "$work/counts" instructions)
	[ "$want" = "$got" ] && ok || bad "$name cases 0..$last: counted $got instructions, stepping gives $want"
}

for bits in $widths; do
	generate=fuzz_insn
	if [ "$bits" = 32 ]; then
		generate=fuzz_insn32
		native_32_bit || { skip "32-bit code: this machine does not build or run such programs"; continue; }
	fi
	for seed in $seeds; do
		fuzz
	done
done
finish
