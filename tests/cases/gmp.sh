#!/bin/bash
# gmp.sh CPU FILE[:VARIANT] [OPTION ...] -- clocks of a routine of GMP (FILE of mpn/x86), measured by softpmu stat with OPTIONs.
#
# GMP's source comes from Debian's package of that name (debian_source.sh). Prints clocks per limb (copyi.asm: per 8; basecase: per
# product of two limbs); nothing and a sentence on standard error when the source, m4 or a 32-bit assembler cannot be had.
# METHOD  loop.sh; for each start the difference between two sizes. Each program reads all data first, because a Pentium brings no
#         line in for a write, and calls the routine ten times with the bigger size, so that branches have been met before.
set -u
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/loop.sh"
cpu=$1 file=${2%%:*} variant=
[ "$file" = "$2" ] || variant=${2#*:}
shift 2
settings=$*

# What GMP's configure would write for a static i386 program.
configure() {
	cat >"$dir/config.m4" <<-'END'
		changequote(<,>)
		ifdef(<__CONFIG_M4_INCLUDED__>,,<
		define(<CONFIG_TOP_SRCDIR>,<`..'>)
		define(<WANT_ASSERT>,0)
		define(<WANT_PROFILING>,<`no'>)
		define(<WANT_SHLDL_CL>,1)
		define(<M4WRAP_SPURIOUS>,<no>)
		define(<TEXT>,<.text>)
		define(<DATA>,<.data>)
		define(<RODATA>,<.section .rodata>)
		define(<LABEL_SUFFIX>,<:>)
		define(<GLOBL>,<.globl>)
		define(<GLOBL_ATTR>,<>)
		define(<GSYM_PREFIX>,<>)
		define(<LSYM_PREFIX>,<.L>)
		define(<TYPE>,<.type $1,@$2>)
		define(<SIZE>,<.size $1,$2>)
		define(<W32>,<.long>)
		define(<ALIGN_LOGARITHMIC>,<no>)
		define(<ALIGN_FILL_0x90>,<yes>)
		define(<HAVE_COFF_TYPE>,<no>)
		define(<GMP_LIMB_BITS>,32)
		define(<GMP_NAIL_BITS>,0)
		define(<GMP_NUMB_BITS>,32)
		>)
		changequote(`,')
		ifdef(`__CONFIG_M4_INCLUDED__',,`
		include(CONFIG_TOP_SRCDIR`/mpn/asm-defs.m4')
		include(CONFIG_TOP_SRCDIR`/mpn/x86/x86-defs.m4')
		')
		define(`__CONFIG_M4_INCLUDED__')
	END
}

# The routine's text, into $work/routine.S.
text() {
	command -v m4 >/dev/null || cannot "there is no m4"
	dir=$(tests/cases/debian_source.sh gmp) || exit 1
	configure
	# shellcheck disable=SC2086
	(cd "$dir/mpn" && m4 $defines "x86/$file" && { [ -z "$table" ] || m4 "x86/$table" | sed "s,\\.L,.M,g"; }) >"$work/routine.S" 2>"$work/m4" ||
		cannot "m4: $(head -n 1 "$work/m4")"
}

# table: a file that has a table of the routine; name: the function; arguments: from the last one to the first, as they are pushed; small, big: the two sizes; units: what lies
# between them, in what the result is counted by
small=64 big=256 units=192 defines= table=
divisor='$0x12345679'
[ "$variant" != even ] || divisor='$0x12345678'
case $file in
*aorsmul_1.asm) name=__gmpn_addmul_1 arguments='$0x12345679, $SIZE, $source, $target'
	defines="-DOPERATION_addmul_1 -DUNROLL_COUNT=${variant:-16}" ;;
*mul_1.asm) name=__gmpn_mul_1 arguments='$0x12345679, $SIZE, $source, $target'
	[ "$variant" != 16 ] || arguments='$0x1235, $SIZE, $source, $target' ;;
*mul_2.asm) name=__gmpn_mul_2 arguments='$other, $SIZE, $source, $target' ;;
*aors_n.asm) name=__gmpn_${variant:-add}_n arguments='$SIZE, $other, $source, $target' defines=-DOPERATION_${variant:-add}_n ;;
*logops_n.asm) name=__gmpn_${variant}_n arguments='$SIZE, $other, $source, $target' defines=-DOPERATION_${variant}_n ;;
*com.asm) name=__gmpn_com arguments='$SIZE, $source, $target' ;;
*lshift.asm) name=__gmpn_lshift arguments='$5, $SIZE, $source, $target' ;;
*rshift.asm) name=__gmpn_rshift arguments='$5, $SIZE, $source, $target' ;;
*copyi.asm) # and :start, clocks of a call less those of its limbs
	name=__gmpn_copyi arguments='$SIZE, $source, $target' units=24 ;;
*copyd.asm) name=__gmpn_copyd arguments='$SIZE, $target, $source' # from above, which p6/copyd.asm takes for no overlap
	[ "$variant" != overlap ] || arguments='$SIZE, $source, $source+128' ;;
*divrem_1.asm) name=__gmpn_divrem_1 arguments='$0x12345679, $SIZE, $source, $0, $target'
	[ "$variant" != fraction ] || arguments='$0x12345679, $1, $source, $SIZE, $target' ;;
*dive_1.asm) name=__gmpn_divexact_1 arguments="$divisor, \$SIZE, \$source, \$target" ;;
*bdiv_q_1.asm) name=__gmpn_bdiv_q_1 arguments="$divisor, \$SIZE, \$source, \$target" ;;
*mode1o.asm) name=__gmpn_modexact_1_odd arguments='$0x12345679, $SIZE, $source' ;;
*mod_34lsub1.asm) name=__gmpn_mod_34lsub1 arguments='$SIZE, $source' ;;
*popham.asm | *popcount.asm | *hamdist.asm)
	[ -n "$variant" ] || variant=$(basename "$file" .asm)
	name=__gmpn_$variant defines=-DOPERATION_$variant arguments='$SIZE, $other, $source'
	[ "$variant" != popcount ] || arguments='$SIZE, $source'
	[ "$file" != pentium/hamdist.asm ] || table=pentium/popcount.asm ;;
*mul_basecase.asm) name=__gmpn_mul_basecase arguments='$SIZE, $other, $SIZE, $source, $target' small=16 big=32 units=768 ;;
*sqr_basecase.asm) name=__gmpn_sqr_basecase arguments='$SIZE, $source, $target' small=16 big=32 units=768
	defines=-DSQR_TOOM2_THRESHOLD=40 ;; # its unrolled code is for sizes up to that
*) cannot "$file: no such case" ;;
esac
loop=gmp-$(echo "$file${variant:+-$variant}" | tr / _)

# __gmp_binvert_limb_table: inverses of odd numbers modulo 256
inverses() { awk 'BEGIN { for (i = 1; i < 256; i += 2) for (k = 1; k < 256; k += 2) if (i * k % 256 == 1) print ".byte " k }'; }

{
	echo '.data; .globl __gmp_binvert_limb_table; __gmp_binvert_limb_table:'
	inverses
	echo '.p2align 5; .fill START & 1, 4, 0; source: .fill 320, 4, 0x9e3779b9'
	echo '.p2align 5; .fill START >> 1 & 1, 4, 0; target: .fill 320, 4, 0x01234567'
	echo '.p2align 5; .fill START & 1, 4, 0; other: .fill 320, 4, 0x7f4a7c15; end:'
	echo '.globl _start; .text; _start: cld; movl $source, %esi; movl $end, %ecx; subl %esi, %ecx; shrl $2, %ecx; rep; lodsl'
	echo "movl \$10, %edi; movl \$$big, %esi; xorl %ebx, %ebx; .p2align 5; again:"
	echo "$arguments" | tr , '\n' | sed 's/^ */pushl /; s/\$SIZE/%esi/'
	echo "call $name; addl \$$(($(echo "$arguments" | tr -cd , | wc -c) * 4 + 4)), %esp"
	echo 'decl %edi; jnz again; testl %ebx, %ebx; jnz done; movl $CALLS, %edi; movl $SIZE, %esi; movl $1, %ebx; jmp again'
	echo 'done: movl $1, %eax; xorl %ebx, %ebx; int $0x80; .p2align 6; .fill 8 * START, 1, 0x90'
} >"$work/main.S"

calls=300
for ((start = 0; start < STARTS; start++)); do
	clocks $start $small $calls
	few=$got
	clocks $start $big $calls
	echo "$((got - few)) $few"
done | sort -n | awk -v calls=$calls -v units=$units -v small=$small -v big=$big -v what="$variant" 'NR == 1 {
	if (what == "start") printf "%.0f\n", $2 / calls - small * $1 / calls / (big - small)
	else printf "%.2f\n", $1 / calls / units
}'
