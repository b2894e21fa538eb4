/* threads.h -- what each thread of a program counts by itself.
 *
 * The stream says whose records follow (TRC_THREAD); between two such events the totals on the wires grow
 * by what that one thread did. Tier 2 only: block counters cannot tell threads apart.
 *
 * COUNTING RULES   the machine is one: a line that another thread threw out is missed by the thread that
 *                  wants it. The sum over the threads is the total.
 */
#ifndef SOFTPMU_SESSION_THREADS_H
#define SOFTPMU_SESSION_THREADS_H

#include "model/model.h"
#include "session/session.h"

/* Threads with an account of their own; those born later share the last one. */
#define SES_MOST_THREADS 4096u

struct ses_threads;

/* Accounts over model m, which raises the totals of w; both borrowed. Returns 0 or -SPMU_ENOMEM. */
int ses_threads_open(struct mdl *m, const struct wires *w, struct ses_threads **out);
void ses_threads_close(struct ses_threads *t);

/* mdl_feed() of whole records, with the accounts kept. Returns as that does, or -SPMU_ENOMEM.
 * Cost: a walk over the records, and an mdl_finish() per hand-over between threads. */
int ses_threads_feed(struct ses_threads *t, const uint8_t *bytes, size_t n);

/* Everything was fed: fill result->thread for the events of cfg. Returns 0 or -SPMU_ENOMEM. */
int ses_threads_end(struct ses_threads *t, const struct ses_config *cfg, struct ses_result *result);

#endif
