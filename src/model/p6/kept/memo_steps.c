/* memo_steps.c -- where steps are kept: lines of the host's cache in a row, their rests in another,
 * a table to find them. */
#define _DEFAULT_SOURCE
#include "model/p6/kept/memo_steps.h"
#include "model/p6/clocks/time_block.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wide_pages.h"

#define REST_BYTES  22u /* of a number, about */
#define FIRST_SLOTS 8192u
#define LONG_COUNT  0xffu /* of one byte: four follow */
/* room for steps to each place of p6_steps.more, at least: states are fewer */
#define LEAPS_PER_MORE 5u
#define AHEAD	       8u /* how many steps before its turn a line is prefetched */

/* A place holds a number and, above it, bits of the hash that it is not found by. */
#define NUMBER_BITS  21u
#define TAG_OF(hash) ((hash) >> NUMBER_BITS << NUMBER_BITS)

/* n empty places of a table: in ordinary pages as long as it is small. */
static uint32_t *slots(size_t n)
{
	const size_t bytes = n * sizeof(uint32_t);
	uint32_t *of = bytes < WIDE_PAGE_BYTES ? malloc(bytes) : wide_pages(bytes);

	if (of)
		memset(of, 0, bytes);
	return of;
}

static size_t more_bytes(const struct p6_steps *t)
{
	return sizeof(*t->more) << (32 - t->more_shift);
}

int p6_steps_open(struct p6_steps *t, size_t bytes)
{
	memset(t, 0, sizeof(*t));
	t->most_leaps = (uint32_t)(bytes / (sizeof(struct p6_leap) + REST_BYTES));
	if (t->most_leaps > 1u << NUMBER_BITS)
		t->most_leaps = 1u << NUMBER_BITS;
	t->most_rest = t->most_leaps * (REST_BYTES / 4);
	t->leap = wide_pages(t->most_leaps * sizeof(*t->leap));
	t->rest = wide_pages(t->most_rest * sizeof(*t->rest));
	t->of = slots(FIRST_SLOTS);
	for (t->more_shift = 32; 2ull << (32 - t->more_shift) <= t->most_leaps / LEAPS_PER_MORE;
	     t->more_shift--)
		;
	t->more = wide_pages(more_bytes(t));
	t->used = malloc(t->most_leaps * sizeof(*t->used));
	if (!t->leap || !t->rest || !t->of || !t->more || !t->used)
		return -SPMU_ENOMEM;
	t->mask = FIRST_SLOTS - 1;
	memset(t->more, 0, more_bytes(t));
	memset(t->leap, 0, sizeof(*t->leap));
	t->leap->block = UINT32_MAX; /* number 0 is for no block */
	t->n_leap = 1;
	return 0;
}

void p6_steps_close(struct p6_steps *t)
{
	free(t->leap);
	free(t->rest);
	free(t->of);
	free(t->more);
	free(t->used);
	memset(t, 0, sizeof(*t));
}

void p6_steps_flush(struct p6_steps *t, size_t keep)
{
	const size_t n = keep / (sizeof(*t->leap) + REST_BYTES);

	memset(t->of, 0, (t->mask + (size_t)1) * sizeof(*t->of));
	memset(t->more, 0, more_bytes(t));
	t->n_leap = 1;
	t->n_rest = 0;
	t->n_used = 0;
	wide_pages_drop(t->leap, n * sizeof(*t->leap), t->most_leaps * sizeof(*t->leap));
	wide_pages_drop(t->rest, n * REST_BYTES, t->most_rest * sizeof(*t->rest));
}

/* ---- finding --------------------------------------------------------------------------------- */

static void put_slot(uint32_t *of, uint32_t mask, uint32_t hash, uint32_t number)
{
	uint32_t i = hash & mask;

	while (of[i])
		i = (i + 1) & mask;
	of[i] = TAG_OF(hash) | number;
}

static inline uint32_t numbers_of(const struct p6_leap *l)
{
	return l->has_front ? 2 : 1;
}

