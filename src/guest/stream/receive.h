/* receive.h -- descriptors that softpmu sends: connections of a new process, and events. */
#ifndef SOFTPMU_GUEST_RECEIVE_H
#define SOFTPMU_GUEST_RECEIVE_H

struct gst;

/* Receive n descriptors into fd[], n <= SHR_N_SENT, that softpmu has sent over the socket. The
 * caller owns them. Returns 0, or -errno, and then none of them is left open. */
long gst_receive_fds(struct gst *g, int *fd, unsigned n);

#endif
