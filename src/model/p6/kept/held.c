/* held.c -- executions of blocks in time: what they do to the structures, then to the clocks.
 *
 * A block is held until the next record tells where its last branch went and whether that was
 * predicted. Then it does to caches, TLBs and buffers what it does without time (time_access.c);
 * and it takes the clocks that it took when it last ran like this (memo.c), or they are worked
 * out (time_block.c).
 *
 * COUNTING RULES   a branch whose outcome is cut off by the end of the program is not taken.
 */

#include <string.h>

#include "base/error.h"
#include "model/p6/clocks/templates.h"
#include "model/p6/clocks/time_fast.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/bogus.h"
#include "model/p6/clocks/rat.h"
#include "model/p6/clocks/time_access.h"
#include "model/p6/clocks/time_block.h"
#include "model/p6/kept/held.h"
#include "model/p6/units/fpu.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/blocks/ledger.h"

int p6_time_hold(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		 unsigned to)
{
	m->time.held = b;
	m->time.held_context = m->ledger ? m->ledger->context : 0;
	m->time.held_from = from;
	m->time.held_n = to;
	m->time.held_entry = P6_NO_ENTRY;
	m->time.held_at = m->time.held_slots;
	m->time.log.held = m->time.log.fed;
	memcpy(m->time.held_slots, slots, 8u * b->n_slot);
	return 0;
}

int p6_time_piece(struct p6 *m, unsigned from, unsigned to)
{
	struct p6_time *t = &m->time;
	const struct x86_block *b = t->held;
	int rc;

	if (!from)
		t->last_blocks[t->last_block_at++ % P6_LAST_BLOCKS] = b->id + 1;
	if (to == b->n_insn)
		return 0;
	t->open_pc = b->pc + b->insn[to].pc_off;
	rc = p6_time_go(m, t->open_pc, P6_GUESS_RIGHT);
	t->is_open = true;
	return rc;
}

/* The accesses of a piece that does not begin its block. */
static int access_piece(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb)
{
	struct p6_time *t = &m->time;
	int rc = 0;

	p6_access_begin(t);
	for (unsigned i = t->held_from; i < t->held_n && !rc; i++)
		rc = p6_access_insn(m, b, tb, t->held_at, i);
	return rc || !t->log.is_on ? rc : p6_log_read_done(m);
}

/* Do accesses and clocks of the block held, instruction by instruction, so that what one does to
 * the structures can be put into its clocks. */
static int run_watched(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb,
		       bool is_taken)
{
	struct p6_time *t = &m->time;

	p6_access_begin(t);
	p6_watch_hold(m); /* what is raised already is of the last one: where it went */
	p6_watch_pass(m);
	for (unsigned i = t->held_from; i < t->held_n; i++) {
		int rc;

		if (i + 1 == t->held_n)
			p6_watch_release(m);
		rc = p6_access_insn(m, b, tb, t->held_at, i);
		if (rc)
			return rc;
		p6_block_run(m, b, tb, i, i + 1, is_taken && i + 1 == t->held_n);
	}
	return 0;
}

/* Can the clocks of a block of these templates be kept? A reading of a counter where it is the
 * last thing known, and surely does not read earlier than the one before it (p6_rob_read). */
static bool is_kept(const struct p6_time *t, const struct p6_tblk *tb, enum p6_guess guess)
{
	return !tb->is_odd && (!tb->reads_counter ||
			       (guess == P6_GUESS_SETTLED && t->read_clk <= t->ren.next_clk));
}

/* The accesses of a block held, of templates tb. *is_known: the state in front of it is. Returns
 * as mdl_feed(). */
static int access_held(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb,
		       unsigned precision, bool is_taken, enum p6_guess guess, bool *is_known)
{
	struct p6_time *t = &m->time;
	const struct p6_blk *blk =
	    t->held_entry == P6_NO_ENTRY ? NULL : p6_blk_at(m, t->held_entry);

	*is_known = t->memo && blk && is_kept(t, tb, guess) && precision < P6_N_PRECISION &&
		    p6_memo_enter(m, b->pc);
	if (!*is_known) {
		p6_memo_wake(m);
		p6_access_look_far(t);
	}
	return t->watch	      ? run_watched(m, b, tb, is_taken)
	       : t->held_from ? access_piece(m, b, tb)
			      : p6_access_run(m, blk, b, tb, t->held_at, t->held_n);
}

static unsigned precision_of(const struct p6_time *t, const struct p6_tblk *tb)
{
	return tb->has_divide ? p6_fpu_precisions(tb, t->held_at, t->held_n) : P6_PC_64;
}

/* Do the accesses of what is held now, before the next record comes: the words of the log about
 * them are there for this call only. */
int p6_time_access_now(struct p6 *m)
{
	struct p6_time *t = &m->time;
	const struct p6_tblk *tb;
	bool is_known;
	int rc;

	if (!t->log.is_on || !t->held || t->is_accessed)
		return 0;
	tb = t->held_tblk ? t->held_tblk : p6_template(m, t->held);
	if (!tb)
		return -SPMU_ENOMEM;
	rc = access_held(m, t->held, tb, precision_of(t, tb), false, P6_GUESS_RIGHT, &is_known);
	t->is_accessed = !rc;
	return rc;
}

