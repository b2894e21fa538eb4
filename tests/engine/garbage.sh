#!/bin/bash
# garbage.sh [SEEDS] -- softpmu decodes and translates what a program could execute next, ahead of it: branches that
# are never taken lead to random bytes here, in both widths. Whatever they are, the program runs to its end.
. "$(dirname "$0")/lib.sh"

seeds=4
[ "$CHECK_LEVEL" = all ] && seeds=40
seeds=${1:-$seeds}
widths=64
native_32_bit && widths="64 32"

# source SEED WIDTH: 4000 branches that are not taken, each to 15 bytes, prefixes first
source_of() {
	awk -v seed="$1" -v width="$2" 'BEGIN {
		srand(seed)
		n = split("102 242 243 100 101 103 72 65 79 15", prefix, " ")
		print "\t.globl _start\n_start:\txor %eax, %eax"
		for (i = 0; i < 4000; i++) {
			print "\ttest %eax, %eax\n\tjnz g" i
			if (i % 50 == 49)
				print "\tjmp c" i "\nc" i ":"
		}
		print width == 64 ? "\tmov $60, %eax\n\txor %edi, %edi\n\tsyscall" : "\tmov $1, %eax\n\txor %ebx, %ebx\n\tint $0x80"
		for (i = 0; i < 4000; i++) {
			printf "g%d:\t.byte ", i
			m = int(rand() * 6) - 2
			for (k = 0; k < 15; k++)
				printf "%s%d", k ? "," : "", k < m ? prefix[1 + int(rand() * n)] : int(rand() * 256)
			print "\n\tud2"
		}
	}'
}

for seed in $(seq "$seeds"); do
	for width in $widths; do
		source_of "$seed" "$width" >"$work/garbage.S"
		$CC -m$width -nostdlib -static -o "$work/garbage" "$work/garbage.S" || exit 1
		for options in "-e inst_retired" "-e inst_retired,dcu_lines_in,fp_assist" "-e cycles" "--cpu pentium-mmx -e cycles"; do
			timeout 900 "$SOFTPMU" stat $options -o "$work/counts" -- "$work/garbage" >/dev/null 2>"$work/err"
			rc=$?
			[ $rc = 0 ] && ok || bad "seed $seed, $width bit ($options): status $rc: $(head -n 1 "$work/err")"
		done
	done
done
finish
