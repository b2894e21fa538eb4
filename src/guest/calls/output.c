/* output.c -- makes pages writable that a system call fills for the program. Rules: output.h. */
#include "guest/calls/output.h"

#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define MAX_BUFFERS   1024u /* IOV_MAX */
#define ADDRESS_BYTES 128u  /* struct sockaddr_storage */
#define SIGINFO_BYTES 128u
#define RUSAGE_BYTES  144u

/* The kernel's struct msghdr, in words of the program's width. */
enum {
	MSG_NAME,
	MSG_NAME_BYTES,
	MSG_BUFFER,
	MSG_N_BUFFER,
	MSG_CONTROL,
	MSG_CONTROL_BYTES,
	MSG_FLAGS,
	MSG_WORDS
};

static uint64_t word_at(const struct gst *g, uint64_t at, uint64_t n)
{
	uint64_t word = 0;

	if (gst_copy_in(&word, at + n * g->layout.word, g->layout.word))
		return 0;
	return word;
}

/* struct iovec: address, bytes. */
static void open_vector(struct gst *g, uint64_t at, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < MAX_BUFFERS; i++) {
		uint64_t lo = word_at(g, at, 2 * i);

		gst_pages_open(g, lo, lo + word_at(g, at, 2 * i + 1));
	}
}

static void open_message(struct gst *g, uint64_t at)
{
	uint64_t name = word_at(g, at, MSG_NAME), control = word_at(g, at, MSG_CONTROL);

	open_vector(g, word_at(g, at, MSG_BUFFER), word_at(g, at, MSG_N_BUFFER));
	gst_pages_open(g, name, name + ADDRESS_BYTES);
	gst_pages_open(g, control, control + word_at(g, at, MSG_CONTROL_BYTES));
	gst_pages_open(g, at, at + MSG_WORDS * g->layout.word);
}

void gst_output_open(struct gst *g, const uint64_t *a)
{
	if (!g->pages.n_guarded)
		return;
	switch (gst_call_acts_like(g, a[-1])) {
	case __NR_recvfrom:
		gst_pages_open(g, a[4], a[4] + ADDRESS_BYTES);
		gst_pages_open(g, a[5], a[5] + 4);
		/* fall through */
	case __NR_read:
	case __NR_pread64:
	case __NR_getdents:
	case __NR_getdents64:
	case __NR_mq_timedreceive: gst_pages_open(g, a[1], a[1] + a[2]); break;
	case __NR_msgrcv: gst_pages_open(g, a[1], a[1] + 8 + a[2]); break;
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2: open_vector(g, a[1], a[2]); break;
	case __NR_recvmsg: open_message(g, a[1]); break;
	case __NR_recvmmsg:
		for (uint64_t i = 0; i < a[2] && i < MAX_BUFFERS; i++)
			open_message(g, a[1] + i * (MSG_WORDS + 1) * g->layout.word);
		break;
	case __NR_accept:
	case __NR_accept4:
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
	default: break;
	}
}
