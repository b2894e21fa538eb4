/* paths.c -- writes and reads calling contexts. Rules: paths.h. */
#include "record/paths.h"

#include <stdlib.h>
#include <string.h>

#include "record/columns.h"

#define DAMAGED	  "is damaged"
#define N_COLUMNS 8u /* of contexts: of each there is a byte in every column */

static void put_counts(struct rec_bytes *out, const struct rec_paths *p)
{
	const int64_t **row = malloc((p->n_context + 1u) * sizeof(*row));

	for (uint32_t i = 0; i < p->n_context && row; i++)
		row[i] = rec_path_counts(p, i);
	if (row)
		rec_put_columns(out, row, p->n_context, p->n_event);
	else
		out->is_lost = true;
	free(row);
}

/* Numbers stand column by column. Contexts that follow each other are alike, so most columns have
 * the way from one to the next. */
void rec_paths_put(struct rec_bytes *out, const struct rec_paths *p)
{
	const struct rec_context zero = {0};

	rec_put_number(out, p->n_event);
	rec_put_number(out, p->n_object);
	for (uint32_t i = 0; i < p->n_object; i++)
		rec_put_text(out, p->object[i]);
	rec_put_number(out, p->n_context);
	for (uint32_t i = 0; i < p->n_context; i++)
		rec_put_number(out, i - p->context[i].parent);
	for (uint32_t i = 0; i < p->n_context; i++)
		rec_put_number(out, i - p->context[i].to);
	for (uint32_t i = 0; i < p->n_context; i++)
		rec_put_number(out, p->context[i].kind);
	for (uint32_t i = 0; i < p->n_context; i++)
		rec_put_number(out, p->context[i].site.object);
	for (uint32_t i = 0; i < p->n_context; i++)
		rec_put_number(out, p->context[i].entry.object);
	for (uint32_t i = 0; i < p->n_context; i++) {
		const struct rec_context *c = &p->context[i], *before = i ? c - 1 : &zero;

		rec_put_signed(out, (int64_t)(c->site.offset - before->site.offset));
	}
	for (uint32_t i = 0; i < p->n_context; i++) {
		const struct rec_context *c = &p->context[i], *before = i ? c - 1 : &zero;

		rec_put_signed(out, (int64_t)(c->entry.offset - before->entry.offset));
	}
	for (uint32_t i = 0; i < p->n_context; i++)
		rec_put_number(out, p->context[i].calls);
	put_counts(out, p);
}

/* A number below n. */
static uint32_t get_below(struct rec_reader *r, uint64_t n)
{
	const uint64_t i = rec_get_number(r);

	if (i < n)
		return (uint32_t)i;
	r->is_bad = true;
	return 0;
}

static void get_objects(struct rec_paths *p, struct rec_reader *r)
{
	const uint64_t n = rec_get_number(r);

	p->object = rec_get_room(r, n, sizeof(*p->object));
	for (uint64_t i = 0; i < n && !r->is_bad; i++) {
		p->object[i] = rec_get_name(r, REC_MOST_TEXT);
		p->n_object += p->object[i] != NULL;
	}
}

/* Is context i one that rec_paths_put() may have been given? Its parent is one that runs. */
static bool is_right(const struct rec_paths *p, uint32_t i)
{
	const struct rec_context *c = &p->context[i], *to = &p->context[c->to];

	if (!i)
		return c->kind == REC_PATH_ROOT;
	return c->kind != REC_PATH_ROOT && c->parent < i && p->context[c->parent].to == c->parent &&
	       to->to == c->to;
}

static void get_contexts(struct rec_paths *p, struct rec_reader *r, uint32_t n)
{
	struct rec_context *c = p->context;

	for (uint32_t i = 0; i < n; i++)
		c[i].parent = i - get_below(r, (uint64_t)i + 1);
	for (uint32_t i = 0; i < n; i++)
		c[i].to = i - get_below(r, (uint64_t)i + 1);
	for (uint32_t i = 0; i < n; i++)
		c[i].kind = (uint8_t)get_below(r, REC_N_PATH_KINDS);
	for (uint32_t i = 0; i < n; i++)
		c[i].site.object = get_below(r, p->n_object);
	for (uint32_t i = 0; i < n; i++)
		c[i].entry.object = get_below(r, p->n_object);
	for (uint32_t i = 0; i < n; i++)
		c[i].site.offset = (i ? c[i - 1].site.offset : 0) + (uint64_t)rec_get_signed(r);
	for (uint32_t i = 0; i < n; i++)
		c[i].entry.offset = (i ? c[i - 1].entry.offset : 0) + (uint64_t)rec_get_signed(r);
	for (uint32_t i = 0; i < n; i++)
		c[i].calls = rec_get_number(r);
	for (uint32_t i = 0; i < n && !r->is_bad; i++)
		r->is_bad = !is_right(p, i);
}

static bool sums_up(const struct rec_paths *p, const struct rec_process *of)
{
	for (uint32_t e = 0; e < p->n_event; e++) {
		uint64_t sum = (uint64_t)of->machine[e];

		for (uint32_t i = 0; i < p->n_context; i++)
			sum += (uint64_t)rec_path_counts(p, i)[e];
		if (sum != (uint64_t)of->total[e])
			return false;
	}
	return true;
}

const char *rec_paths_get(struct rec_paths *p, const uint8_t *bytes, size_t n,
			  const struct rec_process *of, uint64_t *left)
{
	struct rec_reader r = {bytes, bytes + n, false};
	uint64_t n_context;

	memset(p, 0, sizeof(*p));
	if (rec_get_number(&r) != of->n_event)
		return DAMAGED;
	p->n_event = of->n_event;
	get_objects(p, &r);
	n_context = rec_get_number(&r);
	if (n_context > (size_t)(r.end - r.at) / N_COLUMNS)
		return DAMAGED;
	p->context = rec_get_room(&r, n_context, sizeof(*p->context));
	if (r.is_bad || !n_context || !p->n_object)
		return DAMAGED;
	p->n_context = (uint32_t)n_context;
	get_contexts(p, &r, p->n_context);
	p->count = rec_get_cells(&r, n_context * p->n_event, left);
	if (p->count)
		rec_get_columns(&r, p->count, p->n_context, p->n_event);
	if (r.is_bad || r.at != r.end)
		return DAMAGED;
	return sums_up(p, of) ? NULL : "has calling contexts that do not sum to its totals";
}

void rec_paths_free(struct rec_paths *p)
{
	for (uint32_t i = 0; i < p->n_object; i++)
		free(p->object[i]);
	free(p->object);
	free(p->context);
	free(p->count);
	memset(p, 0, sizeof(*p));
}
