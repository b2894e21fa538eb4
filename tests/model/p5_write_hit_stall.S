/* A store that hits in the clock behind one that misses, whose bus cycle is 4 clocks: it waits for the last of
 * them. With --errata nothing is counted: EWBE# is always active. */
# options pentium-60: --board write=4-1-1-1 --set bus.is_pipelined=0
# options pentium: --set bus.ratio_x2=2 --errata
# expect pentium-60: STALL_ON_WRITE_TO_AN_E-_OR_M-STATE_LINE = (4-1)*N
# expect pentium-60: WRITE_BUFFER_FULL_STALL_DURATION = 0
# expect pentium: STALL_ON_WRITE_TO_AN_E-_OR_M-STATE_LINE = 0
# expect pentium-60: STALL_ON_WRITE_TO_AN_E-_OR_M-STATE_LINE:occ = N
# expect pentium: STALL_ON_WRITE_TO_AN_E-_OR_M-STATE_LINE:occ = 0
#include "model.inc"
_start:
	lea rsi, [data]
	lea rdi, [scratch]
	mov eax, [scratch]
	LOOP 1
	mov byte ptr [rsi + 4], 5
	mov byte ptr [rdi + 4], 5
	PAUSE
	NEXT 1b
	EXIT
