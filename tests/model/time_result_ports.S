/* A chain of multiplies, four clocks each, among shifts, all of port 0: in the clock in which a multiply's result leaves the
 * port no shift gives one, and the multiply behind it is not there yet. So a multiply takes two clocks of the port, not one. */
# between p6: cpu_clk_unhalted = 5*N-9 .. 5*N+9
# size 1000
#include "model.inc"
_start:
	mov eax, 3
	LOOP 1
	imul eax, eax
	shl ebx, 1
	shl ecx, 1
	shl edx, 1
	NEXT 1b
	EXIT
