/* time_feed.c -- the loop over records when clocks are counted.
 *
 * A block is done one record late, when the next record tells where its last branch went.
 *
 * COUNTING RULES   a branch whose outcome is cut off by the end of the program is not taken.
 */
#include "model/p5/p5.h"

#include <string.h>

#include "base/error.h"

int p5_time_hold(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned n)
{
	int rc = p5_time_go(m, b->pc, m->time.held && m->waits && b->pc == m->waits_for && !m->is_to_next);

	if (rc)
		return rc;
	m->time.held = b;
	m->time.held_n = n;
	memcpy(m->time.held_slots, slots, 8u * b->n_slot);
	return 0;
}

int p5_time_go(struct p5 *m, uint64_t next, bool is_taken)
{
	const struct x86_block *b = m->time.held;

	if (!b)
		return 0;
	m->time.held = NULL;
	return p5_pipe_run(m, b, m->time.held_slots, m->time.held_n, next, is_taken);
}
