/* Three processors are no pair: each inquiry is seen by two, nobody hands the bus over. A write that misses takes the
 * copies of others. */
# options pentium-mmx: --cpus 3 --quantum 1000000000 --walks off
# expect pentium-mmx: EXTERNAL_SNOOPS = 2*2*N
# expect pentium-mmx: EXTERNAL_DATA_CACHE_SNOOP_HITS = N
# expect pentium-mmx: CACHE_LINE_SHARING = 0*N
# expect pentium-mmx: BUS_OWNERSHIP_TRANSFERS = 0*N
# expect pentium-mmx: DATA_WRITE_MISS = N
# size 100
#include "smp.inc"
_start:
	SPAWN other
	READ_LINES data, N
	HAND_OVER
	EXIT
other:
	WRITE_LINES data, N
	EXIT
