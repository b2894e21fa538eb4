# What every program of the laboratory ends with: exit(0), and memory to work on, full of zeros.
leave:
	.if wide
	mov eax, 60
	xor edi, edi
	syscall
	.else
	mov eax, 1
	xor ebx, ebx
	int 0x80
	.endif
	.bss
	.balign 1 << 20
data:
	.skip 4 << 20
	.section .note.GNU-stack, "", %progbits
