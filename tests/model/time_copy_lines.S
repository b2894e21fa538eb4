/* REP MOVSD over 128 KB that no cache holds, and on to the next: 4096 lines are read and 4096 asked for to be written, and each
 * is at least four clocks of the bus, 18 of the core. */
# options p6: --walks off
# expect p6: dcu_lines_in = 2*4096*N
# between p6: cycles = 2*4096*18*N .. 2*4096*90*N
# size 3
#include "model.inc"
_start:
	lea rsi, [scratch]
	lea rdi, [data]
	LOOP 1
	mov ecx, 32768
	rep movsd
	NEXT 1b
	EXIT
