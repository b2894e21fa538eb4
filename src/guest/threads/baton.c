/* baton.c -- which thread of the program goes on next. Rules: sched.h.
 *
 * gst_baton_next() is the whole choice: the ready thread with the next higher number. The host
 * decides nothing in it, so a program whose threads wait only for each other runs in one order
 * every time. When no thread is ready, other functions wait in the kernel for the first thing that
 * can make one ready: a descriptor, a deadline, a timer, a call that returns.
 *
 * INVARIANT   gst.t is the only thread that touches the program's state. A thread takes the baton
 *             by one compare-and-exchange on sched.is_free, or is given it by the holder.
 */
#include "guest/memory/areas.h"
#include "guest/threads/baton.h"

#include "guest/call.h"
#include "guest/time/clock.h"
#include "guest/gst.h"
#include "guest/signals/signal.h"
#include "guest/time/sleep.h"
#include "guest/threads/thread.h"

#define AWAY_SECONDS	 2
#define LONGEST_IDLE_NS	 5000000ull
#define LOOK_NS		 200000000ull /* between looks whether processes in this memory live */
#define FUTEX_WAIT_UNTIL (9 | FUTEX_PRIVATE) /* WAIT_BITSET: absolute time */
#define FUTEX_REALTIME	 256
/* Values of gst_thread.baton. */
enum {
	BATON_NONE = 0,
	BATON_HAS = 1,
	BATON_LOOK = 2 /* no, but there is something to do without it */
};
#define ANY_BIT 0xffffffffu

static int is_ready(const struct gst_thread *t)
{
	uint32_t s = gst_load(&t->state);

	return !t->is_stopped && (s == GST_THREAD_READY || s == GST_THREAD_RETURNED);
}

void gst_baton_outside(struct gst *g)
{
	__atomic_add_fetch(&g->ctl->outside_events, 1, __ATOMIC_RELAXED);
}

/* The wait of t has lasted long enough by the clock of instructions. When much is left by the
 * host's, the others need not stand still for it: t waits on, and that is the host's decision. */
static int goes_on(struct gst *g, struct gst_thread *t)
{
	const uint64_t left = t->until && !gst_clock_is_model(g) ? gst_sleep_left(t->until) : 0;

	if (left <= LONGEST_IDLE_NS)
		return 0;
	t->due = g->sched.now + left;
	gst_baton_outside(g);
	return 1;
}

/* The wait of t has lasted long enough. */
static int expire(struct gst_thread *t)
{
	if (!gst_change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_READY))
		return 0;
	t->is_timeout = 1;
	return 1;
}

static long poll_now(const struct gst_thread *t)
{
	struct gst_poll poll[GST_MOST_POLL];
	uint64_t no_time[2] = {0, 0};
	long ret;

	memcpy(poll, t->poll, t->n_poll * sizeof(*poll));
	do
		ret = SYS6(ppoll, poll, t->n_poll, no_time, 0, 8, 0);
	while (ret == -EINTR);
	return ret;
}

/* t is to come back now: wait for it. */
static void await_home(struct gst_thread *t)
{
	static const uint64_t most[2] = {AWAY_SECONDS, 0};

	while (gst_load(&t->state) == GST_THREAD_AWAY) {
		if (SYS6(futex, &t->state, FUTEX_WAIT_PRIVATE, GST_THREAD_AWAY, most, 0, 0) ==
			-ETIMEDOUT &&
		    gst_change(&t->state, GST_THREAD_AWAY, GST_THREAD_OUTSIDE))
			return;
	}
	gst_change(&t->state, GST_THREAD_HOME, GST_THREAD_READY);
}

/* No thread is ready. Returns the one whose call is to end first, or NULL. */
static struct gst_thread *first_home(struct gst *g)
{
	struct gst_thread *first = NULL;

	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		uint32_t s = gst_load(&t->state);

		if ((s == GST_THREAD_AWAY || s == GST_THREAD_HOME) &&
		    (!first || t->due < first->due))
			first = t;
	}
	if (first && g->sched.now < first->due)
		g->sched.now = first->due;
	return first;
}

/* As gst_baton_look(), except for thread `leaver`, which has yet to make the call that it is away
 * for. */
