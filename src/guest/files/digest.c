/* digest.c -- computes the running hash over the program's input, a word of 64 bits at a time.
 *
 * SOURCES   Fowler, Noll, Vo: FNV-1a, 64 bits; here a word at a time instead of a byte. */
#include "guest/files/digest.h"

#include "guest/memory/copy.h"
#include "guest/gst.h"

#define FNV_BASIS 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull

void gst_digest_start(struct gst *g)
{
	g->ctl->input_digest = FNV_BASIS;
}

void gst_digest_word(struct gst *g, uint64_t word)
{
	g->ctl->input_digest = (g->ctl->input_digest ^ word) * FNV_PRIME;
}

void gst_digest_memory(struct gst *g, uint64_t at, uint64_t bytes)
{
	uint64_t buf[64];

	while (bytes) {
		uint64_t n = bytes < sizeof(buf) ? bytes : sizeof(buf);

		buf[(n - 1) / 8] = 0;
		if (gst_copy_in(buf, at, n))
			return;
		for (uint64_t i = 0; i < (n + 7) / 8; i++)
			gst_digest_word(g, buf[i]);
		at += n;
		bytes -= n;
	}
}
