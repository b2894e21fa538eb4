/* time_feed.c -- executions of blocks in time: what they do to the structures, then to the clocks.
 *
 * A block is done one record late, when the next record tells where its last branch went and whether that was
 * predicted. First it does to caches, TLBs and buffers what it does without time (time_access.c); then it takes the clocks that
 * it took when it last ran like this (time_memo.c), or they are worked out (time_block.c).
 *
 * COUNTING RULES   a branch whose outcome is cut off by the end of the program is not taken.
 */
#include "model/p6/units/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "model/p6/clocks/book.h"
#include "model/p6/units/btb.h"
#include "model/p6/loops/events.h"
#include "model/p6/kept/time_memo.h"
#include "model/p6/clocks/time_usual.h"
#include "model/p6/clocks/wrong/wrong_tree.h"
#include "trace/record.h"
#include "x86/build.h"

/* ---- opening --------------------------------------------------------------------------------------- */

/* Is it another pipeline than the catalog's? */
static bool is_changed(const struct mdl_config *cfg)
{
	for (uint32_t i = 0; i < cfg->n_setting; i++)
		if (strcmp(cfg->setting[i].name, "stretch_log2") != 0)
			return true;
	return false;
}

/* That of the first processor, if there is one. */
static struct p6_book *open_book(const struct p6_system *s)
{
	return s->cpu[0] && s->cpu[0]->time.book ? p6_book_use(s->cpu[0]->time.book) : p6_book_open();
}

int p6_time_open(struct p6 *m, const struct mdl_config *cfg)
{
	struct p6_time *t = &m->time;

	if (!t->is_on)
		return 0;
	if (p6_params_open(m, cfg))
		return -SPMU_EINVAL;
	for (unsigned i = 0; i < 8; i++)
		t->x87[i] = (uint8_t)i;
	for (unsigned i = 0; i < 16; i++)
		t->part[i].bytes = 4;
	t->front.is_fresh = true;
	t->front.starts_aligned = true;
	p6_access_open(t);
	t->bus_ratio2 = (uint32_t)p6_bus_to_core_clocks(m, 2);
	p6_int_open(m, cfg->timer_hz);
	p6_fpu_open(t);
	if (!p6_stretch_open(m))
		return -SPMU_EINVAL;
	t->wrong_mode = cfg->wrong_path;
	if (p6_watch_open(m, cfg))
		return -SPMU_ENOMEM;
	if (x86_store_open(&t->kept))
		return -SPMU_ENOMEM;
	t->book = open_book(m->system);
	t->tblk = blank_pages(sizeof(struct p6_tblk *) << TRC_ID_BITS);
	if (!t->book || !t->tblk)
		return -SPMU_ENOMEM;
	if (cfg->has_no_memo || is_changed(cfg) || cfg->timer_hz || t->is_watched || m->is_plain || t->wrong_mode == MDL_WRONG_LOADS)
		return 0;
	t->wrong_tree = p6_wrong_tree_open();
	if (!t->wrong_tree)
		return -SPMU_ENOMEM;
	t->wants_memo = t->is_usual = true;
	t->host.is_off = cfg->has_no_host_code || !m->is_usual_shape;
	t->host.min_exec = cfg->host_code_after ? cfg->host_code_after : P6_HOST_MIN_EXEC;
	return 0;
}

/* A copy of b in the store of facts that outlive their block. */
static const struct x86_block *keep_block(struct p6_time *t, const struct x86_block *b)
{
	const struct x86_block *copy = x86_store_add(t->kept, b);

	if (!copy)
		t->trouble = -SPMU_ENOMEM;
	return copy;
}

/* Collected micro-ops and what is held outlive their blocks: keep the facts of these, and the templates of what is held. */
static void keep_waiting(struct p6_time *t)
{
	const struct x86_block *was = NULL, *copy = NULL;
	struct p6_rename *r = &t->ren;
	struct x86_store *old = t->kept; /* some of them may lie there already */

	if (x86_store_open(&t->kept)) {
		t->kept = old;
		t->trouble = -SPMU_ENOMEM;
		t->held = NULL;
		r->n = 0;
		return;
	}
	for (unsigned i = 0; i < r->n; i++) {
		if (r->pend[i].block && r->pend[i].block != was) {
			was = r->pend[i].block;
			copy = t->watch || t->on_line ? keep_block(t, was) : NULL;
		}
		r->pend[i].block = r->pend[i].block ? copy : NULL;
	}
	if (t->held && !t->held_tblk) {
		t->held_tblk = t->tblk[t->held->id];
		t->tblk[t->held->id] = NULL;
	}
	if (t->held)
		t->held = keep_block(t, t->held);
	x86_store_close(old);
}

