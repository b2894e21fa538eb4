#!/bin/bash
# fuzz_insn.sh [SEED [CASES]] -- random instructions natively and under softpmu: same results, and as many
# instructions as stepping counts. Prints its seeds; a failing case is shown with its instructions.
. "$(dirname "$0")/lib.sh"

tool fuzz_insn && tool oracle || exit 1
if [ $# -gt 0 ]; then
	seeds=$1 cases=${2:-500}
else
	cases=500
	seeds="1 2 3 4"
	[ "$CHECK_LEVEL" = all ] && seeds="$(seq 1 40) $RANDOM $RANDOM $RANDOM"
fi

# The instructions of one case, in one line.
show() {
	"$work/fuzz_insn" -s "$seed" -n "$cases" -k "$1" | sed -n '/^# body/,/^# end/p' | grep -v '^#' | tr '\n\t' '; '
}

for seed in $seeds; do
	"$work/fuzz_insn" -s "$seed" -n "$cases" >"$work/cases.S" &&
		bare "$work/prog" -mgeneral-regs-only -funroll-all-loops -Wl,--defsym=arena_low=0x2000f00 \
			"$src/fuzz_main.c" "$work/cases.S" || { bad "seed $seed: cannot be built"; continue; }
	"$work/prog" >"$work/native" || { bad "seed $seed: does not run natively, status $?"; continue; }
	# Odd seeds record every reference (tier 2), half of them operand classes too, even ones only counts:
	# the emitted code differs.
	tier2=
	[ $((seed % 2)) = 1 ] && tier2=,data_mem_refs
	[ $((seed % 4)) = 3 ] && tier2=$tier2,fp_assist
	"$SOFTPMU" stat -x, -e instructions$tier2 -o "$work/counts" -- "$work/prog" >"$work/out" 2>"$work/err"
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
			bad "seed $seed case $k: $(show $k)"
		done
		[ "$n" -gt 5 ] && { failed=$((failed + n - 5)); echo "FAIL ... $((n - 5)) more of seed $seed"; }
	else
		# It died on the way: find which cases alone do.
		bad "seed $seed: status $rc: $(head -n 1 "$work/err")"
		found=0
		for ((k = 0; k < cases && found < 5; k++)); do
			"$SOFTPMU" stat -e instructions$tier2 -o /dev/null -- "$work/prog" $k $((k + 1)) >"$work/one" 2>&1 &&
				cmp -s "$work/one" <(sed -n "$((k + 1))p" "$work/native") && continue
			found=$((found + 1))
			bad "seed $seed case $k: $(show $k)"
		done
		continue
	fi
	# Exact counts, on as many cases as stepping can do in time.
	[ $((seed % 8)) -le 2 ] && [ $((seed % 8)) -ge 1 ] || continue
	last=40
	[ "$CHECK_LEVEL" = all ] && last=100
	"$work/oracle" -o "$work/steps" "$work/prog" 0 $last >/dev/null
	want=$(awk '$1 == "instructions" { print $2 }' "$work/steps")
	"$SOFTPMU" stat -x, -e instructions$tier2 -o "$work/counts" -- "$work/prog" 0 $last >/dev/null 2>"$work/err"
	got=$(count_of "$work/counts" instructions)
	[ "$want" = "$got" ] && ok || bad "seed $seed cases 0..$last: counted $got instructions, stepping gives $want"
done
finish
