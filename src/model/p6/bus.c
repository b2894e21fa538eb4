/* bus.c -- unit bus: transactions on the external bus, by kind.
 *
 * COUNTING RULES   a line takes line/8 data clocks, a partial write one; received lines count in
 *                  bus.data_rcv, driven ones in bus.drdy_self. Sums (6EH, 6FH, 70H) are made by
 * events. MODELLED         line reads for data, ownership and code; write-backs and full
 * write-combining buffers; ownership without data; partial writes of write-combining buffers. NOT
 * MODELLED     other agents, uncacheable accesses, I/O, deferred replies, special cycles, retries:
 *                  none can occur in user mode on one processor with write-back memory.
 * SOURCES          Intel 243192 appendix A.
 */
#include "model/p6/p6.h"

static unsigned line_clocks(const struct p6 *m)
{
	return 1u << m->line_log2 >> 3;
}

void p6_bus_read_line(struct p6 *m, unsigned wire)
{
	m->dyn[wire]++;
	P6_RAISE(m, BUS_DATA_RCV, line_clocks(m));
}

void p6_bus_write_line(struct p6 *m)
{
	P6_RAISE(m, BUS_WB, 1);
	P6_RAISE(m, BUS_DRDY_SELF, line_clocks(m));
}

void p6_bus_write_partial(struct p6 *m, unsigned pieces)
{
	P6_RAISE(m, BUS_PWR, pieces);
	P6_RAISE(m, BUS_DRDY_SELF, pieces);
}

void p6_bus_invalidate(struct p6 *m)
{
	P6_RAISE(m, BUS_INVAL, 1);
}
