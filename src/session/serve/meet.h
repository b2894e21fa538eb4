/* meet.h -- how a server finds an exact place in the stream while its guest runs.
 *
 * A request from outside the guest (another process opens, starts or reads an event; `stat
 * --control`) takes effect at a boundary of the guest's instructions. There are two ways to one:
 *   peek   the guest makes records: the server reads at once those that the guest has written into
 *          its open chunk. The boundary is the block that is being executed, or the system call
 *          that the guest is making.
 *   meet   the guest counts executions: the server sets a flag and sends a signal; the guest comes
 *          to a boundary and waits there. A guest in a system call, or a stopped guest, stands
 *          already: it asks before it goes on.
 * All counts before the boundary are the model's when the request takes effect. Without that an
 * event would count instructions from before it was started.
 */
#ifndef SOFTPMU_SESSION_MEET_H
#define SOFTPMU_SESSION_MEET_H

#include <stdbool.h>
#include <stdint.h>

struct ses_server;

struct ses_meet {
	uint32_t fed;	    /* bytes of the open chunk that were read ahead */
	bool is_wanted;	    /* the server waits for the guest to stand */
	bool is_here;	    /* REQ_MEET is being answered */
	uint32_t known_tid; /* a thread that ses_is_own() found to be the guest's */
	uint64_t known_ns;  /* host time of that check */
	uint64_t kicked_ns; /* host time of the last signal for this meeting; 0 = none was sent */
};

/* Feed what the guest has recorded until now, up to the block that it executes. Returns true if
 * the guest waits there in a system call, or did just now; else the place depends on the host's
 * timing. Cost: at most the chunks that are under way. */
bool ses_meet_peek(struct ses_server *s);

/* Returns true if the guest stands at a boundary, where it stays until ses_meet_end(). Else it is
 * on its way to one: call again. */
bool ses_meet(struct ses_server *s);

/* Let the guest go on. */
void ses_meet_end(struct ses_server *s);

/* Make the guest come to a boundary soon, where it reads the flags of shr_ctl. Does not wait. */
void ses_meet_kick(struct ses_server *s);

#endif