/* Make room for one more step in the table. Returns false without memory. */
static bool grow(struct p6_steps *t)
{
	const uint32_t mask = 2 * t->mask + 1;
	uint32_t *of;

	if (2 * t->n_leap < t->mask)
		return true;
	of = slots(mask + (size_t)1);
	if (!of)
		return false;
	for (uint32_t i = 1; i < t->n_leap; i += numbers_of(&t->leap[i]))
		put_slot(of, mask,
			 p6_steps_hash(t->leap[i].from, t->leap[i].block, t->leap[i].outcome), i);
	free(t->of);
	t->of = of;
	t->mask = mask;
	return true;
}

void p6_steps_link(const struct p6_steps *t, struct p6_leap *l, const struct p6_leap *to,
		   uint16_t tag)
{
	memmove(&l->then[1], &l->then[0], (P6_LEAP_NEXT - 1) * sizeof(*l->then));
	memmove(&l->tag[1], &l->tag[0], (P6_LEAP_NEXT - 1) * sizeof(*l->tag));
	l->then[0] = p6_steps_place(t, to);
	l->tag[0] = tag;
}

/* Step `to` becomes the first of list o; those in front of number i move back by one. */
static void put_apart(struct p6_leap_more *o, unsigned i, uint32_t to, uint16_t tag)
{
	memmove(&o->then[1], &o->then[0], i * sizeof(*o->then));
	memmove(&o->tag[1], &o->tag[0], i * sizeof(*o->tag));
	o->then[0] = to;
	o->tag[0] = tag;
}

/* Step `to` begins in `state`, whose place did not have it. */
static void note_from(struct p6_steps *t, uint32_t state, uint32_t to, uint16_t tag)
{
	struct p6_leap_more *o = p6_steps_more(t, state);

	if (o->owner != state)
		*o = (struct p6_leap_more){.owner = state};
	put_apart(o, P6_LEAP_MORE - 1, to, tag);
}

struct p6_leap *p6_steps_apart(struct p6_steps *t, struct p6_leap *before, uint32_t from,
			       uint32_t block, uint64_t outcome, uint32_t hash, uint16_t tag)
{
	struct p6_leap_more *o = p6_steps_more(t, from);

	__builtin_prefetch(
	    &t->of[hash & t->mask]); /* it comes while the list of this state is searched */
	if (o->owner != from)
		return NULL;
	for (unsigned i = 0; i < P6_LEAP_MORE; i++) {
		struct p6_leap *s = &t->leap[o->then[i]];
		const uint32_t to = o->then[i];

		if (o->tag[i] != tag)
			continue;
		if (P6_MEMO_GUESS(block) == P6_GUESS_WRONG)
			__builtin_prefetch(p6_steps_front(s));
		if (s->block != block || s->outcome != outcome)
			continue;
		put_apart(o, i, to, tag);
		if (before != t->leap)
			p6_steps_link(t, before, s, tag);
		return s;
	}
	return NULL;
}

void p6_steps_prefetch(const struct p6_steps *t, uint32_t from, uint32_t block, uint64_t outcome)
{
	__builtin_prefetch(&t->of[p6_steps_hash(from, block, outcome) & t->mask]);
	p6_steps_prefetch_more(t, from);
}

struct p6_leap *p6_steps_find(struct p6_steps *t, struct p6_leap *before, uint32_t from,
			      uint32_t block, uint64_t outcome, uint32_t hash, uint16_t tag)
{
	for (uint32_t i = hash & t->mask; t->of[i]; i = (i + 1) & t->mask) {
		struct p6_leap *s = &t->leap[t->of[i] & ((1u << NUMBER_BITS) - 1)];

		if ((t->of[i] ^ hash) >> NUMBER_BITS || s->outcome != outcome || s->from != from ||
		    s->block != block)
			continue;
		note_from(t, from, (uint32_t)(s - t->leap), tag);
		if (before != t->leap)
			p6_steps_link(t, before, s, tag);
		return s;
	}
	return NULL;
}

/* ---- rests ----------------------------------------------------------------------------------- */

static inline bool has_read(const struct p6_leap *l)
{
	return P6_MEMO_GUESS(l->block) == P6_GUESS_SETTLED;
}

