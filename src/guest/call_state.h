/* call_state.h -- what system calls keep in a thread: the state of seccomp and of syscall user
 * dispatch.
 *
 * The rules are in calls/seccomp.h and calls/dispatch.h. The state lies here because a thread
 * (threads/thread.h) holds it, a vfork saves it, and neither needs the rules.
 */
#ifndef SOFTPMU_GUEST_CALL_STATE_H
#define SOFTPMU_GUEST_CALL_STATE_H

#include <stdint.h>

/* Of a thread (seccomp.h). */
struct gst_seccomp {
	uint32_t mode;	 /* as PR_GET_SECCOMP says: 0 off, 1 strict, 2 filters */
	uint32_t newest; /* place of its newest filter, 0 none */
	uint32_t n_filter;
	uint32_t n_insn; /* of all its filters */
};

/* Of a thread (dispatch.h). */
struct gst_dispatch {
	uint32_t is_on;
	uint64_t from, bytes; /* calls from here pass; modulo 2^64: it may be all but a hole */
	uint64_t selector;    /* address of the byte, or 0 */
};

#endif
