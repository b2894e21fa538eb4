/* left.h -- processes that are left when the first one of a run is gone: who they are, and how
 * the run ends without them.
 *
 * RULE           by default the run ends where each of them is stopped or in another session
 *                than the first one was (a daemon); --wait first: at once; --wait all: when all
 *                are gone.
 * RULE           what they counted until then is in the report. From there on each server goes
 *                on with its guest and tells nobody: it holds no descriptor that softpmu was
 *                started with, has a session of its own and outlives the first server.
 * NOT MODELLED   processes that share the first one's memory (clone with CLONE_VM alone) are
 *                waited for.
 */
#ifndef SOFTPMU_SESSION_LEFT_H
#define SOFTPMU_SESSION_LEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SES_MOST_LIVING 512u
#define SES_LEFT_PROGRAM 64u

/* A guest beside the first, as its server shows it to the others. */
struct ses_living {
	pid_t server;         /* 0 = the row is free */
	pid_t pid;            /* of the guest; 0 = not known yet */
	uint32_t is_settled;  /* the run needs not wait for it */
	char program[SES_LEFT_PROGRAM];
};

/* Is process `pid` stopped, or in another session? looks_closely: ask for its state, too, which
 * costs 20 us. Without /proc nobody is stopped. */
bool ses_is_settled(pid_t pid, pid_t session, bool looks_closely);

/* Descriptors that are open, by number. */
struct ses_open_fds {
	uint8_t *is_open; /* owned; NULL = not known */
	size_t n;
};

/* Those that the caller has open now. Cost: a system call. */
void ses_open_fds_note(struct ses_open_fds *fds);
void ses_open_fds_free(struct ses_open_fds *fds);

/* In a server that was forked: live on without the first one. The noted descriptors are closed,
 * standard ones become /dev/null. */
void ses_left_detach(const struct ses_open_fds *fds);

#endif