void p6_time_forget(struct p6 *m)
{
	struct p6_time *t = &m->time;

	p6_memo_forget(m);
	t->is_behind_event = true; /* whoever looks at records alone knows none before it */
	t->held_entry = P6_NO_ENTRY;
	if (t->held && !t->held_tblk && !p6_template(m, t->held))
		t->trouble = -SPMU_ENOMEM;
	keep_waiting(t);
	for (uint32_t id = 0; id < t->n_tblk; id++) {
		p6_book_put(t->book, t->tblk[id]);
		t->tblk[id] = NULL;
	}
	t->n_tblk = 0;
	p6_book_forget(t->book);
	t->recent[t->recent_at++ % P6_MAX_RECENT] = 0;
}

void p6_time_exec(struct p6 *m)
{
	struct p6_time *t = &m->time;

	if (!t->is_on)
		return;
	p6_wrong_close(m);
	p6_memo_wake(m);
	p6_access_exec(t);
	t->code_line = P6_NO_KEY;
}

void p6_time_close(struct p6 *m)
{
	m->time.held = NULL;
	free(m->time.aside);
	if (m->time.tblk && m->time.book) {
		p6_time_forget(m);
		p6_book_put(m->time.book, m->time.held_tblk);
	}
	p6_wrong_close(m);
	p6_book_leave(m->time.book);
	x86_store_close(m->time.kept);
	blank_pages_free(m->time.tblk, sizeof(struct p6_tblk *) << TRC_ID_BITS);
	p6_memo_close(m);
	p6_host_close(m);
	p6_watch_close(m);
	p6_wrong_tree_close(m->time.wrong_tree);
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

int p6_time_hold(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from, unsigned to)
{
	m->time.held = b;
	m->time.held_from = from;
	m->time.held_n = to;
	m->time.held_entry = P6_NO_ENTRY;
	m->time.held_at = m->time.held_slots;
	m->time.told.held = m->time.told.fed;
	memcpy(m->time.held_slots, slots, 8u * b->n_slot);
	return 0;
}

int p6_time_piece(struct p6 *m, unsigned from, unsigned to)
{
	struct p6_time *t = &m->time;
	const struct x86_block *b = t->held;
	int rc;

	if (!from)
		t->recent[t->recent_at++ % P6_MAX_RECENT] = b->id + 1;
	if (to == b->n_insn)
		return 0;
	t->open_pc = b->pc + b->insn[to].pc_off;
	rc = p6_time_go(m, t->open_pc, P6_GUESS_RIGHT);
	t->is_open = true;
	return rc;
}

/* The stream that holds the slots of what is held ends. */
static void keep_slots(struct p6_time *t)
{
	if (t->held && t->held_at != t->held_slots)
		memcpy(t->held_slots, t->held_at, 8u * t->held->n_slot);
	t->held_at = t->held_slots;
}

/* The accesses of a piece that does not begin its block. */
static int access_piece(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb)
{
	struct p6_time *t = &m->time;
	int rc = 0;

	p6_access_begin(t);
	for (unsigned i = t->held_from; i < t->held_n && !rc; i++)
		rc = p6_access_insn(m, b, tb, t->held_at, i);
	return rc || !t->told.is_on ? rc : p6_told_done(m);
}

/* The same instruction by instruction, so that what one does to the structures can be put into its clocks. */
static int run_watched(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb, bool is_taken)
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

/* Can the clocks of a block of these templates be kept? A reading of a counter where it is the last thing known, and surely does
 * not read earlier than the one before it (p6_rob_read). */
static bool is_kept(const struct p6_time *t, const struct p6_tblk *tb, enum p6_guess guess)
{
	return !tb->is_odd && (!tb->reads_counter || (guess == P6_GUESS_SETTLED && t->read_clk <= t->ren.next_clk));
}

/* The accesses of a block held, of templates tb. *is_known: the state in front of it is. Returns as mdl_feed(). */
static int access_held(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb, unsigned precision, bool is_taken,
		       enum p6_guess guess, bool *is_known)
{
	struct p6_time *t = &m->time;
	const struct p6_blk *blk = t->held_entry == P6_NO_ENTRY ? NULL : p6_blk_at(m, t->held_entry);

	*is_known = t->memo && blk && is_kept(t, tb, guess) && precision < P6_N_PRECISION && p6_memo_enter(m, b->pc);
	if (!*is_known) {
		p6_memo_wake(m);
		p6_access_look_far(t);
	}
	return t->watch	       ? run_watched(m, b, tb, is_taken)
	       : t->held_from ? access_piece(m, b, tb)
			      : p6_access_run(m, blk, b, tb, t->held_at, t->held_n);
}

static unsigned precision_of(const struct p6_time *t, const struct p6_tblk *tb)
{
	return tb->has_divide ? p6_fpu_precisions(tb, t->held_at, t->held_n) : P6_PC_64;
}

/* The accesses of what is held, before anybody knows what comes behind: what is told of them is told no longer. */
static int access_now(struct p6 *m)
{
	struct p6_time *t = &m->time;
	const struct p6_tblk *tb;
	bool is_known;
	int rc;

	if (!t->told.is_on || !t->held || t->is_accessed)
		return 0;
	tb = t->held_tblk ? t->held_tblk : p6_template(m, t->held);
	if (!tb)
		return -SPMU_ENOMEM;
	rc = access_held(m, t->held, tb, precision_of(t, tb), false, P6_GUESS_RIGHT, &is_known);
	t->is_accessed = !rc;
	return rc;
}

/* Do what a block held did. */
static int run_held(struct p6 *m, const struct x86_block *b, uint64_t next, bool is_taken, enum p6_guess guess)
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
	if (is_known && (guess == P6_GUESS_SETTLED ? p6_memo_find_last : p6_memo_find)(
				m, b->pc, P6_MEMO_KEY(b->id, guess, is_taken, precision, p6_zero_asked(tb, t->zero)), next)) {
		t->zero = (t->zero & tb->zero_keep) | tb->zero_set;
		if (guess == P6_GUESS_WRONG)
			p6_wrong_path(m, t->wrong, t->wrong != b->fall, t->branch_clk);
		return 0;
	}
	return p6_time_work_out(m, b, next, is_taken, guess, is_known);
}

