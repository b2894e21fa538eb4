/* objects.c -- the sorted list of a program's mappings, kept from the records of the stream.
 * Rules: objects.h. Mappings do not overlap: a new one cuts what it covers. */
#include "session/places/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/record.h"

#define MOST_OBJECTS 4096u
#define MOST_MAPS    (1u << 20) /* more than Linux allows a process */
#define MAP_HEAD     32u	/* bytes of TRC_MAP before the path */

/* Number of the object with this name, which is added; the unknown one where there are too many. */
static uint32_t object_of(struct ses_objects *o, const char *name)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (!strcmp(o->name[i], name))
			return i;
	if (o->n == MOST_OBJECTS)
		return SES_OBJECT_UNKNOWN;
	if (o->n == o->room) {
		const uint32_t room = o->room ? 2 * o->room : 16;
		char **p = realloc(o->name, room * sizeof(*p));

		if (!p)
			return SES_OBJECT_UNKNOWN;
		o->name = p;
		o->room = room;
	}
	o->name[o->n] = strdup(name);
	return o->name[o->n] ? o->n++ : SES_OBJECT_UNKNOWN;
}

int ses_objects_open(struct ses_objects *o)
{
	memset(o, 0, sizeof(*o));
	object_of(o, "[unknown]");
	object_of(o, "[anon]");
	return o->n == 2 ? 0 : -SPMU_ENOMEM;
}

void ses_objects_close(struct ses_objects *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		free(o->name[i]);
	free(o->name);
	free(o->map);
	memset(o, 0, sizeof(*o));
}

/* The first mapping that ends behind addr. */
static uint32_t find_object(const struct ses_objects *o, uint64_t addr)
{
	uint32_t lo = 0, hi = o->n_map;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (o->map[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int insert(struct ses_objects *o, uint32_t at, const struct ses_mapping *m)
{
	if (o->n_map == o->room_map) {
		const uint32_t room = o->room_map ? 2 * o->room_map : 64;
		struct ses_mapping *p =
		    room > MOST_MAPS ? NULL : realloc(o->map, room * sizeof(*p));

		if (!p)
			return -SPMU_ENOMEM;
		o->map = p;
		o->room_map = room;
	}
	memmove(o->map + at + 1, o->map + at, (o->n_map++ - at) * sizeof(*o->map));
	o->map[at] = *m;
	return 0;
}

static int unmap(struct ses_objects *o, uint64_t lo, uint64_t hi)
{
	uint32_t at = find_object(o, lo), end;
	int rc = 0;

	if (at < o->n_map && o->map[at].lo < lo) { /* its front stays */
		struct ses_mapping rest = o->map[at];

		o->map[at].hi = lo;
		if (rest.hi > hi) {
			rest.off += hi - rest.lo;
			rest.lo = hi;
			rc = insert(o, at + 1, &rest);
		}
		at++;
	}
	for (end = at; end < o->n_map && o->map[end].hi <= hi;)
		end++;
	if (end < o->n_map && o->map[end].lo < hi) {
		o->map[end].off += hi - o->map[end].lo;
		o->map[end].lo = hi;
	}
	memmove(o->map + at, o->map + end, (o->n_map - end) * sizeof(*o->map));
	o->n_map -= end - at;
	return rc;
}

static int map(struct ses_objects *o, const uint8_t *payload, size_t bytes)
{
	struct ses_mapping m;
	uint64_t word[2];
	char name[600];
	size_t n = bytes - MAP_HEAD;

	memcpy(word, payload, sizeof(word));
	memcpy(&m.off, payload + 24, 8);
	m.lo = word[0];
	m.hi = word[0] + word[1];
	if (m.hi <= m.lo)
		return 0;
	n = n < sizeof(name) - 1 ? n : sizeof(name) - 1;
	memcpy(name, payload + MAP_HEAD, n);
	name[n] = 0;
	m.object = *name ? object_of(o, name) : SES_OBJECT_ANON;
	if (!*name)
		m.off = m.lo;
	if (unmap(o, m.lo, m.hi))
		return -SPMU_ENOMEM;
	return insert(o, find_object(o, m.lo), &m);
}

int ses_objects_event(struct ses_objects *o, uint32_t kind, const uint8_t *payload, size_t bytes)
{
	uint64_t word[2];

	switch (kind) {
	case TRC_MAP: return bytes >= MAP_HEAD ? map(o, payload, bytes) : 0;
	case TRC_UNMAP:
		if (bytes < sizeof(word))
			return 0;
		memcpy(word, payload, sizeof(word));
		return word[0] + word[1] > word[0] ? unmap(o, word[0], word[0] + word[1]) : 0;
	case TRC_EXEC: o->n_map = 0; return 0;
	default: return 0;
	}
}

struct rec_place ses_objects_at(const struct ses_objects *o, uint64_t pc)
{
	const uint32_t i = find_object(o, pc);

	if (i == o->n_map || o->map[i].lo > pc)
		return (struct rec_place){SES_OBJECT_UNKNOWN, pc};
	return (struct rec_place){o->map[i].object, pc - o->map[i].lo + o->map[i].off};
}
