/* Addresses that wait for a register written one clock before, in one pipe and in both. */
# bits 32
# expect p5: PIPELINE_AGI_STALLS = 2*N
# expect p5: PIPELINE_AGI_STALLS:occ = 3*N
# expect p5: INSTRUCTIONS_EXECUTED_V_PIPE = 4*N
# expect p5: cycles = 7*N
# expect pentium-mmx: PIPELINE_AGI_STALLS = 2*N
# expect pentium-mmx: PIPELINE_AGI_STALLS:occ = 3*N
# expect pentium-mmx: cycles = 7*N
#include "model.inc"
_start:
	mov eax, [data]
	LOOP 1
	mov esi, offset data
	mov eax, [esi]		/* alone, behind what it reads: one */
	nop
	mov esi, offset data
	mov edi, offset data + 4
	mov eax, [esi]		/* both halves wait: two, in one clock */
	mov ebx, [edi]
	NEXT 1b
	EXIT
