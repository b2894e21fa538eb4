/* tags.c -- writes and reads tags. Rules: tags.h. */
#include "sweep/tags.h"

#include <stdlib.h>
#include <string.h>

static int rank(const char *name)
{
	return !strcmp(name, "program") ? 0 : !strcmp(name, "cpu") ? 1 : 2;
}

int swp_tag_order(const char *a, const char *b)
{
	const int x = rank(a), y = rank(b);

	return x != y ? x - y : strcmp(a, b);
}

static int by_order(const void *a, const void *b)
{
	return swp_tag_order(((const struct swp_tag *)a)->name, ((const struct swp_tag *)b)->name);
}

void swp_tags_write(struct swp_tag *tag, size_t n, struct text *out)
{
	size_t from;

	qsort(tag, n, sizeof(*tag), by_order);
	for (size_t i = 0; i < n; i++) {
		from = out->n;
		text_printf(out, "%s=%s", tag[i].name, tag[i].value);
		for (; !out->has_failed && from < out->n; from++)
			if ((unsigned char)out->bytes[from] < 0x20 || out->bytes[from] == 0x7f)
				out->bytes[from] = '?';
		text_printf(out, "\n");
	}
}

int swp_tags_next(const char **at, struct swp_span *name, struct swp_span *value)
{
	const size_t n = strcspn(*at, "\n");

	if (!**at)
		return 0;
	name->at = *at;
	name->n = strcspn(*at, "=\n");
	value->at = name->at + name->n + (name->n < n);
	value->n = (size_t)(*at + n - value->at);
	*at += n + ((*at)[n] != 0);
	return 1;
}
