/* ports.c -- units fpu, mmx and sse in time: dispatch ports and execution units.
 *
 * COUNTING RULES   14H: clocks in which the divider refuses a new divide, its interval per divide.
 * MODELLED         five ports, one micro-op per clock each, oldest first; micro-ops of ports 0 and
 *                  1 are bound to one when they enter the station: the one with fewer waiting, port
 *                  1, which has fewer units, when there are as many (chosen); units that take one
 *                  micro-op per interval. A port returns one result per clock, so a micro-op is not
 *                  dispatched when its result would meet that of an older, longer one.
 * NOT MODELLED     results of loads that meet: port 2 has no other latency than that of lines on
 *                  their way.
 * SOURCES          catalog/p6/uops.tsv, timing.tsv; US patents 5689674 (binding to ports) and
 *                  5555432 (results that are reserved when a micro-op is dispatched).
 */
#include "model/p6/clocks/ports.h"

#include "model/p6/p6.h"

_Static_assert(P6_PORT_FAR_CLK + 64 < P6_PORT_WORDS * 64,
	       "a window that begins up to 63 clocks before");

/* n words of a ring from word `first` on. */
static inline void forget(uint64_t *ring, uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < P6_PORT_WORDS; i++)
		ring[(first + i) % P6_PORT_WORDS] = 0;
}

void p6_ports_forget(struct p6_time *t, uint64_t base)
{
	const uint64_t n = (base - t->port_base) / 64;

	for (unsigned p = 0; p < P6_PORTS; p++) {
		forget(t->port[p], t->port_base / 64, n);
		if (p < P6_RESULT_PORTS)
			forget(t->result[p], t->port_base / 64, n);
	}
	t->port_base = base;
}

uint64_t p6_port_take(struct p6 *m, unsigned port, uint64_t ready_clk)
{
	struct p6_time *t = &m->time;
	uint64_t clk;

	p6_ports_slide(t);
	clk = p6_port_find(t, port, ready_clk);
	p6_port_mark(t, port, clk);
	t->port_taken = (uint8_t)port;
	return clk;
}

uint64_t p6_port_execute(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk,
			 uint64_t *done_clk)
{
	struct p6_time *t = &m->time;
	const struct p6_uop *u = p->uop;
	unsigned latency = u->latency, interval = u->interval;
	uint64_t clk;

	if (p->precision) {
		latency -= t->divide[P6_PC_64].latency - t->divide[p->precision].latency;
		interval = t->divide[p->precision].interval;
	}
	if (u->unit && ready_clk < t->unit_clk[u->unit])
		ready_clk = t->unit_clk[u->unit];
	if (u->ports & 3) {
		const unsigned port =
		    u->ports == 3 ? p6_port_more_of_1(t) < t->par.port_of_tie : u->ports >> 1 & 1;

		p6_ports_slide(t);
		clk = p6_port_find_result(t, port, ready_clk, latency);
		p6_port_mark(t, port, clk);
		p6_port_mark_result(t, port, clk + latency - 1);
		t->port_taken = (uint8_t)port;
	} else {
		clk = p6_port_take(m, (unsigned)__builtin_ctz(u->ports | 1u << 4), ready_clk);
	}
	if (u->unit) {
		t->unit_clk[u->unit] = clk + interval;
		P6_RAISE_FOR(m, FPU_DIV_BUSY, clk, u->unit == CAT_P6_DIV ? interval : 0);
	}
	*done_clk = clk + latency;
	return clk;
}
