/* Three instructions of one micro-op to each fetch block: three are decoded in a clock and three micro-ops retire, never more. */
# expect p6: inst_decoded:c=3 = 8*N
# expect p6: inst_decoded:c=4 = 0
# between p6: uops_retired:c=3 = 7*N .. 8*N
# expect p6: uops_retired:c=4 = 0
# between p6: inst_retired:c=3 = 7*N .. 8*N
# expect p6: inst_retired:c=4 = 0
# between p6: data_mem_refs:c=1 = 8*N .. 8*N
# expect p6: data_mem_refs:c=2 = 0
#include "model.inc"
_start:
	lea rsi, [data]
	LOOP 1
	.rept 8
	mov eax, 1
	mov ecx, 2
	mov edx, [rsi]
	.endr
	NEXT 1b
	EXIT
