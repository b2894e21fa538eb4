/* Breakpoint registers that trap nothing: on an instruction, on writes to a word, on any access of one of its
 * bytes. The string instruction writes it once in each of its passes. */
# options p5: --breakpoint 0:0x401200:x --breakpoint 1:0x30000004:w:4 --breakpoint 2:0x30000007:rw
# options pentium-mmx: --breakpoint 3:0x401200:x --breakpoint 1:0x30000004:w:4 --breakpoint 2:0x30000007:rw
# expect p5: BREAKPOINT_MATCH_ON_DR0_REGISTER = N
# expect p5: BREAKPOINT_MATCH_ON_DR1_REGISTER = 3*N
# expect p5: BREAKPOINT_MATCH_ON_DR2_REGISTER = 3*N
# expect p5: BREAKPOINT_MATCH_ON_DR3_REGISTER = 0
# expect pentium-mmx: BREAKPOINT_MATCH_ON_DR0_REGISTER = 0
# expect pentium-mmx: BREAKPOINT_MATCH_ON_DR3_REGISTER = N
# expect pentium-mmx: BREAKPOINT_MATCH_ON_DR1_REGISTER = 3*N
#include "model.inc"
_start:
	MAP 0x30000000, 4096
	mov ebx, 0x30000000
	mov ebp, N
	jmp 1f
	.org 0x200
1:	cld			/* the breakpoint; it never pairs */
	mov [rbx + 4], al	/* write */
	mov eax, [rbx + 4]	/* of the byte too */
	inc dword ptr [rbx + 4]	/* both, once */
	mov edi, 0x30000000
	mov ecx, 3
	rep stosd		/* both, once */
	NEXT 1b
	EXIT
