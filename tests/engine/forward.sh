#!/bin/bash
# forward.sh -- long stretches of code without a branch back, in which flags stay alive: blocks there need not look whether their chunk of
# the record ring is full. Each program is run natively too and says how many instructions it executes.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

# forward NAME INSTRUCTIONS-A-TURN TEXT: ten turns of TEXT, which must leave CF set; 7 more instructions a turn, 4 around, no jump back at the end
cat >"$work/frame.S" <<'E'
	.globl _start
_start:	mov $10, %ebp
1:	mov $room, %esi
	stc
	BODY
	jnc 9f
	nop
	dec %ebp
	jz 8f
	jmp 1b
8:	mov $EXIT, %eax
	mov $0, STATUS
	SYSTEM
9:	ud2
	.comm room, 0x20000
E
forward() {
	local name=$1 bits want=$((10 * ($2 + 7) - 1 + 4)) n events
	printf '#define BODY body\n.macro body\n%s\n.endm\n' "$3" >"$work/$name.S"
	cat "$work/frame.S" >>"$work/$name.S"
	for bits in 64 32; do
		[ $bits = 64 ] || has_32_bit || continue
		case $bits in
		64) set -- -DEXIT=60 -DSTATUS=%edi -DSYSTEM=syscall ;;
		32) set -- -DEXIT=1 -DSTATUS=%ebx '-DSYSTEM=int $0x80' ;;
		esac
		$CC -m$bits -nostdlib -static -no-pie "$@" -o "$work/$name" "$work/$name.S" || exit 1
		[ $bits = 32 ] && ! native_32_bit || "$work/$name" || { bad "$name ($bits bits): status $? natively"; continue; }
		for events in pentium3,instructions pentium3,instructions,dcu_lines_in pentium3,instructions,cycles \
			pentium,instructions,data_read_miss pentium,instructions,cycles; do
			timeout 900 "$SOFTPMU" stat --cpu "${events%%,*}" -x, -e "${events#*,}" -o "$work/csv" -- "$work/$name" 2>"$work/err"
			rc=$?
			n=$(count_of "$work/csv" instructions)
			[ $rc = 0 ] && [ "$n" = $want ] && ok ||
				bad "$name ($bits bits, $events): status $rc, $n instructions instead of $want: $(head -n 1 "$work/err")"
		done
	done
}

# The code-cache sweep of textbooks: a jump to the next line, 2047 times.
forward sweep 2047 '.rept 2047
	jmp 2f
	.fill 30, 1, 0x90
2:
	.endr'
# Nothing but what blocks are cut from: 64 instructions, 4 bytes of record.
forward nops 262144 '.fill 262144, 1, 0x90'
# Branches that are not taken.
forward branches 50000 '.rept 25000
	jnc 2f
	nop
2:
	.endr'
# Jumps into the block that was just left out: each start of a block is a byte behind the one before.
forward overlaps 20000 '.rept 20000
	jmp 2f
	.byte 0xb8
2:
	.endr'
# As many bytes of record per byte of code as a block that does not look may have: 12 for 3; and more.
forward loads 60003 '.rept 30000
	lodsb
	.byte 0x73, 3 # jnc behind the next one
	.endr
	nop; nop; nop'
forward four 50000 '.rept 10000
	mov (%esi), %al
	mov room, %bl
	mov 4(%esi), %cl
	mov (%esi, %edi), %dl
	.byte 0x73, 1 # jnc into it
	.endr'
finish
