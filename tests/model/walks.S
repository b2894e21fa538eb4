/* One read in each of N pages: each walks, and the walker loads two entries from L2. */
# expect p6: l2_ld = 3*N
# expect p6: dcu_lines_in = N
# expect p6: data_mem_refs = N
# size 100
#include "model.inc"
_start:
	lea rbx, [scratch]
	LOOP 1
	mov eax, [rbx]
	add rbx, 4096+32
	NEXT 1b
	EXIT
