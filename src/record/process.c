/* process.c -- writes and reads the table of a process. Rules: process.h. */
#include "record/process.h"

#include <stdlib.h>
#include <string.h>

#include "record/columns.h"

#define DAMAGED "is damaged"

/* Numbers stand column by column, and places as the way from one to the next, so that bytes
 * repeat. */
void rec_process_put(struct rec_bytes *out, const struct rec_process *p, const int64_t *const *row)
{
	uint32_t object = 0;
	uint64_t offset = 0;

	rec_put_text(out, p->birth);
	rec_put_text(out, p->program);
	rec_put_number(out, p->n_event);
	for (uint32_t e = 0; e < p->n_event; e++)
		rec_put_signed(out, p->total[e]);
	for (uint32_t e = 0; e < p->n_event; e++)
		rec_put_signed(out, p->machine[e]);
	rec_put_number(out, p->n_object);
	for (uint32_t i = 0; i < p->n_object; i++)
		rec_put_text(out, p->object[i]);
	rec_put_number(out, p->n_place);
	for (uint32_t i = 0; i < p->n_place; i++) {
		rec_put_number(out, p->place[i].object - object);
		object = p->place[i].object;
	}
	for (uint32_t i = 0; i < p->n_place; i++) {
		if (i && p->place[i].object != p->place[i - 1].object)
			offset = 0;
		rec_put_number(out, p->place[i].offset - offset);
		offset = p->place[i].offset;
	}
	rec_put_columns(out, row, p->n_place, p->n_event);
}

const int64_t **rec_process_rows(const struct rec_process *p)
{
	const int64_t **row = malloc((p->n_place + 1u) * sizeof(*row));

	for (uint32_t i = 0; i < p->n_place && row; i++)
		row[i] = rec_counts(p, i);
	return row;
}

static void get_objects(struct rec_process *p, struct rec_reader *r)
{
	const uint64_t n = rec_get_number(r);

	p->object = rec_get_room(r, n, sizeof(*p->object));
	for (uint64_t i = 0; i < n && !r->is_bad; i++) {
		p->object[i] = rec_get_name(r, REC_MOST_TEXT);
		p->n_object += p->object[i] != NULL;
	}
}

/* They ascend. */
static void get_places(struct rec_process *p, struct rec_reader *r)
{
	const uint64_t n = rec_get_number(r);
	uint64_t object = 0, offset = 0;

	p->place = rec_get_room(r, n, sizeof(*p->place));
	for (uint64_t i = 0; i < n && !r->is_bad; i++) {
		object += rec_get_number(r);
		if (object >= p->n_object)
			r->is_bad = true;
		p->place[i].object = (uint32_t)object;
	}
	for (uint64_t i = 0; i < n && !r->is_bad; i++) {
		const bool is_first = !i || p->place[i].object != p->place[i - 1].object;
		const uint64_t more = rec_get_number(r);

		if (!is_first && (!more || offset + more < offset))
			r->is_bad = true;
		p->place[i].offset = offset = is_first ? more : offset + more;
	}
	p->n_place = r->is_bad ? 0 : (uint32_t)n;
}

static bool sums_up(const struct rec_process *p)
{
	for (uint32_t e = 0; e < p->n_event; e++) {
		uint64_t sum = (uint64_t)p->machine[e];

		for (uint32_t i = 0; i < p->n_place; i++)
			sum += (uint64_t)rec_counts(p, i)[e];
		if (sum != (uint64_t)p->total[e])
			return false;
	}
	return true;
}

const char *rec_process_get(struct rec_process *p, const uint8_t *bytes, size_t n, uint32_t n_event,
			    uint64_t *left)
{
	struct rec_reader r = {bytes, bytes + n, false};

	memset(p, 0, sizeof(*p));
	p->birth = rec_get_name(&r, REC_MOST_TEXT);
	p->program = rec_get_name(&r, REC_MOST_TEXT);
	if (r.is_bad || rec_get_number(&r) != n_event || n_event > REC_MOST_EVENTS)
		return DAMAGED;
	p->n_event = n_event;
	p->total = rec_get_room(&r, n_event, sizeof(*p->total));
	for (uint32_t e = 0; e < n_event && !r.is_bad; e++)
		p->total[e] = rec_get_signed(&r);
	p->machine = rec_get_room(&r, n_event, sizeof(*p->machine));
	for (uint32_t e = 0; e < n_event && !r.is_bad; e++)
		p->machine[e] = rec_get_signed(&r);
	get_objects(p, &r);
	get_places(p, &r);
	if (!left)
		return r.is_bad ? DAMAGED : NULL;
	p->count = rec_get_cells(&r, (uint64_t)p->n_place * n_event, left);
	if (p->count)
		rec_get_columns(&r, p->count, p->n_place, n_event);
	if (r.is_bad || r.at != r.end)
		return DAMAGED;
	return sums_up(p) ? NULL : "has counts that do not sum to its totals";
}

void rec_process_free(struct rec_process *p)
{
	for (uint32_t i = 0; i < p->n_object; i++)
		free(p->object[i]);
	free(p->object);
	free(p->birth);
	free(p->program);
	free(p->place);
	free(p->count);
	free(p->machine);
	free(p->total);
	memset(p, 0, sizeof(*p));
}
