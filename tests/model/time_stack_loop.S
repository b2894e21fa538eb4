/* An empty loop: two clocks, two micro-ops, and the taken branch retires as the first of a clock. */
# expect p6: cycles = 2*N
# expect p6: retirement_slots = 6*N
# expect p6: retirement_slots:retiring = 2*N
# expect p6: retirement_slots:mispredict = 0
# expect p6: retirement_slots:memory = 0
#include "model.inc"
_start:
	LOOP 1
	NEXT 1b
	EXIT
