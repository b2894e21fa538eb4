/* same_file.c -- pairs the sources of two builds. Rules: same_file.h. */
#include "where/same_file.h"

#include <string.h>
#include <stdlib.h>

#include "base/text.h"

#define MOST_FILES 64u /* of one name */

static unsigned common_parts(const char *a, const char *b)
{
	const char *s = a + strlen(a), *t = b + strlen(b);
	unsigned n = 0;

	for (; s > a && t > b && s[-1] == t[-1]; s--, t--)
		n += s[-1] == '/';
	return n + ((s == a || s[-1] == '/') && (t == b || t[-1] == '/'));
}

static int by_file(const void *a, const void *b)
{
	const struct whr_single *s = a, *t = b;
	int order = strcmp(text_last_part(s->row->file), text_last_part(t->row->file));

	order = order ? order : s->is_new - t->is_new;
	return order ? order : strcmp(s->row->file, t->row->file);
}

/* Paths of s[0..n), which are of one side and in order. Returns how many, MOST_FILES at most. */
static size_t paths_of(const struct whr_single *s, size_t n, const char *path[MOST_FILES])
{
	size_t n_path = 0;

	for (size_t i = 0; i < n && n_path < MOST_FILES; i++)
		if (!i || strcmp(s[i].row->file, s[i - 1].row->file))
			path[n_path++] = s[i].row->file;
	return n_path;
}

/* Files of one name: those with the longest ends in common are one, then the next. */
static void pair_files(struct whr_single *old, size_t n, struct whr_single *new, size_t m)
{
	const char *was[MOST_FILES], *is[MOST_FILES];
	size_t n_was = paths_of(old, n, was), n_is = paths_of(new, m, is);

	while (n_was && n_is) {
		size_t at = 0, to = 0;
		unsigned best = 0;

		for (size_t i = 0; i < n_was; i++)
			for (size_t k = 0; k < n_is; k++) {
				const unsigned parts = common_parts(was[i], is[k]);

				if (parts > best) {
					best = parts;
					at = i;
					to = k;
				}
			}
		if (!best)
			return;
		for (size_t k = 0; k < m; k++)
			if (!strcmp(new[k].row->file, is[to]))
				new[k].key.file = was[at];
		was[at] = was[--n_was];
		is[to] = is[--n_is];
	}
}

void whr_follow_files(struct whr_single *s, size_t n)
{
	qsort(s, n, sizeof(*s), by_file);
	for (size_t i = 0, first, end; i < n; i = end) {
		const char *name = text_last_part(s[i].row->file);

		for (first = i; first < n && !s[first].is_new &&
				!strcmp(name, text_last_part(s[first].row->file));)
			first++;
		for (end = first; end < n && !strcmp(name, text_last_part(s[end].row->file));)
			end++;
		pair_files(&s[i], first - i, &s[first], end - first);
	}
}