int p6_time_work_out(struct p6 *m, const struct x86_block *b, uint64_t next, bool is_taken, enum p6_guess guess, bool is_known)
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
	if ((guess == P6_GUESS_WRONG || guess == P6_GUESS_SETTLED) && !p6_usual_flush(m))
		p6_rat_flush(m);
	if (is_known)
		p6_memo_done(m);
	if (guess == P6_GUESS_WRONG)
		p6_wrong_path(m, t->wrong, t->wrong != b->fall, t->branch_clk);
	p6_block_leave(m, guess, is_taken, b->fall);
	if (is_known)
		p6_memo_kept(m, next);
	return 0;
}

int p6_time_go(struct p6 *m, uint64_t next, enum p6_guess guess)
{
	struct p6_time *t = &m->time;
	const struct x86_block *b = t->held;
	int rc;

	if (!b)
		return 0;
	t->held = NULL;
	t->is_open = false;
	rc = run_held(m, b, next, t->held_n == b->n_insn && p6_time_is_jump(b->term, next, b->fall), guess);
	t->held_from = 0;
	if (rc)
		return rc;
	P6_SET(m, CORE_CLK, t->retire_clk);
	if (t->held_tblk) {
		p6_book_put(t->book, t->held_tblk);
		t->held_tblk = NULL;
	}
	return 0;
}

bool p6_time_predict(struct p6 *m, const struct p6_pending *p, uint64_t next, uint16_t *hint)
{
	uint32_t at;

	if (!x86_is_transfer(p->term))
		return false;
	at = p6_btb_position(m, p->fall - 1, hint);
	switch (p->term) {
	case X86_TERM_JCC:
		m->time.wrong = next == p->fall ? p->target : p->fall;
		break;
	case X86_TERM_JMP_IND:
	case X86_TERM_CALL_IND:
		m->time.wrong = at == BTB_MISS ? p->fall : m->btb.target[at];
		break;
	case X86_TERM_RET:
		m->time.wrong = m->rsb.depth ? m->rsb.entry[m->rsb.top] : 0;
		break;
	default:
		m->time.wrong = 0;
		break;
	}
	return at != BTB_MISS;
}

