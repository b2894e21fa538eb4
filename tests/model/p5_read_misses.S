/* Each pass reads four times as many lines as L1D of a Pentium holds, then 64 others. */
# size 40
# expect p5: DATA_READ_MISS = 1088*N
# expect p5: DATA_READ_MISS_OR_WRITE_MISS = 1088*N
# expect pentium-mmx: DATA_READ_MISS = 1088*N
#include "model.inc"
_start:
	LOOP 1
	FLUSH_L1D
	READ_LINES data, 64
	READ_LINES data, 64
	NEXT 1b
	EXIT
