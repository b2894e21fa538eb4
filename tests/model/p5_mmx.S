/* MMX instructions by kind, their references, and changes between MMX and x87. */
# needs mmx
# expect pentium-mmx: EMMS_INSTRUCTIONS_EXECUTED = N
# expect pentium-mmx: TRANSITIONS_BETWEEN_MMX_AND_FP_INSTRUCTIONS = 2*N
# expect pentium-mmx: SATURATING_MMX_INSTRUCTIONS_EXECUTED = 3*N
# expect pentium-mmx: MMX_INSTRUCTION_DATA_READS = 5*N
# expect pentium-mmx: MMX_INSTRUCTION_DATA_WRITES = 3*N
# expect pentium-mmx: MISALIGNED_DATA_MEMORY_REFERENCE_ON_MMX_INSTRUCTIONS = 2*N
# expect pentium-mmx: DATA_READ = 6*N
# expect pentium-mmx: DATA_WRITE = 4*N
#include "model.inc"
_start:
	LOOP 1
	movq mm0, [data]
	movq mm0, [data + 4]		/* cut */
	movd mm1, [data + 4]
	paddb mm0, [data + 8]
	paddsb mm0, mm1
	packsswb mm0, mm1
	psubusw mm0, mm1
	movq [data], mm0
	movq [data + 4], mm0		/* cut */
	mov eax, [data]
	mov [data], eax
	emms
	fldz
	fstp st(0)
	NEXT 1b
	EXIT
