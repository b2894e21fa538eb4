/* Two stores whose addresses come late, each with a load behind it: one of other memory, one of the same. The second is held in any
 * case, the first only where loads do not go ahead of unknown addresses. */
# options p6: --set load_goes_ahead=1
# expect p6: ld_blocks = N
# expect pentiumpro: ld_blocks = 2*N
#include "model.inc"
_start:
	lea rsi, [data]
	xor ebx, ebx
	LOOP 1
	.rept 2
	imul eax, ebx
	.endr
	mov [rsi + rax], ecx
	mov edx, [rsi + 64]
	lfence
	.rept 2
	imul eax, ebx
	.endr
	mov [rsi + rax], ecx
	mov edx, [rsi]
	lfence
	NEXT 1b
	EXIT