static void look_at_waits(struct gst *g, const struct gst_thread *leaver)
{
	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		uint32_t s = gst_load(&t->state);

		if ((s == GST_THREAD_AWAY || s == GST_THREAD_HOME) && t->due <= g->sched.now &&
		    t != leaver)
			await_home(t);
		if (gst_load(&t->state) != GST_THREAD_BLOCKED)
			continue;
		if (t->n_poll && poll_now(t))
			gst_sched_wake(t);
		else if (t->due && t->due <= g->sched.now && !goes_on(g, t))
			expire(t);
	}
}

void gst_baton_look(struct gst *g)
{
	look_at_waits(g, NULL);
}

/* No thread is ready: threads that wait for descriptors do so in the kernel. */
static void send_outside(struct gst *g)
{
	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		if (!t->n_poll || !gst_change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_OUTSIDE))
			continue;
		gst_store(&t->baton, BATON_LOOK);
		SYS6(futex, &t->baton, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	}
}

/* No thread is ready. Returns the thread whose wait ends first, of the waits that are over by the
 * host's clock. With the modelled clock: of all waits, as soon as one is over by the host's clock.
 * NULL if none is. */
static struct gst_thread *next_overdue(struct gst *g)
{
	struct gst_thread *first = NULL;
	int is_any = 0;

	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		const int is_over = gst_load(&t->is_overdue) != 0;

		if (!t->due || gst_load(&t->state) != GST_THREAD_BLOCKED ||
		    (!is_over && !gst_clock_is_model(g)))
			continue;
		is_any |= is_over;
		if (!first || t->due < first->due)
			first = t;
	}
	if (g->timers.n_hosted && g->timers.ends_ns && first && first->due > g->timers.ends_ns)
		return NULL; /* a timer comes first */
	return is_any ? first : NULL;
}

/* The ready thread that follows number `after`, or NULL. */
struct gst_thread *gst_baton_next(struct gst *g, uint32_t after)
{
	struct gst_thread *low = NULL;

	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		if (!is_ready(t))
			continue;
		if (t->number > after)
			return t;
		if (!low)
			low = t;
	}
	return low;
}

