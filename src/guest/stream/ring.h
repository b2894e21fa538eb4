/* ring.h -- parts of ring.c that few files of the runtime need; the others are in gst.h. */
#ifndef SOFTPMU_GUEST_RING_H
#define SOFTPMU_GUEST_RING_H

#include <stdint.h>

struct gst;

/* Wake softpmu if it sleeps, because there is something to do. The caller has stored it
 * sequentially consistent. */
void gst_ring_doorbell(struct gst *g);

/* Processor of the host that this runs on; UINT32_MAX if the kernel does not show it. */
uint32_t gst_host_cpu(void);

/* Where ring.at is, as in shr_ctl.open_chunk. */
uint64_t gst_ring_whole(const struct gst *g);

/* Where translated code stops filling the current chunk. */
uint64_t gst_ring_limit(const struct gst *g);

/* Returns 1 if translated code has done so many elements of REP instructions that the current chunk
 * must be handed over. */
int gst_ring_is_worked(const struct gst *g);

/* Count n elements of REP instructions that the runtime did for the program. */
void gst_ring_work(struct gst *g, uint64_t n);

/* Write the mark "no record" at `at`, where softpmu may be reading. */
void gst_ring_end(uint64_t at);

/* Write TRC_PARTIAL: `insns` instructions of `block` were executed. The values of its record lie
 * behind ring.at, or before it when is_bumped. */
void gst_ring_partial(struct gst *g, uint32_t block, uint32_t insns, int is_bumped);

#endif