/* Bus and reading, if any; pairs of a wire and a count, to one that moves nothing. */
static uint32_t write_rest(uint8_t *at, const struct p6_leap *l, const struct p6_leap_rest *rest,
			   const struct p6_moved *moved, unsigned n_moved)
{
	uint8_t *p = at;

	if (l->has_bus) {
		memcpy(p, &rest->bus, sizeof(rest->bus));
		p += sizeof(rest->bus);
	}
	if (has_read(l)) {
		memcpy(p, &rest->read, sizeof(rest->read));
		p += sizeof(rest->read);
	}
	for (unsigned i = 0; i < n_moved; i++) {
		*p++ = moved[i].wire;
		if (moved[i].n < LONG_COUNT) {
			*p++ = (uint8_t)moved[i].n;
			continue;
		}
		*p++ = LONG_COUNT;
		memcpy(p, &moved[i].n, 4);
		p += 4;
	}
	*p++ = 0;
	*p++ = 0;
	return (uint32_t)(p - at + 3) / 4;
}

static const uint8_t *moved_of(const struct p6_steps *t, const struct p6_leap *l)
{
	return (const uint8_t *)&t->rest[l->rest] + (l->has_bus ? sizeof(struct p6_leap_bus) : 0) +
	       (has_read(l) ? sizeof(struct p6_leap_read) : 0);
}

void p6_steps_rest(const struct p6_steps *t, const struct p6_leap *l, struct p6_leap_rest *rest)
{
	const uint8_t *p = (const uint8_t *)&t->rest[l->rest];

	if (l->has_front)
		rest->front = ((const struct p6_leap_pair *)(const void *)l)->front;
	if (l->has_bus) {
		memcpy(&rest->bus, p, sizeof(rest->bus));
		p += sizeof(rest->bus);
	}
	if (has_read(l))
		memcpy(&rest->read, p, sizeof(rest->read));
}

void p6_steps_take(struct p6_steps *t, const uint16_t *wire, uint64_t *total)
{
	for (uint32_t i = 0; i < t->n_used; i++) {
		struct p6_leap *l = &t->leap[t->used[i]];

		if (i + 2 * AHEAD < t->n_used) {
			__builtin_prefetch(&t->leap[t->used[i + 2 * AHEAD]]);
			__builtin_prefetch(&t->rest[t->leap[t->used[i + AHEAD]].rest]);
		}
		for (const uint8_t *p = moved_of(t, l); p[1]; p += 2) {
			uint32_t n = p[1];

			if (n == LONG_COUNT) {
				memcpy(&n, p + 2, 4);
				total[wire[*p]] += (uint64_t)n * l->times;
				p += 4;
				continue;
			}
			total[wire[*p]] += (uint64_t)n * l->times;
		}
		l->times = P6_LEAP_UNUSED;
	}
	t->n_used = 0;
}

struct p6_leap *p6_steps_add(struct p6_steps *t, const struct p6_leap *l,
			     const struct p6_leap_rest *rest, const struct p6_moved *moved,
			     unsigned n_moved)
{
	const uint32_t most = (uint32_t)(sizeof(*rest) + 6 * n_moved + 5) / 4;
	struct p6_leap *s = &t->leap[t->n_leap];

	if (t->n_leap + 2 > t->most_leaps || most > t->most_rest - t->n_rest || !grow(t))
		return NULL;
	*s = *l;
	s->times = P6_LEAP_UNUSED;
	s->rest = t->n_rest;
	s->later = 0;
	memset(s->tag, 0, sizeof(s->tag));
	memset(s->then, 0, sizeof(s->then));
	t->n_rest += write_rest((uint8_t *)&t->rest[t->n_rest], s, rest, moved, n_moved);
	put_slot(t->of, t->mask, p6_steps_hash(l->from, l->block, l->outcome), t->n_leap);
	note_from(t, l->from, t->n_leap, p6_steps_tag(l->block, l->outcome));
	if (s->has_front)
		*p6_steps_front(s) = rest->front;
	t->n_leap += numbers_of(s);
	return s;
}
