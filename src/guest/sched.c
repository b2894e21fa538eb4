#include "guest/sched.h"

#include "guest/calls.h"
#include "guest/clock.h"
#include "guest/emulate.h"
#include "guest/gst.h"
#include "guest/segments.h"
#include "guest/signal.h"
#include "guest/sleep.h"
#include "guest/thread.h"

#define AWAY_SECONDS 2
#define LONGEST_IDLE_NS 5000000ull
#define CALLS_PER_TURN 50u

#define FUTEX_PRIVATE 128
#define FUTEX_WAIT_PRIVATE (0 | FUTEX_PRIVATE)
#define FUTEX_WAKE_PRIVATE (1 | FUTEX_PRIVATE)
#define FUTEX_WAIT_UNTIL (9 | FUTEX_PRIVATE) /* WAIT_BITSET: absolute time */
#define FUTEX_REALTIME 256
/* Values of gst_thread.baton. */
enum { BATON_NONE = 0, BATON_HAS = 1, BATON_LOOK = 2 /* no, but there is something to do without it */ };
#define ANY_BIT 0xffffffffu

static uint32_t load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static void store(uint32_t *at, uint32_t value)
{
	__atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

static int change(uint32_t *at, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(at, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* ---- the stream and the registers ----------------------------------------------------------------- */

static uint64_t next_dice(struct gst *g)
{
	uint64_t x = g->sched.dice;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return g->sched.dice = x;
}

/* Does somebody wait for a time? */
static int has_due(const struct gst *g)
{
	for (const struct gst_thread *t = g->sched.first; t; t = t->next)
		if (t->due)
			return 1;
	return 0;
}

/* Instructions of the turn so far -> the clock of the waits; or what the modelled clock shows, when somebody needs it. */
static void advance(struct gst *g)
{
	uint64_t now;

	if (gst_clock_is_model(g)) {
		now = has_due(g) ? gst_clock_ns(g, 0) : 0;
		if (g->sched.now < now)
			g->sched.now = now;
		return;
	}
	g->sched.now += (uint64_t)(g->sched.given - g->gs->quantum);
	g->sched.given = g->gs->quantum;
}

void gst_sched_quantum(struct gst *g)
{
	uint32_t n = g->ctl->start.quantum;

	if (g->sched.dice)
		n = n / 2 + (uint32_t)(next_dice(g) % n);
	g->gs->quantum = g->sched.given = (int32_t)n;
}

void gst_sched_call(struct gst *g)
{
	int32_t n = (int32_t)(g->ctl->start.quantum / CALLS_PER_TURN);

	g->gs->quantum -= n;
	g->sched.given -= n;
}

static void put_aside(struct gst *g)
{
	struct gst_thread *t = g->t;

	advance(g);
	gst_ring_word(g, TRC_GO, g->gs->pc);
	memcpy(&t->regs, &g->gs->gs_base, sizeof(t->regs));
	t->r15 = g->gs->guest_r15;
}

/* The holder's registers come back; the stream learns who runs. */
static void take_up(struct gst *g)
{
	struct gst_thread *t = g->t;
	uint32_t number[2] = { t->number, 0 }, df[2] = { 0, 0 };
	uint64_t expired;

	memcpy(&g->gs->gs_base, &t->regs, sizeof(t->regs));
	gst_segments_point(g);
	g->gs->guest_r15 = t->r15;
	t->has_waited = 1;
	g->gs->rt_stack = t->rt_stack;
	*(volatile uint32_t *)((char *)g->gs + GST_GS_STOP) = 0; /* whoever waits is found by t->sig */
	gst_stop_limit(g);
	gst_sched_quantum(g);
	df[0] = (g->gs->rflags & EFLAGS_DF) != 0;
	gst_ring_event(g, TRC_THREAD, number, sizeof(number));
	gst_ring_word(g, TRC_FS_BASE, gst_get_fs(g));
	gst_ring_event(g, TRC_DF, df, sizeof(df));
	gst_ring_word(g, TRC_GO, g->gs->pc);
	gst_event_turns(g);
	gst_stop_limit(g);
	if (g->timers.n_hosted) {
		expired = gst_timers_unhost(g);
		if (expired)
			gst_clock_slept(g, expired);
	}
}

/* ---- the baton ---------------------------------------------------------------------------------------- */

static int is_ready(const struct gst_thread *t)
{
	uint32_t s = load(&t->state);

	return s == GST_THREAD_READY || s == GST_THREAD_RETURNED;
}

static void count_outside(struct gst *g)
{
	__atomic_add_fetch(&g->ctl->outside_events, 1, __ATOMIC_RELAXED);
}

/* The wait of t has lasted long enough by the clock of instructions. When much is left by the host's, the others need
 * not stand still for it: t waits on, and that is the host's decision. */
static int goes_on(struct gst *g, struct gst_thread *t)
{
	const uint64_t left = t->until && !gst_clock_is_model(g) ? gst_sleep_left(t->until) : 0;

	if (left <= LONGEST_IDLE_NS)
		return 0;
	t->due = g->sched.now + left;
	count_outside(g);
	return 1;
}

/* The wait of t has lasted long enough. */
static int expire(struct gst_thread *t)
{
	if (!change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_READY))
		return 0;
	t->is_timeout = 1;
	return 1;
}

static long poll_now(const struct gst_thread *t)
{
	struct gst_poll poll[GST_MOST_POLL];
	uint64_t no_time[2] = { 0, 0 };
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
	static const uint64_t most[2] = { AWAY_SECONDS, 0 };

	while (load(&t->state) == GST_THREAD_AWAY) {
		if (SYS6(futex, &t->state, FUTEX_WAIT_PRIVATE, GST_THREAD_AWAY, most, 0, 0) == -ETIMEDOUT &&
		    change(&t->state, GST_THREAD_AWAY, GST_THREAD_OUTSIDE))
			return;
	}
	change(&t->state, GST_THREAD_HOME, GST_THREAD_READY);
}

/* Nobody is ready: the thread whose call is to end first, and does; NULL: there is none. */
static struct gst_thread *first_home(struct gst *g)
{
	struct gst_thread *first = NULL;

	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		uint32_t s = load(&t->state);

		if ((s == GST_THREAD_AWAY || s == GST_THREAD_HOME) && (!first || t->due < first->due))
			first = t;
	}
	if (!first)
		return NULL;
	if (g->sched.now < first->due)
		g->sched.now = first->due;
	await_home(first);
	return first;
}

/* End the waits that have lasted long enough by the clock of instructions, and those whose descriptors
 * are ready. */
static void look_at_waits(struct gst *g)
{
	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		uint32_t s = load(&t->state);

		if ((s == GST_THREAD_AWAY || s == GST_THREAD_HOME) && t->due <= g->sched.now)
			await_home(t);
		if (load(&t->state) != GST_THREAD_BLOCKED)
			continue;
		if (t->n_poll && poll_now(t))
			gst_sched_wake(t);
		else if (t->due && t->due <= g->sched.now && !goes_on(g, t))
			expire(t);
	}
}

