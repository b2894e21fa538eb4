/* digest.h -- the running hash over the program's input (shr_ctl.input_digest), FNV-1a by words.
 * Runs whose digests differ had different input. */
#ifndef SOFTPMU_GUEST_DIGEST_H
#define SOFTPMU_GUEST_DIGEST_H

#include <stdint.h>

struct gst;

/* Set the hash to its beginning: a process starts, or is forked. */
void gst_digest_start(struct gst *g);

/* Add a word. */
void gst_digest_word(struct gst *g, uint64_t word);

/* Add memory of the program, up to the first part that cannot be read. Cost: 1 ns per 8 bytes. */
void gst_digest_memory(struct gst *g, uint64_t at, uint64_t bytes);

#endif
