/* Byte masks: from the first to the last byte that counts; an empty mask touches nothing. */
# expect p6: data_mem_refs = (1+0)*N
# expect p6: misalign_mem_ref = 0
#include "model.inc"
_start:
	lea rdi, [data]
	movq mm1, [middle]
	pxor mm2, mm2
	movq mm0, [middle]
	LOOP 1
	maskmovq mm0, mm1    /* bytes 2 to 5: one piece */
	maskmovq mm0, mm2    /* nothing */
	NEXT 1b
	EXIT
	.data
middle:	.byte 0, 0, 0x80, 0, 0, 0x80, 0, 0
