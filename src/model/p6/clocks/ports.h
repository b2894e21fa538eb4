/* ports.h -- clocks of the dispatch ports: bits of a window that moves with rename. Rules and
 * limits are in ports.c.
 *
 * Used by ports.c, and by time_fast.c, which has them in its own loop.
 */
#ifndef SOFTPMU_MODEL_P6_PORTS_H
#define SOFTPMU_MODEL_P6_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/time.h"

/* Nothing will be dispatched before rename's next clock: forget what lies there. `base`: that
 * clock's word begins there. */
void p6_ports_forget(struct p6_time *t, uint64_t base);

static inline void p6_ports_slide(struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk & ~(uint64_t)63;

	if (base > t->port_base)
		p6_ports_forget(t, base);
}

/* Is clk so far ahead of rename that every port counts as free? */
static inline bool p6_port_is_far(const struct p6_time *t, uint64_t clk)
{
	return clk - t->ren.next_clk >= P6_PORT_FAR_CLK;
}

/* First free clock of a port from clk on. */
static inline uint64_t p6_port_find(const struct p6_time *t, unsigned port, uint64_t clk)
{
	while (!p6_port_is_far(t, clk)) {
		const uint64_t taken = t->port[port][clk / 64 % P6_PORT_WORDS] >> (clk & 63);

		if (!(taken & 1))
			return clk;
		if (~taken << (clk & 63))
			return clk + (unsigned)__builtin_ctzll(~taken);
		clk = (clk | 63) + 1;
	}
	return clk;
}

/* clk is taken in `ring`, of which *last is the last one. */
static inline void p6_port_take_clk(const struct p6_time *t, uint64_t *ring, uint64_t *last,
				    uint64_t clk)
{
	if (p6_port_is_far(t, clk))
		return;
	ring[clk / 64 % P6_PORT_WORDS] |= 1ull << (clk & 63);
	*last = p6_later(*last, clk);
}

static inline void p6_port_mark(struct p6_time *t, unsigned port, uint64_t clk)
{
	p6_port_take_clk(t, t->port[port], &t->port_last[port], clk);
}

/* As p6_port_find(), for a port whose units have different latencies and which returns one result a
 * clock. */
static inline uint64_t p6_port_find_result(const struct p6_time *t, unsigned port, uint64_t clk,
					   unsigned latency)
{
	for (;; clk++) {
		uint64_t last;

		clk = p6_port_find(t, port, clk);
		last = clk + latency - 1;
		if (p6_port_is_far(t, last) ||
		    !(t->result[port][last / 64 % P6_PORT_WORDS] >> (last & 63) & 1))
			return clk;
	}
}

static inline void p6_port_mark_result(struct p6_time *t, unsigned port, uint64_t last)
{
	p6_port_take_clk(t, t->result[port], &t->result_last[port], last);
}

/* Bits of a that are set less those of b, side by side: the host may have no instruction for that,
 * and a call costs more. */
static inline int p6_ones_more(uint64_t a, uint64_t b)
{
	const uint64_t two = 0x3333333333333333u, four = 0x0f0f0f0f0f0f0f0fu;

	a -= a >> 1 & 0x5555555555555555u;
	b -= b >> 1 & 0x5555555555555555u;
	a = (a & two) + (a >> 2 & two) + 0x4444444444444444u; /* 4 to 8 in four bits, */
	a -= (b & two) + (b >> 2 & two);		      /* 0 to 8, */
	a = (a & four) + (a >> 4 & four);		      /* and 0 to 16 in eight */
	return (int)(a * 0x0101010101010101u >> 56) - 64;
}

/* A port of units with different latencies is taken from clk on: the first clock in which it is
 * free, and will be for the result. */
static inline uint64_t p6_port_take_result(struct p6_time *t, unsigned port, uint64_t clk,
					   unsigned latency)
{
	const unsigned word = clk / 64 % P6_PORT_WORDS;
	const uint64_t bit = 1ull << (clk & 63);

	/* most often both are one clock, and free */
	if (latency == 1 && !p6_port_is_far(t, clk) &&
	    !((t->port[port][word] | t->result[port][word]) & bit)) {
		t->port[port][word] |= bit;
		t->result[port][word] |= bit;
		t->port_last[port] = p6_later(t->port_last[port], clk);
		t->result_last[port] = p6_later(t->result_last[port], clk);
		return clk;
	}
	clk = p6_port_find_result(t, port, clk, latency);
	p6_port_mark(t, port, clk);
	p6_port_mark_result(t, port, clk + latency - 1);
	return clk;
}

/* How many more micro-ops than port 0 has port 1 that are not dispatched when one of the group
 * renamed last enters the station? No bit is set behind the last clock of a port. */
static inline int p6_port_more_of_1(const struct p6_time *t)
{
	const uint64_t last = p6_later(t->port_last[0], t->port_last[1]);
	uint64_t clk = t->ren.next_clk - 1 + t->par.rename_to_dispatch_clk;
	int more = 0;

	while (clk <= last && !p6_port_is_far(t, clk)) {
		const unsigned word = clk / 64 % P6_PORT_WORDS;
		const uint64_t one = t->port[1][word] >> (clk & 63),
			       zero = t->port[0][word] >> (clk & 63);

		if (one | zero)
			more += p6_ones_more(one, zero);
		clk = (clk | 63) + 1;
	}
	return more;
}

/* First clock >= ready_clk in which `port` is free; it is taken. */
uint64_t p6_port_take(struct p6 *m, unsigned port, uint64_t ready_clk);

/* Execute p, whose sources are there at ready_clk. Returns the clock of its dispatch; *done_clk:
 * dependent micro-ops can be dispatched. */
uint64_t p6_port_execute(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk,
			 uint64_t *done_clk);

#endif
