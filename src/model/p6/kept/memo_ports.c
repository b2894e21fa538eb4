/* memo_ports.c -- ports and units as bytes of a state, and back.
 *
 * COUNTING RULES   as memo_state.c: clocks before the one in which the next micro-op can be
 *                  dispatched are left out, because nobody asks for them; results are left out
 *                  while each comes with its micro-op's own bit.
 */
#include "model/p6/kept/memo_bytes.h"

#include <emmintrin.h>

/* What follows, a bit each: ports, results of a port that differ from it, units. */
#define HAS_UNITS (1u << (P6_PORTS + P6_RESULT_PORTS))
_Static_assert(HAS_UNITS <= 0x80, "a byte");

/* The bits of a port from clock `clk` on. */
static inline uint64_t port_bits(const uint64_t *port, uint64_t clk)
{
	const uint64_t low = port[clk / 64 % P6_PORT_WORDS] >> (clk & 63);

	/* shifted by 64 in two steps when clk begins a word */
	return low | port[(clk / 64 + 1) % P6_PORT_WORDS] << 1 << (63 - (clk & 63));
}

/* All of the clocks from `from` to `last`, a word where there is a bit. */
static __attribute__((noinline)) struct writer put_far_bits(struct writer w, const uint64_t *ring,
							    uint64_t from, uint64_t last)
{
	for (uint64_t clk = from; clk <= last; clk += 64) {
		const uint64_t bits = port_bits(ring, clk);

		if (!bits)
			continue;
		put16(&w, (unsigned)(clk - from) + 1);
		memcpy(w.at, &bits, 8);
		w.at += 8;
		w.far |= clk - from > P6_PORT_FAR_CLK ? FAR : 0;
	}
	put16(&w, 0);
	return w;
}

/* The 64 clocks `bits`: which bytes are not 0, and these. 0: there is none, or `last` is behind
 * them, and all are told. */
static inline struct writer put_bits(struct writer w, const uint64_t *ring, uint64_t bits,
				     uint64_t from, uint64_t last)
{
	const __m128i empty = _mm_cmpeq_epi8(_mm_cvtsi64_si128((int64_t)bits), _mm_setzero_si128());
	unsigned bytes = ~(unsigned)_mm_movemask_epi8(empty) & 0xff;

	if (__builtin_expect(!bytes || last - from >= 64, 0)) {
		put8(&w, 0);
		return put_far_bits(w, ring, from, last);
	}
	put8(&w, bytes);
	for (; bytes; bytes &= bytes - 1)
		put8(&w, (unsigned)(bits >> 8 * (unsigned)__builtin_ctz(bytes)));
	return w;
}

/* Are the clocks of two rings from `from` to `last` the same? */
static inline bool are_same(const uint64_t *a, const uint64_t *b, uint64_t from, uint64_t last)
{
	for (uint64_t clk = from; clk <= last; clk += 64)
		if (port_bits(a, clk) != port_bits(b, clk))
			return false;
	return true;
}

struct writer p6_ports_put(struct writer w, const struct p6_time *t)
{
	const uint64_t from = first_clk(t);
	uint64_t first[P6_PORTS] = {0};
	uint8_t *has_at = w.at++;
	unsigned has = 0;

	for (unsigned port = 0; port < P6_PORTS; port++) {
		const uint64_t last = t->port_last[port];

		if (last < from)
			continue;
		has |= 1u << port;
		first[port] = port_bits(t->port[port], from);
		w = put_bits(w, t->port[port], first[port], from, last);
	}
	for (unsigned port = 0; port < P6_RESULT_PORTS; port++) {
		const uint64_t last = t->result_last[port],
			       end = p6_later(last, t->port_last[port]);
		const uint64_t bits = last < from ? 0 : port_bits(t->result[port], from);

		if (bits == first[port] &&
		    (end < from + 64 || are_same(t->port[port], t->result[port], from + 64, end)))
			continue;
		has |= 1u << (P6_PORTS + port);
		w = put_bits(w, t->result[port], bits, from, p6_later(last, from));
	}
	w.far |= has && from < t->port_base ? FAR : 0;
	for (unsigned i = 1; i < CAT_P6_N_UNITS; i++) {
		if (t->unit_clk[i] <= from)
			continue;
		has |= HAS_UNITS;
		put8(&w, i);
		put16(&w, behind(&w, t->unit_clk[i], from));
	}
	if (has & HAS_UNITS)
		put8(&w, END);
	*has_at = (uint8_t)has;
	return w;
}

/* What is known of the ring so far reaches to *last. */
static inline void clear(const struct p6_time *t, uint64_t *ring, uint64_t *last)
{
	for (uint64_t clk = t->port_base; clk <= (*last | 63); clk += 64)
		ring[clk / 64 % P6_PORT_WORDS] = 0;
	*last = 0;
}

static inline void set_bits(uint64_t *ring, uint64_t clk, uint64_t bits, uint64_t *last)
{
	ring[clk / 64 % P6_PORT_WORDS] |= bits << (clk & 63);
	if (clk & 63)
		ring[(clk / 64 + 1) % P6_PORT_WORDS] |= bits >> (64 - (clk & 63));
	if (bits)
		*last = clk + 63 - (unsigned)__builtin_clzll(bits);
}

/* The empty ring as put_bits() tells it. */
static inline void get_bits(const uint8_t **p, uint64_t *ring, uint64_t from, uint64_t *last)
{
	unsigned bytes = get8(p), v;
	uint64_t bits = 0;

	if (bytes) {
		for (; bytes; bytes &= bytes - 1)
			bits |= (uint64_t)get8(p) << 8 * (unsigned)__builtin_ctz(bytes);
		set_bits(ring, from, bits, last);
		return;
	}
	while ((v = get16(p)) != 0) {
		memcpy(&bits, *p, 8);
		*p += 8;
		set_bits(ring, from + v - 1, bits, last);
	}
}

void p6_ports_get(const uint8_t **p, struct p6_time *t)
{
	const uint64_t from = first_clk(t);
	const unsigned has = get8(p);

	for (unsigned port = 0; port < P6_PORTS; port++)
		clear(t, t->port[port], &t->port_last[port]);
	for (unsigned port = 0; port < P6_RESULT_PORTS; port++)
		clear(t, t->result[port], &t->result_last[port]);
	t->port_base = t->ren.next_clk & ~(uint64_t)63;
	for (unsigned port = 0; port < P6_PORTS; port++)
		if (has >> port & 1)
			get_bits(p, t->port[port], from, &t->port_last[port]);
	for (unsigned port = 0; port < P6_RESULT_PORTS; port++) {
		if (has >> (P6_PORTS + port) & 1) {
			get_bits(p, t->result[port], from, &t->result_last[port]);
			continue;
		}
		for (uint64_t clk = from; clk <= t->port_last[port]; clk += 64)
			set_bits(t->result[port], clk, port_bits(t->port[port], clk),
				 &t->result_last[port]);
	}
	memset(t->unit_clk, 0, sizeof(t->unit_clk));
	if (!(has & HAS_UNITS))
		return;
	for (unsigned i; (i = get8(p)) != END;)
		t->unit_clk[i] = from + get16(p);
}
