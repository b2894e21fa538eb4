/* accounts.h -- what a replay keeps apart, as the run's servers do: threads, processes, places
 * (session/serve/birth.h, session/places/places.h). TRC_MEMBER in the streams says when a process
 * begins and ends in the memory of another one.
 *
 * NOT MODELLED   processes that ran beside their parent in its memory: they are counted as their
 *                parent, also with keeps_processes.
 * TRUST          the file is a stranger's: children begin and end in any order, names are bounded.
 */
#ifndef SOFTPMU_SESSION_REPLAY_ACCOUNTS_H
#define SOFTPMU_SESSION_REPLAY_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/replay/marks.h"
#include "session/serve/family.h"
#include "session/serve/serve.h"
#include "session/totals/threads.h"

struct ses_player;
struct ses_part;

/* Processes and threads that are listed, at most. */
#define SES_MOST_ACCOUNTS 65536u

/* What the processes of a replay counted and found, in memory that all of them share: the first one
 * reads it when the others have ended. */
struct ses_account_book {
	uint32_t n; /* messages, also those that found no room */
	struct ses_message message[SES_MOST_ACCOUNTS];
};

/* All zero: nothing is kept. */
struct ses_accounts {
	bool is_wanted;		/* threads, processes or places are */
	bool splits;		/* a vfork child's counts are not its parent's */
	struct ses_member now;	/* the process that is played */
	uint64_t digest;	/* of its inputs, when it has ended */
	struct ses_part *vfork; /* totals when each child in its memory began; owned */
	/* What did not count of them (marks.h), and the account of the parent's thread; owned. */
	struct {
		struct ses_totals off, thread;
		uint32_t thread_number;
	} * vfork_also;
	struct ses_member child[SES_VFORK_MOST];
	uint32_t n_vfork;
	struct ses_account_book *book; /* or NULL */
	struct ses_threads *threads;   /* or NULL */
	struct ses_places *places;     /* or NULL */
	struct ses_marks marks;
};

/* What cfg asks for, when p's models are open. Returns 0, -SPMU_ENOMEM or -SPMU_ESYS;
 * ses_accounts_close() may be called in any case. */
int ses_accounts_open(struct ses_player *p);
void ses_accounts_close(struct ses_player *p);

/* Feed n bytes, which are whole records without marks, to the models and the accounts. Returns as
 * mdl_feed(), or -SPMU_ENOMEM. */
int ses_accounts_feed(struct ses_player *p, const uint8_t *bytes, size_t n);

/* All block ids are void: call it before the model forgets its blocks. */
void ses_accounts_forget(struct ses_player *p);

/* The payload of TRC_MEMBER. Returns 0, -SPMU_EPROTO or -SPMU_ENOMEM. */
int ses_accounts_member(struct ses_player *p, const uint8_t *payload, size_t n);

/* Add a copy of *m to a->book for the first process. Returns 0, or -SPMU_ENOMEM when the book is
 * full. */
int ses_accounts_tell(struct ses_accounts *a, const struct ses_message *m);

/* In a new process of the replay, which plays `child`: p->base becomes what was counted before it.
 */
void ses_accounts_born(struct ses_player *p, uint64_t child);

/* The process has been played: take off *t, its present totals, what does not count. */
void ses_accounts_take_off(struct ses_player *p, struct ses_totals *t);

/* In a process of the replay but the first one: all of it is played, and *part is what it counted;
 * of a region by function what that counted. Returns 0 or -SPMU_ENOMEM. */
int ses_accounts_end(struct ses_player *p, struct ses_part *part);

/* In the first process of the replay, behind all others: lists and places into *out. family:
 * what is known of the other processes; own: what the first one counted.
 * Returns 0 or -SPMU_ENOMEM. */
int ses_accounts_fill(struct ses_player *p, struct ses_family *family, const struct ses_totals *own,
		      struct ses_result *out);

/* With a region by function: *t becomes what that counted. */
void ses_accounts_function(struct ses_player *p, struct ses_totals *t);

/* Put the messages of all processes into *family, which then has their sum. Returns 0, or
 * -SPMU_ENOMEM when there were too many. */
int ses_accounts_hear(const struct ses_player *p, struct ses_family *family);

#endif
