/* progress.h -- how far a run has come: instructions of all processes, about once a second, for the
 * progress line of `stat`.
 *
 * COUNTING RULES   The figure is approximate: each server adds what it sees when it looks, while
 *                  its guest may run. Looking settles nothing and changes no count.
 */
#ifndef SOFTPMU_SESSION_PROGRESS_H
#define SOFTPMU_SESSION_PROGRESS_H

#include <stdint.h>

struct ses_server;

/* Of a run; session.h points to it. */
struct ses_progress_config {
	/* Called in the process that called ses_run, from the third second on. elapsed_ns since the
	 * run began; all instructions so far; processes that live now. */
	void (*tell)(void *ctx, uint64_t elapsed_ns, uint64_t instructions, uint64_t processes);
	void *ctx;
};

/* Of a server. All zero: nothing has happened yet. */
struct ses_progress {
	uint64_t next_ns; /* since the run began: when to look again */
	/* instructions already added to ses_alarm.instructions, or its parent's */
	uint64_t added;
};

/* Report when a second has passed. A server calls this between any two of its tasks. Costs nothing
 * without ses_config.progress. */
void ses_progress_look(struct ses_server *s);

/* s is a forked child's server and has its parent's model: what that counted is the parent's to
 * add. Without the call the sum would have it twice. */
void ses_progress_born(struct ses_server *s);

#endif
