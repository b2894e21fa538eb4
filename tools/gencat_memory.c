/* gencat_memory.c -- memory of one run: everything lives until the end, then goes at once. */
#include "gencat.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct chunk {
	struct chunk *next;
	max_align_t data[];
};

static struct chunk *all;

void *gen_alloc(size_t bytes)
{
	struct chunk *c = calloc(1, sizeof *c + bytes);

	if (!c) {
		fprintf(stderr, "gencat: out of memory\n");
		exit(1);
	}
	c->next = all;
	all = c;
	return c->data;
}

void gen_free_all(void)
{
	while (all) {
		struct chunk *next = all->next;

		free(all);
		all = next;
	}
}

char *gen_printf(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	char *s = gen_alloc((size_t)n + 1);
	va_start(ap, format);
	vsnprintf(s, (size_t)n + 1, format, ap);
	va_end(ap);
	return s;
}
