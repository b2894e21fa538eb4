/* stretch.c -- from time to time the machine is empty: stretches of the program have clocks that
 * depend on nothing before them.
 *
 * COUNTING RULES   behind the first branch after each 2^stretch_log2 retired instructions of a
 *                  processor that another block follows at once (no system call, signal or other
 *                  thread between them), when all before it has retired: nothing is under way, both
 *                  buses are free, the bus clock begins anew (so a bus clock begins there), and
 *                  nobody remembers stores, misses, or where the BTB predicts branches that are
 *                  none. Caches, TLBs, BTB and return stack stay as they are. Instructions are
 *                  counted, so that it depends on no block, no record and no host.
 * SOURCES          chosen, so that stretches can be worked out one beside the other
 *                  (docs/decisions/024).
 */
#include "model/p6/p6.h"

#include <string.h>

#include "model/p6/kept/memo.h"
#include "model/p6/clocks/rat.h"
#include "model/p6/clocks/time_access.h"
#include "model/p6/kept/stretch.h"

#define LEAST_RECORD 4u /* bytes */

/* The next one ends at a multiple of its length. */
static void begin(struct p6 *m)
{
	const unsigned log2 = m->time.par.stretch_log2;

	m->time.stretch_end = log2 ? ((m->n_insn >> log2) + 1) << log2 : UINT64_MAX;
}

/* Nothing is under way at clk. */
static void make_empty(struct p6 *m, uint64_t clk)
{
	struct p6_time *t = &m->time;

	t->ren.next_clk = t->retire_clk = t->branch_clk = t->l2_clk = t->bus_clk = t->memory_clk =
	    clk;
	for (unsigned i = 0; i < P6_MAX_BUFFERS; i++)
		t->bus_queue[i] = clk;
	t->bus_queue_at = 0;
	p6_access_open(t);
	p6_state_unpack(m, 0, 0, t->empty);
	t->zero = 0;
	t->code_line = P6_NO_KEY;
	memset(t->bogus_seen, 0, sizeof(t->bogus_seen));
	t->has_bogus = false;
	P6_SET(m, CORE_CLK, clk);
}

bool p6_stretch_open(struct p6 *m)
{
	struct p6_time *t = &m->time;
	uint8_t bytes[P6_STATE_BYTES];
	struct p6_reach reach;
	unsigned n;

	/* what is free at clock 0 was not free before that */
	t->ren.next_clk = t->front.clk = P6_STRETCH_LATER * t->bus_ratio2;
	n = p6_state_pack(m, 0, bytes, &reach);
	t->ren.next_clk = t->front.clk = 0;
	if (!n || n >= sizeof(t->empty)) /* a 0 behind it: no micro-op waits (put_readable) */
		return false;
	memcpy(t->empty, bytes, n);
	begin(m);
	return true;
}

void p6_stretch_later(struct p6 *m)
{
	make_empty(m, P6_STRETCH_LATER * m->time.bus_ratio2);
}

void p6_stretch_end(struct p6 *m)
{
	struct p6_time *t = &m->time;
	uint64_t clk;

	p6_memo_wake(m);
	p6_rat_flush(m);
	clk = t->retire_clk + t->bus_ratio2; /* all have retired; and a bus clock begins: */
	make_empty(m, clk - clk % t->bus_ratio2);
	begin(m);
}

bool p6_stretch_is_due(const struct p6 *m)
{
	return m->time.is_on && p6_stretch_is_over(&m->time, m->n_insn, m->pending.term) &&
	       !m->time.is_behind_event;
}

const uint8_t *p6_stretch_limit(const struct p6 *m, const uint8_t *next, const uint8_t *limit)
{
	const uint64_t left =
	    m->time.stretch_end > m->n_insn ? m->time.stretch_end - m->n_insn - 1 : 0;
	const uint64_t blocks = left / X86_MAX_INSNS;

	if (!blocks)
		return NULL;
	return blocks < (uint64_t)(limit - next) / LEAST_RECORD ? next + blocks * LEAST_RECORD
								: limit;
}
