/* One processor reads and writes lines, the other reads them (written back first, shared then) and writes them: through
 * to the bus, where the first one loses its copies. Each line that is modified elsewhere hands the bus over twice, 2 bus
 * clocks of 3 core clocks each time. */
# options pentium: --cpus 2 --quantum 1000000000 --walks off
# options pentium-mmx: --cpus 2 --quantum 1000000000 --walks off
# expect pentium: EXTERNAL_SNOOPS = 3*N
# expect pentium: EXTERNAL_DATA_CACHE_SNOOP_HITS = 2*N
# expect pentium: DATA_CACHE_LINES_WRITTEN_BACK = N
# expect pentium: DATA_READ_MISS = 2*N
# expect pentium: DATA_WRITE_MISS = 0*N
# expect pentium: WRITE_HIT_TO_M-_OR_E-STATE_LINES = N
# expect pentium-mmx: EXTERNAL_SNOOPS = 3*N
# expect pentium-mmx: CACHE_LINE_SHARING = 2*N
# expect pentium-mmx: CACHE_M-STATE_LINE_SHARING = N
# expect pentium-mmx: BUS_OWNERSHIP_TRANSFERS = 2*N
# expect pentium-mmx: BUS_OWNERSHIP_LATENCY = 2*6*N
# size 100
#include "smp.inc"
_start:
	SPAWN other
	READ_LINES data, N
	WRITE_LINES data, N
	HAND_OVER
	EXIT
other:
	READ_LINES data, N
	WRITE_LINES data, N
	EXIT
