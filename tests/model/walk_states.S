/* Page walks read two entries from L2: a directory entry that is there, exclusive, and a table entry that is absent at first and exclusive the next
 * time. Each page has a line of its table for itself; the DTLB has two sets for all of them. */
# expect p6: l2_ld:i = 2*N
# expect p6: l2_ld:e = 3*N
# expect p6: l2_ld:s = 0*N
# expect p6: l2_ld:m = 0*N
# expect p6: l2_lines_in = 2*N
# expect p6: l2_m_lines_inm = 0*N
# expect p6: bus_tran_brd = 2*N
# expect p6: dcu_lines_in = N
# size 50
#include "model.inc"
	.macro PAGES
	lea rsi, [pages]
	mov ecx, N
0:	mov eax, [rsi]
	add rsi, 8*4096+32
	dec ecx
	jnz 0b
	.endm
	.bss
	.balign 1 << 15
pages:
	.skip 101*(8*4096+32)
	.text
_start:
	PAGES
	PAGES
	EXIT
