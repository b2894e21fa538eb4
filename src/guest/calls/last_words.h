/* last_words.h -- keeps the last bytes that the program wrote to its outputs. softpmu shows them
 * when the program ends with an error. */
#ifndef SOFTPMU_GUEST_LAST_WORDS_H
#define SOFTPMU_GUEST_LAST_WORDS_H

#include <stdint.h>

struct gst;

/* The kernel took `bytes` (or answered an error below 0) from the buffer at `from` for
 * descriptor fd. Cost: a copy of at most SHR_WORDS_BYTES, for descriptors 1 and 2 alone. */
void gst_last_words(struct gst *g, uint64_t fd, uint64_t from, long bytes);

/* As gst_last_words() for the n buffers of an array of struct iovec, of the program's width, at
 * `at`. */
void gst_last_words_vector(struct gst *g, uint64_t fd, uint64_t at, uint64_t n, long bytes);

#endif
