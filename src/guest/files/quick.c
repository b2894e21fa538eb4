/* quick.c -- which system calls wait, and which of them have nothing to wait for now, by their
 * flags and their descriptors.
 *
 * A call that is quick is made with the baton, because no other thread could run meanwhile. An
 * answer of 1 for a call that then waits would stop all threads; an answer of 0 costs a hand-over.
 */
#include "guest/call.h"
#include "guest/files/descriptor.h"
#include "guest/gst.h"
#include "guest/memory/copy.h"

#define PIPE_BUF_BYTES	  4096u /* a pipe that is writable takes so many bytes at once */
#define POLL_IN		  1u
#define POLL_OUT	  4u
#define WNOHANG_FLAG	  1u
#define O_ACCMODE_BITS	  3u
#define O_RDWR_FLAG	  2u
#define AT_FDCWD_CODE	  ((uint64_t)-100)
#define LOCK_NB_FLAG	  4u
#define F_SETLKW_CODE	  7
#define F_SETLKW64_CODE	  14 /* 32-bit programs */
#define F_OFD_SETLKW_CODE 38

static int can_read_now(uint64_t fd)
{
	return gst_fd_is_ready(fd, POLL_IN) || gst_fd_is_nonblocking(fd);
}

/* A pipe that is ready takes one page at once; how much a ready socket takes is not known. */
static int can_write_now(uint64_t fd, uint64_t bytes)
{
	uint32_t type = gst_fd_type(fd);

	if (type == GST_FD_REGULAR || gst_fd_is_nonblocking(fd))
		return 1;
	if (!gst_fd_is_ready(fd, POLL_OUT))
		return 0;
	return (type != GST_FD_PIPE && type != GST_FD_SOCKET) || bytes <= PIPE_BUF_BYTES;
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

/* Opening one side of a FIFO waits until another process or thread opens the other side. */
static int is_waiting_fifo(uint64_t dir, uint64_t path, uint64_t flags)
{
	uint64_t st[18];

	if ((flags & GST_NONBLOCK) || (flags & O_ACCMODE_BITS) == O_RDWR_FLAG ||
	    SYS4(newfstatat, dir, path, st, 0))
		return 0;
	return ((uint32_t)st[3] & GST_FD_TYPE) == GST_FD_PIPE;
}

int gst_call_is_quick(const struct gst *g, uint64_t number, const uint64_t *a)
{
	uint64_t time[2];

	switch (number) {
	case __NR_read:
	case __NR_readv: return can_read_now(a[0]);
	case __NR_recvfrom: return (a[3] & GST_DONTWAIT) || can_read_now(a[0]);
	case __NR_recvmsg: return (a[2] & GST_DONTWAIT) || can_read_now(a[0]);
	case __NR_accept:
	case __NR_accept4: return can_read_now(a[0]);
	case __NR_write: return can_write_now(a[0], a[2]);
	case __NR_writev: return can_write_now(a[0], vector_bytes(g, a[1], a[2]));
	case __NR_sendto: return (a[3] & GST_DONTWAIT) || can_write_now(a[0], a[2]);
	case __NR_sendmsg: return (a[2] & GST_DONTWAIT) || gst_fd_is_nonblocking(a[0]);
	case __NR_connect:
	case __NR_recvmmsg:
	case __NR_sendmmsg: return gst_fd_is_nonblocking(a[0]);
	case __NR_select:
	case __NR_pselect6: return a[4] && gst_copy_in(time, a[4], 16) == 0 && !time[0] && !time[1];
	case __NR_open: return !is_waiting_fifo(AT_FDCWD_CODE, a[0], a[1]);
	case __NR_openat: return !is_waiting_fifo(a[0], a[1], a[2]);
	case __NR_fcntl:
		return a[1] != F_SETLKW_CODE && a[1] != F_SETLKW64_CODE &&
		       a[1] != F_OFD_SETLKW_CODE;
	case __NR_flock: return (a[1] & LOCK_NB_FLAG) != 0;
	case __NR_waitid: return (a[3] & WNOHANG_FLAG) != 0;
	default: return 0;
	}
}

/* Calls of x86-64 that wait unless gst_call_is_quick() knows better. */
static int is_waiting_call(uint32_t number)
{
	switch (number) {
	case __NR_read:
	case __NR_readv:
	case __NR_write:
	case __NR_writev:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_recvmmsg:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
	case __NR_sendfile:
	case __NR_splice:
	case __NR_accept:
	case __NR_accept4:
	case __NR_connect:
	case __NR_open:
	case __NR_openat:
	case __NR_flock:
	case __NR_fcntl:
	case __NR_poll:
	case __NR_ppoll:
	case __NR_select:
	case __NR_pselect6:
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case __NR_epoll_pwait2:
	case __NR_nanosleep:
	case __NR_clock_nanosleep:
	case __NR_pause:
	case __NR_rt_sigsuspend:
	case __NR_rt_sigtimedwait:
	case __NR_wait4:
	case __NR_waitid:
	case __NR_futex:
	case __NR_semop:
	case __NR_semtimedop:
	case __NR_msgsnd:
	case __NR_msgrcv:
	case __NR_mq_timedsend:
	case __NR_mq_timedreceive:
	case __NR_io_getevents:
	case __NR_io_pgetevents: return 1;
	default: return 0;
	}
}

/* Calls of 32-bit programs that act like none of x86-64 and may wait. */
static int is_waiting_call32(uint32_t number)
{
	switch (number) {
	case NR32_sigsuspend:
	case NR32_rt_sigsuspend:
	case NR32_rt_sigtimedwait:
	case NR32_rt_sigtimedwait_time64:
	case NR32_select:
	case NR32__newselect:
	case NR32_pselect6:
	case NR32_pselect6_time64:
	case NR32_ppoll:
	case NR32_nanosleep:
	case NR32_clock_nanosleep:
	case NR32_futex:
	case NR32_socketcall:
	case NR32_ipc:
	case NR32_sendfile:
	case NR32_sendfile64:
	case NR32_mq_timedsend:
	case NR32_mq_timedreceive: return 1;
	default: return 0;
	}
}

int gst_call_may_wait(const struct gst *g, const uint64_t *words)
{
	const uint32_t like = gst_call_acts_like(g, words[0]);

	if (like == GST_NO_LIKE)
		return is_waiting_call32(g->t->call_number);
	return is_waiting_call(like) && !gst_call_is_quick(g, like, words + 1);
}
