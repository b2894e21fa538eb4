/* child.c -- holds SIGCHLD until a call that waits, or until its time is over. Rules: child.h. */
#include "guest/signals/child.h"

#include "guest/gst.h"
#include "trace/share.h"

#define SI_TIMER	(-2)
#define CLOCK_MONOTONIC 1
#define CLD_DUMPED	3
#define SIG_IGN		1

/* The timer is made when a process needs it first; timer_made is its identifier and one. */
static void set_timer(struct gst_thread_signals *s, int64_t ns)
{
	const int64_t times[4] = {0, 0, ns / 1000000000, ns % 1000000000};
	const struct gst_sigevent event = {.value = SHR_KICK_VALUE, .sig = SHR_KICK_SIGNAL};
	int32_t id;

	if (!s->child.timer_made) {
		if (!ns || SYS3(timer_create, CLOCK_MONOTONIC, &event, &id))
			return;
		s->child.timer_made = id + 1;
	}
	SYS4(timer_settime, s->child.timer_made - 1, 0, times, NULL);
}

int gst_child_defer(struct gst *g, struct gst_thread *t, const struct gst_siginfo *info)
{
	struct gst_thread_signals *s = &t->sig;

	if (info->sig != GST_SIGCHLD || info->code <= 0 || info->code > CLD_DUMPED || g->t != t ||
	    g->sched.is_threaded || g->n_traced || s->waits || (s->mask & GST_BIT(GST_SIGCHLD)) ||
	    s->child.has_waited || (s->held & GST_BIT(GST_SIGCHLD)) ||
	    t->process->actions_of->act[GST_SIGCHLD].handler <= SIG_IGN)
		return 0;
	s->held_info[GST_SIGCHLD] = *info;
	s->held |= GST_BIT(GST_SIGCHLD);
	s->child.is_deferred = 1;
	s->child.is_ordered = 0;
	set_timer(s, GST_CHILD_NS);
	return 1;
}

int gst_child_is_deferred(const struct gst *g)
{
	return g->t->sig.child.is_deferred && !g->sched.is_threaded;
}

void gst_child_let_in(struct gst *g, int is_ordered)
{
	g->t->sig.child.is_deferred = 0;
	g->t->sig.child.is_ordered = is_ordered;
}

int gst_child_delivered(struct gst *g)
{
	struct gst_thread_signals *s = &g->t->sig;
	const int is_ordered = s->child.is_ordered;

	s->child.is_deferred = s->child.is_ordered = 0;
	set_timer(s, 0);
	return is_ordered;
}

void gst_child_none(struct gst_thread *t)
{
	t->sig.child = (struct gst_child_signal){0};
}

int gst_child_is_over(struct gst_thread *t, const struct gst_siginfo *info)
{
	uint64_t value;

	/* a timer's value follows its identifier and its overruns */
	memcpy(&value, info->rest, sizeof(value));
	if (info->sig != SHR_KICK_SIGNAL || info->code != SI_TIMER || value != SHR_KICK_VALUE)
		return 0;
	t->sig.child.is_deferred = 0;
	return 1;
}
