/* calls_wait.c -- system calls that may take long, while the program has several threads.
 *
 * RULE   what is ready now is done at once, with the baton. A thread that waits for descriptors
 *        is looked after by the scheduler; every other call goes to the kernel without the
 *        baton, and others run meanwhile. Coming back is an outside event then (sched.h).
 */
#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/files/descriptor.h"
#include "guest/gst.h"
#include "guest/calls/ptrace.h"
#include "guest/time/sleep.h"

#define POLL_IN 1u
#define POLL_OUT 4u
#define O_ACCMODE_BITS 3u
#define O_RDWR_FLAG 2u
#define AT_FDCWD_CODE ((uint64_t)-100)
#define WNOHANG_FLAG 1u
#define LOCK_NB_FLAG 4u
#define F_SETLKW_CODE 7
#define F_SETLKW64_CODE 14 /* 32-bit programs */
#define F_OFD_SETLKW_CODE 38
#define S_IFMT_BITS 0170000u
#define S_IFREG_BITS 0100000u
#define S_IFIFO_BITS 0010000u
#define S_IFSOCK_BITS 0140000u
#define S_IFANON_BITS 0u /* eventfd and the like */
#define MS_SYNC_FLAG 4u
#define TCSETSW_CODE 0x5403u
#define TCSETSF_CODE 0x5404u
#define TCSBRK_CODE 0x5409u
#define TCSBRKP_CODE 0x5425u
#define SOCKET_TYPE 0x89u
#define PIPE_BUF_BYTES 4096u /* what a pipe that takes anything takes at once */

/* The kernel does the call; the holder gives the baton away meanwhile. */
static long outside(struct gst *g, const uint64_t *a)
{
	long ret = gst_sched_outside(g, a - 1);

	if (ret == -EFAULT && gst_pages_open(g, 0, GST_TASK_END))
		ret = gst_sched_outside(g, a - 1);
	return ret;
}

static int has_threads(const struct gst *g)
{
	return g->sched.n_live > 1;
}

static int is_ready(uint64_t fd, uint32_t what)
{
	uint64_t pfd = (uint32_t)fd | (uint64_t)what << 32; /* struct pollfd: fd, events, revents */
	uint64_t no_time[2] = { 0, 0 };
	long ret;

	do
		ret = SYS6(ppoll, &pfd, 1, no_time, 0, 8, 0);
	while (ret == -EINTR); /* a signal says nothing about the descriptor */
	return ret != 0;
}

static uint32_t file_type(uint64_t fd)
{
	uint64_t st[18];

	/* st_mode: low half of st[3] */
	return SYS2(fstat, fd, st) ? 0 : (uint32_t)st[3] & S_IFMT_BITS;
}

static int can_read_now(uint64_t fd)
{
	return is_ready(fd, POLL_IN) || gst_fd_is_nonblocking(fd);
}

/* A pipe that is ready takes one page at once; how much a ready socket takes is not known. */
static int can_write_now(uint64_t fd, uint64_t bytes)
{
	uint32_t type = file_type(fd);

	if (type == S_IFREG_BITS || gst_fd_is_nonblocking(fd))
		return 1;
	if (!is_ready(fd, POLL_OUT))
		return 0;
	return (type != S_IFIFO_BITS && type != S_IFSOCK_BITS) || bytes <= PIPE_BUF_BYTES;
}

static uint64_t vector_bytes(const struct gst *g, uint64_t at, uint64_t n)
{
	unsigned word = gst_call_word(g); /* struct iovec: address, bytes */
	uint64_t sum = 0, bytes = 0;

	for (uint64_t i = 0; i < n && i < 1024; i++) {
		if (gst_copy_in(&bytes, at + word * (2 * i + 1), word))
			break;
		sum += bytes;
	}
	return sum;
}

/* The call with its timeout (argument `at`) taken as zero. */
static long poll_now(struct gst *g, const uint64_t *a, int at)
{
	uint64_t words[7];

	memcpy(words, a - 1, sizeof(words));
	words[1 + at] = 0;
	return gst_call_pass(g, words + 1);
}

