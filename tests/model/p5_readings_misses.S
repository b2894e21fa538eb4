/* Pairs that miss: two reads of two lines never read before, and two writes to lines that are not there. */
# size 100
# options p5: --walks off
# expect p5: DATA_READ_MISS = 2*N
# expect p5: DATA_READ_MISS:clk = N
# expect p5: DATA_WRITE_MISS = 2*N
# expect p5: DATA_WRITE_MISS:clk = N
# expect p5: DATA_READ_MISS_OR_WRITE_MISS:clk = 2*N
#include "model.inc"
_start:
	lea esi, [data]
	lea edi, [data + 0x80000]
	LOOP 1
	mov eax, [rsi]
	mov edx, [rsi + 36]
	add esi, 64
	nop
	mov [rdi], eax
	mov [rdi + 36], edx
	add edi, 64
	nop
	NEXT 1b
	EXIT
