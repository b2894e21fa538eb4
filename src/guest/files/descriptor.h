/* descriptor.h -- facts about a descriptor of the program on which waits depend, asked of the
 * kernel. */
#ifndef SOFTPMU_GUEST_DESCRIPTOR_H
#define SOFTPMU_GUEST_DESCRIPTOR_H

#include <stdint.h>

#define GST_NONBLOCK 04000 /* O_NONBLOCK */
#define GST_DONTWAIT 0x40u /* MSG_DONTWAIT */

/* The type bits of st_mode that matter here. */
#define GST_FD_TYPE	 0170000u
#define GST_FD_REGULAR	 0100000u
#define GST_FD_PIPE	 0010000u
#define GST_FD_SOCKET	 0140000u
#define GST_FD_ANONYMOUS 0u /* eventfd and others without a file */

/* Returns the type of the file behind fd; 0 also if fd is not open. */
uint32_t gst_fd_type(uint64_t fd);

/* Returns 1 if poll(2) reports something of `what` (POLLIN, POLLOUT), or an error, for fd now. */
int gst_fd_is_ready(uint64_t fd, uint32_t what);

/* Returns 1 if calls on fd do not wait, or fd is not open. */
int gst_fd_is_nonblocking(uint64_t fd);

/* A socket has a time of its own for waits to receive, or to send (is_send): time[2] receives
 * seconds and microseconds. Returns 0 when it has none, or is no socket; time[2] is 0 then. */
int gst_fd_wait_time(uint64_t fd, int is_send, uint64_t *time);

#endif
