/* References, pieces over an 8-byte boundary and over the end of a line. */
# expect p6: data_mem_refs = (1+1+2+2+1+2+2+2)*N
# expect p6: data_mem_cache_ref = (1+1+2+2+1+2+2+2)*N
# expect p6: misalign_mem_ref = (1+2)*N
# expect p6: dcu_lines_in = 0
#include "model.inc"
_start:
	lea rsi, [data]
	fld1
	LOOP 1
	mov eax, [rsi]
	mov [rsi], eax
	fld tbyte ptr [rsi]
	add [rsi], eax
	mov eax, [rsi+6]
	mov eax, [rsi+30]
	movaps xmm0, [rsi]
	movups [rsi+16], xmm0
	fstp st(0)
	NEXT 1b
	EXIT
