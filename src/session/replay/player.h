/* player.h -- what plays a trace: a replay goes the way of the run that was recorded.
 *
 * There is one model for each process, and where a server forked for a new process, the replay
 * forks, too, so the child's model starts as a copy of its parent's. Each process writes its totals
 * into its own place in shared memory. The model is asked to finish where the run's was, because
 * that ends groups of instructions that would have gone on.
 *
 * Several machines are shared out among as many processes as this one may use processors: each
 * reads the whole file and counts for its share of them, so no share waits for another.
 *
 * TRUST    The file is a stranger's: block ids must ascend by one, each block is decoded anew from
 *          its code, a process plays once, and a process has at least one frame.
 */
#ifndef SOFTPMU_SESSION_PLAYER_H
#define SOFTPMU_SESSION_PLAYER_H

#include <sys/types.h>

#include "model/ask.h"
#include "session/files/trace_facts.h"
#include "session/files/trace_read.h"
#include "session/replay/accounts.h"
#include "session/session.h"
#include "session/totals/totals.h"
#include "x86/build.h"

#define SES_MOST_MACHINES (1u + SES_MORE_COLUMNS)
#define SES_MOST_SHARES	  SES_MOST_MACHINES

/* What one process of the run counted, by one share of the machines; in shared memory. Machine 0's
 * wires are in totals, those of machine k, cfg->column[k - 1], in more[k - 1]. */
struct ses_part {
	int32_t rc;	   /* 0, or why its records could not be counted to the end */
	uint32_t is_taken; /* somebody plays it, or has played it */
	struct ses_totals totals;
	uint64_t more[SES_MORE_COLUMNS][WIRE_N];
};

/* What the shares report to the first one, in shared memory. */
struct ses_told {
	struct {
		int32_t rc; /* 0, or why its models could not be opened: err */
		struct spmu_error err;
	} share[SES_MOST_SHARES];
	uint8_t driven[SES_MOST_MACHINES][WIRE_N];
};

/* Threads that are in a region at one time, at most. */
#define SES_MOST_IN_REGION 1024u

struct ses_in_region {
	uint32_t n, thread[SES_MOST_IN_REGION];
};

/* A range by marks (cfg->from_mark, cfg->to_mark). */
struct ses_ends {
	bool has_begun;		       /* also where it begins by an instruction, or at once */
	bool is_late;		       /* it begins behind its end */
	uint64_t n_begin, n_end;       /* times that the two regions began and ended */
	struct ses_in_region from, to; /* who is in them */
	char met[256];		       /* names of the regions so far */
};

struct ses_player {
	const struct ses_config *cfg;
	const char *path;
	struct ses_trace_in in;
	struct ses_trace_facts facts;
	struct x86_store *store;
	struct x86_builder *builder;
	struct wires *wires[SES_MOST_MACHINES]; /* NULL: another share counts for it; owned */
	struct mdl *model;			/* of this share's machines */
	size_t share, n_share;
	pid_t sharer[SES_MOST_SHARES]; /* the first share's: the processes of the others */
	struct ses_told *told;
	struct ses_part *parts; /* n_share times one for each process of the file */
	struct ses_part *part;	/* those of this share */
	struct ses_part *base; /* what was counted when this process was born, or the range began */
	/* A range of the program's instructions (cfg->from_insn): how many it has executed, and how
	 * many it will have at the next of the two ends. Without a range nothing is next. */
	uint64_t position, next_end;
	bool is_over; /* the range has ended: own totals hold what it counted */
	struct ses_ends ends;
	struct ses_accounts accounts;
	struct ses_guess *guess;
	struct ses_trace_reading reading[2]; /* the frame that is counted, and the next one */
	bool may_fork;			     /* nothing is read meanwhile */
	uint32_t n_playing;		     /* children that were not waited for */
	struct spmu_error *err;
};

/* ---- parts.c: what processes and shares counted ---------------------------------------------- */

/* Returns how many machines there are in all shares. */
size_t ses_player_machines(const struct ses_player *p);

/* Copy into *to what stands on the wires of this share's machines. */
void ses_part_copy(const struct ses_player *p, struct ses_part *to);

/* Copy into *to what stands on the wires of machine 0, when it is this share's. */
void ses_part_totals(const struct ses_player *p, struct ses_totals *to);

/* Finish the models, and copy into *to what they have counted since they were opened. */
void ses_part_take(struct ses_player *p, struct ses_part *to);

/* *part -= *base. */
void ses_part_subtract(const struct ses_player *p, struct ses_part *part,
		       const struct ses_part *base);

/* *part += *more. */
void ses_part_add(const struct ses_player *p, struct ses_part *part, const struct ses_part *more);

/* Add to *others what the processes of the run counted, but for this one, and to more[] what all of
 * them have of machines 1 and on. */
void ses_parts_add_up(const struct ses_player *p, struct ses_totals *others,
		      uint64_t (*more)[WIRE_N]);

/* ---- blocks.c -------------------------------------------------------------------------------- */

/* Add the block of a TRC_BLOCK payload to the store. Returns 0, -SPMU_EPROTO or -SPMU_ENOMEM. */
int ses_player_block(struct ses_player *p, const uint8_t *bytes, uint32_t size);

/* ---- range.c: --from and --to ---------------------------------------------------------------- */

bool ses_player_has_range(const struct ses_player *p);

/* Feed n bytes, which are whole records without marks, up to the end of the range; without one all.
 * Returns as mdl_feed(). */
int ses_player_feed(struct ses_player *p, const uint8_t *bytes, size_t n);

/* ---- ends.c: --from and --to by marks -------------------------------------------------------- */

bool ses_player_has_marks(const struct ses_config *cfg);

/* All records up to here have been fed; the thread does `what` to the region of that name. */
void ses_player_mark(struct ses_player *p, enum req_region what, uint32_t thread, const char *name);

/* The process executes another program: no thread is in a region. */
void ses_player_mark_none(struct ses_player *p);

/* Behind the last record: say which mark was never there. Returns 0 or the error. */
int ses_player_judge_marks(const struct ses_player *p);

/* ---- play.c ---------------------------------------------------------------------------------- */

/* Count all records of a process, which was born under this number; processes that it starts are
 * played beside it. Returns 0, -SPMU_EPROTO, -SPMU_ENOMEM or -SPMU_ESYS. The caller waits for the
 * p->n_playing children that are left (ses_player_await()). */
int ses_player_play(struct ses_player *p, uint64_t process);

/* Wait for a child that plays a process of the run. */
void ses_player_await(struct ses_player *p);

/* ---- shares.c -------------------------------------------------------------------------------- */

/* Returns into how many shares the machines are divided: as many as there are processors of the
 * host that this process may use, if there are so many machines. */
size_t ses_player_n_share(const struct ses_player *p);

/* Open the machines of all shares and count with them, the first share here, the others in
 * processes of their own. Returns 0, or the code of a sentence in p->err why machines could not be
 * opened; what came of the records is in p->parts. */
int ses_player_shares(struct ses_player *p, int tier);

#endif
