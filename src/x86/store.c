/* store.c -- block id -> facts. Blocks live in bump-allocated chunks until the store closes. */
#include "x86/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "base/stretch.h"

#define STORE_CHUNK_BYTES (1u << 20)
#define MOST_BLOCKS	  (1u << 20) /* more have no id in a record */

struct store_chunk {
	struct store_chunk *next;
	size_t used;
	uint64_t ready;
	_Alignas(16) uint8_t bytes[STORE_CHUNK_BYTES];
};

/* Blocks that are in it may be read by other threads while one adds others: nothing that they look
 * at moves. */
struct x86_store {
	struct store_chunk *chunk;
	const struct x86_block **block; /* MOST_BLOCKS, touched as they come */
	uint32_t n, n_clears;
};

int x86_store_open(struct x86_store **out)
{
	struct x86_store *s = calloc(1, sizeof(*s));

	*out = s;
	if (s)
		s->block = blank_pages(MOST_BLOCKS * sizeof(*s->block));
	if (s && s->block)
		return 0;
	free(s);
	*out = NULL;
	return -SPMU_ENOMEM;
}

void x86_store_clear(struct x86_store *s)
{
	while (s->chunk) {
		struct store_chunk *next = s->chunk->next;

		free(s->chunk);
		s->chunk = next;
	}
	s->n = 0;
	s->n_clears++;
}

uint32_t x86_store_clears(const struct x86_store *s)
{
	return s->n_clears;
}

void x86_store_close(struct x86_store *s)
{
	if (!s)
		return;
	x86_store_clear(s);
	blank_pages_free(s->block, MOST_BLOCKS * sizeof(*s->block));
	free(s);
}

uint32_t x86_store_count(const struct x86_store *s)
{
	return __atomic_load_n(&s->n, __ATOMIC_RELAXED);
}

const struct x86_block *x86_store_get(const struct x86_store *s, uint32_t id)
{
	return s->block[id];
}

static size_t padded(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

static void *take_bytes(struct x86_store *s, size_t bytes)
{
	void *p;

	bytes = padded(bytes);
	if (!s->chunk || s->chunk->used + bytes > STORE_CHUNK_BYTES) {
		struct store_chunk *c = malloc(sizeof(*c));

		if (!c)
			return NULL;
		c->next = s->chunk;
		c->used = 0;
		c->ready = 0;
		s->chunk = c;
	}
	stretch_ahead(&s->chunk->ready, s->chunk->bytes, s->chunk->used + bytes, STORE_CHUNK_BYTES);
	p = s->chunk->bytes + s->chunk->used;
	s->chunk->used += bytes;
	return p;
}

static void *copy_array(uint8_t **at, const void *from, size_t bytes)
{
	void *p = *at;

	memcpy(p, from, bytes);
	*at += padded(bytes);
	return p;
}

size_t x86_block_room(const struct x86_block *b)
{
	return sizeof(*b) + padded(b->n_insn * sizeof(*b->insn)) +
	       padded(b->n_ref * sizeof(*b->ref)) + padded(b->n_slot * sizeof(*b->slot)) +
	       padded(b->n_rep * sizeof(*b->rep)) + padded(b->n_parts * sizeof(*b->parts)) +
	       padded(b->bytes);
}

struct x86_block *x86_block_copy(const struct x86_block *b, void *to)
{
	struct x86_block *copy = to;
	uint8_t *at = (uint8_t *)(copy + 1);

	*copy = *b;
	copy->insn = copy_array(&at, b->insn, b->n_insn * sizeof(*b->insn));
	copy->ref = copy_array(&at, b->ref, b->n_ref * sizeof(*b->ref));
	copy->slot = copy_array(&at, b->slot, b->n_slot * sizeof(*b->slot));
	copy->rep = copy_array(&at, b->rep, b->n_rep * sizeof(*b->rep));
	copy->parts = copy_array(&at, b->parts, b->n_parts * sizeof(*b->parts));
	copy->code = copy_array(&at, b->code, b->bytes);
	return copy;
}

static bool is_full(const struct x86_store *s)
{
	return s->n == MOST_BLOCKS;
}

static const struct x86_block *number(struct x86_store *s, struct x86_block *b)
{
	b->id = s->n;
	s->block[b->id] = b;
	__atomic_store_n(&s->n, b->id + 1,
			 __ATOMIC_RELAXED); /* who is told of it comes behind by other means */
	return b;
}

const struct x86_block *x86_store_add(struct x86_store *s, const struct x86_block *b)
{
	void *room = is_full(s) ? NULL : take_bytes(s, x86_block_room(b));

	return room ? number(s, x86_block_copy(b, room)) : NULL;
}

const struct x86_block *x86_store_lend(struct x86_store *s, const struct x86_block *b)
{
	struct x86_block *head = is_full(s) ? NULL : take_bytes(s, sizeof(*head));

	return head ? number(s, memcpy(head, b, sizeof(*b))) : NULL;
}
