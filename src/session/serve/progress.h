/* progress.h -- how far a run has come, for a line that shows life: instructions of all processes, about once a second.
 *
 * COUNTING RULES   approximate: servers add what they see when they look, and a guest that counts executions runs
 *                  meanwhile. Nothing is settled and no count is changed.
 */
#ifndef SOFTPMU_SESSION_PROGRESS_H
#define SOFTPMU_SESSION_PROGRESS_H

#include <stdint.h>

struct ses_server;

/* Of a run; session.h points to it. */
struct ses_progress_config {
	/* Called in the process that called ses_run, from the third second on. */
	void (*tell)(void *ctx, uint64_t elapsed_ns, uint64_t instructions, uint64_t processes);
	void *ctx;
};

/* Of a server. All zero: nothing has happened yet. */
struct ses_progress {
	uint64_t next_ns; /* of the run */
	uint64_t added;   /* instructions of the guest that are in ses_alarm.instructions, or are its parent's */
};

/* Is it time to look? Called between any two things that a server does. Cost without ses_config.progress: nothing. */
void ses_progress_look(struct ses_server *s);

/* A new server, whose guest has executed nothing. */
void ses_progress_born(struct ses_server *s);

#endif
