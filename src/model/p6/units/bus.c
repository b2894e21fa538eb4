/* bus.c -- unit bus: transactions on the external bus, by kind, and what other processors answer.
 *
 * COUNTING RULES   a line takes line/8 data clocks, a partial write one; received lines count in
 *                  bus.data_rcv, driven ones in bus.drdy_self; bus.drdy_any is both in core clocks,
 *                  made when totals are asked for (system.c). Sums (6EH, 6FH, 70H) are made by
 *                  events. A snooped processor that keeps a copy drives HIT# for one clock, one
 *                  whose copy was modified HITM#, and it writes the line back: one full-line write
 *                  of its own. Each transaction that is snooped is one address on the L2 bus of
 *                  every other processor.
 * MODELLED         line reads for data, ownership and code; write-backs and full write-combining
 *                  buffers; ownership without data; partial writes of write-combining buffers. With
 *                  several processors MESI: a read makes copies elsewhere shared, a request for
 *                  ownership and a write from a write-combining buffer take them. L1I answers too.
 *                  Write-backs are not looked up: no other processor can have the line. Uncacheable
 *                  memory and deferred replies where the user says so (bus_uncached.c). Ports: one
 *                  transaction for each IN and OUT, whatever REP says (retire.c).
 * NOT MODELLED     bus agents that are no processors, special cycles, retries: none occur in user
 *                  mode with such memory. Data clocks of ports. Stalled snoop phases and
 *                  arbitration need time.
 * SOURCES          Intel 243192 appendix A; choices in docs/MODELS.md "bus".
 */
#include "model/p6/units/bus.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/bus_clocks.h"

enum purpose { READ, READ_TO_OWN, OWN, WRITE };

/* Processor o sees n transactions on line l. Returns true when it keeps a copy. */
static bool answer(struct p6 *o, struct cache_line l, enum purpose purpose, unsigned n)
{
	const bool takes = purpose != READ;
	const enum cache_state l1d = p6_dcu_snoop(o, l, takes);
	const enum cache_state l2 = p6_l2_snoop(o, l, takes, l1d == CACHE_M);
	const bool is_code = p6_ifu_snoop(o, l, takes);

	P6_RAISE(o, L2_ADS, o->l2.is_there ? n : 0);
	if (l1d == CACHE_M || l2 == CACHE_M) {
		P6_RAISE(o, BUS_HITM_DRV, 1);
		o->bus.n_supplied += purpose == READ || purpose == READ_TO_OWN;
		p6_bus_write_back(o);
		return !takes;
	}
	if (takes || (l1d == CACHE_I && l2 == CACHE_I && !is_code))
		return false;
	P6_RAISE(o, BUS_HIT_DRV, 1);
	return true;
}

/* All others snoop. Returns true when one of them keeps a copy. */
static __attribute__((noinline)) bool snoop(struct p6 *m, struct cache_line l, enum purpose purpose,
					    unsigned n)
{
	bool is_shared = false;

	for (unsigned i = 0; i < m->system->n; i++)
		if (m->system->cpu[i] != m && answer(m->system->cpu[i], l, purpose, n))
			is_shared = true;
	return is_shared;
}

/* Count n lines that are read; wire: the kind of read. counts: p6.dyn or a total[WIRE_N]. */
static inline void count_read(const struct p6 *m, uint64_t *counts, unsigned wire, uint64_t n)
{
	counts[wire] += n;
	counts[WIRE_P6_BUS_DATA_RCV] += n * p6_bus_line_clocks(m);
}

/* Count n modified lines that are written to memory. */
static inline void count_write_back(const struct p6 *m, uint64_t *counts, uint64_t n)
{
	counts[WIRE_P6_BUS_WB] += n;
	counts[WIRE_P6_BUS_DRDY_SELF] += n * p6_bus_line_clocks(m);
}

bool p6_bus_read_line(struct p6 *m, unsigned wire, struct cache_line l)
{
	count_read(m, m->dyn, wire, 1);
	P6_RAISE(m, BUS_DEFER, m->bus.is_deferred);
	return m->bus.has_peers && snoop(m, l, wire == WIRE_P6_BUS_RFO ? READ_TO_OWN : READ, 1);
}

void p6_bus_invalidate(struct p6 *m, struct cache_line l)
{
	P6_RAISE(m, BUS_INVAL, 1);
	if (m->bus.has_peers)
		snoop(m, l, OWN, 1);
}

void p6_bus_write_back(struct p6 *m)
{
	count_write_back(m, m->dyn, 1);
}

void p6_bus_add_served(const struct p6 *m, uint64_t *total)
{
	const uint64_t *read = m->l2.absent[P6_ABSENT_READ], *store = m->l2.absent[P6_ABSENT_STORE];

	count_read(m, total, WIRE_P6_BUS_BRD, read[0] + read[1]);
	count_read(m, total, WIRE_P6_BUS_RFO, store[0] + store[1]);
	count_write_back(m, total, read[1] + store[1]);
}

void p6_bus_write_line(struct p6 *m, struct cache_line l)
{
	p6_bus_write_back(m);
	if (m->bus.has_peers)
		snoop(m, l, WRITE, 1);
}

void p6_bus_write_partial(struct p6 *m, struct cache_line l, unsigned pieces)
{
	P6_RAISE(m, BUS_PWR, pieces);
	P6_RAISE(m, BUS_DRDY_SELF, pieces);
	if (m->bus.has_peers)
		snoop(m, l, WRITE, pieces);
}

void p6_bus_read_partial(struct p6 *m)
{
	P6_RAISE(m, BUS_PARTIAL_READ, 1);
	P6_RAISE(m, BUS_DATA_RCV, 1);
}
