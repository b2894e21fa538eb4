/* last_words.c -- copies what the program writes to its outputs into shared memory; only the
 * last bytes stay. Rules: last_words.h. */
#include "guest/calls/last_words.h"

#include "guest/memory/copy.h"
#include "guest/gst.h"

#define MOST_PIECES 1024u /* struct iovec of one call */

static int is_output(uint64_t fd)
{
	return (uint32_t)fd == 1 || (uint32_t)fd == 2;
}

void gst_last_words(struct gst *g, uint64_t fd, uint64_t from, long bytes)
{
	struct shr_words *w = &g->ctl->last_words;
	uint64_t n = bytes > 0 ? (uint64_t)bytes : 0, place;

	if (!n || !is_output(fd))
		return;
	if (n > SHR_WORDS_BYTES) {
		from += n - SHR_WORDS_BYTES;
		n = SHR_WORDS_BYTES;
	}
	place = w->n % SHR_WORDS_BYTES;
	if (n > SHR_WORDS_BYTES - place) {
		const uint64_t first = SHR_WORDS_BYTES - place;

		gst_copy_in(w->text + place, from, first);
		gst_copy_in(w->text, from + first, n - first);
	} else {
		gst_copy_in(w->text + place, from, n);
	}
	w->n += n;
}

void gst_last_words_vector(struct gst *g, uint64_t fd, uint64_t at, uint64_t n, long bytes)
{
	const unsigned word = g->layout.word;

	for (uint64_t i = 0; is_output(fd) && bytes > 0 && i < n && i < MOST_PIECES; i++) {
		const uint64_t piece = at + i * 2 * word;
		uint64_t from = 0, length = 0;

		if (gst_copy_in(&from, piece, word) || gst_copy_in(&length, piece + word, word))
			return;
		if (length > (uint64_t)bytes)
			length = (uint64_t)bytes;
		gst_last_words(g, fd, from, (long)length);
		bytes -= (long)length;
	}
}
