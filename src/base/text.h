/* text.h -- a growing string, for texts that are put together piece by piece.
 *
 * Start with all zero; one text_free() at the end, always allowed. Out of memory is remembered in
 * has_failed and later pieces are dropped, so callers check once.
 */
#ifndef SOFTPMU_BASE_TEXT_H
#define SOFTPMU_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	char *bytes; /* NUL terminated; NULL while empty */
	size_t n;    /* without the NUL */
	size_t room;
	bool has_failed; /* memory ran out somewhere on the way */
};

/* Append, fmt as in printf. */
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The text so far; "" while empty. Owned by t. */
const char *text_get(const struct text *t);

/* The noun that goes with a number: `one` behind 1, else `many`. Returns one of the two. */
static inline const char *text_noun(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

/* The part of a path behind its last slash, or all of it. Points into `path`. */
static inline const char *text_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Give the memory back and start over empty. */
void text_free(struct text *t);

#endif
