/* ring.h -- parts of ring.c that only the runtime's inner files need. */
#ifndef SOFTPMU_GUEST_RING_H
#define SOFTPMU_GUEST_RING_H

#include <stdint.h>

struct gst;

/* Tell softpmu, if it sleeps, that there is something to do, which was stored sequentially
 * consistent. */
void gst_ring_doorbell(struct gst *g);

/* Processor of the host that this runs on; UINT32_MAX where the kernel does not tell. */
uint32_t gst_host_cpu(void);

/* Where ring.at is, as in shr_ctl.open_chunk. */
uint64_t gst_ring_whole(const struct gst *g);

/* Where translated code stops filling the current chunk. */
uint64_t gst_ring_limit(const struct gst *g);

/* Has translated code done so many elements of REP instructions that the current chunk is to be
 * handed over? */
int gst_ring_is_worked(const struct gst *g);

/* The runtime did n such elements for the program. */
void gst_ring_work(struct gst *g, uint64_t n);

/* No record is here, or no longer. softpmu may be reading. */
void gst_ring_end(uint64_t at);

/* Write TRC_PARTIAL: `insns` instructions of `block` were executed. The values of its record lie
 * behind ring.at, or before it when is_bumped. */
void gst_ring_partial(struct gst *g, uint32_t block, uint32_t insns, int is_bumped);

#endif
