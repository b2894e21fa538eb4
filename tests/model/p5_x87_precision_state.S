/* FNINIT sets 64 bits, FLDENV and FRSTOR what they load. FNINIT and FRSTOR themselves wait for the last clock of a
 * division. */
# bits both
# expect pentium-mmx: FLOATING_POINT_STALLS_DURATION = (16 + 1 + 36 + 30 + 1 + 36 + 1 + 16)*N
#include "model.inc"
.macro DIVIDE
	fdiv st(0), st(1)
	fwait
.endm
_start:
	fninit
	fld1
	fld1
	fldcw [pc24]
	fnsave [state24]
	frstor [state24]
	fldcw [pc53]
	fnstenv [env53]
	LOOP 1
	frstor [state24]
	DIVIDE
	fninit
	.rept 4
	nop
	.endr
	fld dword ptr [one]
	fld dword ptr [one]
	DIVIDE
	fldenv [env53]
	DIVIDE
	fninit
	fld dword ptr [one]
	fld dword ptr [one]
	DIVIDE
	frstor [state24]
	DIVIDE
	NEXT 1b
	EXIT
	.data
one:	.long 0x3f800000
pc24:	.short 0x007f
pc53:	.short 0x027f
	.balign 16
env53:	.skip 28
	.balign 16
state24: .skip 108
