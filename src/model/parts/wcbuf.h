/* wcbuf.h -- write-combining buffers: lines gathered by weakly ordered stores.
 *
 * Used by p6/dcu. A buffer holds one line and a mask of its written bytes; the caller turns a
 * buffer that leaves into bus transactions.
 *
 * COUNTING RULES   a buffer leaves when all its bytes are written (full), or earlier (partial):
 *                  when a new line needs a buffer (the oldest goes), at a fence, a locked or
 *                  serialising instruction, when an ordinary access misses L1D on its line, or when
 *                  the program ends.
 * NOT MODELLED     buffers demanded by line fills (needs time).
 */
#ifndef SOFTPMU_MODEL_PARTS_WCBUF_H
#define SOFTPMU_MODEL_PARTS_WCBUF_H

#include <stdbool.h>
#include <stdint.h>

#define WCBUF_MAX 8u

struct wcbuf_entry {
	uint64_t line;	     /* linear line number */
	uint64_t written[2]; /* bit per byte, lines of up to 128 bytes */
};

/* A line has one buffer at most: the caller asks wcbuf_find() before it takes a new one, whose
 * `written` it sets to 0. */
struct wcbuf {
	struct wcbuf_entry entry[WCBUF_MAX]; /* oldest first */
	uint8_t n, size;		     /* in use; available (1..WCBUF_MAX) */
	uint16_t line_bytes;
};

/* Index of the buffer of `line`, or -1. */
static inline int wcbuf_find(const struct wcbuf *w, uint64_t line)
{
	for (int i = 0; i < w->n; i++)
		if (w->entry[i].line == line)
			return i;
	return -1;
}

/* Write bytes [off, off + n) of buffer i, which is in use; what lies beyond the line is left out.
 * Returns true when the line is complete now: the caller empties it then, or it would leave as a
 * partial one. */
bool wcbuf_write(struct wcbuf *w, int i, unsigned off, unsigned n);

/* Number of aligned 8-byte pieces of buffer i with a written byte. */
unsigned wcbuf_pieces(const struct wcbuf *w, int i);

/* Take buffer i out, after its bytes are on the bus: what it held is gone. Those behind it move
 * down by one, so that the oldest stays number 0. */
void wcbuf_remove(struct wcbuf *w, int i);

#endif
