# qemu.sh -- list the programs of QEMU's tests/tcg that run on Linux: i386, x86_64, multiarch. Sourced by suites.sh.
#
# Built as upstream does (-O0, static, the options of its makefiles). The programs of i386 and x86_64 and the
# floating-point ones have no answers of their own: their output must be the native one. test-i386 is built
# without TEST_SEGS (an LDT, and 16-bit code in one); test-i386-segs is the whole program. The time is for
# test-i386-fprem: 53 billion instructions.
tcg=$(echo "$src"/qemu-*/tests/tcg)
cc="${CC:-gcc} -w -O0 -g -fno-strict-aliasing -static -I$tcg/multiarch/libs -I$tcg/multiarch"

# qemu NAME BITS JUDGED FILES-AND-OPTIONS [OPTIONS OF SOFTPMU [PREFIX OF THE COMMAND]]
qemu() { entry "$1-$2" "$3" 300 "${5:--}" "$cc -m$2 -o \$dir/prog $4 -lm -lrt -lpthread" "${6:-}\$dir/prog"; }
# libm has two fma(), which differ in the sign and payload of NaNs: both runs shall take the one without FMA.
no_fma="env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2 "

parts="$tcg/i386/test-i386-code16.S $tcg/i386/test-i386-vm86.S"
entry test-i386-32 output 60 - "sed '/^#define TEST_SEGS/d' $tcg/i386/test-i386.c >test-i386.c && $cc -m32 -fno-pie $(
	)-I$tcg/i386 -o \$dir/prog test-i386.c $parts -lm" '$dir/prog'
qemu test-i386-segs 32 output "-fno-pie $tcg/i386/test-i386.c $parts"
qemu test-x86_64 64 output "$tcg/i386/test-i386.c"

for f in "$tcg"/i386/*.c; do
	name=${f##*/} name=${name%.c}
	more=
	case $name in
	test-i386 | test-avx | test-3dnow | test-mmx) continue ;;
	test-i386-sse-exceptions) more="-msse4.1 -mfpmath=sse" ;;
	test-i386-pcmpistri) more=-msse4.2 ;;
	test-i386-bmi2) more=-O2 ;;
	hello-i386) more="-ffreestanding -nostdlib" ;;
	esac
	case $name in
	test-i386-bmi2 | test-i386-ssse3) ;;
	*) qemu "$name" 32 output "$more $f" ;;
	esac
	case $name in
	hello-i386) ;;
	test-i386-bmi2) qemu "$name" 64 output "$more $f" "--isa v3" ;;
	*) qemu "$name" 64 output "$more $f" ;;
	esac
done

# The instructions of a table, written out by upstream's scripts.
for kind in mmx avx; do
	isa=- sets="MMX SSE SSE2 SSE3 SSSE3"
	[ $kind = mmx ] || { isa="--isa v3" sets=; }
	entry test-$kind-64 output 60 "$isa" "python3 $tcg/i386/test-$kind.py $tcg/i386/x86.csv test-$kind.h $sets && $cc -m$(
		)64 $([ $kind = avx ] && echo -mavx) -masm=intel -O -I. -o \$dir/prog $tcg/i386/test-$kind.c" '$dir/prog'
done

for f in "$tcg"/x86_64/*.c; do
	name=${f##*/}
	[ "$name" = vsyscall.c ] && judged=status || judged=output # prints the time
	qemu "${name%.c}" 64 $judged "$f"
done
for bits in 64 32; do
	qemu sha512-sse $bits output "-msse4.1 -O3 $tcg/multiarch/sha512.c"
	for f in "$tcg"/multiarch/*.c "$tcg"/multiarch/linux/*.c; do
		name=${f##*/} name=${name%.c}
		case $name in
		float_*) qemu "$name" $bits output "$f $tcg/multiarch/libs/float_helpers.c" - "$no_fma" ;;
		sha*) qemu "$name" $bits output "$f" ;;
		*) qemu "$name" $bits status "$f" ;;
		esac
	done
done
