/* traced.c -- threads that another process of the program traces: they go on when the tracer wants,
 * or ends. Rules: calls/ptrace.h. */
#include "guest/threads/traced.h"

#include "guest/gst.h"

void gst_traced_go_on(struct gst_thread *t)
{
	t->stop_status = 0;
	__atomic_store_n(&t->is_stopped, 0, __ATOMIC_SEQ_CST);
}

void gst_traced_detach(struct gst *g, struct gst_thread *t)
{
	t->tracer = NULL;
	gst_traced_go_on(t);
	g->n_traced--;
}

void gst_traced_let_go(struct gst *g, struct gst_thread *t, const struct gst_process *p)
{
	if (t->tracer && (t->tracer->process == p || t->process == p))
		gst_traced_detach(g, t);
}

void gst_traced_leave(struct gst *g)
{
	for (struct gst_thread *t = g->sched.first; g->n_traced && t; t = t->next)
		if (t->tracer == g->t)
			gst_traced_detach(g, t);
}
