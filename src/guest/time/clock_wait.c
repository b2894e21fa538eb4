/* clock_wait.c -- waits of the program for a time, while its clocks follow the modelled
 * processor (clock.h). */
#include "guest/call.h"
#include "guest/time/clock.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define NANO	       1000000000ull
#define NANO_PER_MILLI 1000000u
#define NANO_PER_MICRO 1000u
#define MOST_SECONDS   (1ull << 33)
#define EXTRA_SECONDS  100u /* more than what a timer ends the wait after */
#define ABSTIME_FLAG   1u
#define CLOCK_REAL     0
#define CLOCK_MONO     1
#define FUTEX_CMD      127u
#define FUTEX_REALTIME 256u
#define MOST_SEMBUFS   500u
#define SEMBUF_BYTES   6u /* struct sembuf: number, operation, flags */
#define SEMBUF_FLAGS   4u
#define NOWAIT_FLAG    04000
#define IPC_SEMTIMEDOP 4u

/* ---- how long -------------------------------------------------------------------------------- */

/* The time at `at`: two words of `bytes` each, the second in units of `unit` nanoseconds.
 * Returns nanoseconds, 0: none. */
static uint64_t read_time(uint64_t at, unsigned bytes, uint64_t unit, uint64_t time[2])
{
	time[0] = time[1] = 0;
	if (!at || gst_copy_in(&time[0], at, bytes) || gst_copy_in(&time[1], at + bytes, bytes) ||
	    time[1] >= NANO || time[0] >> (8 * bytes - 1))
		return 0;
	time[1] *= unit;
	return (time[0] < MOST_SECONDS ? time[0] : MOST_SECONDS) * NANO + time[1];
}

static uint64_t milliseconds(uint64_t n)
{
	return (int32_t)n > 0 ? (uint64_t)(uint32_t)n * NANO_PER_MILLI : 0;
}

/* Returns how long a futex call waits at most, in nanoseconds; 0 = without limit, or not at all. */
static uint64_t futex_ns(struct gst *g, const uint64_t *words, unsigned bytes)
{
	uint64_t time[2], ns = read_time(words[4], bytes, 1, time);

	switch (words[2] & FUTEX_CMD) {
	case 0: /* WAIT */ return ns;
	case 6:
	case 13: /* LOCK_PI, LOCK_PI2 */
	case 9:
	case 11: /* WAIT_BITSET, WAIT_REQUEUE_PI */
		if (!ns)
			return 0;
		return gst_clock_until(g, (words[2] & FUTEX_CMD) == 6 || words[2] & FUTEX_REALTIME,
				       time);
	default: return 0;
	}
}

/* Where the program's time stands: a pointer in words[word], or milliseconds (bytes 0). */
static void place(struct gst_clock_wait *w, unsigned word, unsigned bytes, uint32_t unit)
{
	w->word = (uint8_t)word;
	w->bytes = (uint8_t)bytes;
	w->unit = unit;
}

/* The time is behind pointer words[word], and its rest is shown behind pointer words[left] (left 0:
 * nowhere). Returns the time in nanoseconds. */
static uint64_t pointed(struct gst_clock_wait *w, const uint64_t *words, unsigned word,
			unsigned bytes, uint32_t unit, unsigned left)
{
	uint64_t time[2];

	place(w, word, bytes, unit);
	w->left_at = left ? words[left] : 0;
	w->is_left_always = left == word;
	return read_time(words[word], bytes, unit, time);
}

static uint64_t counted(struct gst_clock_wait *w, const uint64_t *words, unsigned word)
{
	place(w, word, 0, NANO_PER_MILLI);
	return milliseconds(words[word]);
}

/* Another time in place of the program's. */
static void replace(struct gst *g, uint64_t *words, struct gst_clock_wait *w, uint64_t ns)
{
	uint32_t narrow[2];

	if (!w->bytes) {
		words[w->word] = ns / NANO_PER_MILLI < INT32_MAX ? ns / NANO_PER_MILLI : INT32_MAX;
		return;
	}
	ns += w->is_date ? gst_clock_host_ns(1) : 0;
	w->time[0] = ns / NANO;
	w->time[1] = ns % NANO / w->unit;
	narrow[0] = (uint32_t)w->time[0];
	narrow[1] = (uint32_t)w->time[1];
	words[w->word] = w->bytes == 4	   ? gst_low_copy(g, narrow, sizeof(narrow))
			 : g->layout.is_32 ? gst_low_copy(g, w->time, sizeof(w->time))
					   : (uint64_t)w->time;
}