/* Opening one side of a FIFO waits until another process or thread opens the other side. */
static int is_waiting_fifo(uint64_t dir, uint64_t path, uint64_t flags)
{
	uint64_t st[18];

	if ((flags & GST_NONBLOCK) || (flags & O_ACCMODE_BITS) == O_RDWR_FLAG ||
	    SYS4(newfstatat, dir, path, st, 0))
		return 0;
	return ((uint32_t)st[3] & S_IFMT_BITS) == S_IFIFO_BITS;
}

int gst_call_is_quick(const struct gst *g, uint64_t number, const uint64_t *a)
{
	uint64_t time[2];

	switch (number) {
	case __NR_read: case __NR_readv:
		return can_read_now(a[0]);
	case __NR_recvfrom:
		return (a[3] & GST_DONTWAIT) || can_read_now(a[0]);
	case __NR_recvmsg:
		return (a[2] & GST_DONTWAIT) || can_read_now(a[0]);
	case __NR_accept: case __NR_accept4:
		return can_read_now(a[0]);
	case __NR_write:
		return can_write_now(a[0], a[2]);
	case __NR_writev:
		return can_write_now(a[0], vector_bytes(g, a[1], a[2]));
	case __NR_sendto:
		return (a[3] & GST_DONTWAIT) || can_write_now(a[0], a[2]);
	case __NR_sendmsg:
		return (a[2] & GST_DONTWAIT) || gst_fd_is_nonblocking(a[0]);
	case __NR_connect: case __NR_recvmmsg: case __NR_sendmmsg:
		return gst_fd_is_nonblocking(a[0]);
	case __NR_select: case __NR_pselect6:
		return a[4] && gst_copy_in(time, a[4], 16) == 0 && !time[0] && !time[1];
	case __NR_open:
		return !is_waiting_fifo(AT_FDCWD_CODE, a[0], a[1]);
	case __NR_openat:
		return !is_waiting_fifo(a[0], a[1], a[2]);
	case __NR_fcntl:
		return a[1] != F_SETLKW_CODE && a[1] != F_SETLKW64_CODE &&
		       a[1] != F_OFD_SETLKW_CODE;
	case __NR_flock:
		return (a[1] & LOCK_NB_FLAG) != 0;
	case __NR_waitid:
		return (a[3] & WNOHANG_FLAG) != 0;
	default:
		return 0;
	}
}

/* What the descriptor a[0] must be ready for before the call can go on; 0: that is not all, or
 * not known. */
static uint32_t wanted(uint64_t number, const uint64_t *a)
{
	uint64_t time[2];
	uint32_t what, type = file_type(a[0]);

	switch (number) {
	case __NR_read: case __NR_readv: case __NR_recvfrom: case __NR_recvmsg: case __NR_accept:
	case __NR_accept4:
		what = POLL_IN;
		break;
	case __NR_write: case __NR_writev: case __NR_sendto: case __NR_sendmsg:
		what = POLL_OUT;
		break;
	default:
		return 0;
	}
	if (type != S_IFIFO_BITS && type != S_IFSOCK_BITS && type != S_IFANON_BITS)
		return 0; /* terminals have rules of their own */
	if (type == S_IFSOCK_BITS && gst_fd_wait_time(a[0], what == POLL_OUT, time))
		return 0;
	return is_ready(a[0], what) ? 0 : what; /* ready, but for how much? */
}

/* A timeout in milliseconds, negative: none. */
static const struct gst_deadline *after(int32_t milli, struct gst_deadline *until)
{
	uint64_t time[2] = { (uint64_t)milli / 1000, (uint64_t)milli % 1000 * 1000000 };

	return milli < 0 || gst_sleep_after(time, until) ? NULL : until;
}

/* poll, epoll_wait: argument `at` is the timeout; list[n] what stands for the descriptors, n =
 * 0: too many. */
static long wait_poll(struct gst *g, const uint64_t *a, int at, const struct gst_poll *list,
		      uint32_t n)
{
	struct gst_deadline until;
	const struct gst_deadline *end = after((int32_t)a[at], &until);

	for (;;) {
		long ret = poll_now(g, a, at);

		if (ret || !(uint32_t)a[at])
			return ret;
		if (!n)
			return outside(g, a);
		ret = gst_sched_block_poll(g, list, n, end);
		if (ret == -ETIMEDOUT)
			return 0;
		if (ret)
			return -EINTR; /* these are never made again */
	}
}

