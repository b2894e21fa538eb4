/* peek.c -- what totals would be if nothing followed, while everything goes on as if nobody had
 * looked.
 *
 * COUNTING RULES   micro-ops that wait for their group are renamed without the rest of it, on a
 *                  copy of the state that renaming and what comes behind it write. What structures
 *                  do was done when the instruction was fed. How long a group behind a
 *                  misprediction waits for the state is not known before it is whole: decoding of
 *                  its last micro-op takes a part of that. Nothing is said of it until then.
 */
#include "model/p6/p6.h"

#include <stdlib.h>
#include <string.h>

#include "model/p6/kept/memo.h"
#include "model/p6/clocks/rat.h"

/* From `why` to in front of `recent`: what a group writes on its way through the machine. */
#define FROM  offsetof(struct p6_time, why)
#define BYTES (offsetof(struct p6_time, recent) - FROM)

void p6_sum_ahead(struct p6 *m, uint64_t *total)
{
	struct p6_time *t = &m->time;
	uint8_t *const state = (uint8_t *)t + FROM;
	void (*const on_line)(void *ctx, const struct mdl_line *line) = t->on_line;
	struct ledger *const ledger = m->ledger;
	uint64_t dyn[WIRE_N];

	if (t->is_on && !t->aside)
		t->aside = malloc(BYTES);
	if (t->is_on)
		p6_memo_wake(m);
	if (!t->is_on || !t->aside || !t->ren.n || (t->watch && !p6_watch_aside(m))) {
		p6_note_backlog(m);
		p6_sum_now(m, total);
		return;
	}
	p6_memo_fold(m);
	memcpy(t->aside, state, BYTES);
	memcpy(dyn, m->dyn, sizeof(dyn));
	t->on_line = NULL;
	m->ledger = NULL;
	t->ren.recovered_clk = 0; /* none: what it has waited will be less with more micro-ops */
	p6_rat_flush(m);
	P6_SET(m, CORE_CLK, t->retire_clk);
	p6_note_backlog(m);
	p6_sum_now(m, total);
	if (t->watch)
		p6_watch_back(m);
	t->on_line = on_line;
	m->ledger = ledger;
	memcpy(m->dyn, dyn, sizeof(dyn));
	memcpy(state, t->aside, BYTES);
}
