/* memo_bytes.h -- clocks and small numbers as bytes of a state, and back (memo_state.c,
 * memo_regs.c, memo_rings.c, memo_ports.c).
 *
 * put*() write at w->at, which has room for all of a state; get*() read what they wrote and go on
 * behind it. Cost: a few instructions.
 */
#ifndef SOFTPMU_MODEL_P6_MEMO_BYTES_H
#define SOFTPMU_MODEL_P6_MEMO_BYTES_H

#include <string.h>

#include "model/p6/p6.h"

#define END  0xffu /* of a list */
#define LONG 0xffu /* a number of two bytes follows */
#define WIDE 0x80u /* one of four bytes follows */

struct writer {
	uint8_t *at;
	uint64_t far; /* all numbers of clocks or'ed: beyond UINT16_MAX something does not fit */
};
#define FAR UINT64_MAX

static inline void put8(struct writer *w, unsigned v)
{
	*w->at++ = (uint8_t)v;
}

/* At most 16 bits, one byte when it is small. */
static inline void put16(struct writer *w, unsigned v)
{
	if (__builtin_expect(v >= LONG, 0)) {
		put8(w, LONG);
		put8(w, v >> 8);
	}
	put8(w, v);
}

/* Two of them. */
static inline void put_two(struct writer *w, unsigned a, unsigned b)
{
	if (__builtin_expect((a | b) < 0x80, 1)) {
		const uint16_t both = (uint16_t)(a | b << 8);

		memcpy(w->at, &both, 2);
		w->at += 2;
		return;
	}
	put16(w, a);
	put16(w, b);
}

static inline void put32(struct writer *w, int64_t v)
{
	const int32_t u = (int32_t)v;

	w->far |= u != v ? FAR : 0;
	if (u >= -127 && u <= 127) {
		put8(w, (uint8_t)u);
		return;
	}
	put8(w, WIDE);
	memcpy(w->at, &u, 4);
	w->at += 4;
}

/* Seven bits a byte, the lowest first. */
static inline void put_number(struct writer *w, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put8(w, 0x80 | (unsigned)(v & 0x7f));
	put8(w, (unsigned)v);
}

/* clk as clocks behind `from`, 0 when it is not. */
static inline unsigned behind(struct writer *w, uint64_t clk, uint64_t from)
{
	const uint64_t by = clk > from ? clk - from : 0;

	w->far |= by;
	return (unsigned)by;
}

static inline unsigned get8(const uint8_t **p)
{
	return *(*p)++;
}

static inline unsigned get16(const uint8_t **p)
{
	unsigned v = get8(p);

	if (v == LONG) {
		v = get8(p) << 8;
		v |= get8(p);
	}
	return v;
}

static inline int32_t get32(const uint8_t **p)
{
	const unsigned first = get8(p);
	int32_t v;

	if (first != WIDE)
		return (int8_t)first;
	memcpy(&v, *p, 4);
	*p += 4;
	return v;
}

static inline uint64_t get_number(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0, next;

	do {
		next = get8(p);
		v |= (uint64_t)(next & 0x7f) << shift;
		shift += 7;
	} while (next & 0x80);
	return v;
}

static inline uint64_t clock_of(unsigned v, uint64_t from)
{
	return v ? from + v : 0;
}

/* The clock before which nothing can be dispatched that is not renamed yet. */
static inline uint64_t first_clk(const struct p6_time *t)
{
	return t->ren.next_clk + t->par.rename_to_dispatch_clk;
}

/* When registers are ready and their writers have retired (memo_regs.c). */
struct writer p6_regs_put(struct writer w, struct p6_time *t);
void p6_regs_get(const uint8_t **p, struct p6_time *t);

/* When entries of the reorder buffer and the load buffers are free, and when micro-ops leave the
 * station (memo_rings.c). */
struct writer p6_rings_put(struct writer w, const struct p6_time *t);
void p6_rings_get(const uint8_t **p, struct p6_time *t);

/* Which micro-ops the ports will dispatch and when their results come, and when the units are free
 * (memo_ports.c). */
struct writer p6_ports_put(struct writer w, const struct p6_time *t);
void p6_ports_get(const uint8_t **p, struct p6_time *t);

#endif
