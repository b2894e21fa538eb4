/* text.c -- the growing string: its room at least doubles when it is full. Rules are in text.h.
 */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool has_room(struct text *t, size_t more)
{
	size_t room = t->room ? t->room : 64;
	char *bytes;

	if (t->n + more < t->room)
		return true;
	while (room <= t->n + more)
		room *= 2;
	bytes = realloc(t->bytes, room);
	if (!bytes) {
		t->has_failed = true;
		return false;
	}
	t->bytes = bytes;
	t->room = room;
	return true;
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || t->has_failed || !has_room(t, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(t->bytes + t->n, t->room - t->n, fmt, ap);
	va_end(ap);
	t->n += (size_t)n;
}

const char *text_get(const struct text *t)
{
	return t->bytes ? t->bytes : "";
}

void text_free(struct text *t)
{
	free(t->bytes);
	*t = (struct text){0};
}
