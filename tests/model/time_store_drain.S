/* A store that misses L2 in front of an instruction that waits for the store buffer: the line comes from memory, 14 clocks of
 * the bus (63 of the core) away at least. The locked instruction finds its own line in L1D. */
# options p6: --walks off
# between p6: sb_drains = 50*N .. 150*N
# size 400
#include "model.inc"
_start:
	lea rsi, [data]
	LOOP 1
	mov [rsi], eax
	lock inc dword ptr [scratch]
	add rsi, 32
	NEXT 1b
	EXIT
