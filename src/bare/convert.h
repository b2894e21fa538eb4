/* convert.h -- from the plugin's stream to records (trace/record.h).
 *
 * COUNTING RULES   an instruction is executed when the stretch went on behind it, or when it was
 *                  the last one of the stretch and made all of its accesses; one that faults is
 *                  not, and counts when it is begun again. All turns of a REP that follow each
 *                  other are one record; an interrupt between two of them makes two.
 * MODELLED         conditional branches in front of an interrupt go where they went last time:
 *                  where they would have gone now is not known.
 * NOT MODELLED     what an interrupt or a fault pushes, and what it reads of tables; see records.h.
 * TRUST            every word is checked; see stream.h.
 */
#ifndef SOFTPMU_BARE_CONVERT_H
#define SOFTPMU_BARE_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bare/blocks.h"

/* The turns of one REP instruction so far. */
struct bare_rep {
	uint32_t block; /* BARE_NO_BLOCK: there is none */
	uint32_t pc;
	uint64_t n;
	uint32_t source, destination;
	int8_t df; /* -1: not known yet */
	uint8_t n_slot, slot_count, slot_source, slot_destination;
};

/* What the stream says besides code. */
struct bare_listener {
	/* text of the console; returns true when the run is to end there */
	bool (*console)(void *ctx, const char *text, size_t n);
	/* a question about counters, which QEMU waits for; what ran before it is in c->out.
	 * Returns 0 or an error, which bare_convert() returns */
	int (*ask)(void *ctx, const struct bare_ask *question);
	/* The privilege level becomes `ring`; what ran before is in c->out. It is called in front
	 * of the records of the change (a delivery, TRC_RING) with is_over false, perhaps several
	 * times, and behind them with true. Returns 0 or an error, which bare_convert() returns.
	 * NULL: nothing is called. */
	int (*ring)(void *ctx, uint8_t ring, bool is_over);
	void *ctx;
};

struct bare_convert {
	struct bare_blocks *blocks;
	struct x86_store *store;
	struct bare_listener listener;
	/* what ran before start_pc was reached first does not count; at stop_pc, unless it is 0,
	 * the stream ends */
	uint32_t start_pc, stop_pc;
	uint32_t high_pc; /* is_high is set when code at this address or above runs; 0: never */
	bool has_started, has_ended, is_idle, is_high;
	uint64_t *last; /* the last run, a copy; owned */
	size_t n_last, room_last;
	int8_t df;		 /* direction flag as the model knows it */
	bool has_deliveries;	 /* the plugin tells of interrupts */
	bool is_interrupted;	 /* an interrupt is accepted in front of the next run */
	uint8_t ring, next_ring; /* privilege level of the last run; of the one that begins */
	uint32_t mask, mask_put; /* payload of the last BARE_MASK; what the model knows of it */
	/* records about pages; with is_flushed they come behind those of the last run. owned */
	uint8_t *held;
	size_t n_held, room_held;
	bool is_flushed;
	uint32_t last_pc; /* where the last run began */
	struct bare_rep rep;
	uint8_t *out; /* records; owned. The caller takes them and sets n_out to 0 */
	size_t n_out, room_out;
	size_t n_done; /* words of the chunk that are done; 0: all */
};

/* Returns 0 or -SPMU_ENOMEM. The caller calls bare_convert_close() in either case. */
int bare_convert_open(struct bare_convert *c, struct x86_store *store);
void bare_convert_close(struct bare_convert *c);

/* Convert the words of one chunk into c->out. Returns 0; -SPMU_EPROTO; -SPMU_ENOMEM; 1 when the
 * store is full: the caller feeds c->out, clears the store, calls bare_blocks_forget() and
 * bare_convert() again with the same words, which goes on where it stopped. */
int bare_convert(struct bare_convert *c, const uint64_t *word, size_t n);

/* The stream has ended: convert what waits. Returns as bare_convert(). */
int bare_convert_end(struct bare_convert *c);

#endif
