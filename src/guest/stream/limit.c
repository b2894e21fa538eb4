/* limit.c -- where translated code stops by itself: the limit of the record pointer (shr_gs.limit),
 * and R15, which holds the record pointer or the rest of the turn.
 *
 * INVARIANT   the limit is the lowest of the chunk's end, the overflows' limit and the timers'; and
 *             0 while a signal waits. Whatever changes one of them calls gst_stop_limit(), else the
 *             program runs past the place where it has to stop.
 */
#include "guest/gst.h"
#include "guest/stream/ring.h"

void gst_stop_limit(struct gst *g)
{
	volatile uint64_t *limit = &g->gs->limit;

	*limit = gst_ring_limit(g);
	if (g->events.is_armed && g->events.limit < *limit)
		*limit = g->events.limit;
	if (g->timers.n_armed && g->timers.limit < *limit)
		*limit = g->timers.limit;
	if (*(volatile int *)&g->t->sig.waits)
		*limit = 0;
}

void gst_event_moves(struct gst *g, uint64_t from, uint64_t to)
{
	if (g->events.is_armed && g->events.limit != ~0ull)
		g->events.limit = g->events.limit > from ? to + (g->events.limit - from) : to;
}

void gst_timers_move(struct gst *g, uint64_t from, uint64_t to)
{
	if (g->timers.n_armed)
		g->timers.limit = g->timers.limit > from ? to + (g->timers.limit - from) : to;
}

void gst_take_r15(struct gst *g, uint64_t r15)
{
	if (g->ctl->start.tier == SHR_TIER_STREAM)
		g->ring.at = r15;
	else if (g->sched.is_threaded)
		g->gs->quantum = (int32_t)r15;
}
