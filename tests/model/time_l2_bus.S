/* N lines from memory, then from L2: a line keeps the L2 data bus seven clocks, written there and read. */
# options pentiumpro: --walks off
# expect pentiumpro: l2_dbus_busy_rd = 7*N
# expect pentiumpro: l2_dbus_busy = 14*N
# size 1000
#include "model.inc"
_start:
	READ_LINES data, N
	READ_LINES data, N
	EXIT
