/* Every transfer of control is a branch, taken or not; CPUID counts as one although it is none. */
# expect p5: INSTRUCTIONS_EXECUTED = 8*N
# expect p5: BRANCHES = 5*N
# expect pentium-mmx: INSTRUCTIONS_EXECUTED = 8*N
# expect pentium-mmx: BRANCHES = 5*N
# expect pentium-mmx: TAKEN_BRANCHES = 3*N
# expect pentium-mmx: RETURNS = N
#include "model.inc"
_start:
	LOOP 1
	xor eax, eax
	cpuid
	test ebp, ebp
	jz 2f
	call 3f
	NEXT 1b
2:	EXIT
3:	ret
