/* Code of 32 KB, twice what L1I holds, executed in turns: every line misses L1I and hits L2, and a fetch that misses
 * waits at least for L2's five clocks; at most for the whole line on the half-speed bus, 20 clocks. */
# expect p6: ifu_ifetch_miss = 1024*N
# between p6: ifu_mem_stall = 3*1024*N .. 25*1024*N
# size 100
#include "model.inc"
_start:
	LOOP 1
	.rept 1023
	.nops 32
	.endr
	.nops 22
	NEXT 1b
	EXIT
