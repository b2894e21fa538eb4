#include "guest/output.h"

#include "guest/copy.h"
#include "guest/gst.h"

#define MAX_BUFFERS 1024u /* IOV_MAX */
#define ADDRESS_BYTES 128u /* struct sockaddr_storage */
#define SIGINFO_BYTES 128u
#define RUSAGE_BYTES 144u

/* The kernel's struct msghdr. */
struct msghdr {
	uint64_t name, name_bytes, buffer, n_buffer, control, control_bytes, flags;
};

static void open_vector(struct gst *g, uint64_t at, uint64_t n)
{
	uint64_t buffer[2]; /* struct iovec */

	for (uint64_t i = 0; i < n && i < MAX_BUFFERS; i++) {
		if (gst_copy_in(buffer, at + 16 * i, sizeof(buffer)))
			return;
		gst_pages_open(g, buffer[0], buffer[0] + buffer[1]);
	}
}

static void open_message(struct gst *g, uint64_t at)
{
	struct msghdr m;

	if (gst_copy_in(&m, at, sizeof(m)))
		return;
	open_vector(g, m.buffer, m.n_buffer);
	gst_pages_open(g, m.name, m.name + ADDRESS_BYTES);
	gst_pages_open(g, m.control, m.control + m.control_bytes);
	gst_pages_open(g, at, at + sizeof(m));
}

void gst_output_open(struct gst *g, const uint64_t *a)
{
	if (!g->pages.n_guarded)
		return;
	switch (a[-1]) {
	case __NR_recvfrom:
		gst_pages_open(g, a[4], a[4] + ADDRESS_BYTES);
		gst_pages_open(g, a[5], a[5] + 4);
		/* fall through */
	case __NR_read: case __NR_pread64: case __NR_getdents: case __NR_getdents64: case __NR_mq_timedreceive:
		gst_pages_open(g, a[1], a[1] + a[2]);
		break;
	case __NR_msgrcv:
		gst_pages_open(g, a[1], a[1] + 8 + a[2]);
		break;
	case __NR_readv: case __NR_preadv: case __NR_preadv2:
		open_vector(g, a[1], a[2]);
		break;
	case __NR_recvmsg:
		open_message(g, a[1]);
		break;
	case __NR_recvmmsg:
		for (uint64_t i = 0; i < a[2] && i < MAX_BUFFERS; i++)
			open_message(g, a[1] + i * (sizeof(struct msghdr) + 8));
		break;
	case __NR_accept: case __NR_accept4:
		gst_pages_open(g, a[1], a[1] + ADDRESS_BYTES);
		gst_pages_open(g, a[2], a[2] + 4);
		break;
	case __NR_wait4:
		gst_pages_open(g, a[1], a[1] + 4);
		gst_pages_open(g, a[3], a[3] + RUSAGE_BYTES);
		break;
	case __NR_waitid:
		gst_pages_open(g, a[2], a[2] + SIGINFO_BYTES);
		gst_pages_open(g, a[4], a[4] + RUSAGE_BYTES);
		break;
	default:
		break;
	}
}
