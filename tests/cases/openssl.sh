#!/bin/bash
# openssl.sh CPU CASE [OPTION ...] -- clocks per byte of a routine of OpenSSL, measured by softpmu stat with OPTIONs.
#
# OpenSSL's source comes from Debian's package of that name (debian_source.sh); its Perl writes the assembly. Prints nothing and a
# sentence on standard error when source, Perl or a 32-bit assembler cannot be had.
# MODELLED     integer code only, as on a processor without SSE2: generated for a 386, or with no feature bits set; ghash-mmx and
#              whirlpool are MMX code. AES by its CBC routine, the only one that still has the tables that were measured; the author
#              found no difference to ECB. Camellia by its CBC routine.
# METHOD       loop.sh; for each start the difference between two numbers of calls over 4096 bytes in L1D.
set -u
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/loop.sh"
cpu=$1 name=$2
shift 2
settings=$*
loop=openssl-$name

# setup: calls before the loop; call: FUNCTION ARGUMENTS in the loop. Arguments are separated by blanks. per: what the result is
# counted by.
setup= per=4096
case $name in
sha1) module=sha/asm/sha1-586.pl options=386 call='sha1_block_data_order $state $input $4096/64' ;;
sha256-folded) module=sha/asm/sha256-586.pl options=386 call='sha256_block_data_order $state $input $4096/64' ;;
sha256-unrolled) module=sha/asm/sha256-586.pl options= call='sha256_block_data_order $state $input $4096/64' ;;
sha512) module=sha/asm/sha512-586.pl options=386 call='sha512_block_data_order $state $input $4096/128' ;;
rc4) module=rc4/asm/rc4-586.pl options= setup='RC4_set_key $key $16 $input' call='RC4 $key $4096 $input $output' ;;
chacha20) module=chacha/asm/chacha-x86.pl options=386 call='ChaCha20_ctr32 $output $input $4096 $key $state' ;;
poly1305) module=poly1305/asm/poly1305-x86.pl options=386 setup='poly1305_init $key $input $output' call='poly1305_blocks $key $input $4096 $1' ;;
aes-ecb) module=aes/asm/aes-586.pl options=386 setup='AES_set_encrypt_key $input $128 $key' call='AES_encrypt $input $output $key' per=16 ;;
aes-ecb-decrypt) module=aes/asm/aes-586.pl options=386 setup='AES_set_decrypt_key $input $128 $key' call='AES_decrypt $input $output $key' per=16 ;;
aes-*) module=aes/asm/aes-586.pl options=386 setup='AES_set_encrypt_key $input $128 $key'
	call='AES_cbc_encrypt $input $output $4096 $key $state $1' ;;
camellia-ecb) module=camellia/asm/cmll-x86.pl options=386 setup='Camellia_set_key $input $128 $key' call='Camellia_encrypt $input $output $key' per=16 ;;
camellia-cbc) module=camellia/asm/cmll-x86.pl options=386 setup='Camellia_set_key $input $128 $key'
	call='Camellia_cbc_encrypt $input $output $4096 $key $state $1' ;;
camellia-key) module=camellia/asm/cmll-x86.pl options=386 call='Camellia_set_key $input $128 $key' per=1 ;;
ghash-x86) module=modes/asm/ghash-x86.pl options=386 call='gcm_ghash_4bit $state $key $input $4096' ;;
ghash-mmx) module=modes/asm/ghash-x86.pl options= call='gcm_ghash_4bit_mmx $state $key $input $4096' ;;
whirlpool) module=whrlpool/asm/wp-mmx.pl options= call='whirlpool_block_mmx $state $input $4096/64' per=64 ;;
*) cannot "$name: no such case" ;;
esac

# The routine's text, into $work/routine.S.
text() {
	command -v perl >/dev/null || cannot "there is no perl"
	dir=$(tests/cases/debian_source.sh openssl) || exit 1
	mkdir -p "$work/a/b" "$work/perlasm"
	cp "$dir"/crypto/perlasm/*.pl "$work/perlasm" && cp "$dir/crypto/$module" "$work/a/b/module.pl" || cannot "no $module"
	[ "$name" != aes-unrolled ] || sed -i 's/^\$small_footprint=1;/$small_footprint=0;/' "$work/a/b/module.pl"
	# shellcheck disable=SC2086
	perl "$work/a/b/module.pl" elf $options "$work/routine.S" 2>"$work/perl" && [ -s "$work/routine.S" ] ||
		cannot "perl: $(head -n 1 "$work/perl")"
	sed -i '/^\.comm.*OPENSSL_ia32cap_P/d' "$work/routine.S"
}

# emit FUNCTION ARGUMENTS: a call; arguments go onto the stack from the last one on.
emit() {
	local function=$1 n=$(($# - 1)) i
	shift
	for ((i = $#; i > 0; i--)); do echo "pushl ${!i}"; done
	echo "call $function; addl \$$((4 * n)), %esp"
}

{
	echo '.data; .globl OPENSSL_ia32cap_P; .p2align 6; OPENSSL_ia32cap_P: .fill 4, 4, 0; .p2align 6; state: .fill 16, 4, 0x6a09e667'
	echo '.p2align 6; input: .set x, 12345; .rept 1024; .set x, (x * 1103515245 + 12345) & 0xffffffff; .long x; .endr'
	echo '.p2align 6; output: .fill 1024, 4, 0; .p2align 6; key: .fill 512, 4, 0'
	echo '.globl _start; .text; _start:'
	# shellcheck disable=SC2086
	[ -z "$setup" ] || emit $setup
	echo 'movl $CALLS, %edi; .p2align 5; again: pushl %edi'
	# shellcheck disable=SC2086
	emit $call
	echo 'popl %edi; decl %edi; jnz again; movl $1, %eax; xorl %ebx, %ebx; int $0x80; .p2align 6; .fill 8 * START, 1, 0x90'
} >"$work/main.S"

few=10 many=30
[ $per -eq 4096 ] || { few=200 many=600; }
for ((start = 0; start < STARTS; start++)); do
	clocks $start 0 $few
	few_clk=$got
	clocks $start 0 $many
	echo $((got - few_clk))
done | sort -n | awk -v n=$(((many - few) * per)) 'NR == 1 { printf "%.2f\n", $1 / n }'
