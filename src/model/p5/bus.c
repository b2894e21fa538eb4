/* bus.c -- unit bus: locked sequences and port cycles.
 *
 * COUNTING RULES   1CH: one per locked read-modify-write (LOCK, XCHG with memory), two when its operand is
 *                  cut by misalignment. 1DH: one per port instruction. 2EH (counter 1): writes to ports.
 * MODELLED         these; snoops and sharing (07H, 08H, 2AH, 2CH) are 0: there is one processor.
 * NOT MODELLED     port operands over a 4-byte boundary and repeated port instructions, which count more
 *                  than once (in user mode no port instruction completes); accessed and dirty bits (the
 *                  operating system sets both when it installs a page); uncacheable memory; clocks;
 *                  page-table reads (1EH), because the code side's walks depend on prefetch.
 * SOURCES          Intel 241428 (1997) chapter 6 and 16.4.6.
 */
#include "model/p5/p5.h"

void p5_bus_count(uint32_t kinds, struct p5_tally *t)
{
	p5_tally_add(t, WIRE_P5_BUS_IO, (kinds & P5_K_IO) != 0);
	p5_tally_add(t, WIRE_P5_BUS_UNCACHED_WRITE, (kinds & P5_K_OUT) != 0);
}

void p5_bus_locked(struct p5 *m, bool is_cut)
{
	P5_RAISE(m, BUS_LOCKED, 1u + is_cut);
}
