/* time_feed.c -- the loop over records when clocks are counted.
 *
 * A block is done one record late, when the next record tells where its last branch went. What
 * waits, the block and perhaps an instruction before it that waits for a partner, outlives the
 * store of blocks.
 *
 * COUNTING RULES   a branch whose outcome is cut off by the end of the program is not taken.
 */
#include "model/p5/p5.h"
#include "model/p5/loops/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "trace/record.h"

int p5_time_hold_all(struct p5 *m, const struct x86_block *b, const uint8_t *slots)
{
	int rc = p5_time_go(m, b->pc, p5_is_taken(m, b->pc));

	if (rc)
		return rc;
	m->time.held = b;
	m->time.held_context = m->ledger ? m->ledger->context : 0;
	m->time.held_from = 0;
	m->time.held_n = b->n_insn;
	m->time.held_at = slots;
	return 0;
}

void p5_time_settle(struct p5 *m)
{
	struct p5_time *t = &m->time;

	if (t->held && t->held_at != t->held_slots)
		memcpy(t->held_slots, t->held_at, 8u * t->held->n_slot);
	t->held_at = t->held_slots;
}

int p5_time_hold(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		 unsigned to)
{
	int rc = from ? p5_time_go(m, b->pc + b->insn[from].pc_off, false) : 0;

	rc = rc ? rc : p5_time_hold_all(m, b, slots);
	m->time.held_from = from;
	m->time.held_n = to;
	p5_time_settle(m);
	return rc;
}

/* What is held, b, is done. */
static int run_held(struct p5 *m, const struct x86_block *b, uint64_t next, bool is_taken)
{
	if (m->time.held_from || m->time.begun.is_on) {
		p5_memo_leave(m);
		return p5_pipe_run(m, b, m->time.held_at, m->time.held_from, m->time.held_n, next,
				   is_taken);
	}
	return p5_memo_run(m, b, m->time.held_at, m->time.held_n, next, is_taken);
}

int p5_time_go(struct p5 *m, uint64_t next, bool is_taken)
{
	const struct x86_block *b = m->time.held;
	const uint32_t context = m->ledger ? m->ledger->context : 0; /* of what is fed */
	int rc;

	if (!b)
		return 0;
	m->time.held = NULL;
	if (m->ledger)
		m->ledger->context = m->time.held_context;
	rc = run_held(m, b, next, is_taken);
	if (m->ledger)
		m->ledger->context = context;
	return rc;
}

/* Clocks of FDIV and FIDIV by precision control. */
static void read_divides(struct p5 *m)
{
	static const char *const name[2][3] = {{"fdiv_pc24", "fdiv_pc53", "fdiv_pc64"},
					       {"fidiv_pc24", "fidiv_pc53", "fidiv_pc64"}};
	bool is_pattern;

	for (unsigned k = 0; k < 6; k++) {
		const struct cat_timing *row =
		    cat_find_timing(name[k / 3][k % 3], "", "", "", &is_pattern);

		m->time.divide[k / 3][k % 3].clk = row->clk[m->cpu->has_mmx != 0];
		m->time.divide[k / 3][k % 3].over_int = row->over_int;
	}
}

int p5_time_open(struct p5 *m)
{
	if (!m->time.is_on)
		return 0;
	read_divides(m);
	m->time.code = blank_pages(sizeof(struct p5_code *) << TRC_ID_BITS);
	return m->time.code ? 0 : -SPMU_ENOMEM;
}

void p5_time_close(struct p5 *m)
{
	p5_code_forget(m);
	blank_pages_free(m->time.code, sizeof(struct p5_code *) << TRC_ID_BITS);
	if (m->time.kept)
		x86_store_close(m->time.kept);
}

void p5_time_forget(struct p5 *m)
{
	struct p5_time *t = &m->time;
	const struct x86_block *held = t->held, *pending;
	struct x86_store *kept = NULL;

	p5_memo_forget(m);
	pending = t->pending.op ? t->pending.block : NULL;
	if (held || pending)
		x86_store_open(&kept); /* NULL when memory is out */
	held = held && kept ? x86_store_add(kept, held) : NULL;
	pending = pending && kept ? x86_store_add(kept, pending) : NULL;
	if (!pending)
		p5_pipe_drain(m);
	if (!held)
		p5_time_go(m, P5_NOWHERE, false);
	p5_code_forget(m);
	if (t->kept)
		x86_store_close(t->kept);
	t->kept = kept;
	t->held = held;
	t->kept_code[0] = held ? p5_code_new(m, held) : NULL;
	t->kept_code[1] = pending ? p5_code_new(m, pending) : NULL;
	t->pending.block = pending;
	t->pending.code = t->kept_code[1];
	t->pending.op = pending && t->kept_code[1] ? &t->kept_code[1]->op[t->pending.insn] : NULL;
	if (held && !t->kept_code[0])
		t->held = NULL; /* memory is out, which the next block will say */
}

int p5_time_catch_up(struct p5 *m)
{
	const int rc = p5_time_go(m, P5_NOWHERE, false);

	p5_memo_leave_waiting(m);
	return rc ? rc : p5_pipe_drain(m);
}

int p5_time_finish(struct p5 *m)
{
	const int rc = p5_time_catch_up(m);

	p5_memo_leave(m);
	return rc;
}
