/* descriptor.c -- what the kernel says of a descriptor (descriptor.h). */
#include "guest/files/descriptor.h"

#include "guest/gst.h"

#define F_GETFL_CODE 3
#define SOL_SOCKET_CODE 1
#define SO_RCVTIMEO_CODE 20
#define SO_SNDTIMEO_CODE 21

int gst_fd_is_nonblocking(uint64_t fd)
{
	const long flags = SYS3(fcntl, fd, F_GETFL_CODE, 0);

	return flags < 0 || (flags & GST_NONBLOCK);
}

int gst_fd_wait_time(uint64_t fd, int is_send, uint64_t *time)
{
	uint32_t bytes = 2 * sizeof(*time);

	time[0] = time[1] = 0;
	SYS6(getsockopt, fd, SOL_SOCKET_CODE, is_send ? SO_SNDTIMEO_CODE : SO_RCVTIMEO_CODE, time,
	     &bytes, 0);
	return (time[0] | time[1]) != 0;
}