void gst_baton_give(struct gst *g, struct gst_thread *to)
{
	if (to != g->t)
		gst_areas_open(g);
	g->t = to;
	gst_store(&to->baton, BATON_HAS);
	SYS6(futex, &to->baton, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* All threads wait, and by the host's clock t has waited long enough: it goes on. When others
 * are in the kernel, that it was t and not one of them was the host's decision. */
static void end_idle_wait(struct gst *g, struct gst_thread *t)
{
	if (!expire(t))
		return;
	if (g->sched.now < t->due)
		g->sched.now = t->due;
	for (const struct gst_thread *other = g->sched.first; other; other = other->next) {
		if (gst_load(&other->state) == GST_THREAD_OUTSIDE) {
			gst_baton_outside(g);
			return;
		}
	}
}

/* No thread is ready: arm the kernel's timers for the timers that end before any wait does. Returns
 * 1 if one has expired meanwhile and a thread is ready. */
static int host_timers(struct gst *g, uint32_t from)
{
	uint64_t now, nearest = 0, mask = ~0ull;

	if (!g->t || !g->timers.n_armed || g->timers.n_hosted)
		return 0;
	now = gst_clock_ns(g, 0);
	if (gst_baton_next(g, from))
		return 1;
	for (const struct gst_thread *t = g->sched.first; t; t = t->next) {
		const uint64_t left = t->due > now ? t->due - now : 1;

		mask &= t->sig.mask;
		if (t->due && (!nearest || left < nearest))
			nearest = left;
	}
	gst_timers_host(g, NULL, now, nearest, mask);
	return 0;
}

int gst_baton_is_with(const struct gst_thread *t)
{
	return gst_load(&t->baton) == BATON_HAS;
}

/* The holder, number `from`, gives the baton to the next thread, or lays it down. */
void gst_baton_pass(struct gst *g, uint32_t from)
{
	struct gst_thread *const leaver =
	    g->t && g->t->number == from && gst_load(&g->t->state) == GST_THREAD_AWAY ? g->t : NULL;

	look_at_waits(g, leaver);
	for (;;) {
		struct gst_thread *next = gst_baton_next(g, from);

		if (next) {
			gst_baton_give(g, next);
			return;
		}
		next = first_home(g);
		if (next && next == leaver &&
		    gst_change(&next->state, GST_THREAD_AWAY, GST_THREAD_READY)) {
			gst_baton_give(g, next); /* it makes its call with the baton */
			return;
		}
		if (next) {
			await_home(next);
			look_at_waits(g, leaver);
			continue;
		}
		/* first: one may come before a wait that is over by now */
		if (host_timers(g, from))
			continue;
		next = next_overdue(g);
		if (next) {
			end_idle_wait(g, next);
			continue;
		}
		send_outside(g);
		gst_areas_open(g);
		g->t = NULL;
		gst_store(&g->sched.is_free, 1);
		/* Perhaps one came back before it could see that. */
		if ((!gst_baton_next(g, from) && !next_overdue(g)) ||
		    !gst_change(&g->sched.is_free, 1, 0))
			return;
	}
}

/* Thread t is ready again and was not asked: take the baton when it lies there. */
void gst_baton_come_back(struct gst *g, struct gst_thread *t)
{
	if (gst_load(&t->is_stopped) || gst_load(&t->is_buried) ||
	    !gst_change(&g->sched.is_free, 1, 0))
		return;
	g->t = t;
	if (gst_load(&t->is_stopped) || gst_load(&t->is_buried))
		gst_baton_pass(g, t->number); /* since then */
	else
		gst_store(&t->baton, BATON_HAS);
}

/* Wait for the descriptors of t in the kernel, without the baton. */
static void poll_outside(struct gst *g, struct gst_thread *t, const struct gst_deadline *until)
{
	uint64_t left[2], words[7] = {__NR_ppoll, (uint64_t)t->poll, t->n_poll, 0, 0, 8, 0};
	long ret;

	do {
		if (until) {
			uint64_t nano = gst_sleep_left(until);

			left[0] = nano / 1000000000u;
			left[1] = nano % 1000000000u;
			words[3] = (uint64_t)left;
		}
		ret = gst_call(words, &t->sig.waits);
	} while (ret == -EINTR && !gst_load((const uint32_t *)&t->sig.waits));
	t->is_timeout = ret == 0;
	t->is_woken = ret > 0;
	gst_baton_outside(g);
	gst_store(&t->state, GST_THREAD_RETURNED);
	gst_baton_come_back(g, t);
}

/* Sleep until the baton comes. At least one call of the kernel is made after that: on the way out
 * of it the kernel delivers signals that were sent before the baton was given. */
void gst_baton_wait(struct gst *g, struct gst_thread *t, const struct gst_deadline *until)
{
	static const uint64_t most[2] = {0, LOOK_NS};

	while (gst_load(&t->baton) != BATON_HAS) {
		long ret;

		if (gst_change(&t->baton, BATON_LOOK, BATON_NONE)) {
			poll_outside(g, t, until);
			continue;
		}
		if (!until || gst_load(&t->is_overdue) ||
		    gst_load(&t->state) != GST_THREAD_BLOCKED ||
		    (gst_has_mates(g) && gst_sleep_left(until) > most[1])) {
			ret = SYS6(futex, &t->baton, FUTEX_WAIT_PRIVATE, 0,
				   gst_has_mates(g) ? most : NULL, 0, 0);
			if (ret == -ETIMEDOUT)
				gst_process_look(g, t);
			continue;
		}
		ret = SYS6(futex, &t->baton,
			   FUTEX_WAIT_UNTIL | (until->is_realtime ? FUTEX_REALTIME : 0), 0,
			   until->time, 0, ANY_BIT);
		if (ret != -ETIMEDOUT && ret != -EINVAL)
			continue;
		gst_store(&t->is_overdue, 1);
		/* no thread runs: let the first one in time go on */
		if (gst_change(&g->sched.is_free, 1, 0))
			gst_baton_pass(g, t->number);
	}
	gst_store(&t->baton, BATON_NONE);
	SYS0(getpid);
	if (gst_load(&t->state) == GST_THREAD_RETURNED)
		gst_store(&t->state, GST_THREAD_READY);
}
