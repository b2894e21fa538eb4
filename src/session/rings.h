/* rings.h -- user mode and kernel mode of a machine.
 *
 * COUNTING RULES   with a QEMU that tells the privilege level, an instruction at level 0 is the
 *                  kernel's on a P6, at 0 to 2 on a Pentium; others are the user's (USR and OS of
 *                  PerfEvtSel, CC of CESR). Without one, where Linux runs: an instruction at the
 *                  kernel's addresses is the kernel's, one below them the user's, once the kernel
 *                  runs at its own addresses; until then all is the kernel's. So it is with
 *                  instructions that the decoder does not know. What no instruction caused (a
 *                  delivery of an interrupt, say) is the kernel's.
 * TWO WAYS         By ledger: each count belongs to the mode of the instruction that owns it. By
 *                  time, where no clocks and no accounts by place are wanted and the level is
 *                  known: what blocks count by being executed belongs to their level, the rest to
 *                  the level at which it comes. A boot takes half the time that way; tests/bare/
 *                  record.sh holds the two to each other, for every event.
 * NOT MODELLED     conditions in single clocks (counter masks, edges) of one mode; other systems.
 */
#ifndef SOFTPMU_SESSION_RINGS_H
#define SOFTPMU_SESSION_RINGS_H

#include "bare/blocks.h"
#include "session/places/places.h"
#include "session/session.h"

struct ses_rings {
	uint64_t base;	     /* where the kernel's addresses begin; 0: modes are not told apart */
	bool is_up;	     /* the kernel runs there */
	bool has_levels;     /* blocks know their privilege levels */
	uint8_t least_level; /* from this one on they are the user's */
	const struct bare_blocks *blocks; /* borrowed */
	/* with accounts by place, which then hand out what the ledger has (ses_rings_modes()), or
	 * NULL; borrowed */
	struct ses_places *places;
	uint64_t user[WIRE_N]; /* what user mode raised */

	/* modes are told apart by time: no ledger is kept, and who feeds the model calls
	 * ses_rings_change() */
	bool is_by_time;
	bool is_users;		       /* user mode runs */
	const struct wires *wires;     /* of the model; borrowed */
	const struct x86_store *store; /* where its blocks are; borrowed */
	uint64_t last[WIRE_N]; /* the totals without executions, when they were looked at last */
	/* user mode's part of those, and of the executions of blocks that are forgotten */
	uint64_t rest[WIRE_N];
};

/* Does an event of cfg name one of the modes? */
bool ses_rings_are_wanted(const struct ses_config *cfg);

/* Are the modes told apart? Else their events are not modelled. */
bool ses_rings_are_known(const struct ses_rings *r);

/* How r tells the modes apart, for ses_places_open(). */
struct ses_places_modes ses_rings_modes(struct ses_rings *r);

/* Does the mode change here, by what bare_listener.ring says? What the change itself counts is the
 * kernel's, whichever way it goes. */
bool ses_rings_changes(const struct ses_rings *r, uint8_t ring, bool is_over);

/* The mode changes. m was fed all that ran before. Cost: WIRE_N additions. */
void ses_rings_change(struct ses_rings *r, struct mdl *m);

/* To be called before and after mdl_forget_blocks(): r keeps what those blocks counted. The first
 * returns as ses_rings_take(). */
int ses_rings_before_forget(struct ses_rings *r, struct mdl *m);
void ses_rings_after_forget(struct ses_rings *r, struct mdl *m);

/* Take what m, whose ledger is kept unless is_by_time, has counted since the last time; all its
 * totals are on its wires afterwards. Returns as mdl_take_ledger(). Cost: a walk over all blocks.
 */
int ses_rings_take(struct ses_rings *r, struct mdl *m);

/* Put the counts of events that name one mode into result->count. w: the totals of both, which
 * `r` does not lag behind. Returns 0 or -SPMU_ENOMEM. */
int ses_rings_count(const struct ses_rings *r, const struct ses_config *cfg, const struct wires *w,
		    struct ses_result *result);

#endif
