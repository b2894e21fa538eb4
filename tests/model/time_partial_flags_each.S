/* SAHF writes all flags but OF: JL, which reads OF, waits, and JS does not. */
# between p6: partial_rat_stalls = 3*N .. 5*N
#include "model.inc"
_start:
	LOOP 1
	sahf
	js 2f
2:	sahf
	jl 3f
3:	NEXT 1b
	EXIT
