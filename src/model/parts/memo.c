/* memo.c -- states and steps in one arena, and two hash tables that find them. An id is an offset
 * in the arena. */
#define _DEFAULT_SOURCE
#include "model/parts/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "base/wide_pages.h"

#define LEAST_BYTES    (1u << 20)
#define MOST_BYTES     (1u << 30)
#define BYTES_PER_HEAD 128u
#define CACHE_LINE     64u
#define FIRST	       CACHE_LINE

/* A place in state_of holds an id and, above it, bits of the hash that it is not found by: another
 * state there is mostly passed by without a look at it. */
#define ID_BITS	     27u
#define TAG_OF(hash) ((uint32_t)((hash) >> (32 + ID_BITS)) << ID_BITS)
_Static_assert(MOST_BYTES >> 3 <= 1u << ID_BITS, "an id has room");

/* A state in the arena. */
struct state {
	uint32_t hash; /* the bits that a place does not have */
	uint32_t n;
	uint8_t bytes[];
};

static uint32_t rest_of(uint64_t hash)
{
	return (uint32_t)(hash >> ID_BITS);
}

static uint64_t hash_of_bytes(const uint8_t *p, unsigned n)
{
	uint64_t h = n, a, b;

	for (; n >= 16; n -= 16, p += 16) {
		memcpy(&a, p, 8);
		memcpy(&b, p + 8, 8);
		h = memo_mix(a ^ h, b);
	}
	if (n) {
		uint64_t rest[2] = {0, 0};

		memcpy(rest, p, n);
		h = memo_mix(rest[0] ^ h, rest[1]);
	}
	return h;
}

static uint32_t head_of(const struct memo *m, uint32_t from, uint32_t block, uint64_t outcome)
{
	return (uint32_t)memo_mix(outcome, (uint64_t)from << 32 | block) & m->mask;
}

static void *at(const struct memo *m, uint32_t id)
{
	return m->arena + ((size_t)id << 3);
}

static size_t extra_bytes(unsigned n)
{
	return (n + 7u) & ~(size_t)7;
}

/* Behind the bytes that it carries along. */
static struct memo_delta *deltas(struct memo_step *s)
{
	return (struct memo_delta *)(void *)((uint8_t *)memo_extra(s) +
					     extra_bytes(memo_n_extra(s)));
}

/* n bytes of the arena, aligned to 8; NULL: it is full. */
static void *room(struct memo *m, size_t n)
{
	n = (n + 7) & ~(size_t)7;
	if (n > m->high - m->low)
		return NULL;
	m->high -= n;
	return m->arena + m->high;
}

int memo_open(struct memo *m, size_t bytes)
{
	uint32_t heads = 1;

	memset(m, 0, sizeof(*m));
	if (bytes < LEAST_BYTES || bytes > MOST_BYTES)
		return -SPMU_EINVAL;
	while (heads < bytes / BYTES_PER_HEAD)
		heads *= 2;
	m->bytes = bytes & ~(size_t)(CACHE_LINE - 1);
	m->mask = heads - 1;
	m->arena = wide_pages(bytes);
	m->state_of = wide_pages(heads * sizeof(*m->state_of));
	m->step_of = blank_pages(
	    heads * sizeof(*m->step_of)); /* nothing of it is touched where only states are kept */
	if (!m->arena || !m->state_of || !m->step_of)
		return -SPMU_ENOMEM;
	memset(m->state_of, 0, heads * sizeof(*m->state_of));
	madvise(m->step_of, heads * sizeof(*m->step_of), MADV_HUGEPAGE); /* if not, it is slower */
	memset(m->arena, 0, FIRST);
	m->low = FIRST; /* no id is MEMO_NONE */
	m->high = m->bytes;
	return 0;
}

void memo_close(struct memo *m)
{
	free(m->arena);
	free(m->state_of);
	blank_pages_free(m->step_of, (m->mask + (size_t)1) * sizeof(*m->step_of));
	memset(m, 0, sizeof(*m));
}

uint64_t memo_state_hash(const struct memo *m, const void *bytes, unsigned n)
{
	const uint64_t hash = hash_of_bytes(bytes, n);

	__builtin_prefetch(&m->state_of[(uint32_t)hash & m->mask]);
	return hash;
}

uint32_t memo_state(struct memo *m, const void *bytes, unsigned n)
{
	return memo_state_hashed(m, bytes, n, hash_of_bytes(bytes, n));
}

/* Where in state_of this state is; when it is not there, the free place that would be its. */
static inline uint32_t place_of(const struct memo *m, const void *bytes, unsigned n, uint64_t hash)
{
	const uint32_t tag = TAG_OF(hash);
	uint32_t i = (uint32_t)hash & m->mask;

	for (; m->state_of[i]; i = (i + 1) & m->mask) {
		const struct state *s;

		if ((m->state_of[i] ^ tag) >> ID_BITS)
			continue;
		s = at(m, m->state_of[i] ^ tag);
		if (s->hash == rest_of(hash) && s->n == n && !memcmp(s->bytes, bytes, n))
			break;
	}
	return i;
}

uint32_t memo_state_known(const struct memo *m, const void *bytes, unsigned n, uint64_t hash)
{
	const uint32_t i = place_of(m, bytes, n, hash);

	return m->state_of[i] ? m->state_of[i] ^ TAG_OF(hash) : MEMO_NONE;
}

