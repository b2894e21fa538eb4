/* wcbuf.c -- byte masks of write-combining buffers. */
#include "model/parts/wcbuf.h"

#include <string.h>

bool wcbuf_write(struct wcbuf *w, int i, unsigned off, unsigned n)
{
	uint64_t *written = w->entry[i].written;
	unsigned full = 0;

	for (unsigned k = off; k < off + n && k < w->line_bytes; k++)
		written[k >> 6] |= 1ull << (k & 63);
	full = (unsigned)(__builtin_popcountll(written[0]) + __builtin_popcountll(written[1]));
	return full == w->line_bytes;
}

unsigned wcbuf_pieces(const struct wcbuf *w, int i)
{
	unsigned pieces = 0;

	for (unsigned k = 0; k < w->line_bytes; k += 8)
		pieces += (w->entry[i].written[k >> 6] >> (k & 63) & 0xff) != 0;
	return pieces;
}

void wcbuf_remove(struct wcbuf *w, int i)
{
	memmove(&w->entry[i], &w->entry[i + 1], (size_t)(w->n - 1 - i) * sizeof(w->entry[0]));
	w->n--;
}
