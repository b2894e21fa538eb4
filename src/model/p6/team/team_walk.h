/* team_walk.h -- a walk over the heads of records, ahead of a team: where stretches end, and which
 * blocks are new.
 *
 * COUNTING RULES   as time_feed.c counts instructions of records, and stretch.c ends stretches.
 * TRUST            records that cannot be are left to the scout, which says so.
 */
#ifndef SOFTPMU_MODEL_P6_TEAM_WALK_H
#define SOFTPMU_MODEL_P6_TEAM_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct x86_store;

/* A block that was met, and what p6_bogus_of() said of it then. */
struct team_block {
	uint64_t bogus;
	uint32_t id;
};

struct team_walk {
	const struct x86_store *store;
	uint8_t *insns; /* by block id: its instructions, with TEAM_BRANCH; 0: it was not met */
	struct team_block *block; /* those met, in order */
	size_t n_block, room;
	uint64_t stretch_end; /* instructions */
	unsigned stretch_log2;
	bool is_due;	  /* a block behind which the stretch may end came last */
	bool is_exec;	  /* TEAM_EXEC was returned, and the TRC_EXEC is still the next record */
	uint32_t new_id;  /* with TEAM_BLOCK */
	uint64_t next_pc; /* with TEAM_STRETCH: of the block that begins the next one */
};

enum team_stop {
	TEAM_ALL,     /* that was all */
	TEAM_STRETCH, /* a stretch ends there: team_walk_begin() follows */
	/* the next record's block is new: team_walk_meet() follows, when what is before it is
	 * done */
	TEAM_BLOCK,
	TEAM_EXEC, /* a TRC_EXEC is the next record */
};

/* Returns 0 or -SPMU_ENOMEM; team_walk_close() may be called in any case. */
int team_walk_open(struct team_walk *w, const struct x86_store *store, unsigned stretch_log2);
void team_walk_close(struct team_walk *w);

/* Walk over records [p, end), of which the first follows n_insn instructions of the program.
 * Returns where the walk stopped, and sets *stop to why: TEAM_ALL at `end`, or what the caller must
 * do before the record there is done. */
const uint8_t *team_walk(struct team_walk *w, uint64_t n_insn, const uint8_t *p, const uint8_t *end,
			 enum team_stop *stop);

/* The caller did records itself, all of blocks that were met. The last one was of block `id`;
 * n_insn instructions of the program are done. */
void team_walk_pass(struct team_walk *w, uint32_t id, uint64_t n_insn);

/* The next stretch begins behind n_insn instructions of the program; it ends at the next multiple
 * of 2^stretch_log2. */
void team_walk_begin(struct team_walk *w, uint64_t n_insn);

/* The next stretch begins, and ends behind the first branch after stretch_end instructions of the
 * program. */
void team_walk_until(struct team_walk *w, uint64_t stretch_end);

/* Block w->new_id is met from now on; bogus: what p6_bogus_of() says of it. Call it behind
 * TEAM_BLOCK, before the walk goes on. Returns 0 or -SPMU_ENOMEM. */
int team_walk_meet(struct team_walk *w, uint64_t bogus);

/* Block ids are void. */
void team_walk_forget(struct team_walk *w);

#endif
