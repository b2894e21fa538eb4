/* meet.h -- where a server finds its guest while that one runs.
 *
 * Two ways to an exact border when somebody else than the guest asks for one (an event opened,
 * started or read by another process; `stat --control`):
 *   peek   the guest makes records: those that it has written into its open chunk are read at
 *          once. The border is the block that is being executed, or the system call in which the
 *          guest is.
 *   meet   the guest counts executions: it is brought to a boundary, by a wish and a signal, and
 *          waits there. A guest in a system call, or stopped, stands already: it asks before it
 *          goes on.
 */
#ifndef SOFTPMU_SESSION_MEET_H
#define SOFTPMU_SESSION_MEET_H

#include <stdbool.h>
#include <stdint.h>

struct ses_server;

struct ses_meet {
	uint32_t fed;        /* bytes of the open chunk that were read ahead */
	bool is_wanted;
	bool is_here;        /* REQ_MEET is being answered */
	uint32_t known_tid;  /* the guest's own ... */
	uint64_t known_ns;   /* ... as was seen then */
	uint64_t kicked_ns;  /* when the last signal was sent; 0 = none was for this meeting */
};

/* Feed what the guest has recorded until now, up to the block that it executes. Returns true
 * when that is where it waits in a system call, or did just now: else the place is the host's.
 * Cost: at most the chunks that are under way. */
bool ses_meet_peek(struct ses_server *s);

/* Does the guest stand at a boundary where it stays until ses_meet_end()? Else it is being
 * brought to one: ask again. */
bool ses_meet(struct ses_server *s);

/* It may go on. */
void ses_meet_end(struct ses_server *s);

/* Make the guest come to a boundary soon, where it looks at what is wanted of it; nobody waits
 * for that. */
void ses_meet_kick(struct ses_server *s);

#endif
