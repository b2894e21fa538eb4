/* sched_life.c -- threads come and go. Rules: sched.h. */
#include "guest/threads/baton.h"
#include "guest/call.h"
#include "guest/gst.h"
#include "guest/threads/traced.h"
#include "guest/threads/sched.h"
#include "guest/signals/signal.h"
#include "guest/threads/thread.h"

/* softpmu may know of thread t by its tid, or no longer (0). */
static void show_thread(struct gst *g, const struct gst_thread *t, uint32_t tid)
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
	show_thread(g, g->t, (uint32_t)g->t->tid);
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
	show_thread(g, t, (uint32_t)t->tid);
	gst_store(&t->state, GST_THREAD_READY);
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
		t->own.n_threads = t->own.n_sharing = 0;
	}
	self->next = NULL;
	self->number = 0;
	self->tid = (int32_t)SYS0(gettid);
	g->sched.first = self;
	g->sched.waiter = g->sched.last_waiter = NULL;
	g->sched.n_live = g->sched.n_born = 1;
	g->sched.is_free = 0;
	show_thread(g, self, (uint32_t)self->tid);
}

void gst_sched_enter(struct gst *g, struct gst_thread *t)
{
	gst_baton_wait(g, t, NULL);
	gst_sched_take_up(g);
}

void gst_sched_remove(struct gst *g, struct gst_thread *t)
{
	struct gst_thread **p = &g->sched.first;

	while (*p != t)
		p = &(*p)->next;
	*p = t->next;
	g->sched.n_live--;
	show_thread(g, t, 0);
	gst_store(&t->state, GST_THREAD_GONE);
}

void gst_sched_leave(struct gst *g, uint32_t code)
{
	struct gst_thread *t = g->t;
	uint64_t all = ~0ull;

	SYS4(rt_sigprocmask, 2 /* SIG_SETMASK */, &all, NULL, 8);
	gst_event_gone(g, t->number);
	gst_sched_advance(g);
	gst_ring_word(g, TRC_GO, g->gs->pc);
	t->process->n_threads--;
	if (t->process == &t->own) {
		t->process->is_first_gone = 1;
		t->process->first_code = code;
	}
	gst_traced_leave(g);
	gst_sched_remove(g, t);
	gst_baton_pass(g, t->number);
	/* on its own stack, which is used again when the kernel has cleared t->kernel_tid */
	for (;;)
		SYS1(exit, code);
}
