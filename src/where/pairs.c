/* pairs.c -- pairs rows of two tables in turns, from exact names to parts. Rules: pairs.h. */
#include "where/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/function_name.h"
#include "base/text.h"
#include "where/follow.h"

static int by_function(const struct whr_row *a, const struct whr_row *b)
{
	const int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->process, b->process);
}

static int by_name(const struct whr_row *a, const struct whr_row *b)
{
	int order = by_function(a, b);

	order = order ? order : strcmp(text_last_part(a->file), text_last_part(b->file));
	order = order ? order : strcmp(text_last_part(a->object), text_last_part(b->object));
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
	order = order ? order : strcmp(text_last_part(a->file), text_last_part(b->file));
	return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static int singles_by_plain(const void *a, const void *b)
{
	const struct whr_single *s = a, *t = b;
	const int order = by_plain(&s->key, &t->key);

	return order ? order : s->is_new - t->is_new;
}

static int singles_by_path(const void *a, const void *b)
{
	const struct whr_single *s = a, *t = b;
	const int order = by_path(&s->key, &t->key);

	return order ? order : s->is_new - t->is_new;
}

static int singles_by_name(const void *a, const void *b)
{
	const struct whr_single *s = a, *t = b;
	const int order = by_name(&s->key, &t->key);

	return order ? order : s->is_new - t->is_new;
}

static int singles_by_function(const void *a, const void *b)
{
	const struct whr_single *s = a, *t = b;
	const int order = by_function(&s->key, &t->key);

	return order ? order : s->is_new - t->is_new;
}

static void add(struct whr_pairs *p, const struct whr_row *old, const struct whr_row *new)
{
	p->pair[p->n++] = (struct whr_pair){old, new};
}

/* Neighbours of s[0..n), which is sorted by `order`, that are one old and one new of the same name
 * pair. only_alone: if nobody else has the name. Returns how many are left, in s. */
static size_t pair_neighbours(struct whr_pairs *p, struct whr_single *s, size_t n,
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

/* Pair s[0..n) in turns. Returns how many are left, in s. */
static size_t pair_in_turns(struct whr_pairs *p, struct whr_single *s, size_t n, enum whr_by by)
{
	qsort(s, n, sizeof(*s), singles_by_path);
	n = pair_neighbours(p, s, n, by_path, false);
	qsort(s, n, sizeof(*s), singles_by_name);
	n = pair_neighbours(p, s, n, by_name, false);
	if (by == WHR_FUNCTION) {
		qsort(s, n, sizeof(*s), singles_by_function);
		n = pair_neighbours(p, s, n, by_function, true);
	}
	if (by == WHR_FUNCTION || by == WHR_LINE) {
		qsort(s, n, sizeof(*s), singles_by_plain);
		n = pair_neighbours(p, s, n, by_plain, true);
	}
	return n;
}

int whr_pair_up(struct whr_pairs *p, const struct whr_table *old, const struct whr_table *new,
		const struct whr_names *names)
{
	struct whr_single *s = calloc(old->n + new->n + 1, sizeof(*s));
	size_t n = 0;
	int rc;

	memset(p, 0, sizeof(*p));
	p->pair = calloc(old->n + new->n + 1, sizeof(*p->pair));
	for (size_t i = 0; i < old->n && s; i++)
		s[n++] = (struct whr_single){&old->row[i], old->row[i], false};
	for (size_t i = 0; i < new->n &&s; i++) {
		const struct whr_called *was = whr_names_old(names, &new->row[i]);

		s[n] = (struct whr_single){&new->row[i], new->row[i], true};
		s[n++].key.function = was ? was->old : new->row[i].function;
	}
	rc = s && p->pair ? 0 : -SPMU_ENOMEM;
	if (!rc && old->by == WHR_LINE)
		rc = whr_follow_lines(s, n, old->n_event);
	n = rc ? 0 : pair_in_turns(p, s, n, old->by);
	for (size_t i = 0; i < n; i++)
		add(p, s[i].is_new ? NULL : s[i].row, s[i].is_new ? s[i].row : NULL);
	free(s);
	return rc;
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
