/* perf_poll.c -- descriptors of events between others: what waiting says of them, and how a
 * process comes by one.
 *
 * MODELLED       whoever learns by poll(2), select(2) or epoll_wait(2) that an event is readable
 *                takes its wake-up away, as from a kernel; an event whose tasks are gone has
 *                hung up and is not readable. Descriptors that come over a socket or by
 *                pidfd_getfd(2).
 * NOT MODELLED   the old select(2) of 32-bit programs; epoll instances in epoll instances, and
 *                more than GST_EVENT_WATCHES events in them: what was readable once stays so,
 *                and one without a ring is quiet.
 */
#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/perf/perf_event.h"

#define IN_BIT		     1u
#define HUP_BIT		     0x10u
#define EDGE_BIT	     (1u << 31)
#define ONCE_BIT	     (1u << 30)
#define MOST_SELECTED	     1024u
#define MOST_TOLD	     256u /* events of one epoll_wait(2) that are looked at */
#define CTL_ADD		     1
#define CTL_DEL		     2
#define CTL_MOD		     3
#define NR32_SOCKETCALL	     102
#define NR32_NEWSELECT	     142
#define NR32_PSELECT6	     308
#define NR32_PSELECT6_TIME64 413
#define NR32_RECVMMSG	     337
#define NR32_RECVMSG	     372
#define NR32_RECVMMSG_TIME64 417
#define SOCKETCALL_RECVMSG   17
#define SOCKETCALL_RECVMMSG  19
#define CONTROL_BYTES_AT     5u /* words into struct msghdr */

/* struct epoll_event */
struct told {
	uint32_t events;
	uint64_t data;
} __attribute__((packed));

static void polled(struct gst *g, uint64_t list, uint64_t n)
{
	struct gst_poll p;

	for (uint64_t i = 0; i < n && !gst_copy_in(&p, list + i * sizeof(p), sizeof(p)); i++) {
		if (!(p.revents & IN_BIT) || !gst_is_event(g, (uint64_t)p.fd))
			continue;
		gst_event_drain((uint64_t)p.fd);
		if (!(p.revents & (int16_t)HUP_BIT))
			continue;
		p.revents = HUP_BIT;
		gst_copy_out(list + i * sizeof(p), &p, sizeof(p));
	}
}

static void selected(struct gst *g, uint64_t n, uint64_t readable)
{
	uint8_t set[MOST_SELECTED / 8] = {0};

	if (n > MOST_SELECTED)
		n = MOST_SELECTED;
	if (!readable || gst_copy_in(set, readable, (n + 7) / 8))
		return;
	for (uint64_t fd = 0; fd < n; fd++)
		if ((set[fd / 8] >> fd % 8 & 1) && gst_is_event(g, fd))
			gst_event_drain(fd);
}

/* ---- epoll: which descriptor is meant only the kernel knows, and what the program calls it
 * ------------- */

static void watch(struct gst *g, const uint64_t *a)
{
	struct gst_event_watch *free = NULL, *w;
	struct told t;

	for (w = g->events.watch; w < g->events.watch + GST_EVENT_WATCHES; w++) {
		if (w->is_used && w->epoll == (int32_t)a[0] && w->fd == (int32_t)a[2])
			w->is_used = 0;
		if (!w->is_used && !free)
			free = w;
	}
	if (!free || (a[1] != CTL_ADD && a[1] != CTL_MOD) || !gst_is_event(g, a[2]) ||
	    gst_copy_in(&t, a[3], sizeof(t)))
		return;
	*free = (struct gst_event_watch){.is_used = 1,
					 .epoll = (int32_t)a[0],
					 .fd = (int32_t)a[2],
					 .data = t.data,
					 .key = gst_event_key(g, a[2]),
					 .is_once = (t.events & (EDGE_BIT | ONCE_BIT)) != 0};
}

static void told(struct gst *g, uint64_t epoll, uint64_t list, uint64_t n)
{
	struct told t;

	for (uint64_t i = 0;
	     i < n && i < MOST_TOLD && !gst_copy_in(&t, list + i * sizeof(t), sizeof(t)); i++) {
		for (const struct gst_event_watch *w = g->events.watch;
		     w < g->events.watch + GST_EVENT_WATCHES; w++) {
			if (!w->is_used || w->epoll != (int32_t)epoll || w->data != t.data ||
			    !(t.events & IN_BIT) || !gst_is_event(g, (uint64_t)w->fd))
				continue;
			gst_event_drain((uint64_t)w->fd);
			if (!(t.events & HUP_BIT))
				continue;
			t.events = HUP_BIT;
			gst_copy_out(list + i * sizeof(t), &t, sizeof(t));
		}
	}
}

/* ---- descriptors from others ----------------------------------------------------------------- */

static int has_control(const struct gst *g, uint64_t message)
{
	const unsigned word = gst_call_word(g);
	uint64_t bytes = 0;

	return !gst_copy_in(&bytes, message + CONTROL_BYTES_AT * word, word) && bytes;
}

static void received(struct gst *g)
{
	if (g->ctl->start.has_perf == SHR_PERF_UNUSED)
		g->ctl->start.has_perf = SHR_PERF_USED;
}

static void after_call32(struct gst *g, const uint64_t *words)
{
	const int is_used = g->ctl->start.has_perf == SHR_PERF_USED;

	switch (g->t->call_number) {
	case NR32_NEWSELECT:
	case NR32_PSELECT6:
	case NR32_PSELECT6_TIME64:
		if (is_used)
			selected(g, words[1], words[2]);
		return;
	case NR32_RECVMSG:
		if (has_control(g, words[2]))
			received(g);
		return;
	case NR32_SOCKETCALL:
		if (words[1] != SOCKETCALL_RECVMSG && words[1] != SOCKETCALL_RECVMMSG)
			return;
		received(g);
		return;
	case NR32_RECVMMSG:
	case NR32_RECVMMSG_TIME64: received(g);
	}
}

void gst_event_after(struct gst *g, const uint64_t *words, long ret)
{
	const int is_used = g->ctl->start.has_perf == SHR_PERF_USED;

	if (!g->ctl->start.has_perf || ret < 0)
		return;
	if (g->t->call_like == GST_NO_LIKE) {
		after_call32(g, words);
		return;
	}
	switch (g->t->call_like) {
	case __NR_poll:
	case __NR_ppoll:
		if (is_used && ret)
			polled(g, words[1], words[2]);
		return;
	case __NR_select:
	case __NR_pselect6:
		if (is_used && ret)
			selected(g, words[1], words[2]);
		return;
	case __NR_epoll_ctl:
		if (is_used)
			watch(g, words + 1);
		return;
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case __NR_epoll_pwait2:
		if (is_used && ret)
			told(g, words[1], words[2], (uint64_t)ret);
		return;
	case __NR_recvmsg:
		if (has_control(g, words[2]))
			received(g);
		return;
	case __NR_recvmmsg:
	case __NR_pidfd_getfd: received(g);
	}
}
