/* Clocks with data accesses: a pair may have two in one. Per iteration a pair that reads twice; one that reads and writes;
 * one that writes twice; one whose accesses meet in a bank (two clocks); a read-modify-write beside a read: the write
 * and the second read are in one clock. */
# bits 32
# expect p5: DATA_READ = 7*N
# expect p5: DATA_READ:clk = 6*N
# expect p5: DATA_WRITE = 4*N
# expect p5: DATA_WRITE:clk = 3*N
# expect p5: DATA_READ_OR_WRITE = 11*N
# expect p5: DATA_READ_OR_WRITE:clk = 7*N
# expect p5: WRITE_HIT_TO_M-_OR_E-STATE_LINES:clk = 3*N
# expect p5: FLOPS:clk = N
# expect pentium-mmx: DATA_READ_OR_WRITE:clk = 7*N
#include "model.inc"
_start:
	mov eax, [data]
	mov eax, [data + 32]
	LOOP 1
	mov eax, [data]
	mov ebx, [data + 4]
	mov eax, [data]
	mov [data + 4], ebx
	mov [data], eax
	mov [data + 4], ebx
	mov eax, [data]
	mov ebx, [data + 32]
	add [data], eax
	mov ebx, [data + 4]
	imul eax, eax
	nop
	NEXT 1b
	EXIT
