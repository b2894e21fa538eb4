/* ring.h -- softpmu's side of the shared memory that the plugin writes (stream.h).
 *
 * TRUST            what QEMU writes is read once and checked: counters that run away, sizes beyond
 *                  a chunk. Words of a chunk may change while they are read; whoever reads one
 *                  twice copies it first.
 */
#ifndef SOFTPMU_BARE_RING_H
#define SOFTPMU_BARE_RING_H

#include <stddef.h>

#include "base/error.h"
#include "bare/stream.h"

struct bare_ring {
	int fd; /* of the memory, -1: none */
	struct bare_share *share;
	uint64_t *copy; /* BARE_CHUNK_WORDS; owned */
	uint32_t consumed;
	uint32_t answers; /* that were given */
};

/* Make the memory. Returns 0, or -SPMU_ESYS or -SPMU_ENOMEM with a sentence. The caller calls
 * bare_ring_close() in either case. */
int bare_ring_open(struct bare_ring *r, struct spmu_error *err);
void bare_ring_close(struct bare_ring *r);

/* Wait up to `ms` milliseconds for a chunk. Returns 1 with its words, valid until the next call; 0
 * when none came, or a signal did; -SPMU_EPROTO when the counters make no sense. */
int bare_ring_next(struct bare_ring *r, unsigned ms, const uint64_t **word, size_t *n);

/* Answer the question that was read last. look_in: as in stream.h. */
void bare_ring_answer(struct bare_ring *r, enum bare_answer answer, uint64_t value,
		      uint64_t look_in);

/* Read no more: the plugin does not wait any longer. */
void bare_ring_stop(struct bare_ring *r);

#endif
