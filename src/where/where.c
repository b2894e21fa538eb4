/* where.c -- sums the places of a record into rows by one key. Rules: where.h. */
#include "where/where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "record/jit.h"
#include "where/startup.h"

#define FIRST_ROOM 256u
#define MACHINE	   "[machine]"
#define NO_SYMBOL  "[no symbol]"

/* ---- texts and rows -------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ull;
	return (h ^ 0xff) * 0x100000001b3ull;
}

static uint64_t hash_row(const struct whr_row *r)
{
	uint64_t h = 0xcbf29ce484222325ull ^ r->line ^ r->offset * 0x9e3779b97f4a7c15ull;

	h = hash_text(h, r->function);
	h = hash_text(h, r->file);
	h = hash_text(h, r->object);
	h = hash_text(h, r->process);
	return h ^ h >> 32;
}

static bool is_same(const struct whr_row *a, const struct whr_row *b)
{
	return a->line == b->line && a->offset == b->offset && !strcmp(a->function, b->function) &&
	       !strcmp(a->file, b->file) && !strcmp(a->object, b->object) &&
	       !strcmp(a->process, b->process);
}

static const char *keep(struct whr_table *t, const char *text)
{
	char *copy;

	if (!*text)
		return "";
	if (t->n_text == t->room_text) {
		const size_t room = t->room_text ? 2 * t->room_text : FIRST_ROOM;
		void *p = realloc(t->text, room * sizeof(*t->text));

		if (!p)
			return NULL;
		t->text = p;
		t->room_text = room;
	}
	copy = strdup(text);
	if (copy)
		t->text[t->n_text++] = copy;
	return copy;
}

static bool grow_index(struct whr_table *t)
{
	const size_t n = t->n_index ? 2 * t->n_index : 2 * FIRST_ROOM;
	uint32_t *index = calloc(n, sizeof(*index));

	if (!index)
		return false;
	for (size_t i = 0; i < t->n; i++) {
		size_t at = hash_row(&t->row[i]) & (n - 1);

		while (index[at])
			at = (at + 1) & (n - 1);
		index[at] = (uint32_t)i + 1;
	}
	free(t->index);
	t->index = index;
	t->n_index = n;
	return true;
}

static bool grow(struct whr_table *t)
{
	const size_t room = t->room ? 2 * t->room : FIRST_ROOM;
	void *row = realloc(t->row, room * sizeof(*t->row)), *count;

	if (!row)
		return false;
	t->row = row;
	count = realloc(t->count, room * t->n_event * sizeof(*t->count));
	if (!count)
		return false;
	t->count = count;
	t->room = room;
	return true;
}

/* Number of the row that is called so, which is added; -1 without memory. */
static int64_t row_of(struct whr_table *t, const struct whr_row *as)
{
	struct whr_row *r;
	size_t at;

	if (2 * t->n >= t->n_index && !grow_index(t))
		return -1;
	at = hash_row(as) & (t->n_index - 1);
	for (; t->index[at]; at = (at + 1) & (t->n_index - 1))
		if (is_same(&t->row[t->index[at] - 1], as))
			return t->index[at] - 1;
	if (t->n == t->room && !grow(t))
		return -1;
	r = &t->row[t->n];
	*r = *as;
	r->function = keep(t, as->function);
	r->file = keep(t, as->file);
	r->object = keep(t, as->object);
	r->process = keep(t, as->process);
	r->count = r->self = NULL;
	r->calls = 0;
	if (!r->function || !r->file || !r->object || !r->process)
		return -1;
	memset(t->count + t->n * t->n_event, 0, t->n_event * sizeof(*t->count));
	t->index[at] = (uint32_t)++t->n;
	return (int64_t)t->n - 1;
}

const int64_t *whr_find(const struct whr_table *t, const struct whr_row *as)
{
	size_t at = t->n_index ? hash_row(as) & (t->n_index - 1) : 0;

	for (; t->n_index && t->index[at]; at = (at + 1) & (t->n_index - 1))
		if (is_same(&t->row[t->index[at] - 1], as))
			return t->row[t->index[at] - 1].count;
	return NULL;
}

int whr_add(struct whr_table *t, const struct whr_row *as, const int64_t *count)
{
	const int64_t i = row_of(t, as);

	if (i < 0)
		return -SPMU_ENOMEM;
	for (uint32_t e = 0; e < t->n_event; e++)
		t->count[(size_t)i * t->n_event + e] += count[e];
	return 0;
}

void whr_settle(struct whr_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->row[i].count = t->count + i * t->n_event;
}

/* ---- building -------------------------------------------------------------------------------- */

static struct whr_row called(enum whr_by by, const char *object, uint64_t offset,
			     const char *process, const struct nm_at *at)
{
	struct whr_row r = {.function = "", .file = "", .object = "", .process = ""};

	if (by == WHR_PROCESS || by == WHR_THREAD)
		r.process = process;
	else if (by != WHR_FILE || !at->file)
		r.object = object;
	if (by == WHR_FUNCTION || by == WHR_LINE || by == WHR_ADDRESS)
		r.function = at->function ? at->function : NO_SYMBOL;
	if ((by == WHR_LINE || by == WHR_FILE) && at->file)
		r.file = at->file;
	if (by == WHR_LINE)
		r.line = at->line;
	if (by == WHR_ADDRESS) {
		r.offset = offset;
		r.address = at->address;
		r.in_function = offset - at->begin;
	}
	return r;
}

