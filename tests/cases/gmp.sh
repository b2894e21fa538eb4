#!/bin/bash
# gmp.sh CPU FILE -- clocks of a routine of GMP for the Pentium (FILE of mpn/x86/pentium) or the P6 (of mpn/x86), measured by
# softpmu stat.
#
# GMP's source comes from Debian's package of that name (debian_source.sh). Prints clocks per limb (copyi.asm: per 8); nothing and a sentence on standard error when the
# source, m4 or a 32-bit assembler cannot be had.
# METHOD  the difference between two sizes of the difference between two numbers of calls.
set -u
. "$(dirname "$0")/../lib.sh"
cpu=$1 file=$2

cannot() { echo "gmp.sh: $*; the case is skipped" >&2; exit 1; }

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

command -v m4 >/dev/null || cannot "there is no m4"
dir=$(tests/cases/debian_source.sh gmp) || exit 1
configure

case $cpu in pentiumpro* | pentium2* | pentium3*) path=x86/$file ;; *) path=x86/pentium/$file ;; esac
case $path in
x86/p6/aorsmul_1.asm) name=__gmpn_addmul_1 arguments='$0x12345679, $SIZE, $source, $target' per=1 defines='-DOPERATION_addmul_1 -DUNROLL_COUNT=16' ;;
x86/mul_1.asm) name=__gmpn_mul_1 arguments='$0x12345679, $SIZE, $source, $target' per=1 defines= ;;
x86/aors_n.asm) name=__gmpn_add_n arguments='$SIZE, $source, $source, $target' per=1 defines=-DOPERATION_add_n ;;
x86/lshift.asm) name=__gmpn_lshift arguments='$5, $SIZE, $source, $target' per=1 defines= ;;
x86/rshift.asm) name=__gmpn_rshift arguments='$5, $SIZE, $source, $target' per=1 defines= ;;
x86/copyi.asm) name=__gmpn_copyi arguments='$SIZE, $source, $target' per=8 defines= ;;
x86/divrem_1.asm) name=__gmpn_divrem_1 arguments='$0x12345679, $SIZE, $source, $0, $target' per=1 defines= ;;
x86/p6/mod_34lsub1.asm) name=__gmpn_mod_34lsub1 arguments='$SIZE, $source' per=1 defines= ;;
x86/pentium/copyi.asm) name=__gmpn_copyi arguments='$SIZE, $source, $target' per=8 defines= ;;
x86/pentium/popcount.asm) name=__gmpn_popcount arguments='$SIZE, $source' per=1 defines= ;;
x86/pentium/aorsmul_1.asm) name=__gmpn_addmul_1 arguments='$0x12345679, $SIZE, $source, $target' per=1 defines=-DOPERATION_addmul_1 ;;
*) cannot "$file: no such case" ;;
esac
(cd "$dir/mpn" && m4 $defines "$path") >"$work/routine.s" 2>"$work/m4" ||
	cannot "m4: $(head -n 1 "$work/m4")"

# Arguments go onto the stack from the last one on.
{
	echo '.globl _start; .text; _start: movl $CALLS, %edi; .p2align 5; again:'
	echo "$arguments" | tr , '\n' | sed 's/^ */pushl /'
	echo "call $name; addl \$$(($(echo "$arguments" | tr -cd , | wc -c) * 4 + 4)), %esp"
	echo 'decl %edi; jnz again; movl $1, %eax; xorl %ebx, %ebx; int $0x80'
	echo '.data; .p2align 5; source: .fill 256, 4, 0x9e3779b9; .fill 4, 4, 0; target: .fill 256, 4, 0x01234567'
} >"$work/main.S"

# clocks SIZE CALLS
clocks() {
	${CC:-cc} -m32 -nostdlib -static -no-pie -Wl,-z,noexecstack -DSIZE="$1" -DCALLS="$2" -o "$work/program" \
		"$work/main.S" "$work/routine.s" 2>"$work/cc" || cannot "$(head -n 1 "$work/cc")"
	"$SOFTPMU" stat --cpu "$cpu" -x, -e cycles "$work/program" 2>&1 | cut -d, -f1 | grep -E '^[0-9]+$' ||
		cannot "softpmu counts no cycles"
}

a=$(clocks 64 50) && b=$(clocks 64 250) && c=$(clocks 192 50) && d=$(clocks 192 250) || exit 1
awk "BEGIN { printf \"%.2f\n\", (($d - $c) - ($b - $a)) / 200 / 128 * $per }"
