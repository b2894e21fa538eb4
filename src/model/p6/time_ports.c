/* time_ports.c -- ports and units as bytes of a state, and back.
 *
 * COUNTING RULES   as time_state.c: clocks before the one in which the next micro-op can be dispatched are left out, because
 *                  nobody asks for them; results are left out while each comes with its micro-op's own bit.
 */
#include "model/p6/time_bytes.h"

/* The bits of a port from clock `clk` on. */
static uint64_t port_bits(const uint64_t *port, uint64_t clk)
{
	const uint64_t low = port[clk / 64 % P6_PORT_WORDS] >> (clk & 63);

	return clk & 63 ? low | port[(clk / 64 + 1) % P6_PORT_WORDS] << (64 - (clk & 63)) : low;
}

/* The bits of a ring of clocks from `from` to `last`, which is not before it. */
static struct writer put_bits_of(struct writer w, const struct p6_time *t, const uint64_t *ring,
				 uint64_t from, uint64_t last)
{
	for (uint64_t clk = from; clk <= last; clk += 64) {
		const uint64_t bits = clk >= t->port_base ? port_bits(ring, clk) : 0;

		if (!bits)
			continue;
		put16(&w, (unsigned)(clk - from) + 1);
		/* as many bytes as have bits */
		memcpy(w.at + 1, &bits, 8);
		*w.at = (uint8_t)(8 - (unsigned)__builtin_clzll(bits) / 8);
		w.at += 1 + *w.at;
		w.is_far |= clk - from > P6_PORT_FAR_CLK || clk < t->port_base;
	}
	put16(&w, 0);
	return w;
}

static inline struct writer put_bits(struct writer w, const struct p6_time *t, const uint64_t *ring,
				     uint64_t from, uint64_t last)
{
	if (from <= last)
		return put_bits_of(w, t, ring, from, last);
	put16(&w, 0);
	return w;
}

/* The ring as put_bits() tells it; what is known of it so far reaches to *last. */
static void get_bits(const uint8_t **p, const struct p6_time *t, uint64_t *ring, uint64_t from, uint64_t *last)
{
	unsigned v;

	for (uint64_t clk = t->port_base; clk <= (*last | 63); clk += 64)
		ring[clk / 64 % P6_PORT_WORDS] = 0;
	*last = 0;
	while ((v = get16(p)) != 0) {
		const uint64_t clk = from + v - 1;
		uint64_t bits = 0;
		const unsigned n = get8(p);

		memcpy(&bits, *p, n);
		*p += n;
		ring[clk / 64 % P6_PORT_WORDS] |= bits << (clk & 63);
		if (clk & 63)
			ring[(clk / 64 + 1) % P6_PORT_WORDS] |= bits >> (64 - (clk & 63));
		*last = clk + 63 - (unsigned)__builtin_clzll(bits);
	}
}

/* Does each micro-op of this port that will be dispatched give its result in the same clock, and no other does? */
static bool is_single(const struct p6_time *t, unsigned port, uint64_t from)
{
	const uint64_t last = p6_later(t->port_last[port], t->result_last[port]);

	for (uint64_t clk = from; clk <= last && clk >= t->port_base; clk += 64)
		if (port_bits(t->port[port], clk) != port_bits(t->result[port], clk))
			return false;
	return true;
}

struct writer p6_ports_put(struct writer w, const struct p6_time *t)
{
	const uint64_t from = first_clk(t);

	for (unsigned port = 0; port < P6_PORTS; port++)
		w = put_bits(w, t, t->port[port], from, t->port_last[port]);
	for (unsigned port = 0; port < P6_RESULT_PORTS; port++) {
		const bool is_plain = is_single(t, port, from);

		put8(&w, is_plain);
		if (!is_plain)
			w = put_bits(w, t, t->result[port], from, t->result_last[port]);
	}
	for (unsigned i = 1; i < CAT_P6_N_UNITS; i++) {
		if (t->unit_clk[i] <= from)
			continue;
		put8(&w, i);
		put16(&w, behind(&w, t->unit_clk[i], from));
	}
	put8(&w, END);
	return w;
}

void p6_ports_get(const uint8_t **p, struct p6_time *t)
{
	const uint64_t from = first_clk(t);

	for (unsigned port = 0; port < P6_PORTS; port++)
		get_bits(p, t, t->port[port], from, &t->port_last[port]);
	for (unsigned port = 0; port < P6_RESULT_PORTS; port++) {
		static const uint8_t none[2] = {0, 0};
		const uint8_t *nothing = none;

		if (!get8(p)) {
			get_bits(p, t, t->result[port], from, &t->result_last[port]);
			continue;
		}
		get_bits(&nothing, t, t->result[port], from, &t->result_last[port]);
		memcpy(t->result[port], t->port[port], sizeof(t->port[port]));
		t->result_last[port] = t->port_last[port];
	}
	t->port_base = t->ren.next_clk & ~(uint64_t)63;
	memset(t->unit_clk, 0, sizeof(t->unit_clk));
	for (unsigned i; (i = get8(p)) != END;)
		t->unit_clk[i] = from + get16(p);
}
