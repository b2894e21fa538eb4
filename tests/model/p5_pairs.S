/* Pairs: accesses in both pipes, in different banks and in the same one. */
# bits 32
# expect p5: INSTRUCTIONS_EXECUTED = 8*N
# expect p5: INSTRUCTIONS_EXECUTED_V_PIPE = 4*N
# expect p5: MEMORY_ACCESSES_IN_BOTH_PIPES = 2*N
# expect p5: BANK_CONFLICTS = N
# expect p5: PIPELINE_AGI_STALLS = 0
# expect p5: cycles = 5*N
# expect pentium-mmx: INSTRUCTIONS_EXECUTED_V_PIPE = 4*N
# expect pentium-mmx: MEMORY_ACCESSES_IN_BOTH_PIPES = 2*N
# expect pentium-mmx: BANK_CONFLICTS = N
# expect pentium-mmx: cycles = 5*N
# expect pentium-mmx: NUMBER_OF_CYCLES_NOT_IN_HALT_STATE = 5*N
#include "model.inc"
_start:
	mov eax, [data]
	mov eax, [data + 32]
	LOOP 1
	mov eax, [data]
	mov ebx, [data + 4]
	mov ecx, [data]
	mov edx, [data + 32]	/* the same bank: two clocks */
	mov ecx, 1
	mov edx, 2
	NEXT 1b
	EXIT
