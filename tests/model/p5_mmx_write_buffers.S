/* As p5_write_buffers.S with MMX stores, which go down U only; then one that hits behind one that misses. */
# options pentium-mmx: --board write=4-1-1-1 --set bus.is_pipelined=0,bus.ratio_x2=2
# expect pentium-mmx: FULL_WRITE_BUFFER_STALL_DURATION_WHILE_EXECUTING_MMX_INSTRUCTIONS = (6*4-9)*N
# expect pentium-mmx: WRITE_BUFFER_FULL_STALL_DURATION = (6*4-9)*N
# expect pentium-mmx: STALL_ON_MMX_INSTRUCTION_WRITE_TO_E-_OR_M-STATE_LINE = (4-1)*N
# expect pentium-mmx: STALL_ON_WRITE_TO_AN_E-_OR_M-STATE_LINE = (4-1)*N
# expect pentium-mmx: STALL_ON_MMX_INSTRUCTION_WRITE_TO_E-_OR_M-STATE_LINE:occ = N
# expect pentium-mmx: FULL_WRITE_BUFFER_STALL_DURATION_WHILE_EXECUTING_MMX_INSTRUCTIONS:occ = 5*N
#include "model.inc"
_start:
	lea rsi, [data]
	lea rdi, [scratch]
	mov eax, [scratch]
	LOOP 1
	.rept 10
	movq [rsi + 8], mm0
	.endr
	PAUSE
	PAUSE
	movq [rsi + 8], mm0
	movq [rdi + 8], mm0
	PAUSE
	NEXT 1b
	EXIT
