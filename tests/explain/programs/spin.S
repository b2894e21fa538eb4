/* A loop of N turns, two clocks each. */
#include "model.inc"
_start:
	LOOP 1
	NEXT 1b
	EXIT
