/* digest.h -- the running hash over what came into the program from outside (FNV-1a by words). */
#ifndef SOFTPMU_GUEST_DIGEST_H
#define SOFTPMU_GUEST_DIGEST_H

#include <stdint.h>

struct gst;

void gst_digest_start(struct gst *g);
void gst_digest_word(struct gst *g, uint64_t word);

/* Memory of the program; what cannot be read does not count. Cost: 1 ns per 8 bytes. */
void gst_digest_memory(struct gst *g, uint64_t at, uint64_t bytes);

#endif
