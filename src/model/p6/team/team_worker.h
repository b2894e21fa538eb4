/* team_worker.h -- the threads of a team, and the pieces of the stream that wait for them. For
 * team.c. */
#ifndef SOFTPMU_MODEL_P6_TEAM_WORKER_H
#define SOFTPMU_MODEL_P6_TEAM_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/p6/p6.h"
#include "model/p6/team/sample.h"
#include "model/p6/team/snapshot.h"
#include "model/p6/team/team.h"
#include "model/p6/team/team_walk.h"

#define PIECE_BYTES (256u << 10)

/* Where a stretch begins: the snapshot, and what was met since the worker's last one. */
struct team_start {
	struct p6_snapshot *snapshot;
	uint64_t *page;
	struct team_block *block;
	size_t n_page, n_block;
};

/* Records for a worker. */
struct team_piece {
	struct team_piece *next;
	struct team_start start; /* snapshot NULL: it goes on where it was */
	bool marks;		 /* a unit begins in front of it (sample.h) */
	unsigned logs;		 /* a unit ends behind it that stands for so many; 0: none does */
	uint64_t unit;		 /* the number of that unit's window */
	bool ends; /* the stretch ends behind this piece, and the next one begins at next_pc */
	uint64_t next_pc;
	size_t n, room;
	uint64_t work; /* as of p6_team.handed */
	uint64_t *
	    log; /* words for the records (log.h), and room for P6_LOG_NO_MORE; NULL: none so far */
	size_t n_logged, log_room;
	_Alignas(8) uint8_t bytes[];
};

struct team_worker {
	struct p6_team *team;
	struct p6_system *system;
	struct wires wires;
	pthread_t thread;
	pthread_cond_t wake;
	struct team_piece *first, **last; /* the first is being done */
	size_t queued;			  /* bytes, the heads of pieces among them */
	bool has_thread, shall_end;
	bool has_begun;		     /* it is no machine that was just opened */
	uint64_t first_clk;	     /* where its clocks begin */
	size_t n_page, n_block;	     /* so many pages and blocks it has got from the scout */
	struct sample_mark from, to; /* of the unit under way */
	int rc;
};

struct p6_team {
	struct p6_system *scout;
	struct team_walk walk;
	struct team_sample
	    *sample; /* clocks are estimated; NULL: all are worked out. The lock guards its rows */
	pthread_mutex_t lock;
	pthread_cond_t done;
	size_t queued;
	uint64_t queued_work;
	uint64_t pace; /* nanoseconds of a worker's processor time for 1024 units of work, lately */
	struct team_piece *unused; /* pieces of PIECE_BYTES */
	size_t n_unused;	   /* the bytes that these take */
	/* of the caller alone: */
	struct team_piece *open; /* being filled for worker `now` */
	struct team_worker *worker[MDL_MAX_WORKERS];
	unsigned n, now;
	/* work that was put into pieces: instructions, what REPs moved, and what new blocks make */
	uint64_t handed;
	uint64_t n_new;	     /* instructions of blocks that were new */
	uint64_t piece_work; /* about so much of it goes into a piece; > 0 */
	int rc;
};

static inline struct p6 *team_machine(const struct team_worker *w)
{
	return w->system->cpu[0];
}

/* Free what *s has, not *s; and a list of pieces. */
void team_free_start(struct team_start *s);
void team_free_pieces(struct team_piece *p);

/* A unit begins where w is: note its counts in w->from. w is idle, or this is its own thread.
 * Returns 0 or -SPMU_ENOMEM. */
int team_begin_unit(struct team_worker *w);

/* Have worker w go on from *s, which stays the caller's. w is idle, or this is its own thread.
 * Returns 0 or -SPMU_ENOMEM. */
int team_begin(struct team_worker *w, const struct team_start *s);

/* See to it that t->open has room for n bytes more. A piece that has not goes to its worker, and a
 * new one is opened. Returns 0, -SPMU_ENOMEM, or what went wrong in a worker. */
int team_make_room(struct p6_team *t, size_t n);

/* Put n bytes of records at p into the open piece, which has room for them, and the n_logged words
 * of the log about them. Returns 0 or -SPMU_ENOMEM. */
int team_put(struct p6_team *t, const uint8_t *p, size_t n, const uint64_t *logged,
	     size_t n_logged);

/* All that the scout was fed until now makes so much work: the open piece, which may go to its
 * worker, has what is new. Returns as above. */
int team_put_work(struct p6_team *t, uint64_t work);

/* Hand t->open to the worker whose stretch it is (t->now); t->open is NULL then. Nothing happens
 * without an open piece. Waits while too much is queued. Returns 0 or what went wrong in a worker.
 */
int team_submit(struct p6_team *t);

/* Hand t->open over, and wait until all workers are done with all pieces. Returns as team_submit().
 */
int team_drain(struct p6_team *t);

/* End the thread of w, which has nothing left to do, and wait for its end. The next piece begins
 * another one. */
void team_end_thread(struct team_worker *w);

#endif
