/* ports.c -- units fpu, mmx and sse in time: dispatch ports and execution units.
 *
 * COUNTING RULES   14H: clocks in which the divider refuses a new divide, its interval per divide.
 * MODELLED         five ports, one micro-op per clock each, oldest first; micro-ops of ports 0 and 1 are bound to one when
 *                  they enter the station: the one with fewer waiting, port 1, which has fewer units, when there are as
 *                  many (chosen); units that take one micro-op per interval. A port returns one result per clock, so a
 *                  micro-op is not dispatched when its result would meet that of an older, longer one.
 * NOT MODELLED     results of loads that meet: port 2 has no other latency than that of lines on their way.
 * SOURCES          catalog/p6/uops.tsv, timing.tsv; US patents 5689674 (binding to ports) and 5555432 (results that are
 *                  reserved when a micro-op is dispatched).
 */
#include "model/p6/p6.h"

#include <string.h>

_Static_assert(P6_PORT_FAR_CLK + 64 < P6_PORT_WORDS * 64, "a window that begins up to 63 clocks before");

/* n words of a ring from word `first` on. */
static inline void forget(uint64_t *ring, uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < P6_PORT_WORDS; i++)
		ring[(first + i) % P6_PORT_WORDS] = 0;
}

/* Nothing will be dispatched before clk: forget what lies there. */
static void slide(struct p6_time *t, uint64_t clk)
{
	const uint64_t base = clk & ~(uint64_t)63;
	const uint64_t n = (base - t->port_base) / 64;

	if (base <= t->port_base)
		return;
	for (unsigned p = 0; p < P6_PORTS; p++) {
		forget(t->port[p], t->port_base / 64, n);
		if (p < P6_RESULT_PORTS)
			forget(t->result[p], t->port_base / 64, n);
	}
	t->port_base = base;
}

/* First free clock of a port from clk on. Clocks far behind that of rename count as free. */
static uint64_t find(const struct p6_time *t, unsigned port, uint64_t clk)
{
	while (clk - t->ren.next_clk < P6_PORT_FAR_CLK) {
		const uint64_t taken = t->port[port][clk / 64 % P6_PORT_WORDS] >> (clk & 63);

		if (~taken << (clk & 63)) {
			clk += (unsigned)__builtin_ctzll(~taken);
			return clk;
		}
		clk = (clk | 63) + 1;
	}
	return clk;
}

static void mark(struct p6_time *t, unsigned port, uint64_t clk)
{
	if (clk - t->ren.next_clk >= P6_PORT_FAR_CLK)
		return;
	t->port[port][clk / 64 % P6_PORT_WORDS] |= 1ull << (clk & 63);
	t->port_last[port] = p6_later(t->port_last[port], clk);
}

uint64_t p6_port_take(struct p6 *m, unsigned port, uint64_t ready_clk)
{
	struct p6_time *t = &m->time;
	uint64_t clk;

	slide(t, t->ren.next_clk);
	clk = find(t, port, ready_clk);
	mark(t, port, clk);
	t->port_taken = (uint8_t)port;
	return clk;
}

/* The same of a port of units with different latencies, which returns one result a clock. */
static uint64_t find_result(const struct p6_time *t, unsigned port, uint64_t clk, unsigned latency)
{
	for (;; clk++) {
		uint64_t last;

		clk = find(t, port, clk);
		last = clk + latency - 1;
		if (last - t->ren.next_clk >= P6_PORT_FAR_CLK ||
		    !(t->result[port][last / 64 % P6_PORT_WORDS] >> (last & 63) & 1))
			return clk;
	}
}

static void mark_result(struct p6_time *t, unsigned port, uint64_t last)
{
	if (last - t->ren.next_clk >= P6_PORT_FAR_CLK)
		return;
	t->result[port][last / 64 % P6_PORT_WORDS] |= 1ull << (last & 63);
	t->result_last[port] = p6_later(t->result_last[port], last);
}

/* Bits of v that are set. The host may have no instruction for that, and a call costs more. */
static inline int ones(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555u;
	v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (int)(v * 0x0101010101010101u >> 56);
}

/* Has port 0 no fewer micro-ops than port 1 that are not dispatched when the present one enters the station? */
static bool is_for_port_1(const struct p6_time *t)
{
	uint64_t clk = t->ren.next_clk - 1 + t->par.rename_to_dispatch_clk;
	int more = 0; /* of port 1 */

	while (clk <= p6_later(t->port_last[0], t->port_last[1]) &&
	       clk - t->ren.next_clk < P6_PORT_FAR_CLK) {
		const unsigned word = clk / 64 % P6_PORT_WORDS;

		more += clk <= t->port_last[1] ? ones(t->port[1][word] >> (clk & 63)) : 0;
		more -= clk <= t->port_last[0] ? ones(t->port[0][word] >> (clk & 63)) : 0;
		clk = (clk | 63) + 1;
	}
	return more <= 0;
}

uint64_t p6_port_execute(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk, uint64_t *done_clk)
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
		const unsigned port = u->ports == 3 ? is_for_port_1(t) : u->ports >> 1 & 1;

		slide(t, t->ren.next_clk);
		clk = find_result(t, port, ready_clk, latency);
		mark(t, port, clk);
		mark_result(t, port, clk + latency - 1);
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
