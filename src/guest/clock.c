#include "guest/clock.h"

#include "guest/calls32.h"
#include "guest/copy.h"
#include "guest/gst.h"

#define NANO 1000000000ull
#define EPOCH_SECONDS 946684800ull /* 2000-01-01 00:00:00 UTC */
#define MOST_SECONDS (1ull << 33)
#define ABSTIME_FLAG 1u
#define CLOCK_REAL 0
#define CLOCK_MONO 1
#define FUTEX_CMD 127u
#define FUTEX_REALTIME 256u

int gst_clock_is_model(const struct gst *g)
{
	return g->ctl->start.clock == SHR_CLOCK_MODEL;
}

static const struct req_box *ask_clock(struct gst *g)
{
	gst_ring_flush(g, 0);
	gst_ask_box(g);
	gst_ask(g, REQ_CLOCK);
	return &g->ctl->req;
}

static void as_time(uint64_t ns, uint64_t epoch, uint64_t time[2])
{
	time[0] = epoch + ns / NANO;
	time[1] = ns % NANO;
}

long gst_clock_read(struct gst *g, uint32_t id, uint64_t time[2])
{
	switch (id) {
	case 0: case 5: case 11: /* REALTIME, its coarse form, TAI */
		as_time(ask_clock(g)->result[1], EPOCH_SECONDS, time);
		return 0;
	case 1: case 4: case 6: case 7: /* MONOTONIC, raw, coarse, BOOTTIME */
		as_time(ask_clock(g)->result[1], 0, time);
		return 0;
	case 2: case 3: /* processor time of process and thread */
		as_time(ask_clock(g)->result[2], 0, time);
		return 0;
	default:
		return -EINVAL;
	}
}

static uint64_t host_ns(int is_realtime)
{
	uint64_t now[2] = { 0, 0 };

	SYS2(clock_gettime, is_realtime ? CLOCK_REAL : CLOCK_MONO, now);
	return now[0] * NANO + now[1];
}

/* Nanoseconds from now until the program's clock shows `time`; 0 when it is past. */
static uint64_t until(struct gst *g, int is_realtime, const uint64_t time[2])
{
	const uint64_t seconds = time[0] < MOST_SECONDS ? time[0] : MOST_SECONDS;
	uint64_t now[2], then = seconds * NANO + time[1], ns;

	gst_clock_read(g, is_realtime ? CLOCK_REAL : CLOCK_MONO, now);
	ns = now[0] * NANO + now[1];
	return then > ns ? then - ns : 0;
}

void gst_clock_to_host(struct gst *g, int is_realtime, uint64_t time[2])
{
	if (gst_clock_is_model(g))
		as_time(host_ns(is_realtime) + until(g, is_realtime, time), 0, time);
}

/* ---- waits of the program ------------------------------------------------------------------------- */

/* The time at `at`: two words of `bytes` each, the second in units of 1/per_second. Returns nanoseconds, 0: none. */
static uint64_t read_time(uint64_t at, unsigned bytes, uint64_t unit, uint64_t time[2])
{
	time[0] = time[1] = 0;
	if (!at || gst_copy_in(&time[0], at, bytes) || gst_copy_in(&time[1], at + bytes, bytes) || time[1] >= NANO ||
	    time[0] >> (8 * bytes - 1))
		return 0;
	time[1] *= unit;
	return (time[0] < MOST_SECONDS ? time[0] : MOST_SECONDS) * NANO + time[1];
}

static uint64_t milliseconds(uint64_t n)
{
	return (int32_t)n > 0 ? (uint64_t)(uint32_t)n * 1000000 : 0;
}

/* What a futex call waits at most. */
static uint64_t futex_ns(struct gst *g, const uint64_t *words, unsigned bytes)
{
	uint64_t time[2], ns = read_time(words[4], bytes, 1, time);

	switch (words[2] & FUTEX_CMD) {
	case 0: /* WAIT */
		return ns;
	case 6: case 13: /* LOCK_PI, LOCK_PI2 */
	case 9: case 11: /* WAIT_BITSET, WAIT_REQUEUE_PI */
		if (!ns)
			return 0;
		return until(g, (words[2] & FUTEX_CMD) == 6 || words[2] & FUTEX_REALTIME, time);
	default:
		return 0;
	}
}

