/* left.h -- processes that still run when the first process of a run has ended: which they are,
 * and how the run ends without them.
 *
 * RULE           by default the run ends when each of them is stopped, or in another session
 *                than the first process was (a daemon); with --wait first at once; with --wait
 *                all when all have ended.
 * RULE           the report holds what they counted until then. After that each server goes on
 *                serving its guest, and sends no more counts. It closes all descriptors that
 *                softpmu was started with, has a session of its own, and outlives the first
 *                server. Otherwise a shell that waits for the end of softpmu's output would wait
 *                for the daemon.
 * NOT MODELLED   processes that share the first one's memory (clone with CLONE_VM alone) are
 *                waited for.
 */
#ifndef SOFTPMU_SESSION_LEFT_H
#define SOFTPMU_SESSION_LEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SES_MOST_LIVING	 512u
#define SES_LEFT_PROGRAM 64u

/* A guest other than the first, as its server shows it to the first server. */
struct ses_living {
	pid_t server;	     /* 0 = the row is free */
	pid_t pid;	     /* of the guest; 0 = not known yet */
	uint32_t is_settled; /* the run need not wait for it (ses_is_settled()) */
	char program[SES_LEFT_PROGRAM];
};

/* Returns true if process `pid` is stopped, or in a session other than `session`. looks_closely:
 * read its state, too, which costs 20 us. Without /proc no process is found stopped. */
bool ses_is_settled(pid_t pid, pid_t session, bool looks_closely);

/* The set of open descriptors. */
struct ses_open_fds {
	uint8_t *is_open; /* owned; NULL = not known */
	size_t n;
};

/* Note the descriptors that the caller has open now. Cost: a system call. */
void ses_open_fds_note(struct ses_open_fds *fds);
void ses_open_fds_free(struct ses_open_fds *fds);

/* In a forked server: live on without the first server. Close the noted descriptors, and make the
 * standard ones /dev/null. */
void ses_left_detach(const struct ses_open_fds *fds);

#endif
