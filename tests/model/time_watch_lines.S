/* Loads that miss L1D and hit L2, two in every turn, dispatched in clocks next to each other: each asks and is answered in a clock
 * of its own. */
# options p6: --walks off
# expect p6: l2_ld:c=1 = 1024*N
# expect p6: l2_ld:c=2 = 0
# expect p6: l2_ads:c=1 = 1024*N
# expect p6: dcu_lines_in:c=1 = 1024*N
# expect p6: dcu_lines_in:c=2 = 0
# expect p6: dcu_lines_in:c=1:e = 1024*N
# size 20
#include "model.inc"
_start:
	MAP 0x30000000, 0x8000
	mov ebx, 0x30000000
1:	mov eax, [rbx]
	add ebx, 32
	cmp ebx, 0x30008000
	jb 1b
	mov edx, N
2:	mov ebx, 0x30000000
	mov ecx, 512
	.balign 32
3:	mov eax, [rbx]
	mov esi, [rbx + 32]
	lea rbx, [rbx + 64]
	dec ecx
	jnz 3b
	dec edx
	jnz 2b
	EXIT