/* clock_nanosleep: an absolute time becomes a relative one, in the layout that the call wants. */
static uint64_t clock_nanosleep_ns(struct gst *g, uint64_t *words, unsigned bytes,
				   struct gst_clock_wait *w)
{
	uint64_t time[2], ns = read_time(words[3], bytes, 1, time);

	place(w, 3, bytes, 1);
	if (!(words[2] & ABSTIME_FLAG))
		w->left_at = words[4];
	if (!ns || !(words[2] & ABSTIME_FLAG) || words[1] > CLOCK_MONO)
		return ns;
	ns = gst_clock_until(g, words[1] == CLOCK_REAL, time);
	words[2] &= ~(uint64_t)ABSTIME_FLAG;
	words[4] = 0;
	replace(g, words, w, ns);
	return ns;
}

/* A message queue: the date becomes the host's. One that is past is past there, too. */
static uint64_t queue_ns(struct gst *g, uint64_t *words, unsigned bytes, struct gst_clock_wait *w)
{
	uint64_t time[2], ns = read_time(words[5], bytes, 1, time);

	if (!ns)
		return 0;
	place(w, 5, bytes, 1);
	w->is_date = 1;
	ns = gst_clock_until(g, 1, time);
	if (ns)
		replace(g, words, w, ns);
	return ns;
}

/* Returns 1 if semtimedop with these n operations may answer EAGAIN at once, as it does when its
 * time is over. */
static int has_impatient(uint64_t at, uint64_t n)
{
	uint16_t flags = 0;

	for (uint64_t i = 0; i < n && i < MOST_SEMBUFS; i++)
		if (gst_copy_in(&flags, at + i * SEMBUF_BYTES + SEMBUF_FLAGS, sizeof(flags)) ||
		    flags & NOWAIT_FLAG)
			return 1;
	return 0;
}

/* ns, and the call says `error` when they are over. */
static uint64_t else_error(struct gst_clock_wait *w, uint64_t ns, int error)
{
	w->vain = error;
	return ns;
}

/* The longest that the call waits for, in nanoseconds of the program's clock; 0: not for a time. */
static uint64_t longest(struct gst *g, uint64_t *words, struct gst_clock_wait *w)
{
	if (g->t->call_like == GST_NO_LIKE) { /* a 32-bit program's own */
		switch (g->t->call_number) {
		case NR32_nanosleep: return pointed(w, words, 1, 4, 1, 2);
		case NR32__newselect: return pointed(w, words, 5, 4, NANO_PER_MICRO, 5);
		case NR32_rt_sigtimedwait:
			return else_error(w, pointed(w, words, 3, 4, 1, 0), EAGAIN);
		case NR32_rt_sigtimedwait_time64:
			return else_error(w, pointed(w, words, 3, 8, 1, 0), EAGAIN);
		case NR32_futex: return else_error(w, futex_ns(g, words, 4), ETIMEDOUT);
		case NR32_clock_nanosleep: return clock_nanosleep_ns(g, words, 4, w);
		case NR32_pselect6: return pointed(w, words, 5, 4, 1, 5);
		case NR32_pselect6_time64: return pointed(w, words, 5, 8, 1, 5);
		case NR32_ppoll: return pointed(w, words, 3, 4, 1, 3);
		case NR32_mq_timedsend:
		case NR32_mq_timedreceive:
			return else_error(w, queue_ns(g, words, 4, w), ETIMEDOUT);
		case NR32_ipc:
			return (uint16_t)words[1] != IPC_SEMTIMEDOP ||
				       has_impatient(words[5], words[3])
				   ? 0
				   : else_error(w, pointed(w, words, 6, 4, 1, 0), EAGAIN);
		default: return gst_clock_socket_ns(g, words, &w->vain);
		}
	}
	switch (g->t->call_like) {
	case __NR_nanosleep: return pointed(w, words, 1, 8, 1, 2);
	case __NR_clock_nanosleep: return clock_nanosleep_ns(g, words, 8, w);
	case __NR_poll: return counted(w, words, 3);
	case __NR_ppoll: return pointed(w, words, 3, 8, 1, 3);
	case __NR_select: return pointed(w, words, 5, 8, NANO_PER_MICRO, 5);
	case __NR_pselect6: return pointed(w, words, 5, 8, 1, 5);
	case __NR_epoll_wait:
	case __NR_epoll_pwait: return counted(w, words, 4);
	case __NR_epoll_pwait2: return pointed(w, words, 4, 8, 1, 0);
	case __NR_rt_sigtimedwait: return else_error(w, pointed(w, words, 3, 8, 1, 0), EAGAIN);
	case __NR_futex: return else_error(w, futex_ns(g, words, 8), ETIMEDOUT);
	case __NR_semtimedop:
		return has_impatient(words[2], words[3])
			   ? 0
			   : else_error(w, pointed(w, words, 4, 8, 1, 0), EAGAIN);
	case __NR_mq_timedsend:
	case __NR_mq_timedreceive: return else_error(w, queue_ns(g, words, 8, w), ETIMEDOUT);
	default: return gst_clock_socket_ns(g, words, &w->vain);
	}
}

