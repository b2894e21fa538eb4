#!/bin/bash
# oracle.sh -- instructions, branches and taken branches of static programs: equal to stepping them; and
# the record stream beside the steps: every pc, every address.
. "$(dirname "$0")/lib.sh"

tool oracle || exit 1
bare "$work/prog" "$src/static_prog.c" || exit 1
# The same with 32-bit code, where the compiler makes it and the kernel runs it.
widths=64
if bare "$work/prog32" -m32 -msse -mfpmath=387 "$src/static_prog.c" -lgcc 2>/dev/null && "$work/prog32" sort 2 >/dev/null 2>&1; then
	widths="64 32"
else
	skip "32-bit programs: $CC -m32 does not work here, or this kernel does not run them"
fi
works="sort interp strings crc collatz calls x87 sse"
factor=1
[ "$CHECK_LEVEL" = all ] && factor=4
declare -A n=([sort]=60 [interp]=700 [strings]=25 [crc]=400 [collatz]=20 [calls]=10 [x87]=300 [sse]=300)

for width in $widths; do
for w in $works; do
	prog=$work/prog
	[ $width = 32 ] && prog=$work/prog32
	args="$w $((${n[$w]} * factor))"
	[ $w = calls ] && args="$w $((${n[$w]} + factor))"
	"$work/oracle" -o "$work/steps" "$prog" $args >"$work/native" || { bad "$w ($width): oracle"; continue; }
	"$SOFTPMU" stat -x, -e instructions,br_inst_retired,br_taken_retired -o "$work/counts" -- \
		"$prog" $args >"$work/out" 2>"$work/err"
	rc=$?
	if [ $rc != 0 ] || ! cmp -s "$work/native" "$work/out"; then
		bad "$w ($width): status $rc, output $(head -c 80 "$work/out") $(head -n 1 "$work/err")"
		continue
	fi
	for pair in instructions:instructions branches:br_inst_retired taken:br_taken_retired; do
		want=$(awk -v k="${pair%:*}" '$1 == k { print $2 }' "$work/steps")
		got=$(count_of "$work/counts" "${pair#*:}")
		[ "$want" = "$got" ] && ok || bad "$w ($width) ${pair#*:}: counted $got, stepping gives $want"
	done
done
done

# --- audit of the stream ------------------------------------------------------------------------------
make -s BUILD="$BUILD" "$BUILD/libsoftpmu.a" >/dev/null 2>&1
$CC -fno-lto -O1 -D_GNU_SOURCE -Wall -Isrc -Iinclude -o "$work/audit" "$src/audit.c" "$BUILD/libsoftpmu.a" -lZydis -ljansson -lzstd -lm -lpthread ||
	bad "audit.c does not build"

# audit NAME LEAST OPTIONS -- PROGRAM...: at least LEAST references must have been compared
audit() {
	local name=$1 least=$2 options=$3 out
	shift 4
	case $options in *--cpu*) ;; *) options="$options -e data_mem_refs" ;; esac
	"$SOFTPMU" stat $options -o "$work/counts" --trace "$work/trace" -- "$@" >/dev/null 2>"$work/err"
	out=$(timeout 900 "$work/audit" "$work/trace" "$@" 2>&1) && [ "${out##* }" -ge "$least" ] && ok ||
		bad "audit of $name: $out $(head -n 1 "$work/err")"
}

for w in $works; do
	audit $w 50 "" -- "$work/prog" $w $((${n[$w]} / 10 + 2))
	[ "$widths" = 64 ] || audit "$w (32)" 50 "" -- "$work/prog32" $w $((${n[$w]} / 10 + 2))
done
audit "x87 with operand classes" 50 "-e fp_assist" -- "$work/prog" x87 20
audit "x87 with operand values" 50 "--cpu pentium-mmx -e cycles,saturations_performed" -- "$work/prog" x87 20
audit "blocks of one instruction" 50 "--chaos 4" -- "$work/prog" sort 10

# Odd forms: random instructions, byte masks, gathers.
tool fuzz_insn && tool fuzz_insn32 || exit 1
seeds="3 4"
[ "$CHECK_LEVEL" = all ] && seeds=$(seq 3 12)
for seed in $seeds; do
	"$work/fuzz_insn" -s $seed -n 40 >"$work/cases.S" &&
		bare "$work/fuzz" -mgeneral-regs-only -Wl,--defsym=arena_low=0x2000f00 "$src/fuzz_main.c" "$work/cases.S" &&
		audit "fuzz seed $seed" 10000 "" -- "$work/fuzz"
	[ "$widths" = 64 ] && continue
	"$work/fuzz_insn32" -s $seed -n 40 >"$work/cases.S" &&
		$CC -m32 $BARE -mgeneral-regs-only -o "$work/fuzz32" "$src/fuzz_main32.c" "$work/cases.S" "$src/start.S" &&
		audit "fuzz seed $seed (32)" 1000 "" -- "$work/fuzz32"
done
for f in masked_moves masked_avx2 masked_avx512; do
	if missing=$(for flag in $(sed -n 's/^# needs //p' tests/model/$f.S); do
			grep -qw $flag /proc/cpuinfo || echo $flag
		done) && [ -n "$missing" ]; then
		skip "audit of $f: this processor has no $missing"
		continue
	fi
	$CC -nostdlib -static -no-pie -Wl,-z,noexecstack -Itests/model -DN=5 -o "$work/masked" tests/model/$f.S &&
		audit $f 5 "--isa host" -- "$work/masked"
done
finish
