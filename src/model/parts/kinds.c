/* kinds.c -- names against lists of names. */
#include "model/parts/kinds.h"

#include <string.h>

/* Does `name` match the pattern of n characters, in which one * stands for any text? */
static bool matches(const char *pattern, size_t n, const char *name)
{
	const char *star = memchr(pattern, '*', n);
	size_t before, after, length = strlen(name);

	if (!star)
		return length == n && !memcmp(pattern, name, n);
	before = (size_t)(star - pattern);
	after = n - before - 1;
	return length >= before + after && !memcmp(pattern, name, before) &&
	       !memcmp(star + 1, name + length - after, after);
}

bool kinds_is_among(const char *names, const char *name)
{
	for (const char *p = names; *p;) {
		const size_t n = strcspn(p, " ");

		if (n && matches(p, n, name))
			return true;
		p += n;
		p += *p == ' ';
	}
	return false;
}

uint32_t kinds_of(const struct kind_row *row, size_t n, const char *name)
{
	uint32_t kinds = 0;

	/* "padd*" must not take the class again from a row above */
	for (size_t i = 0; i < n; i++)
		if (!(kinds & row[i].kinds) && kinds_is_among(row[i].names, name))
			kinds |= row[i].kinds;
	return kinds;
}
