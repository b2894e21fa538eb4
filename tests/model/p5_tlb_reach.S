/* The Pentium's TLB has four ways per set, that of the Pentium with MMX compares all 64 entries. */
# expect p5: DATA_TLB_MISS = 5*N
# expect pentium-mmx: DATA_TLB_MISS = 0
#include "model.inc"
_start:
	LOOP 1
	mov eax, [scratch]		/* pages of one set */
	mov eax, [scratch + 16 * 4096]
	mov eax, [scratch + 32 * 4096]
	mov eax, [scratch + 48 * 4096]
	mov eax, [scratch + 64 * 4096]
	NEXT 1b
	EXIT
