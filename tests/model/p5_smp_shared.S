/* Both processors read lines: the second finds them exclusive at the first, and both have them shared. Then the first
 * writes them twice: the first time through to the bus, where the other one loses them, the second time at home. The
 * other one reads them again: modified. */
# options pentium-mmx: --cpus 2 --quantum 1000000000 --walks off
# expect pentium-mmx: EXTERNAL_SNOOPS = 4*N
# expect pentium-mmx: EXTERNAL_DATA_CACHE_SNOOP_HITS = 3*N
# expect pentium-mmx: CACHE_M-STATE_LINE_SHARING = N
# expect pentium-mmx: DATA_READ_MISS = 3*N
# expect pentium-mmx: DATA_WRITE_MISS = 0*N
# expect pentium-mmx: WRITE_HIT_TO_M-_OR_E-STATE_LINES = N
# expect pentium-mmx: DATA_CACHE_LINES_WRITTEN_BACK = N
# size 100
#include "smp.inc"
_start:
	SPAWN other
	READ_LINES data, N
	HAND_OVER
	WRITE_LINES data, N
	WRITE_LINES data, N
	HAND_OVER
	EXIT
other:
	READ_LINES data, N
	HAND_OVER
	READ_LINES data, N
	EXIT
