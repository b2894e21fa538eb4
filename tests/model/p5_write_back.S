/* Modified lines leave by replacement; clean ones leave without a trace. */
# size 40
# expect p5: DATA_CACHE_LINES_WRITTEN_BACK = 64*N
# expect p5: WRITE_HIT_TO_M-_OR_E-STATE_LINES = 64*N
# expect pentium-mmx: DATA_CACHE_LINES_WRITTEN_BACK = 64*N
#include "model.inc"
_start:
	LOOP 1
	READ_LINES data, 64
	WRITE_LINES data, 64
	FLUSH_L1D
	NEXT 1b
	EXIT
