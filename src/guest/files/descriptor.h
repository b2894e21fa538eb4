/* descriptor.h -- what the kernel says of a descriptor of the program, as far as waits depend on
 * it. */
#ifndef SOFTPMU_GUEST_DESCRIPTOR_H
#define SOFTPMU_GUEST_DESCRIPTOR_H

#include <stdint.h>

#define GST_NONBLOCK 04000 /* O_NONBLOCK */
#define GST_DONTWAIT 0x40u /* MSG_DONTWAIT */

/* Calls on it do not wait, or it is none. */
int gst_fd_is_nonblocking(uint64_t fd);

/* A socket has a time of its own for waits to receive, or to send (is_send): time[2] receives
 * seconds and microseconds. Returns 0 when it has none, or is no socket; time[2] is 0 then. */
int gst_fd_wait_time(uint64_t fd, int is_send, uint64_t *time);

#endif