uint32_t memo_state_hashed(struct memo *m, const void *bytes, unsigned n, uint64_t hash)
{
	const uint32_t tag = TAG_OF(hash), i = place_of(m, bytes, n, hash);
	struct state *s;
	uint32_t id;

	if (m->state_of[i])
		return m->state_of[i] ^ tag;
	/* open addressing wants free places */
	if (n > MEMO_MAX_STATE || m->n_states > m->mask / 4 * 3)
		return MEMO_NONE;
	s = room(m, sizeof(*s) + n);
	if (!s)
		return MEMO_NONE;
	s->hash = rest_of(hash);
	s->n = n;
	memcpy(s->bytes, bytes, n);
	m->n_states++;
	id = (uint32_t)((size_t)((uint8_t *)s - m->arena) >> 3);
	m->state_of[i] = tag | id;
	return id;
}

const void *memo_state_bytes(const struct memo *m, uint32_t state, unsigned *n)
{
	const struct state *s = at(m, state);

	*n = s->n;
	return s->bytes;
}

/* A new step, first in the list whose head is *head. */
static struct memo_step *add_step(struct memo *m, uint32_t *head, const struct memo_fact *f)
{
	struct memo_step *s = (struct memo_step *)(void *)(m->arena + m->low);
	struct memo_bulk *bulk;

	if (f->n_extra > MEMO_MAX_EXTRA || f->n_delta > UINT16_MAX || m->high - m->low < sizeof(*s))
		return NULL;
	m->low += sizeof(*s);
	bulk = room(m, sizeof(*bulk) + extra_bytes(f->n_extra) +
			   f->n_delta * sizeof(struct memo_delta));
	if (!bulk) {
		m->low -= sizeof(*s);
		return NULL;
	}
	*bulk = (struct memo_bulk){(uint16_t)f->n_delta, (uint16_t)f->n_extra, 0};
	s->bulk = (uint32_t)((size_t)((uint8_t *)bulk - (uint8_t *)s) >> 3);
	s->next = f->next;
	s->clk = f->clk;
	s->times = 0;
	s->then = NULL;
	s->aside = 0;
	s->or_then = 0;
	s->sibling = *head;
	s->own = 0;
	if (f->n_delta)
		memcpy(deltas(s), f->delta, f->n_delta * sizeof(struct memo_delta));
	if (f->n_extra)
		memcpy(memo_extra(s), f->extra, f->n_extra);
	*head = memo_id(m, s);
	m->n_steps++;
	return s;
}

struct memo_step *memo_add(struct memo *m, uint32_t from, uint32_t block, uint64_t outcome,
			   const struct memo_fact *f)
{
	struct memo_step *s = add_step(m, &m->step_of[head_of(m, from, block, outcome)], f);

	if (!s)
		return NULL;
	s->outcome = outcome;
	s->from = from;
	s->block = block;
	s->first = memo_id(m, s);
	return s;
}

struct memo_step *memo_add_aside(struct memo *m, struct memo_step *from, uint32_t look,
				 uint64_t outcome, const struct memo_fact *f)
{
	struct memo_step *s = add_step(m, &from->aside, f);

	if (!s)
		return NULL;
	s->outcome = outcome;
	s->from = memo_id(m, from);
	s->block = look;
	s->first = from->first;
	return s;
}

struct memo_step *memo_aside(struct memo *m, struct memo_step *from, uint32_t look,
			     uint64_t outcome)
{
	for (uint32_t *at = &from->aside; *at; at = &memo_step_at(m, *at)->sibling) {
		struct memo_step *s = memo_step_at(m, *at);
		const uint32_t id = *at;

		if (s->outcome != outcome || s->block != look)
			continue;
		*at = s->sibling;
		s->sibling = from->aside;
		from->aside = id;
		return s;
	}
	return NULL;
}

struct memo_step *memo_find(const struct memo *m, uint32_t from, uint32_t block, uint64_t outcome)
{
	for (uint32_t id = m->step_of[head_of(m, from, block, outcome)]; id;) {
		struct memo_step *s = memo_step_at(m, id);

		if (s->outcome == outcome && s->from == from && s->block == block)
			return s;
		id = s->sibling;
	}
	return NULL;
}

void memo_drop(struct memo *m, struct memo_step *s)
{
	uint32_t *at = &m->step_of[head_of(m, s->from, s->block, s->outcome)];

	while (*at && memo_step_at(m, *at) != s)
		at = &memo_step_at(m, *at)->sibling;
	if (*at)
		*at = s->sibling;
	s->from = MEMO_NONE;
}

void memo_take(struct memo *m, uint64_t *total, memo_each *each, void *ctx)
{
	for (uint32_t id = m->used_head; id;) {
		struct memo_step *s = memo_step_at(m, id);
		const struct memo_delta *d = deltas(s);

		if (each)
			each(ctx, s);
		for (unsigned k = 0; k < memo_bulk(s)->n_delta; k++)
			total[d[k].index] += s->times * d[k].n;
		s->times = 0;
		id = memo_bulk(s)->used_next;
	}
	m->used_head = 0;
}

void memo_flush(struct memo *m)
{
	memset(m->state_of, 0, (m->mask + (size_t)1) * sizeof(*m->state_of));
	if (m->n_steps)
		memset(m->step_of, 0, (m->mask + (size_t)1) * sizeof(*m->step_of));
	m->low = FIRST;
	m->high = m->bytes;
	m->used_head = 0;
	m->n_states = m->n_steps = 0;
	m->n_flushes++;
}

void memo_flush_to(struct memo *m, size_t keep)
{
	memo_flush(m);
	if (keep < m->bytes)
		wide_pages_drop(m->arena, CACHE_LINE, m->bytes - keep);
}