/* Do what a block held did. */
static int run_held(struct p6 *m, const struct x86_block *b, uint64_t next, bool is_taken,
		    enum p6_guess guess)
{
	struct p6_time *t = &m->time;
	const struct p6_tblk *tb = t->held_tblk ? t->held_tblk : p6_template(m, b);
	unsigned precision;
	bool is_known;
	int rc;

	if (!tb)
		return -SPMU_ENOMEM;
	precision = precision_of(t, tb);
	if (t->is_accessed) {
		t->is_accessed = false;
		is_known = p6_memo_is_known(m, b->pc);
	} else {
		rc = access_held(m, b, tb, precision, is_taken, guess, &is_known);
		if (rc)
			return rc;
	}
	if (is_known &&
	    (guess == P6_GUESS_SETTLED ? p6_memo_find_last : p6_memo_find)(
		m, b->pc,
		P6_MEMO_KEY(b->id, guess, is_taken, precision, p6_zero_asked(tb, t->zero)), next)) {
		t->zero = (t->zero & tb->zero_keep) | tb->zero_set;
		if (guess == P6_GUESS_WRONG)
			p6_wrong_path(m, t->wrong, t->wrong != b->fall, t->branch_clk);
		p6_ledger_of(m, b, t->held_n - 1u);
		return 0;
	}
	return p6_time_work_out(m, b, next, is_taken, guess, is_known);
}

int p6_time_work_out(struct p6 *m, const struct x86_block *b, uint64_t next, bool is_taken,
		     enum p6_guess guess, bool is_known)
{
	struct p6_time *t = &m->time;
	const struct p6_tblk *tb = t->held_tblk ? t->held_tblk : p6_template(m, b);

	if (!tb)
		return -SPMU_ENOMEM;
	m->path.worked_out += t->held_n - t->held_from;
	p6_access_spell(&t->access);
	if (!t->watch)
		p6_block_run(m, b, tb, t->held_from, t->held_n, is_taken);
	if (t->wrong_mode == MDL_WRONG_LOADS)
		p6_wrong_know(m, b, t->held_at, t->held_n);
	if ((guess == P6_GUESS_WRONG || guess == P6_GUESS_SETTLED) && !p6_fast_flush(m))
		p6_rat_flush(m);
	if (is_known)
		p6_memo_done(m);
	if (guess == P6_GUESS_WRONG)
		p6_wrong_path(m, t->wrong, t->wrong != b->fall, t->branch_clk);
	p6_block_leave(m, guess, is_taken, b->fall);
	p6_ledger_of(m, b, t->held_n - 1u);
	if (is_known)
		p6_memo_kept(m, next);
	return 0;
}

int p6_time_go(struct p6 *m, uint64_t next, enum p6_guess guess)
{
	struct p6_time *t = &m->time;
	const struct x86_block *b = t->held;
	const uint32_t context = m->ledger ? m->ledger->context : 0; /* of what is fed */
	int rc;

	if (!b)
		return 0;
	t->held = NULL;
	t->is_open = false;
	if (m->ledger)
		m->ledger->context = t->held_context;
	rc = run_held(m, b, next, t->held_n == b->n_insn && p6_time_is_jump(b->term, next, b->fall),
		      guess);
	if (m->ledger)
		m->ledger->context = context;
	t->held_from = 0;
	if (rc)
		return rc;
	P6_SET(m, CORE_CLK, t->retire_clk);
	if (t->held_tblk) {
		p6_templates_put(t->templates, t->held_tblk);
		t->held_tblk = NULL;
	}
	return 0;
}

void p6_time_resolve(struct p6 *m, unsigned term, uint64_t next, bool is_known, bool is_wrong)
{
	const bool is_branch = x86_is_transfer(term);
	const enum p6_guess guess = is_wrong		     ? P6_GUESS_WRONG
				    : is_known || !is_branch ? P6_GUESS_RIGHT
							     : P6_GUESS_BY_DECODER;
	const bool is_taken = m->time.held && p6_time_is_jump(term, next, m->time.held->fall);
	int rc;

	if (m->time.has_bogus && is_branch && m->time.held)
		p6_bogus_learn(m, m->time.held->fall - 1);
	P6_RAISE(m, DECODE_BTB_MISS, is_branch && !is_known);
	P6_RAISE(m, DECODE_BACLEAR, is_branch && !is_known && !is_wrong && is_taken);
	if (is_branch && m->time.held)
		p6_ledger_held(m, m->time.held, m->time.held_n - 1u);
	rc =
	    p6_time_go(m, next, guess == P6_GUESS_BY_DECODER && !is_taken ? P6_GUESS_RIGHT : guess);
	if (rc)
		m->time.trouble = rc;
}

void p6_time_settle(struct p6 *m)
{
	int rc;

	m->time.known.has = 0;
	if (!m->time.is_on)
		return;
	if (!m->time.held && m->time.is_open) {
		m->time.is_open = false;
		p6_rat_flush(m);
		P6_SET(m, CORE_CLK, m->time.retire_clk);
	}
	if (!m->time.held)
		return;
	rc = p6_time_go(m, m->time.held->fall, P6_GUESS_SETTLED);
	if (rc)
		m->time.trouble = rc;
}
