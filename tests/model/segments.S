/* Writes of segment registers. */
# expect p6: segment_reg_loads = 4*N
# expect p6: seg_reg_renames = 3*N
# expect p6: seg_reg_renames:es = 2*N
# expect p6: seg_reg_renames:ds = N
# expect p5: ANY_SEGMENT_REGISTER_LOADED = 4*N
# expect p6: ret_seg_renames = 3*N
#include "model.inc"
_start:
	mov ebx, ss
	xor eax, eax
	LOOP 1
	mov es, eax
	mov es, eax
	mov ds, eax
	mov ss, ebx
	NEXT 1b
	EXIT
