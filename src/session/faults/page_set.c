/* page_set.c -- a hash table from page numbers to flags, with open addressing. It grows when
 * half of it is used, so a search always ends at a free entry. */
#include "session/faults/page_set.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 4096u
#define MOST_ROOM  (1ull << 26) /* half of it is used at most */

static size_t place_of(const struct page_set_entry *table, size_t room, uint64_t key)
{
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20) & (room - 1);

	while (table[at].key && table[at].key != key)
		at = (at + 1) & (room - 1);
	return at;
}

static bool grow_set(struct page_set *s)
{
	const size_t room = s->room ? 2 * s->room : FIRST_ROOM;
	struct page_set_entry *table = room <= MOST_ROOM ? calloc(room, sizeof(*table)) : NULL;

	if (!table)
		return false;
	s->n = 0;
	for (size_t i = 0; i < s->room; i++) {
		if (!s->entry[i].flags)
			continue;
		table[place_of(table, room, s->entry[i].key)] = s->entry[i];
		s->n++;
	}
	free(s->entry);
	s->entry = table;
	s->room = room;
	return true;
}

int page_set_open(struct page_set *s)
{
	*s = (struct page_set){NULL, 0, 0};
	return grow_set(s) ? 0 : -ENOMEM;
}

void page_set_close(struct page_set *s)
{
	free(s->entry);
	*s = (struct page_set){NULL, 0, 0};
}

uint32_t page_set_get(const struct page_set *s, uint64_t number)
{
	return s->entry[place_of(s->entry, s->room, number + 1)].flags;
}

void page_set_put(struct page_set *s, uint64_t number, uint32_t flags)
{
	size_t at;

	if (2 * s->n >= s->room && !grow_set(s))
		return;
	at = place_of(s->entry, s->room, number + 1);
	s->n += !s->entry[at].key;
	s->entry[at] = (struct page_set_entry){number + 1, flags};
}

void page_set_drop(struct page_set *s, uint64_t lo, uint64_t hi)
{
	if (hi - lo < s->room) {
		for (uint64_t number = lo; number < hi; number++)
			s->entry[place_of(s->entry, s->room, number + 1)].flags = 0;
	} else {
		for (size_t i = 0; i < s->room; i++)
			if (s->entry[i].key > lo && s->entry[i].key <= hi)
				s->entry[i].flags = 0;
	}
}

void page_set_clear(struct page_set *s)
{
	s->n = 0;
	memset(s->entry, 0, s->room * sizeof(*s->entry));
}
