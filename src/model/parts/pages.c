/* pages.c -- first-touch hash table of pages. */
#include "model/parts/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FIRST_SLOTS 1024u
#define MAX_PAGES   (1u << 26)
#define PAGE_NO_ID  UINT32_MAX

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15ull;
	x ^= x >> 29;
	x *= 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

static uint32_t hash(const struct pages *p, uint64_t key)
{
	return (uint32_t)(mix(key) & (p->n_slots - 1));
}

int pages_open(struct pages *p, unsigned colour_log2, bool is_random, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	p->colours = 1u << colour_log2;
	p->is_random = is_random;
	p->seed = seed;
	p->n_slots = FIRST_SLOTS;
	p->n_room = FIRST_SLOTS / 2;
	p->slot = malloc(p->n_slots * sizeof(*p->slot));
	p->colour = malloc(p->n_room * sizeof(*p->colour));
	if (!p->slot || !p->colour) {
		pages_close(p);
		return -SPMU_ENOMEM;
	}
	for (uint32_t i = 0; i < p->n_slots; i++)
		p->slot[i].key = PAGE_NONE;
	return 0;
}

void pages_close(struct pages *p)
{
	free(p->slot);
	free(p->colour);
	free(p->named);
	free(p->order);
	p->order = NULL;
	p->slot = NULL;
	p->colour = NULL;
	p->named = NULL;
}

void pages_forget(struct pages *p)
{
	for (uint32_t i = 0; i < p->n_slots; i++)
		p->slot[i].key = PAGE_NONE;
	p->n_used = 0;
	free(p->named);
	p->named = calloc(p->n / 8 + 1, 1);
	p->n_old = p->named ? p->n : 0; /* without memory for the list all stay taken */
	p->old = 0;
}

void pages_keep_one(struct pages *p, uint32_t id)
{
	if (id < p->n_old)
		p->named[id / 8] |= (uint8_t)(1u << id % 8);
}

void pages_keep(struct pages *p, const struct cache *c)
{
	for (uint32_t set = 0; set < c->n_sets; set++) {
		const uint32_t *tag = cache_tags(c, set);

		for (unsigned w = 0; w < c->ways; w++)
			if (tag[w] != CACHE_EMPTY)
				pages_keep_one(p, cache_page_of(c, tag[w]));
	}
}

static int grow_table(struct pages *p)
{
	uint32_t n_old = p->n_slots;
	struct page *old = p->slot, *slot;

	if (n_old >= MAX_PAGES)
		return -SPMU_ENOMEM;
	slot = malloc(2ull * n_old * sizeof(*slot));
	if (!slot)
		return -SPMU_ENOMEM;
	p->slot = slot;
	p->n_slots = 2 * n_old;
	for (uint32_t i = 0; i < p->n_slots; i++)
		slot[i].key = PAGE_NONE;
	for (uint32_t i = 0; i < n_old; i++) {
		uint32_t at;

		if (old[i].key == PAGE_NONE)
			continue;
		at = hash(p, old[i].key);
		while (slot[at].key != PAGE_NONE)
			at = (at + 1) & (p->n_slots - 1);
		slot[at] = old[i];
	}
	free(old);
	return 0;
}

/* A free identity; PAGE_NO_ID when there is none. */
static uint32_t take_id(struct pages *p)
{
	for (; p->old < p->n_old; p->old++)
		if (!(p->named[p->old / 8] >> p->old % 8 & 1))
			return p->old++;
	if (p->n == p->n_room) {
		uint16_t *colour = NULL;

		if (p->n_room < MAX_PAGES / 2)
			colour = realloc(p->colour, 2ull * p->n_room * sizeof(*colour));
		if (!colour)
			return PAGE_NO_ID;
		p->colour = colour;
		p->n_room *= 2;
	}
	return p->n++;
}

static void note_order(struct pages *p, uint64_t key)
{
	if (p->n_order == p->order_room) {
		const uint32_t room = p->order_room ? 2 * p->order_room : 4096;
		uint64_t *more = realloc(p->order, room * sizeof(*more));

		p->is_order_lost |= !more;
		if (!more)
			return;
		p->order = more;
		p->order_room = room;
	}
	p->order[p->n_order++] = key;
}

struct page pages_get(struct pages *p, uint64_t key)
{
	uint32_t at = hash(p, key), id;
	struct page *s;

	while (p->slot[at].key != PAGE_NONE) {
		if (p->slot[at].key == key)
			return p->slot[at];
		at = (at + 1) & (p->n_slots - 1);
	}
	id = p->n_used < p->n_slots / 2 || !grow_table(p) ? take_id(p) : PAGE_NO_ID;
	if (id == PAGE_NO_ID) {
		p->is_full = true;
		return (struct page){.key = key, .id = 0, .colour = p->colour[0]};
	}
	at = hash(p, key);
	while (p->slot[at].key != PAGE_NONE)
		at = (at + 1) & (p->n_slots - 1);
	s = &p->slot[at];
	p->n_used++;
	s->key = key;
	s->id = id;
	s->colour = (uint32_t)((p->is_random ? mix(key ^ mix(p->seed)) : key) & (p->colours - 1));
	p->colour[s->id] = (uint16_t)s->colour;
	if (p->keeps_order)
		note_order(p, key);
	return *s;
}

bool pages_peek(const struct pages *p, uint64_t key, uint32_t *id)
{
	uint32_t at = hash(p, key);

	while (p->slot[at].key != PAGE_NONE && p->slot[at].key != key)
		at = (at + 1) & (p->n_slots - 1);
	*id = p->slot[at].id;
	return p->slot[at].key == key;
}

bool pages_has(const struct pages *p, uint64_t key)
{
	uint32_t id;

	return pages_peek(p, key, &id);
}