void p6_time_resolve(struct p6 *m, unsigned term, uint64_t next, bool is_known, bool is_wrong)
{
	const bool is_branch = x86_is_transfer(term);
	const enum p6_guess guess = is_wrong	      ? P6_GUESS_WRONG
				    : is_known || !is_branch ? P6_GUESS_RIGHT
							     : P6_GUESS_BY_DECODER;
	const bool is_taken = m->time.held && p6_time_is_jump(term, next, m->time.held->fall);
	int rc;

	if (m->time.has_bogus && is_branch && m->time.held)
		p6_bogus_learn(m, m->time.held->fall - 1);
	P6_RAISE(m, DECODE_BTB_MISS, is_branch && !is_known);
	P6_RAISE(m, DECODE_BACLEAR, is_branch && !is_known && !is_wrong && is_taken);
	rc = p6_time_go(m, next, guess == P6_GUESS_BY_DECODER && !is_taken ? P6_GUESS_RIGHT : guess);
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

/* Block b of entry `entry` is met for the first time: its templates, and what they say of its references. */
static int meet(struct p6 *m, struct p6_blk *b, const struct x86_block *xb)
{
	struct p6_ref *r = (struct p6_ref *)(void *)(b + 1);
	const struct p6_tblk *t = p6_template(m, xb);
	bool is_quick = t && m->is_usual_shape && !m->is_plain && !t->is_odd && !t->reads_counter && !(b->flags & P6_B_ORDER);

	if (!t)
		return -SPMU_ENOMEM;
	for (unsigned k = 0; k < b->n_ref; k++) {
		r[k].role = t->role[k];
		is_quick &= r[k].kind < P6_NEVER && r[k].access != P6_LOCKED;
	}
	b->zero_keep = t->zero_keep;
	b->zero_set = t->zero_set;
	b->flags |= P6_B_TIMED | (t->n_zero ? P6_B_ZERO : 0) | (is_quick ? P6_B_QUICK : 0) | (t->is_odd || t->has_divide || t->reads_counter ? 0 : P6_B_KEPT);
	return 0;
}

/* One block record at p, of `head`. */
static int feed_block(struct p6 *m, uint32_t head, const uint8_t *p, const uint8_t *end)
{
	const uint32_t entry = p6_meet(m, trc_block_id(head));
	const struct x86_block *xb;
	struct p6_blk *b;

	if (entry == P6_NO_ENTRY)
		return -SPMU_EPROTO;
	b = p6_blk_at(m, entry);
	if (b->head != head || end - p < trc_block_bytes(head))
		return -SPMU_EPROTO;
	xb = x86_store_get(m->store, trc_block_id(head));
	p6_begin_block(m, xb->pc);
	m->time.is_behind_event = m->time.is_open = false;
	if (++b->n_exec == m->time.host.min_exec && b->flags & P6_B_TIMED && m->time.memo)
		p6_host_compile(m, b);
	m->time.recent[m->time.recent_at++ % P6_MAX_RECENT] = trc_block_id(head) + 1;
	m->n_insn += b->n_insn;
	if (b->flags & P6_B_FPMMX)
		p6_feed_fpmmx(m, b->fpmmx);
	if (b->flags & P6_B_ASSIST)
		p6_assist_count(m, xb, p + 4, 0, xb->n_insn);
	if (!(b->flags & P6_B_TIMED)) {
		const int rc = meet(m, b, xb);

		if (rc)
			return rc;
	}
	m->time.held = xb;
	m->time.held_n = xb->n_insn;
	m->time.held_entry = entry;
	m->time.held_at = p + 4;
	m->time.told.held = m->time.told.fed;
	p6_event_wait(m, xb);
	m->pending_blk = entry;
	return 0;
}

/* A record of this kind is done, which is no block's. */
static void note_event(struct p6_time *t, uint32_t kind)
{
	if (kind == TRC_AHEAD)
		return;
	t->is_due = false;
	t->is_behind_event = kind != TRC_PIECE && kind != TRC_PARTIAL;
	if (kind != TRC_TAKEN && kind != TRC_PIECE) /* the kernel was there: nothing older is in flight */
		t->recent[t->recent_at++ % P6_MAX_RECENT] = 0;
}

static int feed(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4) {
		const uint32_t head = reader_u32(p);
		int rc;

		if (m->time.trouble)
			return m->time.trouble;
		m->time.told.fed = (uint32_t)(uintptr_t)p;
		if (head >= TRC_SPECIAL) {
			const int64_t n = p6_event(m, p, end);

			if (n < 0)
				return (int)n;
			note_event(&m->time, head - TRC_SPECIAL);
			p += n;
			continue;
		}
		rc = feed_block(m, head, p, end);
		if (rc)
			return rc;
		p += trc_block_bytes(head);
		rc = p6_time_turn(m, &p, end);
		if (rc)
			return rc;
	}
	return p == end ? m->time.trouble : -SPMU_EPROTO;
}

int p6_time_feed(struct p6 *m, const uint8_t *bytes, const uint8_t *end)
{
	int rc = feed(m, bytes, end);

	if (!rc)
		rc = access_now(m);
	keep_slots(&m->time);
	return rc;
}