/* Nobody is ready: who waits for descriptors does so in the kernel. */
static void send_outside(struct gst *g)
{
	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		if (!t->n_poll || !change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_OUTSIDE))
			continue;
		store(&t->baton, BATON_LOOK);
		SYS6(futex, &t->baton, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	}
}

/* Nobody is ready: the wait that ends first, of those that have lasted long enough by the host's clock; by the modelled
 * clock it is the first of all, as soon as that is so for one. */
static struct gst_thread *next_overdue(struct gst *g)
{
	struct gst_thread *first = NULL;
	int is_any = 0;

	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		const int is_over = load(&t->is_overdue) != 0;

		if (!t->due || load(&t->state) != GST_THREAD_BLOCKED || (!is_over && !gst_clock_is_model(g)))
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
static struct gst_thread *next_ready(struct gst *g, uint32_t after)
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

static void give(struct gst *g, struct gst_thread *to)
{
	g->t = to;
	store(&to->baton, BATON_HAS);
	SYS6(futex, &to->baton, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* All threads wait, and by the host's clock t has waited long enough: it goes on. When others are in the
 * kernel, that it was t and not one of them was the host's decision. */
static void end_idle_wait(struct gst *g, struct gst_thread *t)
{
	if (!expire(t))
		return;
	if (g->sched.now < t->due)
		g->sched.now = t->due;
	for (const struct gst_thread *other = g->sched.first; other; other = other->next) {
		if (load(&other->state) == GST_THREAD_OUTSIDE) {
			count_outside(g);
			return;
		}
	}
}

/* Nobody is ready: the kernel looks after the timers, those that end before any wait does. Returns 1 when one has expired and
 * somebody is ready. */
static int host_timers(struct gst *g, uint32_t from)
{
	uint64_t now, nearest = 0, mask = ~0ull;

	if (!g->t || !g->timers.n_armed || g->timers.n_hosted)
		return 0;
	now = gst_clock_ns(g, 0);
	if (next_ready(g, from))
		return 1;
	for (const struct gst_thread *t = g->sched.first; t; t = t->next) {
		const uint64_t left = t->due > now ? t->due - now : 1;

		mask &= t->sig.mask;
		if (t->due && (!nearest || left < nearest))
			nearest = left;
	}
	gst_timers_host(g, now, nearest, mask);
	return 0;
}

/* The holder, number `from`, gives the baton to the next thread, or lays it down. */
static void pass_on(struct gst *g, uint32_t from)
{
	look_at_waits(g);
	for (;;) {
		struct gst_thread *next = next_ready(g, from);

		if (next) {
			give(g, next);
			return;
		}
		if (first_home(g)) {
			look_at_waits(g);
			continue;
		}
		next = next_overdue(g);
		if (next) {
			end_idle_wait(g, next);
			continue;
		}
		if (host_timers(g, from))
			continue;
		send_outside(g);
		g->t = NULL;
		store(&g->sched.is_free, 1);
		/* Perhaps one came back before it could see that. */
		if ((!next_ready(g, from) && !next_overdue(g)) || !change(&g->sched.is_free, 1, 0))
			return;
	}
}

/* Thread t is ready again and was not asked: take the baton when it lies there. */
static void come_back(struct gst *g, struct gst_thread *t)
{
	if (!change(&g->sched.is_free, 1, 0))
		return;
	g->t = t;
	store(&t->baton, BATON_HAS);
}

/* Wait for the descriptors of t in the kernel, without the baton. */
static void poll_outside(struct gst *g, struct gst_thread *t, const struct gst_deadline *until)
{
	uint64_t left[2], words[7] = { __NR_ppoll, (uint64_t)t->poll, t->n_poll, 0, 0, 8, 0 };
	long ret;

	do {
		if (until) {
			uint64_t nano = gst_sleep_left(until);

			left[0] = nano / 1000000000u;
			left[1] = nano % 1000000000u;
			words[3] = (uint64_t)left;
		}
		ret = gst_call(words, &t->sig.waits);
	} while (ret == -EINTR && !load((const uint32_t *)&t->sig.waits));
	t->is_timeout = ret == 0;
	t->is_woken = ret > 0;
	count_outside(g);
	store(&t->state, GST_THREAD_RETURNED);
	come_back(g, t);
}

/* Sleep until the baton comes. One call of the kernel is made behind it in any case: on the way out of
 * it the kernel delivers signals that were sent before the baton was given. */
static void wait_baton(struct gst *g, struct gst_thread *t, const struct gst_deadline *until)
{
	while (load(&t->baton) != BATON_HAS) {
		long ret;

		if (change(&t->baton, BATON_LOOK, BATON_NONE)) {
			poll_outside(g, t, until);
			continue;
		}
		if (!until || load(&t->is_overdue) || load(&t->state) != GST_THREAD_BLOCKED) {
			SYS6(futex, &t->baton, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
			continue;
		}
		ret = SYS6(futex, &t->baton, FUTEX_WAIT_UNTIL | (until->is_realtime ? FUTEX_REALTIME : 0), 0,
		           until->time, 0, ANY_BIT);
		if (ret != -ETIMEDOUT && ret != -EINVAL)
			continue;
		store(&t->is_overdue, 1);
		if (change(&g->sched.is_free, 1, 0)) /* nobody runs: let the first one in time go on */
			pass_on(g, t->number);
	}
	store(&t->baton, BATON_NONE);
	SYS0(getpid);
	if (load(&t->state) == GST_THREAD_RETURNED)
		store(&t->state, GST_THREAD_READY);
}

/* The test hook's signals shall not end a wait that nobody else ended. */
static void no_test_signals(struct gst *g)
{
	gst_signal_quiet(g, 1);
	gst_signal_drop(g);
}

int gst_sched_turn(struct gst *g)
{
	struct gst_thread *t = g->t, *next;

	advance(g);
	look_at_waits(g);
	next = next_ready(g, t->number);
	if (next == t) {
		gst_sched_quantum(g);
		return 0;
	}
	put_aside(g);
	give(g, next);
	wait_baton(g, t, NULL);
	take_up(g);
	return 1;
}

long gst_sched_block(struct gst *g, const struct gst_deadline *until)
{
	return gst_sched_block_poll(g, NULL, 0, until);
}

long gst_sched_block_poll(struct gst *g, const struct gst_poll *poll, uint32_t n,
                          const struct gst_deadline *until)
{
	struct gst_thread *t = g->t;

	no_test_signals(g);
	put_aside(g);
	t->is_timeout = t->is_woken = 0;
	t->is_overdue = 0;
	memcpy(t->poll, poll, n * sizeof(*poll));
	t->n_poll = n;
	t->until = until;
	t->due = !until ? 0 : t->wait_ends_ns ? t->wait_ends_ns : g->sched.now + gst_sleep_instructions(until);
	store(&t->state, GST_THREAD_BLOCKED);
	if (gst_signal_waits(g)) /* came too early for the handler to end the wait */
		change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_READY);
	pass_on(g, t->number);
	wait_baton(g, t, until);
	t->until = NULL;
	t->due = 0;
	t->n_poll = 0;
	take_up(g);
	if (t->is_timeout)
		gst_sleep_until(until);
	return t->is_woken ? 0 : t->is_timeout ? -ETIMEDOUT : GST_RESTARTS;
}

int gst_sched_wake(struct gst_thread *t)
{
	if (!change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_READY))
		return 0;
	t->is_woken = 1;
	return 1;
}

void gst_sched_interrupt(struct gst *g, struct gst_thread *t)
{
	if (change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_RETURNED))
		come_back(g, t);
}

long gst_sched_outside(struct gst *g, const uint64_t *words)
{
	struct gst_thread *t = g->t;
	long ret;

	if (g->sched.n_live == 1)
		return gst_call_kernel(g, t, words);
	no_test_signals(g);
	put_aside(g);
	store(&t->state, GST_THREAD_OUTSIDE);
	pass_on(g, t->number);
	ret = gst_call_kernel(g, t, words);
	count_outside(g);
	store(&t->state, GST_THREAD_RETURNED);
	come_back(g, t);
	wait_baton(g, t, NULL);
	take_up(g);
	return ret;
}

long gst_sched_away(struct gst *g, const uint64_t *words)
{
	struct gst_thread *t = g->t;
	long ret;

	if (g->sched.n_live == 1)
		return gst_call_kernel(g, t, words);
	no_test_signals(g);
	put_aside(g);
	t->due = (gst_clock_is_model(g) ? gst_clock_ns(g, 0) : g->sched.now) + GST_AWAY;
	store(&t->state, GST_THREAD_AWAY);
	pass_on(g, t->number);
	ret = gst_call_kernel(g, t, words);
	if (change(&t->state, GST_THREAD_AWAY, GST_THREAD_HOME)) {
		SYS6(futex, &t->state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	} else { /* it took too long: as from outside */
		count_outside(g);
		store(&t->state, GST_THREAD_RETURNED);
		come_back(g, t);
	}
	wait_baton(g, t, NULL);
	t->due = 0;
	take_up(g);
	return ret;
}

/* ---- birth and death ------------------------------------------------------------------------------------ */

/* softpmu may know of thread t by its tid, or no longer (0). */
static void show(struct gst *g, const struct gst_thread *t, uint32_t tid)
{
	const uint32_t slot = (uint32_t)(((uint64_t)t - GST_SLOTS) / GST_SLOT_BYTES);

	g->ctl->thread[slot].number = t->number;
	__atomic_store_n(&g->ctl->thread[slot].tid, tid, __ATOMIC_RELEASE);
	if (slot >= g->ctl->n_slots)
		__atomic_store_n(&g->ctl->n_slots, slot + 1, __ATOMIC_RELEASE);
}

void gst_sched_start(struct gst *g, struct gst_thread *t)
{
	t->state = GST_THREAD_READY;
	t->rt_stack = GST_STACK_TOP;
	g->t = t;
	g->sched.first = t;
	g->sched.n_live = g->sched.n_born = g->sched.n_slots = 1;
}

void gst_sched_show(struct gst *g)
{
	g->ctl->n_slots = 0; /* those of a program before */
	show(g, g->t, (uint32_t)g->t->tid);
}

void gst_sched_add(struct gst *g, struct gst_thread *t)
{
	struct gst_thread **p = &g->sched.first;

	while (*p)
		p = &(*p)->next;
	*p = t;
	t->next = NULL;
	t->number = g->sched.n_born++;
	g->sched.n_live++;
	g->ctl->n_threads++;
	show(g, t, (uint32_t)t->tid);
	store(&t->state, GST_THREAD_READY);
}

void gst_sched_alone(struct gst *g)
{
	struct gst_thread *self = g->t;

	for (uint32_t i = 0; i < g->sched.n_slots; i++) {
		struct gst_thread *t = (struct gst_thread *)(GST_SLOTS + i * GST_SLOT_BYTES);

		if (t == self)
			continue;
		t->state = GST_THREAD_GONE;
		t->kernel_tid = 0;
	}
	self->next = NULL;
	self->number = 0;
	self->tid = (int32_t)SYS0(gettid);
	g->sched.first = self;
	g->sched.waiter = g->sched.last_waiter = NULL;
	g->sched.n_live = g->sched.n_born = 1;
	g->sched.is_free = g->sched.is_first_gone = 0;
	show(g, self, (uint32_t)self->tid);
}

void gst_sched_enter(struct gst *g, struct gst_thread *t)
{
	wait_baton(g, t, NULL);
	take_up(g);
}

void gst_sched_leave(struct gst *g, uint32_t code)
{
	struct gst_thread *t = g->t, **p = &g->sched.first;
	uint64_t all = ~0ull;

	SYS4(rt_sigprocmask, 2 /* SIG_SETMASK */, &all, NULL, 8);
	gst_event_gone(g, t->number);
	advance(g);
	gst_ring_word(g, TRC_GO, g->gs->pc);
	while (*p != t)
		p = &(*p)->next;
	*p = t->next;
	g->sched.n_live--;
	show(g, t, 0);
	if (t->number == 0) {
		g->sched.is_first_gone = 1;
		g->sched.first_code = code;
	}
	store(&t->state, GST_THREAD_GONE);
	pass_on(g, t->number);
	for (;;) /* on its own stack, which is used again when the kernel has cleared t->kernel_tid */
		SYS1(exit, code);
}
