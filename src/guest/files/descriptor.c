/* descriptor.c -- asks the kernel about a descriptor. Rules: descriptor.h. */
#include "guest/files/descriptor.h"

#include "guest/gst.h"

#define F_GETFL_CODE	 3
#define SOL_SOCKET_CODE	 1
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

int gst_fd_is_ready(uint64_t fd, uint32_t what)
{
	uint64_t pfd = (uint32_t)fd | (uint64_t)what << 32; /* struct pollfd: fd, events, revents */
	uint64_t no_time[2] = {0, 0};
	long ret;

	do
		ret = SYS6(ppoll, &pfd, 1, no_time, 0, 8, 0);
	while (ret == -EINTR); /* a signal says nothing about the descriptor */
	return ret != 0;
}

uint32_t gst_fd_type(uint64_t fd)
{
	uint64_t st[18];

	/* st_mode: low half of st[3] */
	return SYS2(fstat, fd, st) ? 0 : (uint32_t)st[3] & GST_FD_TYPE;
}