/* clock_nanosleep: an absolute time becomes a relative one, in the layout that the call wants. */
static uint64_t clock_nanosleep_ns(struct gst *g, uint64_t *words, unsigned bytes, struct gst_clock_wait *w)
{
	uint64_t ns = read_time(words[3], bytes, 1, w->time);
	uint32_t narrow[2];

	if (!ns || !(words[2] & ABSTIME_FLAG) || words[1] > CLOCK_MONO)
		return ns;
	ns = until(g, words[1] == CLOCK_REAL, w->time);
	as_time(ns, 0, w->time);
	narrow[0] = (uint32_t)w->time[0];
	narrow[1] = (uint32_t)w->time[1];
	words[2] &= ~(uint64_t)ABSTIME_FLAG;
	words[3] = bytes == 4 ? gst_low_copy(g, narrow, sizeof(narrow))
		 : g->layout.is_32 ? gst_low_copy(g, w->time, sizeof(w->time)) : (uint64_t)w->time;
	words[4] = 0;
	return ns;
}

/* The longest that the call waits for, in nanoseconds of the program's clock; 0: not for a time. */
static uint64_t longest(struct gst *g, uint64_t *words, struct gst_clock_wait *w)
{
	uint64_t time[2];

	if (g->t->call_like == GST_NO_LIKE) { /* a 32-bit program's own, with times of 32 bits */
		switch (g->t->call_number) {
		case 162: return read_time(words[1], 4, 1, time);      /* nanosleep */
		case 142: return read_time(words[5], 4, 1000, time);   /* _newselect */
		case 177: return read_time(words[3], 4, 1, time);      /* rt_sigtimedwait */
		case 240: return futex_ns(g, words, 4);
		case 267: return clock_nanosleep_ns(g, words, 4, w);
		case 308: return read_time(words[5], 4, 1, time);      /* pselect6 */
		case 309: return read_time(words[3], 4, 1, time);      /* ppoll */
		default: return 0;
		}
	}
	switch (g->t->call_like) {
	case __NR_nanosleep: return read_time(words[1], 8, 1, time);
	case __NR_clock_nanosleep: return clock_nanosleep_ns(g, words, 8, w);
	case __NR_poll: return milliseconds(words[3]);
	case __NR_ppoll: return read_time(words[3], 8, 1, time);
	case __NR_select: return read_time(words[5], 8, 1000, time);
	case __NR_pselect6: return read_time(words[5], 8, 1, time);
	case __NR_epoll_wait: case __NR_epoll_pwait: return milliseconds(words[4]);
	case __NR_rt_sigtimedwait: return read_time(words[3], 8, 1, time);
	case __NR_futex: return futex_ns(g, words, 8);
	default: return 0;
	}
}

void gst_clock_begins(struct gst *g, uint64_t *words, struct gst_clock_wait *w)
{
	w->ns = 0;
	if (!gst_clock_is_model(g))
		return;
	w->ns = longest(g, words, w);
	if (!w->ns)
		return;
	w->host_ns = host_ns(0);
	w->began_ns = ask_clock(g)->result[1];
}

/* Did the call of this number and answer wait in vain? */
static int is_in_vain(uint32_t number, int is_own_32, long ret)
{
	if (is_own_32)
		return number == 177 ? ret == -EAGAIN : number == 240 ? ret == -ETIMEDOUT : ret == 0;
	return number == __NR_rt_sigtimedwait ? ret == -EAGAIN : number == __NR_futex ? ret == -ETIMEDOUT : ret == 0;
}

void gst_clock_ends(struct gst *g, const struct gst_clock_wait *w, long ret)
{
	const int is_own_32 = g->t->call_like == GST_NO_LIKE;
	uint64_t ns = w->ns, real;
	struct req_box *b;

	if (!ns)
		return;
	if (!is_in_vain(is_own_32 ? g->t->call_number : g->t->call_like, is_own_32, ret)) {
		if (ret != -EINTR && ret != GST_RESTARTS)
			return;
		real = host_ns(0) - w->host_ns; /* a signal ended it: nobody but the host knows when */
		ns = real < ns ? real : ns;
	}
	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	b->arg[0] = w->began_ns + ns;
	gst_ask(g, REQ_SLEPT);
}
