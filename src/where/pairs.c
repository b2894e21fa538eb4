/* pairs.c -- pairs rows of two tables in turns, from exact names to parts. Rules: pairs.h. */
#include "where/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/function_name.h"

/* A row on its way to a partner. */
struct single {
	const struct whr_row *row;
	struct whr_row key; /* what it is compared by: of a new row the line where it was before */
	bool is_new;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int by_function(const struct whr_row *a, const struct whr_row *b)
{
	const int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->process, b->process);
}

static int by_name(const struct whr_row *a, const struct whr_row *b)
{
	int order = by_function(a, b);

	order = order ? order : strcmp(last_part(a->file), last_part(b->file));
	order = order ? order : strcmp(last_part(a->object), last_part(b->object));
	return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

/* As by_name(), with the whole path of the source. */
static int by_path(const struct whr_row *a, const struct whr_row *b)
{
	const int order = by_name(a, b);

	return order ? order : strcmp(a->file, b->file);
}

/* Without parameters: "f(int)" and "f(long)" are one. */
static int by_plain(const struct whr_row *a, const struct whr_row *b)
{
	const size_t m = function_name_bytes(a->function), n = function_name_bytes(b->function);
	int order = strncmp(a->function, b->function, m < n ? m : n);

	order = order ? order : m < n ? -1 : m > n;
	order = order ? order : strcmp(last_part(a->file), last_part(b->file));
	return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static int singles_by_plain(const void *a, const void *b)
{
	const struct single *s = a, *t = b;
	const int order = by_plain(&s->key, &t->key);

	return order ? order : s->is_new - t->is_new;
}

static int singles_by_path(const void *a, const void *b)
{
	const struct single *s = a, *t = b;
	const int order = by_path(&s->key, &t->key);

	return order ? order : s->is_new - t->is_new;
}

static int singles_by_name(const void *a, const void *b)
{
	const struct single *s = a, *t = b;
	const int order = by_name(&s->key, &t->key);

	return order ? order : s->is_new - t->is_new;
}

static int singles_by_function(const void *a, const void *b)
{
	const struct single *s = a, *t = b;
	const int order = by_function(&s->key, &t->key);

	return order ? order : s->is_new - t->is_new;
}

static void add(struct whr_pairs *p, const struct whr_row *old, const struct whr_row *new)
{
	p->pair[p->n++] = (struct whr_pair){old, new};
}

/* Neighbours of s[0..n), which is sorted by `order`, that are one old and one new of the same name
 * pair. only_alone: if nobody else has the name. Returns how many are left, in s. */
static size_t pair_neighbours(struct whr_pairs *p, struct single *s, size_t n,
			      int order(const struct whr_row *, const struct whr_row *),
			      bool only_alone)
{
	size_t left = 0;

	for (size_t i = 0; i < n;) {
		const bool is_pair = i + 1 < n && !s[i].is_new && s[i + 1].is_new &&
				     !order(&s[i].key, &s[i + 1].key);
		const bool is_alone = (!left || order(&s[left - 1].key, &s[i].key)) &&
				      (i + 2 >= n || order(&s[i].key, &s[i + 2].key));

		if (is_pair && (is_alone || !only_alone)) {
			add(p, s[i].row, s[i + 1].row);
			i += 2;
		} else {
			s[left++] = s[i++];
		}
	}
	return left;
}

/* By function and file, old ones first, then by line. */
static int by_place(const struct whr_row *a, const struct whr_row *b)
{
	const int order = strcmp(a->function, b->function);

	return order ? order : strcmp(last_part(a->file), last_part(b->file));
}

static int singles_by_place(const void *a, const void *b)
{
	const struct single *s = a, *t = b;
	int order = by_place(s->row, t->row);

	order = order ? order : s->is_new - t->is_new;
	return order ? order : s->row->line < t->row->line ? -1 : s->row->line > t->row->line;
}

/* How many of the m new lines are old ones, when they have moved by `by`. Both are in order. */
static size_t n_found(const struct single *old, size_t n, const struct single *new, size_t m,
		      int64_t by)
{
	size_t found = 0, i = 0;

	for (size_t k = 0; k < m; k++) {
		const int64_t line = (int64_t) new[k].row->line - by;

		while (i < n && old[i].row->line < line)
			i++;
		found += i < n && old[i].row->line == line;
	}
	return found;
}

/* Lines of one function in one file move together when something is written above them: by as much
 * as its first line or its last one, where that finds more of them again than their old numbers. */
static void follow_function(struct single *old, size_t n, struct single *new, size_t m)
{
	const int64_t move[] = {0, (int64_t) new[0].row->line - old[0].row->line,
				(int64_t) new[m - 1].row->line - old[n - 1].row->line};
	size_t best = 0, most = 0;

	for (size_t i = 0; i < sizeof(move) / sizeof(move[0]); i++) {
		const size_t found = n_found(old, n, new, m, move[i]);

		if (found > most) {
			most = found;
			best = i;
		}
	}
	for (size_t k = 0; k < m; k++)
		new[k].key.line -= (unsigned)move[best];
}

static void follow_lines(struct single *s, size_t n)
{
	qsort(s, n, sizeof(*s), singles_by_place);
	for (size_t i = 0, first, end; i < n; i = end) {
		for (first = i; first < n && !s[first].is_new && !by_place(s[i].row, s[first].row);)
			first++;
		for (end = first; end < n && s[end].is_new && !by_place(s[i].row, s[end].row);)
			end++;
		if (first > i && end > first)
			follow_function(&s[i], first - i, &s[first], end - first);
	}
}

int whr_pair_up(struct whr_pairs *p, const struct whr_table *old, const struct whr_table *new)
{
	struct single *s = calloc(old->n + new->n + 1, sizeof(*s));
	size_t n = 0;

	memset(p, 0, sizeof(*p));
	p->pair = calloc(old->n + new->n + 1, sizeof(*p->pair));
	if (!s || !p->pair) {
		free(s);
		return -SPMU_ENOMEM;
	}
	for (size_t i = 0; i < old->n; i++)
		s[n++] = (struct single){&old->row[i], old->row[i], false};
	for (size_t i = 0; i < new->n; i++)
		s[n++] = (struct single){&new->row[i], new->row[i], true};
	if (old->by == WHR_LINE)
		follow_lines(s, n);
	qsort(s, n, sizeof(*s), singles_by_path);
	n = pair_neighbours(p, s, n, by_path, false);
	qsort(s, n, sizeof(*s), singles_by_name);
	n = pair_neighbours(p, s, n, by_name, false);
	if (old->by == WHR_FUNCTION) {
		qsort(s, n, sizeof(*s), singles_by_function);
		n = pair_neighbours(p, s, n, by_function, true);
	}
	if (old->by == WHR_FUNCTION || old->by == WHR_LINE) {
		qsort(s, n, sizeof(*s), singles_by_plain);
		n = pair_neighbours(p, s, n, by_plain, true);
	}
	for (size_t i = 0; i < n; i++)
		add(p, s[i].is_new ? NULL : s[i].row, s[i].is_new ? s[i].row : NULL);
	free(s);
	return 0;
}

void whr_pairs_free(struct whr_pairs *p)
{
	free(p->pair);
	memset(p, 0, sizeof(*p));
}

static uint64_t size_of(int64_t n)
{
	return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

static int by_change(const void *a, const void *b, void *event)
{
	const struct whr_pair *s = a, *t = b;
	const uint64_t m = size_of(whr_change(s, *(uint32_t *)event));
	const uint64_t n = size_of(whr_change(t, *(uint32_t *)event));

	if (m != n)
		return m > n ? -1 : 1;
	return by_name(s->new ? s->new : s->old, t->new ? t->new : t->old);
}

void whr_pairs_sort(struct whr_pairs *p, uint32_t event)
{
	qsort_r(p->pair, p->n, sizeof(*p->pair), by_change, &event);
}