static long do_poll(struct gst *g, const uint64_t *a)
{
	struct gst_poll list[GST_MOST_POLL];
	uint32_t n = a[1] <= GST_MOST_POLL ? (uint32_t)a[1] : 0;

	if (n && gst_copy_in(list, a[0], n * sizeof(*list)))
		return -EFAULT;
	return wait_poll(g, a, 2, list, n);
}

static long do_epoll(struct gst *g, const uint64_t *a, int has_mask)
{
	const struct gst_poll list = { .fd = (int32_t)a[0], .events = POLL_IN };

	return wait_poll(g, a, 3, &list, has_mask ? 0 : 1);
}

/* More than a pipe takes at once: by pieces that it takes, others run in between. */
static long write_pipe(struct gst *g, const uint64_t *a)
{
	const struct gst_poll one = { .fd = (int32_t)a[0], .events = POLL_OUT };
	uint64_t words[7], done = 0;
	long ret;

	memcpy(words, a - 1, sizeof(words));
	while (done < a[2]) {
		ret = is_ready(a[0], POLL_OUT) ? 0 : gst_sched_block_poll(g, &one, 1, NULL);
		if (ret == 0) {
			words[2] = a[1] + done;
			words[3] = a[2] - done < PIPE_BUF_BYTES ? a[2] - done : PIPE_BUF_BYTES;
			ret = gst_call_pass(g, words + 1);
		}
		if (ret <= 0)
			return done ? (long)done : ret;
		done += (uint64_t)ret;
	}
	return (long)done;
}

long gst_call_wait(struct gst *g, const uint64_t *a)
{
	uint64_t words[7], number = gst_call_acts_like(g, a[-1]);
	struct gst_poll one = { .fd = (int32_t)a[0] };
	long ret;

	if (g->n_traced && (number == __NR_wait4 || number == __NR_waitid)) {
		ret = gst_ptrace_wait(g, a, number == __NR_waitid);
		if (ret != GST_NO_STOP)
			return ret;
	}
	while (has_threads(g) && !gst_call_is_quick(g, number, a)) {
		switch (number) {
		case __NR_poll:
			return do_poll(g, a);
		case __NR_epoll_wait:
			return do_epoll(g, a, 0);
		case __NR_epoll_pwait:
			return do_epoll(g, a, a[4] != 0);
		case __NR_wait4:
			memcpy(words, a - 1, sizeof(words));
			words[3] |= WNOHANG_FLAG;
			ret = gst_call_pass(g, words + 1);
			return ret || (a[2] & WNOHANG_FLAG) ? ret : outside(g, a);
		}
		if (number == __NR_write && file_type(a[0]) == S_IFIFO_BITS)
			return write_pipe(g, a);
		one.events = (int16_t)wanted(number, a);
		if (!one.events)
			return outside(g, a);
		ret = gst_sched_block_poll(g, &one, 1, NULL);
		if (ret)
			return ret;
	}
	return gst_call_pass(g, a);
}

long gst_call_sync(struct gst *g, const uint64_t *a)
{
	const int is_slow = gst_call_acts_like(g, a[-1]) != __NR_msync || (a[2] & MS_SYNC_FLAG);

	return is_slow ? gst_sched_away(g, a - 1) : gst_call_pass(g, a);
}

/* Which requests to a device take long only the device knows; those that every terminal, socket
 * and file answers do not, but for the two that wait until a terminal has written all. */
long gst_call_ioctl(struct gst *g, const uint64_t *a)
{
	const uint32_t request = (uint32_t)a[1], type = request >> 8 & 0xff;
	long ret = gst_event_ioctl(g, a);

	if (ret != GST_NO_EVENT)
		return ret;

	if (!has_threads(g))
		return gst_call_pass(g, a);
	if ((type == 'T' && request != TCSBRK_CODE && request != TCSBRKP_CODE &&
	     request != TCSETSW_CODE && request != TCSETSF_CODE) ||
	    type == SOCKET_TYPE)
		return gst_call_pass(g, a);
	return outside(g, a);
}

/* Others first; when there are none that could run, the host's other programs. */
long gst_call_yield(struct gst *g, const uint64_t *a)
{
	if (!has_threads(g) || !gst_sched_turn(g))
		return gst_call_pass(g, a);
	return 0;
}