static int add_process(struct whr_table *t, const struct rec *r, const struct rec_process *p,
		       struct nm *names)
{
	const struct whr_row machine = {
	    .function = MACHINE, .file = "", .object = "", .process = ""};
	char process[256];
	int rc = 0;

	snprintf(process, sizeof(process), "%.*s %s",
		 (int)strcspn(p->birth, t->by == WHR_THREAD ? "" : ":"), p->birth, p->program);
	for (uint32_t i = 0; i < p->n_place && !rc; i++) {
		const char *object = p->object[p->place[i].object];
		const uint64_t offset = p->place[i].offset;
		struct nm_at at = {.function = NULL, .begin = offset, .address = offset};
		struct whr_row as;

		if (t->by < WHR_OBJECT || t->by == WHR_ADDRESS) /* it has a function */
			at = nm_find(names, object, offset, t->by == WHR_LINE || t->by == WHR_FILE);
		if (*object == '[')
			at.function = rec_jit_name(r, (uint32_t)(p - r->process), offset);
		if (at.symbol && whr_is_startup(at.symbol, object))
			at.function = at.symbol; /* what is inlined there is start-up, too */
		as = called(t->by, object, offset, process, &at);
		rc = whr_add(t, &as, rec_counts(p, i));
	}
	for (uint32_t e = 0; e < t->n_event && !rc; e++)
		if (p->machine[e])
			return whr_add(t, &machine, p->machine);
	return rc;
}

bool whr_is_changed(struct nm *names, const char *path, const json_t *object)
{
	const struct nm_identity now = nm_identify(names, path);
	const char *build_id = rec_text(object, "build_id");

	return *build_id || *now.build_id
		   ? strcmp(build_id, now.build_id) != 0
		   : (uint64_t)json_integer_value(json_object_get(object, "bytes")) != now.bytes;
}

const char *whr_distrust_changed(const struct rec *r, struct nm *names)
{
	const char *first = NULL, *path;
	json_t *object;

	json_object_foreach(r->objects, path, object)
	{
		if (!whr_is_changed(names, path, object))
			continue;
		nm_distrust(names, path);
		first = first ? first : path;
	}
	return first;
}

int whr_build(struct whr_table *t, const struct rec *r, struct nm *names, enum whr_by by,
	      const char **changed)
{
	int rc = 0;

	*t = (struct whr_table){.by = by, .n_event = r->n_event};
	*changed = whr_distrust_changed(r, names);
	for (uint32_t i = 0; i < r->n_process && !rc; i++)
		if (r->process[i].n_event) /* or it has no replicates */
			rc = add_process(t, r, &r->process[i], names);
	whr_settle(t);
	return rc;
}

void whr_free(struct whr_table *t)
{
	for (size_t i = 0; i < t->n_text; i++)
		free(t->text[i]);
	free(t->text);
	free(t->row);
	free(t->count);
	free(t->index);
	memset(t, 0, sizeof(*t));
}

/* ---- order ----------------------------------------------------------------------------------- */

static int by_name(const struct whr_row *a, const struct whr_row *b)
{
	int order = strcmp(a->function, b->function);

	order = order ? order : strcmp(a->file, b->file);
	order = order ? order : strcmp(a->object, b->object);
	order = order ? order : strcmp(a->process, b->process);
	if (order)
		return order;
	return a->line != b->line      ? (a->line < b->line ? -1 : 1)
	       : a->offset < b->offset ? -1
				       : a->offset > b->offset;
}

static uint64_t size_of(int64_t n)
{
	return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

static int by_count(const void *a, const void *b, void *event)
{
	const struct whr_row *s = a, *t = b;
	const uint64_t m = size_of(s->count[*(uint32_t *)event]),
		       n = size_of(t->count[*(uint32_t *)event]);

	return m != n ? (m > n ? -1 : 1) : by_name(s, t);
}

void whr_sort(struct whr_table *t, uint32_t event)
{
	qsort_r(t->row, t->n, sizeof(*t->row), by_count, &event);
}

const char *whr_name(const struct whr_table *t, const struct whr_row *row, char *out, size_t room)
{
	if (!strcmp(row->function, MACHINE) || t->by == WHR_FUNCTION)
		return row->function;
	if (t->by == WHR_PROCESS || t->by == WHR_THREAD)
		return row->process;
	if (t->by == WHR_ADDRESS) {
		snprintf(out, room, "0x%llx", (unsigned long long)row->address);
		return out;
	}
	if (t->by == WHR_OBJECT || !*row->file)
		return t->by == WHR_LINE ? row->function : row->object;
	if (t->by == WHR_FILE)
		return row->file;
	snprintf(out, room, "%s:%u", text_last_part(row->file), row->line);
	return out;
}
