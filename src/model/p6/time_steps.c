/* time_steps.c -- where steps are kept: lines of the host's cache in a row, their rests in another, a table to find them. */
#define _DEFAULT_SOURCE
#include "model/p6/time_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wide_pages.h"

#define REST_BYTES  32u /* of a step, about */
#define FIRST_SLOTS 8192u
#define LONG_COUNT  0xffu /* of one byte: four follow */

/* A place holds a number and, above it, bits of the hash that it is not found by. */
#define NUMBER_BITS 20u
#define TAG_OF(hash) ((hash) >> NUMBER_BITS << NUMBER_BITS)

static uint32_t hash_of(uint32_t from, uint32_t block, uint64_t outcome)
{
	const uint64_t a = outcome ^ 0x9e3779b97f4a7c15u, b = ((uint64_t)from << 32 | block) ^ 0xd6e8feb86659fd93u;
	const unsigned __int128 product = (unsigned __int128)a * b;

	return (uint32_t)((uint64_t)product ^ (uint64_t)(product >> 64));
}

/* n empty places of a table: in ordinary pages as long as it is small. */
static uint32_t *slots(size_t n)
{
	const size_t bytes = n * sizeof(uint32_t);
	uint32_t *of = bytes < WIDE_PAGE_BYTES ? malloc(bytes) : wide_pages(bytes);

	if (of)
		memset(of, 0, bytes);
	return of;
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
	if (!t->leap || !t->rest || !t->of)
		return -SPMU_ENOMEM;
	t->mask = FIRST_SLOTS - 1;
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
	memset(t, 0, sizeof(*t));
}

void p6_steps_flush(struct p6_steps *t)
{
	memset(t->of, 0, (t->mask + (size_t)1) * sizeof(*t->of));
	t->n_leap = 1;
	t->n_rest = 0;
	t->used = 0;
}

/* ---- finding ------------------------------------------------------------------------------------------- */

static void put_slot(uint32_t *of, uint32_t mask, uint32_t hash, uint32_t number)
{
	uint32_t i = hash & mask;

	while (of[i])
		i = (i + 1) & mask;
	of[i] = TAG_OF(hash) | number;
}

/* Room for one more in the table. */
static bool grow(struct p6_steps *t)
{
	const uint32_t mask = 2 * t->mask + 1;
	uint32_t *of;

	if (2 * t->n_leap < t->mask)
		return true;
	of = slots(mask + (size_t)1);
	if (!of)
		return false;
	for (uint32_t i = 1; i < t->n_leap; i++)
		put_slot(of, mask, hash_of(t->leap[i].from, t->leap[i].block, t->leap[i].outcome), i);
	free(t->of);
	t->of = of;
	t->mask = mask;
	return true;
}

struct p6_leap *p6_steps_find(const struct p6_steps *t, uint32_t from, uint32_t block, uint64_t outcome)
{
	const uint32_t hash = hash_of(from, block, outcome);

	for (uint32_t i = hash & t->mask; t->of[i]; i = (i + 1) & t->mask) {
		struct p6_leap *l = &t->leap[t->of[i] & ((1u << NUMBER_BITS) - 1)];

		if (!((t->of[i] ^ hash) >> NUMBER_BITS) && l->outcome == outcome && l->from == from && l->block == block)
			return l;
	}
	return NULL;
}

/* ---- rests --------------------------------------------------------------------------------------------- */

/* used_next; front and bus, if any; pairs of a wire and a count, to one that moves nothing. */
static uint32_t write_rest(uint8_t *at, const struct p6_leap *l, const struct p6_leap_rest *rest, const struct p6_moved *moved,
			   unsigned n_moved)
{
	uint8_t *p = at + 4;

	if (l->has_front) {
		memcpy(p, &rest->front, sizeof(rest->front));
		p += sizeof(rest->front);
	}
	if (l->has_bus) {
		memcpy(p, &rest->bus, sizeof(rest->bus));
		p += sizeof(rest->bus);
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
	return (const uint8_t *)&t->rest[l->rest + 1] + (l->has_front ? sizeof(struct p6_leap_front) : 0) +
	       (l->has_bus ? sizeof(struct p6_leap_bus) : 0);
}

void p6_steps_rest(const struct p6_steps *t, const struct p6_leap *l, struct p6_leap_rest *rest)
{
	const uint8_t *p = (const uint8_t *)&t->rest[l->rest + 1];

	if (l->has_front) {
		memcpy(&rest->front, p, sizeof(rest->front));
		p += sizeof(rest->front);
	}
	if (l->has_bus)
		memcpy(&rest->bus, p, sizeof(rest->bus));
}

void p6_steps_take(struct p6_steps *t, const uint16_t *wire, uint64_t *total)
{
	for (uint32_t id = t->used; id;) {
		struct p6_leap *l = &t->leap[id];

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
		l->times = 0;
		id = t->rest[l->rest];
	}
	t->used = 0;
}

struct p6_leap *p6_steps_add(struct p6_steps *t, const struct p6_leap *l, const struct p6_leap_rest *rest,
			     const struct p6_moved *moved, unsigned n_moved)
{
	const uint32_t most = (uint32_t)(4 + sizeof(*rest) + 6 * n_moved + 5) / 4;
	struct p6_leap *s = &t->leap[t->n_leap];

	if (t->n_leap >= t->most_leaps || most > t->most_rest - t->n_rest || !grow(t))
		return NULL;
	*s = *l;
	s->times = 0;
	s->rest = t->n_rest;
	s->later = 0;
	memset(s->tag, 0, sizeof(s->tag));
	memset(s->then, 0, sizeof(s->then));
	t->n_rest += write_rest((uint8_t *)&t->rest[t->n_rest], s, rest, moved, n_moved);
	put_slot(t->of, t->mask, hash_of(l->from, l->block, l->outcome), t->n_leap);
	t->n_leap++;
	return s;
}
