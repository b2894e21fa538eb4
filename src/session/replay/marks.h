/* marks.h -- regions in a replay, by the marks of a trace (TRC_REGION): session/serve/regions.h and
 * gate.h have the rules, and what a server does there is done here at the same records.
 *
 * NOT MODELLED   what the program was told about its regions: the recording fixed it.
 * TRUST          the file is a stranger's: regions begin and end in any order, names are bounded.
 */
#ifndef SOFTPMU_SESSION_REPLAY_MARKS_H
#define SOFTPMU_SESSION_REPLAY_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/serve/family.h"
#include "session/serve/regions.h"
#include "session/totals/totals.h"

struct ses_player;

/* All zero: no region is kept, and everything counts. */
struct ses_marks {
	struct ses_regions *regions; /* or NULL; owned */
	bool is_shut;		     /* no thread is in the region that counts */
	struct ses_totals from;	     /* totals when it was last shut */
	struct ses_totals off; /* what was executed while it was shut, up to its last opening */
	bool is_lost;	       /* memory was missing */
};

/* What cfg asks for, when p's accounts are open. Returns 0 or -SPMU_ENOMEM; ses_marks_close() may
 * be called in any case. */
int ses_marks_open(struct ses_player *p);
void ses_marks_close(struct ses_player *p);

/* The payload of TRC_REGION. Returns 0, -SPMU_EPROTO or -SPMU_ENOMEM. */
int ses_marks_region(struct ses_player *p, const uint8_t *payload, size_t n);

/* The thread runs now: what is counted from here on counts, or does not, as it wants. */
void ses_marks_follow(struct ses_player *p, uint32_t thread);

/* In a process that is new, whose base and accounts are; was_vfork: it executes a program. */
void ses_marks_born(struct ses_player *p, bool was_vfork);

/* The process executes another program. Returns 0 or -SPMU_ENOMEM. */
int ses_marks_replaced(struct ses_player *p);

/* *off becomes what does not count of the present totals *now. */
void ses_marks_off(const struct ses_player *p, const struct ses_totals *now,
		   struct ses_totals *off);

/* Tell the first process of the replay about the regions, by messages with the members of *m.
 * Returns 0 or -SPMU_ENOMEM. */
int ses_marks_tell(const struct ses_player *p, struct ses_message *m);

#endif
