/* N x87 divisions, each of the result of the one before. */
#include "model.inc"
_start:
	fld1
	fldpi
	LOOP 1
	fdiv st(0), st(1)
	NEXT 1b
	EXIT
