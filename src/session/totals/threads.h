/* threads.h -- what each thread of a process counts by itself.
 *
 * The stream says whose records follow (TRC_THREAD); between two such events the totals on the
 * wires grow by what that one thread did. Tier 2 only: block counters cannot tell threads apart.
 *
 * COUNTING RULES   the machine is one: a line that another thread threw out is missed by the
 *                  thread that wants it. The sum over the threads is the total.
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

/* mdl_feed() of whole records, with the accounts kept. Returns as that does, or -SPMU_ENOMEM.
 * Cost: a walk over the records, and an mdl_finish() per hand-over between threads. */
int ses_threads_feed(struct ses_threads *t, const uint8_t *bytes, size_t n);

/* What was counted until now belongs to the thread that runs. Returns 0 or -SPMU_ENOMEM. */
int ses_threads_settle(struct ses_threads *t);

/* From here on what is counted belongs to nobody, or to the thread that runs again. Returns 0 or
 * -SPMU_ENOMEM. */
int ses_threads_shut(struct ses_threads *t, bool is_shut);

/* What was counted since the last ses_threads_settle() belongs to another process. */
void ses_threads_skip(struct ses_threads *t);

/* In the server of a new process: it has one thread, and had counted nothing when the totals
 * were *from. */
void ses_threads_restart(struct ses_threads *t, const struct ses_totals *from);

/* Number of threads; what thread i < that counted, as of the last ses_threads_settle():
 * instructions and wires, the rest is 0. */
uint32_t ses_threads_n(const struct ses_threads *t);
void ses_threads_totals(const struct ses_threads *t, uint32_t i, struct ses_totals *out);

#endif
