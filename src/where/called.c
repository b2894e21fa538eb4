/* called.c -- pairs functions by what they are when their names differ. Rules: called.h. */
#include "where/called.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/function_name.h"
#include "base/text.h"

/* A function of one build: its rows by file and line. */
struct function {
	const struct whr_row *const *row; /* n of them */
	size_t n;
	bool is_new;
	uint64_t hash; /* of what it is compared by */
};

/* ---- functions of a table -------------------------------------------------------------------- */

static int compare_functions(const struct whr_row *a, const struct whr_row *b)
{
	const int order = strcmp(a->function, b->function);

	return order ? order : strcmp(text_last_part(a->object), text_last_part(b->object));
}

static int by_function(const void *a, const void *b)
{
	const struct whr_row *s = *(const struct whr_row *const *)a,
			     *t = *(const struct whr_row *const *)b;
	int order = compare_functions(s, t);

	order = order ? order : strcmp(text_last_part(s->file), text_last_part(t->file));
	return order ? order : s->line < t->line ? -1 : s->line > t->line;
}

/* The rows of a table in that order; owned by the caller, NULL without memory. */
static const struct whr_row **rows_of(const struct whr_table *t)
{
	const struct whr_row **row = calloc(t->n + 1, sizeof(struct whr_row *));

	for (size_t i = 0; i < t->n && row; i++)
		row[i] = &t->row[i];
	if (row)
		qsort(row, t->n, sizeof(struct whr_row *), by_function);
	return row;
}

static size_t n_of_function(const struct whr_row *const *row, size_t n)
{
	size_t end = 1;

	while (end < n && !compare_functions(row[0], row[end]))
		end++;
	return end;
}

/* Functions that only one of the tables has, to f. Returns how many. */
static size_t add_singles(struct function *f, const struct whr_row *const *old, size_t n,
			  const struct whr_row *const *new, size_t m)
{
	size_t n_single = 0;

	for (size_t i = 0, k = 0; i < n || k < m;) {
		const size_t of_old = i < n ? n_of_function(&old[i], n - i) : 0,
			     of_new = k < m ? n_of_function(&new[k], m - k) : 0;
		const int order = !of_new ? -1 : !of_old ? 1 : compare_functions(old[i], new[k]);

		if (order < 0)
			f[n_single++] = (struct function){&old[i], of_old, false, 0};
		if (order > 0)
			f[n_single++] = (struct function){&new[k], of_new, true, 0};
		i += order <= 0 ? of_old : 0;
		k += order >= 0 ? of_new : 0;
	}
	return n_single;
}

/* ---- what they are compared by --------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *s = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ s[i]) * 0x100000001b3ull;
	return (h ^ 0xff) * 0x100000001b3ull;
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	return hash_bytes(h, s, strlen(s));
}

#define HASH_BEGIN 0xcbf29ce484222325ull

/* Its name without parameters, and its object. 0: it is not compared. */
static uint64_t hash_plain(const struct function *f, uint32_t event)
{
	const struct whr_row *row = f->row[0];

	(void)event;
	if (*row->function == '[')
		return 0;
	return hash_text(hash_bytes(HASH_BEGIN, row->function, function_name_bytes(row->function)),
			 text_last_part(row->object));
}

/* Its object, files, lines from the first one of each file on, and what these count. 0: it has no
 * lines, or counts nothing of the event. */
static uint64_t hash_body(const struct function *f, uint32_t event)
{
	uint64_t h = hash_text(HASH_BEGIN, text_last_part(f->row[0]->object));
	bool has_lines = false, has_counts = false;
	unsigned first = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct whr_row *row = f->row[i];
		const char *file = text_last_part(row->file);

		if (!i || strcmp(file, text_last_part(f->row[i - 1]->file))) {
			h = hash_text(h, file);
			first = row->line;
		}
		h = hash_bytes(h, &(unsigned){row->line - first}, sizeof(unsigned));
		h = hash_bytes(h, &row->count[event], sizeof(int64_t));
		has_lines |= row->line != 0;
		has_counts |= row->count[event] != 0;
	}
	return has_lines && has_counts ? h : 0;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
	const struct function *s = a, *t = b;

	if (s->hash != t->hash)
		return s->hash < t->hash ? -1 : 1;
	return s->is_new - t->is_new;
}

/* Pair one old and one new function of a hash that no third one has. Returns how many functions are
 * left, in f. */
static size_t pair_alike(struct whr_names *names, struct function *f, size_t n,
			 uint64_t hash(const struct function *, uint32_t), uint32_t event)
{
	const bool is_renamed = hash == hash_body;
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		f[i].hash = hash(&f[i], event);
	qsort(f, n, sizeof(*f), by_hash);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && f[end].hash == f[i].hash;)
			end++;
		if (end == i + 2 && f[i].hash && !f[i].is_new && f[i + 1].is_new) {
			names->called[names->n++] =
			    (struct whr_called){f[i].row[0]->function, f[i + 1].row[0]->function,
						f[i + 1].row[0]->object, is_renamed};
			continue;
		}
		memmove(&f[left], &f[i], (end - i) * sizeof(*f));
		left += end - i;
	}
	return left;
}

static int by_new_name(const void *a, const void *b)
{
	const struct whr_called *s = a, *t = b;
	const int order = strcmp(s->new, t->new);

	return order ? order : strcmp(text_last_part(s->object), text_last_part(t->object));
}

int whr_names_find(struct whr_names *names, const struct whr_table *old,
		   const struct whr_table *new)
{
	const struct whr_row **was = rows_of(old), **is = rows_of(new);
	struct function *f = calloc(old->n + new->n + 1, sizeof(*f));
	int rc = -SPMU_ENOMEM;

	*names = (struct whr_names){calloc(new->n + 1, sizeof(*names->called)), 0};
	if (was && is && f && names->called) {
		size_t n = add_singles(f, was, old->n, is, new->n);

		n = pair_alike(names, f, n, hash_plain, 0);
		for (uint32_t e = 0; e < new->n_event; e++)
			n = pair_alike(names, f, n, hash_body, e);
		qsort(names->called, names->n, sizeof(*names->called), by_new_name);
		rc = 0;
	}
	free(f);
	free(was);
	free(is);
	return rc;
}

void whr_names_free(struct whr_names *names)
{
	free(names->called);
	*names = (struct whr_names){NULL, 0};
}

const struct whr_called *whr_names_old(const struct whr_names *names, const struct whr_row *new)
{
	const struct whr_called wanted = {.new = new->function, .object = new->object};

	return names && names->n
		   ? bsearch(&wanted, names->called, names->n, sizeof(*names->called), by_new_name)
		   : NULL;
}
