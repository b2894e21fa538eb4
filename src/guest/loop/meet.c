/* meet.c -- the program stands at a boundary because softpmu wants it to.
 *
 * RULE   softpmu sets wants_meet and then looks at is_out; the runtime clears is_out and then
 *        looks at wants_meet. So either softpmu sees that the program is in a system call, where
 *        it stays until it has asked, or the runtime sees the wish. A program that runs is
 *        brought here by a signal (signal_host.c).
 */
#include "guest/gst.h"

void gst_come_in(struct gst *g)
{
	g->ctl->running_tid = (uint32_t)g->t->tid;
	if (g->ctl->is_out)
		__atomic_store_n(&g->ctl->is_out, 0, __ATOMIC_SEQ_CST);
}

void gst_meet(struct gst *g)
{
	gst_ring_flush(g, 0);
	gst_ask_box(g);
	gst_ask(g, REQ_MEET);
}

void gst_no_kicks(struct gst *g)
{
	__atomic_store_n(&g->ctl->is_out, 1, __ATOMIC_SEQ_CST);
	/* a signal sent before the answer must arrive before the program is replaced */
	if (g->ctl->n_kicks)
		gst_meet(g);
}
