/* receive.c -- takes descriptors that softpmu sends over the socket. */
#include "guest/stream/receive.h"

#include "guest/gst.h"

/* struct msghdr and struct cmsghdr of the kernel. */
struct message {
	uint64_t name;
	uint32_t name_bytes, pad;
	uint64_t iov, n_iov;
	uint64_t control, control_bytes;
	uint32_t flags, pad2;
};
struct control {
	uint64_t bytes;
	int32_t level, type;
	int32_t fd[SHR_N_SENT + 1];
};
#define CONTROL_HEAD  16u
#define SOL_SOCKET_NR 1
#define SCM_RIGHTS_NR 1

long gst_receive_fds(struct gst *g, int *fd, unsigned n)
{
	char byte;
	uint64_t iov[2] = {(uint64_t)&byte, 1};
	struct control c = {0};
	struct message m = {
	    .iov = (uint64_t)iov, .n_iov = 1, .control = (uint64_t)&c, .control_bytes = sizeof(c)};
	long ret = SYS3(recvmsg, gst_process_hidden(g)->fd[SHR_FD_SOCKET], &m, 0);
	unsigned got;

	if (ret < 0)
		return ret;
	got = m.control_bytes >= CONTROL_HEAD && c.level == SOL_SOCKET_NR && c.type == SCM_RIGHTS_NR
		  ? (unsigned)(c.bytes - CONTROL_HEAD) / 4
		  : 0;
	if (ret == 1 && got == n) {
		memcpy(fd, c.fd, n * sizeof(int));
		return 0;
	}
	for (unsigned i = 0; i < got && i < SHR_N_SENT; i++)
		SYS1(close, c.fd[i]);
	return -EMFILE; /* the table of descriptors is full: some were left out */
}
