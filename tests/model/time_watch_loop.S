/* An empty loop: two clocks, of which one decodes both instructions and the other none. */
# expect p6: cycles = 2*N
# expect p6: cycles:c=1 = 2*N
# expect p6: inst_decoded:c=1 = N
# expect p6: inst_decoded:c=2 = N
# expect p6: inst_decoded:c=3 = 0
# expect p6: inst_decoded:c=1:i = N
# expect p6: inst_decoded:gt0 = N
# expect p6: inst_decoded:le0 = N
# expect p6: inst_decoded:e = N
# expect p6: br_inst_decoded:c=1 = N
# expect p6: uops_retired:c=3 = 0
# expect p6: br_taken_retired:c=1 = N
# expect p6: br_taken_retired:c=2 = 0
#include "model.inc"
_start:
	LOOP 1
	NEXT 1b
	EXIT
