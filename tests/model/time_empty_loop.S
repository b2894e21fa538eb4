/* A taken branch at most every second clock. */
# expect p6: cpu_clk_unhalted = 2*N
# expect pentiumpro: cpu_clk_unhalted = 2*N
# expect p6: inst_decoded = 2*N
# expect p6: br_inst_decoded = N
# expect p6: baclears = 0
#include "model.inc"
_start:
	LOOP 1
	NEXT 1b
	EXIT
