#!/bin/bash
# openssl.sh CPU CASE -- clocks per byte of a routine of OpenSSL, measured by softpmu stat. CASE: sha256-folded, sha256-unrolled, rc4,
# chacha20, aes-small, aes-unrolled.
#
# OpenSSL's source comes from Debian's package of that name (debian_source.sh); its Perl writes the assembly. Prints nothing and a
# sentence on standard error when source, Perl or a 32-bit assembler cannot be had.
# MODELLED     integer code only, as on a processor without SSE2: generated for a 386, or with no feature bits set. AES by its CBC
#              routine, the only one that still has the tables that were measured; the author found no difference to ECB.
# METHOD       the difference between two numbers of calls over 4096 bytes in L1D.
set -u
. "$(dirname "$0")/../lib.sh"
cpu=$1 name=$2

cannot() { echo "openssl.sh: $*; the case is skipped" >&2; exit 1; }

command -v perl >/dev/null || cannot "there is no perl"
dir=$(tests/cases/debian_source.sh openssl) || exit 1

# setup: calls before the loop; call: FUNCTION ARGUMENTS in the loop. Arguments are separated by blanks.
setup=
case $name in
sha256-folded) module=sha/asm/sha256-586.pl options=386 call='sha256_block_data_order $state $input $4096/64' ;;
sha256-unrolled) module=sha/asm/sha256-586.pl options= call='sha256_block_data_order $state $input $4096/64' ;;
rc4) module=rc4/asm/rc4-586.pl options= setup='RC4_set_key $key $16 $input' call='RC4 $key $4096 $input $output' ;;
chacha20) module=chacha/asm/chacha-x86.pl options=386 call='ChaCha20_ctr32 $output $input $4096 $key $state' ;;
aes-*) module=aes/asm/aes-586.pl options=386 setup='AES_set_encrypt_key $input $128 $key'
	call='AES_cbc_encrypt $input $output $4096 $key $state $1' ;;
*) cannot "$name: no such case" ;;
esac
mkdir -p "$work/a/b" "$work/perlasm"
cp "$dir"/crypto/perlasm/*.pl "$work/perlasm" && cp "$dir/crypto/$module" "$work/a/b/module.pl" || cannot "no $module"
[ "$name" != aes-unrolled ] || sed -i 's/^\$small_footprint=1;/$small_footprint=0;/' "$work/a/b/module.pl"
# shellcheck disable=SC2086
perl "$work/a/b/module.pl" elf $options "$work/routine.S" 2>"$work/perl" && [ -s "$work/routine.S" ] ||
	cannot "perl: $(head -n 1 "$work/perl")"

# emit FUNCTION ARGUMENTS: a call; arguments go onto the stack from the last one on.
emit() {
	local function=$1 n=$(($# - 1)) i
	shift
	for ((i = $#; i > 0; i--)); do echo "pushl ${!i}"; done
	echo "call $function; addl \$$((4 * n)), %esp"
}

{
	echo '.globl _start; .text; _start:'
	# shellcheck disable=SC2086
	[ -z "$setup" ] || emit $setup
	echo 'movl $CALLS, %edi; .p2align 5; again: pushl %edi'
	# shellcheck disable=SC2086
	emit $call
	echo 'popl %edi; decl %edi; jnz again; movl $1, %eax; xorl %ebx, %ebx; int $0x80'
	echo '.data; .globl OPENSSL_ia32cap_P; .p2align 6; OPENSSL_ia32cap_P: .fill 4, 4, 0; .p2align 6; state: .fill 16, 4, 0x6a09e667'
	echo '.p2align 6; input: .set x, 12345; .rept 1024; .set x, (x * 1103515245 + 12345) & 0xffffffff; .long x; .endr'
	echo '.p2align 6; output: .fill 1024, 4, 0; .p2align 6; key: .fill 512, 4, 0'
} >"$work/main.S"

# clocks CALLS
clocks() {
	${CC:-cc} -m32 -nostdlib -static -no-pie -Wl,-z,noexecstack -DCALLS="$1" -o "$work/program" \
		"$work/main.S" "$work/routine.S" 2>"$work/cc" || cannot "$(head -n 1 "$work/cc")"
	"$SOFTPMU" stat --cpu "$cpu" -x, -e cycles "$work/program" 2>&1 | cut -d, -f1 | grep -E '^[0-9]+$' ||
		cannot "softpmu counts no cycles"
}

a=$(clocks 10) && b=$(clocks 30) || exit 1
awk "BEGIN { printf \"%.2f\n\", ($b - $a) / 20 / 4096 }"
