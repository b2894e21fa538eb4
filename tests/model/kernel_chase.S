/* A list of N lines, 17 lines apart, is written, pushed out of every cache and followed once: each line is read with ownership, written
 * back and read again; following takes at least a memory access (14 bus clocks to the first data) per element. */
# options p6: --walks off
# options pentiumpro: --walks off
# expect p6: bus_tran_rfo = N
# expect p6: bus_trans_wb = N
# expect p6: bus_tran_brd = N
# expect p6: dcu_lines_in = 2*N
# expect p6: bus_req_outstanding = 17*N
# between p6: cycles = 63*N .. 260*N
# expect pentiumpro: bus_tran_burst = 3*N
# size 32771
#include "model.inc"
_start:
	MAP 0x30000000, 0x400000
	MAP 0x40000000, 0x400000
	mov ebx, 0x30000000
	xor esi, esi		/* number of the line */
	LOOP 1
	lea rdi, [rsi + 17]
	mov rax, rdi
	sub rax, N
	cmovge rdi, rax
	mov rcx, rdi
	shl rcx, 5
	add rcx, rbx
	shl rsi, 5
	mov [rbx + rsi], rcx
	mov rsi, rdi
	NEXT 1b
	xor eax, eax
	cpuid			/* behind the last store: 60H is of reads that wait for nothing but memory */
	mov ebx, 0x30000000
	mov rsi, 0x40000000	/* zeros, one load behind the other */
	mov ecx, 65536
3:	mov eax, [rsi]
	lea rsi, [rsi + rax + 32]
	dec ecx
	jnz 3b
	mov rax, rbx
	mov ebp, N
	.balign 32
2:	mov rax, [rax]
	dec ebp
	jnz 2b
	EXIT
