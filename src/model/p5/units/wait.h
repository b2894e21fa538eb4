/* wait.h -- what waits take of a data access, in time: used by the units that it goes through. */
#ifndef SOFTPMU_MODEL_P5_WAIT_H
#define SOFTPMU_MODEL_P5_WAIT_H

#include "model/p5/p5.h"

/* The data access being done waits until `until`, if that is later than m->time.data_clk, for
 * reason `why`. `until` is a core clock. Returns the clocks of it in which the other pipe did not
 * wait already: those are counted, in time.wait[why] and time.lost; the event is the caller's. 0:
 * it did not wait, or only while the other pipe did. Both pipes of a slot must use this function: a
 * wait that is added otherwise would be counted for both. */
static inline uint64_t p5_wait_until(struct p5 *m, uint64_t until, enum p5_why why)
{
	struct p5_time *t = &m->time;
	const uint64_t from = t->data_clk > t->waited_to ? t->data_clk : t->waited_to;

	if (until <= t->data_clk)
		return 0;
	t->data_clk = until;
	if (until <= from)
		return 0;
	t->waited_to = until;
	t->wait[why] += until - from;
	t->lost += until - from;
	return until - from;
}

#endif
