/* A chain of four multiplies of four clocks: three micro-ops' worth of slots are lost to each clock but one of them. */
# expect p6: cycles = 16*N
# expect p6: retirement_slots = 48*N
# expect p6: retirement_slots:retiring = 6*N
# between p6: retirement_slots:latency = 38*N .. 42*N
#include "model.inc"
_start:
	LOOP 1
	imul eax, eax
	imul eax, eax
	imul eax, eax
	imul eax, eax
	NEXT 1b
	EXIT
