/* clock_socket.c -- waits for a socket that has a time of its own for them (clock.h). */
#include "guest/call.h"
#include "guest/time/clock.h"
#include "guest/memory/copy.h"
#include "guest/files/descriptor.h"
#include "guest/gst.h"

#define NANO		1000000000ull
#define NANO_PER_MICRO	1000u
#define MOST_SECONDS	(1ull << 33) /* as nanoseconds they fit into 63 bits */
#define MOST_SOCKETCALL 20u

/* A call that can wait for a socket, to send or to receive, and which argument (from 1) has its
 * flags, 0: none. */
struct way {
	uint8_t can_wait, is_send, flags_at;
};

static struct way way_of(uint32_t like)
{
	switch (like) {
	case __NR_read:
	case __NR_readv:
	case __NR_accept:
	case __NR_accept4: return (struct way){1, 0, 0};
	case __NR_recvfrom:
	case __NR_recvmmsg: return (struct way){1, 0, 4};
	case __NR_recvmsg: return (struct way){1, 0, 3};
	case __NR_write:
	case __NR_writev:
	case __NR_connect: return (struct way){1, 1, 0};
	case __NR_sendto:
	case __NR_sendmmsg: return (struct way){1, 1, 4};
	case __NR_sendmsg: return (struct way){1, 1, 3};
	default: return (struct way){0, 0, 0};
	}
}

/* i386's socketcall, by its number: the call that it is like. */
static uint32_t socketcall_like(uint64_t number)
{
	static const uint16_t like[MOST_SOCKETCALL + 1] = {
	    [3] = __NR_connect,	 [5] = __NR_accept,    [9] = __NR_sendto,    [10] = __NR_recvfrom,
	    [11] = __NR_sendto,	 [12] = __NR_recvfrom, [16] = __NR_sendmsg,  [17] = __NR_recvmsg,
	    [18] = __NR_accept4, [19] = __NR_recvmmsg, [20] = __NR_sendmmsg,
	};

	return number <= MOST_SOCKETCALL && like[number] ? like[number] : GST_NO_LIKE;
}

static uint32_t like_of(const struct gst *g, const uint64_t *words)
{
	if (g->t->call_like == GST_NO_LIKE && g->t->call_number == NR32_socketcall)
		return socketcall_like(words[1]);
	return gst_call_acts_like(g, words[0]);
}

/* Argument `at` (from 1) of the call. */
static uint32_t argument(const struct gst *g, const uint64_t *words, unsigned at)
{
	uint32_t word = 0;

	if (g->t->call_like != GST_NO_LIKE || g->t->call_number != NR32_socketcall)
		return (uint32_t)words[at];
	return gst_copy_in(&word, words[2] + 4 * (at - 1), sizeof(word)) ? 0 : word;
}

uint64_t gst_clock_socket_ns(const struct gst *g, const uint64_t *words, int32_t *error)
{
	const uint32_t like = like_of(g, words);
	const struct way way = way_of(like);
	uint64_t fd, time[2];

	if (!way.can_wait)
		return 0;
	fd = argument(g, words, 1);
	if (!gst_fd_wait_time(fd, way.is_send, time) ||
	    (way.flags_at && argument(g, words, way.flags_at) & GST_DONTWAIT) ||
	    gst_fd_is_nonblocking(fd))
		return 0;
	*error = like == __NR_connect ? EINPROGRESS : EAGAIN;
	return (time[0] < MOST_SECONDS ? time[0] : MOST_SECONDS) * NANO + time[1] * NANO_PER_MICRO;
}
