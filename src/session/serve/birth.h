/* birth.h -- the softpmu side of a new guest process: its memory, its descriptors, its server. */
#ifndef SOFTPMU_SESSION_BIRTH_H
#define SOFTPMU_SESSION_BIRTH_H

#include "session/serve/serve.h"

/* The ends of the connections between a server and its guest. */
struct ses_lines {
	int sock[2]; /* softpmu's end, the guest's end */
	int life[2]; /* the guest's end (read), softpmu's (write) */
};

/* Make both connections. Returns 0, or -SPMU_ESYS with all ends -1. */
int ses_lines_open(struct ses_lines *l);
void ses_lines_close(struct ses_lines *l);

/* Send n <= SHR_N_SENT descriptors to the guest over its socket. Returns 0 or -SPMU_ESYS. */
int ses_send_fds(int sock, const int *fd, unsigned n);

/* REQ_FORK: the guest of `s` stands still and is about to fork. Make the child's memory and a
 * server for it, and send the guest what the child needs. Returns REQ_OK or REQ_BAD in the old
 * server, SES_BIRTH_NEW in the new one, whose `s` now belongs to the child. */
#define SES_BIRTH_NEW 1000
int ses_birth_fork(struct ses_server *s);

/* REQ_VFORK: a child begins in this guest's memory. is_self: no child begins, but the process whose
 * turn it is is treated as one, because it is about to execute another program while others stay in
 * this memory (mates.h). Returns REQ_OK or REQ_BAD. */
int ses_birth_vfork(struct ses_server *s, bool is_self);

/* REQ_VFORK_EXEC: that child is about to execute another program. Returns as ses_birth_fork. */
int ses_birth_vfork_exec(struct ses_server *s);

/* REQ_VFORK_END: the guest goes on. has_exec: its child, number `child`, executed a program, or
 * never began; else it has ended. Returns REQ_OK or REQ_BAD. */
int ses_birth_vfork_end(struct ses_server *s, bool has_exec, uint32_t child);

#endif
