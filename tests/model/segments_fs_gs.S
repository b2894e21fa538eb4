/* Writes of FS and GS, which a 32-bit program may load with the null selector. */
# bits 32
# expect p6: segment_reg_loads = 3*N
# expect p6: seg_reg_renames = 3*N
# expect p6: seg_reg_renames:fs = 2*N
# expect p6: seg_reg_renames:gs = N
# expect p6: seg_reg_renames:es = 0
# expect p6: ret_seg_renames = 3*N
#include "model.inc"
_start:
	xor eax, eax
	LOOP 1
	mov fs, eax
	mov gs, eax
	mov fs, eax
	NEXT 1b
	EXIT
