/* threads.h -- the counts of each thread of a process.
 *
 * The stream says which thread the next records belong to (TRC_THREAD). Between two such events the
 * totals on the wires grow by what this thread counted. This needs a record stream: block counters
 * cannot tell threads apart.
 *
 * COUNTING RULES   all threads share one machine: a line that one thread evicts is missed by the
 *                  thread that needs it next. The sum over the threads is the total.
 */
#ifndef SOFTPMU_SESSION_THREADS_H
#define SOFTPMU_SESSION_THREADS_H

#include "model/model.h"
#include "session/session.h"
#include "session/totals/totals.h"

/* Threads with an account of their own; those born later share the last one. */
#define SES_MOST_THREADS 4096u

struct ses_threads;

/* Accounts over model m, which raises the totals of w; both borrowed. Returns 0 or -SPMU_ENOMEM. */
int ses_threads_open(struct mdl *m, const struct wires *w, struct ses_threads **out);
void ses_threads_close(struct ses_threads *t);

/* Call changed(ctx, thread) whenever another thread runs from here on, when all that was counted
 * until then is in the totals. */
void ses_threads_watch(struct ses_threads *t, void (*changed)(void *ctx, uint32_t thread),
		       void *ctx);

/* As mdl_feed() for whole records, and keep the accounts. Returns as mdl_feed(), or -SPMU_ENOMEM.
 * Cost: a walk over the records, and an mdl_finish() per change of thread. */
int ses_threads_feed(struct ses_threads *t, const uint8_t *bytes, size_t n);

/* Add what was counted until now to the thread that runs. Returns 0 or -SPMU_ENOMEM. */
int ses_threads_settle(struct ses_threads *t);

/* From here on add what is counted to no thread (is_shut), or again to the thread that runs.
 * Returns 0 or -SPMU_ENOMEM. */
int ses_threads_shut(struct ses_threads *t, bool is_shut);

/* Add what was counted since the last ses_threads_settle() to no thread: it belongs to another
 * process. */
void ses_threads_skip(struct ses_threads *t);

/* In the server of a new process: it has one thread, whose account starts at the totals *from. */
void ses_threads_restart(struct ses_threads *t, const struct ses_totals *from);

/* Returns the thread that runs. */
uint32_t ses_threads_now(const struct ses_threads *t);

/* ses_threads_n: returns the number of threads. ses_threads_totals: set *out to the counts of
 * thread i, up to the last ses_threads_settle(): instructions and wires, and parts where clocks are
 * estimates; the rest is 0. */
uint32_t ses_threads_n(const struct ses_threads *t);
void ses_threads_totals(const struct ses_threads *t, uint32_t i, struct ses_totals *out);

/* Where clocks are estimates, set those of *out, which ses_threads_totals() made, and halves of
 * their intervals. Returns 0 or -SPMU_ENOMEM. Cost: of the first time behind more of the run a
 * regression. */
int ses_threads_estimate(const struct ses_threads *t, struct ses_totals *out);

/* The counts of thread i are these instructions, wires and parts, and no others. */
void ses_threads_replace(struct ses_threads *t, uint32_t i, const struct ses_totals *by);

#endif
