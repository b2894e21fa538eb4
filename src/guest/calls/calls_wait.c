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

#define POLL_IN	       1u
#define POLL_OUT       4u
#define WNOHANG_FLAG   1u
#define MS_SYNC_FLAG   4u
#define TCSETSW_CODE   0x5403u
#define TCSETSF_CODE   0x5404u
#define TCSBRK_CODE    0x5409u
#define TCSBRKP_CODE   0x5425u
#define SOCKET_TYPE    0x89u
#define PIPE_BUF_BYTES 4096u /* a pipe that is writable takes so many bytes at once */

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

/* The call with its timeout (argument `at`) taken as zero. */
static long poll_now(struct gst *g, const uint64_t *a, int at)
{
	uint64_t words[7];

	memcpy(words, a - 1, sizeof(words));
	words[1 + at] = 0;
	return gst_call_pass(g, words + 1);
}

/* Returns what descriptor a[0] must be ready for (POLL_IN, POLL_OUT) before the call can go on; 0
 * if readiness is not enough to say so, or the call is not known. */
static uint32_t wanted(uint64_t number, const uint64_t *a)
{
	uint64_t time[2];
	uint32_t what, type = gst_fd_type(a[0]);

	switch (number) {
	case __NR_read:
	case __NR_readv:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_accept:
	case __NR_accept4: what = POLL_IN; break;
	case __NR_write:
	case __NR_writev:
	case __NR_sendto:
	case __NR_sendmsg: what = POLL_OUT; break;
	default: return 0;
	}
	if (type != GST_FD_PIPE && type != GST_FD_SOCKET && type != GST_FD_ANONYMOUS)
		return 0; /* terminals have rules of their own */
	if (type == GST_FD_SOCKET && gst_fd_wait_time(a[0], what == POLL_OUT, time))
		return 0;
	return gst_fd_is_ready(a[0], what) ? 0 : what; /* ready, but perhaps not for all of it */
}

/* A timeout in milliseconds, negative: none. */
static const struct gst_deadline *after(int32_t milli, struct gst_deadline *until)
{
	uint64_t time[2] = {(uint64_t)milli / 1000, (uint64_t)milli % 1000 * 1000000};

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
	const struct gst_poll list = {.fd = (int32_t)a[0], .events = POLL_IN};

	return wait_poll(g, a, 3, &list, has_mask ? 0 : 1);
}

/* More than a pipe takes at once: by pieces that it takes, others run in between. */
static long write_pipe(struct gst *g, const uint64_t *a)
{
	const struct gst_poll one = {.fd = (int32_t)a[0], .events = POLL_OUT};
	uint64_t words[7], done = 0;
	long ret;

	memcpy(words, a - 1, sizeof(words));
	while (done < a[2]) {
		ret = gst_fd_is_ready(a[0], POLL_OUT) ? 0 : gst_sched_block_poll(g, &one, 1, NULL);
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
	struct gst_poll one = {.fd = (int32_t)a[0]};
	long ret;

	if (g->n_traced && (number == __NR_wait4 || number == __NR_waitid)) {
		ret = gst_ptrace_wait(g, a, number == __NR_waitid);
		if (ret != GST_NO_STOP)
			return ret;
	}
	while (has_threads(g) && !gst_call_is_quick(g, number, a)) {
		switch (number) {
		case __NR_poll: return do_poll(g, a);
		case __NR_epoll_wait: return do_epoll(g, a, 0);
		case __NR_epoll_pwait: return do_epoll(g, a, a[4] != 0);
		case __NR_wait4:
			memcpy(words, a - 1, sizeof(words));
			words[3] |= WNOHANG_FLAG;
			ret = gst_call_pass(g, words + 1);
			return ret || (a[2] & WNOHANG_FLAG) ? ret : outside(g, a);
		}
		if (number == __NR_write && gst_fd_type(a[0]) == GST_FD_PIPE)
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

/* Only a device knows which of its requests take long, so they are made without the baton. Requests
 * that every terminal, socket and file answers are quick, except those that wait until a terminal
 * has written everything. */
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
