/* read.c -- makes the bytes that read(2) returns for an event. Rules: read.h. */
#include "perfev/read.h"

#include <errno.h>

#define MOST_BYTES   (16u << 10)
#define MOST_MEMBERS (MOST_BYTES / 8)

/* Members of the leader's group in the order of opening, the leader first. */
static unsigned members(const struct pev_board *b, uint32_t leader, uint32_t *out, unsigned room)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < b->n_used; i++) {
		unsigned at;

		if (!b->event[i].is_live || b->event[i].leader != leader || n == room)
			continue;
		for (at = n;
		     at > 0 && (i == leader || (out[at - 1] != leader &&
						b->event[out[at - 1]].order > b->event[i].order));
		     at--)
			out[at] = out[at - 1];
		out[at] = i;
		n++;
	}
	return n;
}

static unsigned times(const struct pev_event *e, uint64_t format, uint64_t *w)
{
	unsigned n = 0;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		w[n++] = e->enabled_ns;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		w[n++] = e->running_ns;
	return n;
}

static unsigned tail(const struct pev_event *e, uint64_t format, uint64_t *w)
{
	unsigned n = 0;

	if (format & PERF_FORMAT_ID)
		w[n++] = e->id;
	if (format & PERF_FORMAT_LOST)
		w[n++] = e->lost;
	return n;
}

/* Returns the bytes that read(2) gives for an event of a group of n. */
static uint64_t bytes_of(uint64_t format, uint64_t n)
{
	const uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	const uint64_t head = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			      !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	return format & PERF_FORMAT_GROUP ? 8 * (1 + head + n * each) : 8 * (head + each);
}

bool pev_may_join(const struct pev_board *b, uint32_t leader, const struct pev_event *e)
{
	uint64_t format = e->attr.read_format, n = 1;
	bool fits;

	for (uint32_t i = 0; i < b->n_used; i++)
		n += b->event[i].is_live && b->event[i].leader == leader && &b->event[i] != e;
	fits = bytes_of(format, n) <= MOST_BYTES;
	for (uint32_t i = 0; i < b->n_used; i++)
		if (b->event[i].is_live && b->event[i].leader == leader)
			fits &= bytes_of(b->event[i].attr.read_format, n) <= MOST_BYTES;
	return fits;
}

int64_t pev_read(const struct pev_board *b, uint32_t index, uint64_t room, void *to)
{
	const struct pev_event *e = &b->event[index], *leader = &b->event[e->leader];
	const uint64_t format = e->attr.read_format;
	uint32_t member[MOST_MEMBERS];
	uint64_t *w = to;
	unsigned n, at = 0;

	if (leader->run == PEV_ERROR)
		return 0;
	if (!(format & PERF_FORMAT_GROUP)) {
		if (room < bytes_of(format, 1))
			return -ENOSPC;
		w[at++] = e->count;
		at += times(e, format, w + at);
		return 8 * (int64_t)(at + tail(e, format, w + at));
	}
	n = members(b, e->leader, member, MOST_MEMBERS);
	if (room < bytes_of(format, n))
		return -ENOSPC;
	w[at++] = n;
	at += times(leader, format, w + at);
	for (unsigned i = 0; i < n; i++) {
		w[at++] = b->event[member[i]].count;
		at += tail(&b->event[member[i]], format, w + at);
	}
	return 8 * (int64_t)at;
}
