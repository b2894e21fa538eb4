#!/bin/bash
# vectors.sh -- signals keep all vector and mask registers of the host's processor, whatever level the program was shown
# (vectors.c says on which ways); frames have the size that goes with the level and with what the registers hold, the
# same on every host.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

# The widest registers of this machine, as vectors.c calls them, and the levels that it can show.
has() { grep -qw "$1" /proc/cpuinfo; }
wide=1 levels="v1 v2"
has avx && wide=3
has avx2 && has bmi2 && has fma && levels="$levels v3"
has avx512f && has avx512bw && has avx512vl && has avx512dq && has avx512cd && wide=4 levels="$levels v4"
kinds=$(echo 1 3 4 | sed "s/$wide.*/$wide/")
jumps=100000
[ "$CHECK_LEVEL" = all ] && jumps=1000000

flags="-O1 -g -Wall -mgeneral-regs-only -mno-red-zone -pthread"
$CC $flags -o "$work/vectors64" "$src/vectors.c" || exit 1
widths=64
if $CC -m32 $flags -o "$work/vectors32" "$src/vectors.c" 2>"$work/err" && "$work/vectors32" 1 size >"$work/out"; then
	widths="64 32"
else
	skip "32-bit programs: $CC -m32 does not work here, or this kernel does not run them"
fi

# run TITLE STATUS TEXT OPTIONS... -- PROGRAM: the last line of the output is TEXT; of a run that ends with 125, the sentence has it
run() {
	local title=$1 want=$2 text=$3 rc
	shift 3
	timeout 900 "$SOFTPMU" stat -o "$work/stat" "$@" >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	if [ $rc = "$want" ] && { [ "$(tail -n 1 "$work/out")" = "$text" ] || { [ $rc = 125 ] && grep -q "$text" "$work/err"; }; }; then
		ok
	else
		bad "$title: status $rc, not $want: $(head -n 3 "$work/out" "$work/err" | grep -v '^$\|^==' | tr '\n' '|')"
	fi
}

tier_of() { case $1 in inst_retired | instructions) echo 1 ;; dcu_lines_in | data_read_miss) echo 2 ;; *) echo 3 ;; esac; }

for width in $widths; do
	program=$work/vectors$width
	for kind in $kinds; do
		"$program" $kind 100 >"$work/out" || bad "$width bits, registers $kind: natively: $(head -n 1 "$work/out")"
	done
	own=
	[ $width = 32 ] && own=cpu
	for level in $own $levels host; do
		for events in inst_retired dcu_lines_in cycles; do
			run "$width bits, $level, tier $(tier_of $events)" 0 "vectors right" \
				--isa $level -e $events -- "$program" $wide 100
		done
		for kind in $kinds; do
			[ $kind = $wide ] ||
				run "$width bits, $level, registers $kind" 0 "vectors right" --isa $level -e instructions -- "$program" $kind 100
		done
	done
	for events in instructions data_read_miss cycles; do
		run "$width bits, pentium, tier $(tier_of $events)" 0 "vectors right" --cpu pentium -e $events -- "$program" $wide 100
	done
	# Blocks of one instruction, forgetting, signals.
	for chaos in 4 16 64; do
		for events in inst_retired dcu_lines_in; do
			run "$width bits, chaos $chaos, tier $(tier_of $events)" 0 "vectors right" \
				--isa v1 --chaos $chaos -e $events -- "$program" $wide 10
		done
	done
	run "$width bits: $jumps handlers left by siglongjmp" 0 "vectors right" --isa v1 -e inst_retired -- "$program" $wide $jumps
done

# How large frames are: WIDTH LEVEL REGISTERS BYTES-FULL BYTES-INITIAL
while read -r width level kind full least; do
	case " $widths " in *" $width "*) ;; *) continue ;; esac
	case " cpu $levels " in *" $level "*) ;; *) continue ;; esac
	[ $kind -le $wide ] &&
		run "$width bits, $level, registers $kind, sizes" 0 "$full $least $full right" \
			--isa $level -e inst_retired -- "$work/vectors$width" $kind size
done <<'TABLE'
64 v1 1 512 512
64 v1 3 836 512
64 v1 4 2692 512
64 v3 1 836 836
64 v3 3 836 836
64 v3 4 2692 836
64 v4 1 2692 2692
64 v4 4 2692 2692
32 cpu 1 512 512
32 cpu 3 836 512
32 cpu 4 2692 512
32 v3 4 2692 836
TABLE

run "XMM on a small stack" 0 fits --isa v1 -e inst_retired -- "$work/vectors64" 1 small
if [ $wide -ge 3 ]; then
	run "YMM on a small stack" 0 fits --isa v1 -e inst_retired -- "$work/vectors64" 3 small
fi
if [ $wide = 4 ]; then
	run "ZMM on a small stack" 125 "alternate signal stack is too small for the vector registers" \
		--isa v1 -e inst_retired -- "$work/vectors64" 4 small
	run "ZMM on a stack that is too small for what was shown" 139 "" --isa v4 -e inst_retired -- "$work/vectors64" 4 small
else
	skip "AVX-512: this processor has none"
fi
finish