/* Signals that do not end the call, as far as is known here. */
static uint64_t mask_of(const struct gst *g, const uint64_t *words)
{
	uint64_t set;

	if (g->t->call_like == __NR_rt_sigtimedwait ||
	    (g->t->call_like == GST_NO_LIKE && (g->t->call_number == NR32_rt_sigtimedwait ||
						g->t->call_number == NR32_rt_sigtimedwait_time64)))
		return gst_copy_in(&set, words[1], 8) ? ~0ull : g->t->sig.mask & ~set;
	return g->t->sig.mask;
}

/* ---- begin and end --------------------------------------------------------------------------- */

void gst_clock_begins(struct gst *g, uint64_t *words, struct gst_clock_wait *w)
{
	int is_timed;

	*w = (struct gst_clock_wait){.ns = 0};
	g->t->wait_ends_ns = 0;
	if (!gst_clock_is_model(g))
		return;
	w->ns = longest(g, words, w);
	is_timed = g->timers.n_armed && g->sched.n_live == 1 && gst_call_may_wait(g, words);
	if (!w->ns && !is_timed)
		return;
	w->host_ns = gst_clock_host_ns(0);
	w->began_ns = gst_clock_ns(g, 0);
	if (w->ns)
		g->t->wait_ends_ns = w->began_ns + w->ns;
	if (is_timed && !gst_signal_waits(g) &&
	    gst_timers_host(g, words, w->began_ns, w->ns, mask_of(g, words)) && w->ns && w->word)
		replace(g, words, w, w->ns + EXTRA_SECONDS * NANO);
}

/* Until when the clocks have gone on during the call; 0: they have not. expired: the last
 * timer's time, or 0. */
static uint64_t ended_at(const struct gst *g, const struct gst_clock_wait *w, uint64_t expired,
			 long ret)
{
	uint64_t real;

	if (w->ns && ret == -w->vain)
		return w->began_ns + w->ns;
	if (expired)
		return expired;
	if (!w->ns || (ret != -EINTR && ret != GST_RESTARTS && ret != GST_RESTARTS_ANYWAY) ||
	    g->sched.n_live > 1)
		return 0; /* other threads ran meanwhile and have advanced the clock */
	/* a signal ended it: the moment is the host's */
	real = gst_clock_host_ns(0) - w->host_ns;
	return w->began_ns + (real < w->ns ? real : w->ns);
}

/* Store the rest of the wait where the call shows it. */
static void show_left(struct gst *g, const struct gst_clock_wait *w, uint64_t now, long ret)
{
	const uint64_t end = w->began_ns + w->ns, left = end > now ? end - now : 0;
	const uint64_t time[2] = {left / NANO, left % NANO / (w->unit ? w->unit : 1)};

	if (!w->ns || !w->left_at ||
	    (ret != -EINTR && (!w->is_left_always || (ret < 0 && ret != GST_RESTARTS))))
		return;
	gst_copy_out(w->left_at, &time[0], w->bytes);
	gst_copy_out(w->left_at + w->bytes, &time[1], w->bytes);
}

void gst_clock_ends(struct gst *g, const struct gst_clock_wait *w, long ret)
{
	uint64_t expired, now;

	if (!w->ns && !g->timers.n_hosted)
		return;
	expired = gst_timers_unhost(g);
	now = ended_at(g, w, expired, ret);
	if (now)
		now = gst_clock_slept(g, now);
	else if (w->left_at)
		now = gst_clock_ns(g, 0);
	show_left(g, w, now, ret);
}
