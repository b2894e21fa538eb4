# lib.sh -- what suites that boot Linux in a machine share.

# turns_program FILE TURNS [OPTIONS OF ld]: a program of 4 instructions a turn and 4 besides, as "$work/init/bin/FILE"; INT is a branch, too.
turns_program() {
	cat >"$work/prog.s" <<X
.globl _start
_start: mov \$$2, %ecx
1:	push %ecx
	pop %edx
	dec %ecx
	jnz 1b
	mov \$1, %eax
	xor %ebx, %ebx
	int \$0x80
.section .note.GNU-stack
X
	as --32 -o "$work/prog.o" "$work/prog.s" && ld -m elf_i386 "${@:3}" -o "$work/init/bin/$1" "$work/prog.o"
}
