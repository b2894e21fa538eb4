/* sched.c -- turns and waits of the holder. Rules: sched.h.
 *
 * The registers of the thread that runs are in struct shr_gs and in the processor. At a hand-over
 * they are put into its struct gst_thread, and the next one's come out of there
 * (gst_sched_take_up()). The stream gets TRC_GO of the thread that stops, TRC_THREAD, and FS base,
 * DF and TRC_GO of the one that goes on: from these a model knows whose instructions follow.
 */
#include "guest/threads/sched.h"

#include "guest/threads/baton.h"
#include "guest/call.h"
#include "guest/memory/pass.h"
#include "guest/time/clock.h"
#include "guest/cpu/emulate.h"
#include "guest/gst.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"
#include "guest/time/sleep.h"
#include "guest/threads/thread.h"

#define CALLS_PER_TURN 50u
#define UNEVEN	       8u /* turns differ by this part of the quantum */

/* ---- the stream and the registers ------------------------------------------------------------ */

static uint64_t next_dice(struct gst *g)
{
	uint64_t x = g->sched.dice;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return g->sched.dice = x;
}

/* Returns 1 when a thread waits for a time. */
static int has_due(const struct gst *g)
{
	for (const struct gst_thread *t = g->sched.first; t; t = t->next)
		if (t->due)
			return 1;
	return 0;
}

/* Add the instructions of the turn so far to the clock of the waits. With --clock model: set it to
 * the modelled clock, if a thread waits for a time. */
void gst_sched_advance(struct gst *g)
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
	const uint32_t n = g->ctl->start.quantum, width = g->ctl->start.seed ? n : n / UNEVEN;
	uint32_t turn = n - width / 2;

	if (width)
		turn += (uint32_t)(next_dice(g) % width);
	g->gs->quantum = g->sched.given = (int32_t)turn;
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

	gst_sched_advance(g);
	gst_ring_word(g, TRC_GO, g->gs->pc);
	memcpy(&t->regs, &g->gs->gs_base, sizeof(t->regs));
	t->r15 = g->gs->guest_r15;
	if (gst_has_mates(g) && !g->layout.is_32)
		t->fs = gst_get_fs(g);
}

/* Write the records that name the thread that goes on, and where. */
static void tell_thread(struct gst *g)
{
	const uint32_t number[2] = {g->t->number, gst_thread_cpu(g, g->t) + 1},
		       df[2] = {(g->gs->rflags & EFLAGS_DF) != 0, 0};

	gst_ring_event(g, TRC_THREAD, number, sizeof(number));
	gst_ring_word(g, TRC_FS_BASE, gst_get_fs(g));
	gst_ring_event(g, TRC_DF, df, sizeof(df));
	gst_ring_word(g, TRC_GO, g->gs->pc);
}

void gst_sched_moved(struct gst *g)
{
	gst_ring_word(g, TRC_GO, g->gs->pc);
	tell_thread(g);
}

/* Load the holder's registers, and write the records that name it. */
void gst_sched_take_up(struct gst *g)
{
	struct gst_thread *t = g->t;
	uint64_t expired;

	if (g->replacing || t->process->actions_of->changed)
		gst_process_take_up(g);
	gst_process_tell(g);
	memcpy(&g->gs->gs_base, &t->regs, sizeof(t->regs));
	gst_segments_point(g);
	g->gs->guest_r15 = t->r15;
	t->has_waited = 1;
	g->gs->rt_stack = t->rt_stack;
	/* the signals that wait are found by t->sig */
	*(volatile uint32_t *)((char *)g->gs + GST_GS_STOP) = 0;
	gst_stop_limit(g);
	gst_sched_quantum(g);
	tell_thread(g);
	gst_event_turns(g);
	gst_stop_limit(g);
	if (g->timers.n_hosted) {
		expired = gst_timers_unhost(g);
		if (expired)
			gst_clock_slept(g, expired);
	}
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* A signal of the test hook must not be what ends a wait. */
static void no_test_signals(struct gst *g)
{
	gst_signal_quiet(g, 1);
	gst_signal_drop(g);
}

int gst_sched_turn(struct gst *g)
{
	struct gst_thread *t = g->t, *next;

	gst_sched_advance(g);
	gst_baton_look(g);
	next = gst_baton_next(g, t->number);
	if (next == t) {
		gst_sched_quantum(g);
		return 0;
	}
	put_aside(g);
	gst_baton_give(g, next);
	gst_baton_wait(g, t, NULL);
	gst_sched_take_up(g);
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
	t->due = !until		   ? 0
		 : t->wait_ends_ns ? t->wait_ends_ns
				   : g->sched.now + gst_sleep_instructions(until);
	gst_store(&t->state, GST_THREAD_BLOCKED);
	if (gst_signal_waits(g)) /* came too early for the handler to end the wait */
		gst_change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_READY);
	gst_baton_pass(g, t->number);
	gst_baton_wait(g, t, until);
	t->until = NULL;
	t->due = 0;
	t->n_poll = 0;
	gst_sched_take_up(g);
	if (t->is_timeout)
		gst_sleep_until(until);
	return t->is_woken ? 0 : t->is_timeout ? -ETIMEDOUT : GST_RESTARTS;
}

int gst_sched_wake(struct gst_thread *t)
{
	if (!gst_change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_READY))
		return 0;
	t->is_woken = 1;
	return 1;
}

void gst_sched_interrupt(struct gst *g, struct gst_thread *t)
{
	if (gst_change(&t->state, GST_THREAD_BLOCKED, GST_THREAD_RETURNED))
		gst_baton_come_back(g, t);
}

long gst_sched_outside(struct gst *g, const uint64_t *words)
{
	struct gst_thread *t = g->t;
	long ret;

	if (g->sched.n_live == 1)
		return gst_call_kernel(g, t, words);
	no_test_signals(g);
	put_aside(g);
	gst_store(&t->state, GST_THREAD_OUTSIDE);
	gst_baton_pass(g, t->number);
	if (g->replacing == t) {
		/* the runtime's own execveat, in programs of either width */
		ret = gst_call(words, &t->sig.waits);
		gst_process_not_replaced(g);
	} else {
		ret = gst_call_kernel(g, t, words);
	}
	gst_baton_outside(g);
	gst_store(&t->state, GST_THREAD_RETURNED);
	gst_baton_come_back(g, t);
	gst_baton_wait(g, t, NULL);
	gst_sched_take_up(g);
	return ret;
}

long gst_sched_away(struct gst *g, const uint64_t *words)
{
	struct gst_thread *t = g->t;
	int keeps;
	long ret;

	if (g->sched.n_live == 1)
		return gst_call_kernel(g, t, words);
	no_test_signals(g);
	put_aside(g);
	t->due = (gst_clock_is_model(g) ? gst_clock_ns(g, 0) : g->sched.now) + GST_AWAY;
	gst_store(&t->state, GST_THREAD_AWAY);
	gst_baton_pass(g, t->number);
	keeps = gst_baton_is_with(t);
	ret = gst_call_kernel(g, t, words);
	if (keeps) {
		; /* no other thread can go on */
	} else if (gst_change(&t->state, GST_THREAD_AWAY, GST_THREAD_HOME)) {
		SYS6(futex, &t->state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	} else { /* it took too long: as from outside */
		gst_baton_outside(g);
		gst_store(&t->state, GST_THREAD_RETURNED);
		gst_baton_come_back(g, t);
	}
	gst_baton_wait(g, t, NULL);
	t->due = 0;
	gst_sched_take_up(g);
	return ret;
}
