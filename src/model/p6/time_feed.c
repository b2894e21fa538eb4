/* time_feed.c -- executions of blocks in time: what they do to the structures, then to the clocks.
 *
 * A block is done one record late, when the next record tells where its last branch went and whether that was
 * predicted. Each instruction first does to caches, TLBs and buffers what it does without time; what changed in
 * their counts says where its lines came from, and so how long they take.
 *
 * COUNTING RULES   a branch whose outcome is cut off by the end of the program is not taken.
 */
#include "model/p6/p6.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/p6/btb.h"
#include "model/p6/events.h"
#include "trace/record.h"
#include "x86/build.h"

/* ---- opening --------------------------------------------------------------------------------------- */

int p6_time_open(struct p6 *m, const struct mdl_config *cfg)
{
	struct p6_time *t = &m->time;

	if (!t->is_on)
		return 0;
#define P6_PARAM(name) t->par.name = (uint16_t)cat_p6_param(m->cpu, #name);
#include "model/p6/params.def"
#undef P6_PARAM
	for (unsigned i = 0; i < 8; i++)
		t->x87[i] = (uint8_t)i;
	for (unsigned i = 0; i < 16; i++)
		t->part[i].bytes = 4;
	t->front.is_fresh = true;
	t->front.starts_aligned = true;
	p6_int_open(m, cfg->timer_hz);
	t->wrong_mode = cfg->wrong_path;
	if (p6_watch_open(m, cfg))
		return -SPMU_ENOMEM;
	if (x86_store_open(&t->kept))
		return -SPMU_ENOMEM;
	t->tblk = calloc(1u << TRC_ID_BITS, sizeof(struct p6_tblk *)); /* touched as blocks come */
	return t->tblk ? 0 : -SPMU_ENOMEM;
}

static void free_tblk(struct p6_tblk *t)
{
	if (t)
		free(t->uop);
	free(t);
}

/* Collected micro-ops outlive their templates. */
static void keep_collected(struct p6_rename *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		r->kept_uop[i] = *r->pend[i].uop;
		r->kept_step[i] = *r->pend[i].step;
		r->pend[i].uop = &r->kept_uop[i];
		r->pend[i].step = &r->kept_step[i];
		r->pend[i].block = NULL;
	}
}

/* What is held outlives its block: keep the facts and templates of it. */
static void keep_held(struct p6_time *t)
{
	const struct x86_block *b = t->held;

	if (!b || t->held_tblk)
		return;
	t->held_tblk = t->tblk[b->id];
	t->tblk[b->id] = NULL;
	x86_store_clear(t->kept);
	t->held = x86_store_add(t->kept, b);
	if (!t->held)
		t->trouble = -SPMU_ENOMEM;
}

void p6_time_forget(struct p6 *m)
{
	struct p6_time *t = &m->time;

	if (t->held && p6_template(m, t->held))
		keep_held(t);
	keep_collected(&t->ren);
	for (uint32_t id = 0; id < t->n_tblk; id++) {
		free_tblk(t->tblk[id]);
		t->tblk[id] = NULL;
	}
	t->n_tblk = 0;
	t->recent[t->recent_at++ % P6_MAX_RECENT] = NULL;
}

void p6_time_exec(struct p6 *m)
{
	struct p6_time *t = &m->time;

	if (!t->is_on)
		return;
	p6_wrong_close(m);
	for (unsigned i = 0; i < P6_MAX_BUFFERS; i++)
		t->fill[i].line = 0;
	t->code_line = P6_NO_KEY;
}

void p6_time_close(struct p6 *m)
{
	m->time.held = NULL;
	if (m->time.tblk)
		p6_time_forget(m);
	free_tblk(m->time.held_tblk);
	x86_store_close(m->time.kept);
	free(m->time.tblk);
	p6_watch_close(m);
	p6_wrong_close(m);
}

/* ---- what an access did ------------------------------------------------------------------------------ */

/* The counts that tell, before an access. */
struct before {
	uint64_t lines, l2, walks, walk_l2, cast_outs, write_backs, upgrades, brd, deferred, uc_reads, uc_writes;
};

/* Did anything but hits happen since? */
static inline bool is_quiet(const struct p6 *m, const struct before *b, bool is_code)
{
	const uint64_t *n = m->dyn;

	return n[is_code ? WIRE_P6_IFU_MISS : WIRE_P6_DCU_LINE_IN] == b->lines &&
	       n[is_code ? WIRE_P6_WALK_ITLB : WIRE_P6_WALK_DTLB] == b->walks &&
	       n[WIRE_P6_BUS_INVAL] == b->upgrades && !m->uncached.n;
}

static inline struct before look(const struct p6 *m, bool is_code)
{
	const uint64_t *n = m->dyn;

	return (struct before){
	    .lines = n[is_code ? WIRE_P6_IFU_MISS : WIRE_P6_DCU_LINE_IN],
	    .l2 = n[WIRE_P6_BUS_BRD] + n[WIRE_P6_BUS_RFO] + n[WIRE_P6_BUS_IFETCH],
	    .walks = n[is_code ? WIRE_P6_WALK_ITLB : WIRE_P6_WALK_DTLB],
	    .walk_l2 = n[WIRE_P6_WALK_BRD],
	    .cast_outs = n[WIRE_P6_DCU_M_LINE_OUT],
	    .write_backs = n[WIRE_P6_BUS_WB],
	    .upgrades = n[WIRE_P6_BUS_INVAL],
	    .brd = n[WIRE_P6_BUS_BRD],
	    .deferred = n[WIRE_P6_BUS_DEFER],
	    .uc_reads = n[WIRE_P6_BUS_PARTIAL_READ],
	    .uc_writes = m->uncached.n ? n[WIRE_P6_BUS_PWR] : 0,
	};
}

static uint8_t capped(uint64_t n)
{
	return n < 255 ? (uint8_t)n : 255;
}

static struct p6_touch what_happened(const struct p6 *m, const struct before *b, bool is_code)
{
	struct before now;
	uint64_t walk_l2;

	if (is_quiet(m, b, is_code))
		return (struct p6_touch){.lines = 0};
	now = look(m, is_code);
	walk_l2 = now.walk_l2 - b->walk_l2;
	return (struct p6_touch){
	    .lines = capped(now.lines - b->lines),
	    .l2_misses = capped(now.l2 - b->l2 - walk_l2),
	    .walks = capped(now.walks - b->walks),
	    .walk_misses = capped(walk_l2),
	    .cast_outs = capped(now.cast_outs - b->cast_outs),
	    .write_backs = capped(now.write_backs - b->write_backs),
	    .upgrades = capped(now.upgrades - b->upgrades),
	    .deferred = capped(now.deferred - b->deferred),
	    .uc_reads = capped(now.uc_reads - b->uc_reads),
	    .uc_writes = capped(now.uc_writes - b->uc_writes),
	    .is_brd = now.brd - b->brd > walk_l2,
	};
}

struct p6_touch p6_time_access(struct p6 *m, uint64_t lin, unsigned bytes, bool is_code)
{
	const struct before was = look(m, is_code);
	struct p6_touch x;

	if (is_code)
		p6_plain_fetch(m, lin, bytes);
	else
		p6_dcu_ref(m, lin, bytes, X86_REF_READ, false);
	x = what_happened(m, &was, is_code);
	x.lin = lin;
	x.bytes = bytes;
	return x;
}

/* ---- one instruction --------------------------------------------------------------------------------- */

#define MOST_REFS 8u

struct insn_run {
	struct p6_touch code;
	struct p6_touch *ref; /* of the instruction's references, the last stands for all further ones */
	unsigned first_ref, n_ref;
};

static void run_reference(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots,
			  struct insn_run *r)
{
	const struct before was = look(m, false);
	struct p6_touch *x = &r->ref[r->n_ref < MOST_REFS ? r->n_ref : MOST_REFS - 1];
	const uint64_t line_mask = (1u << m->line_log2) - 1u;

	p6_plain_reference(m, b, k, slots);
	*x = what_happened(m, &was, false);
	x->lin = p6_address(m, b, k, slots) & P6_LIN_MASK;
	x->bytes = b->ref[k].bytes;
	x->is_split = x->bytes && (x->lin & line_mask) + x->bytes > line_mask + 1;
	r->n_ref++;
}

/* The code of an instruction. The line that was fetched last is still there, unless something happened to it. */
static void fetch(struct p6 *m, uint64_t pc, unsigned bytes, struct p6_touch *code)
{
	struct p6_time *t = &m->time;
	const uint64_t first = pc >> m->line_log2, last = (pc + bytes - 1) >> m->line_log2;
	struct before was;

	*code = (struct p6_touch){.lines = 0};
	if (first == t->code_line && last == t->code_line && m->code_epoch == t->code_epoch && !m->is_plain)
		return;
	was = look(m, true);
	p6_plain_fetch(m, pc, bytes);
	*code = what_happened(m, &was, true);
	t->code_line = last;
	t->code_epoch = m->code_epoch;
}

/* What instruction i of b does to the structures. */
static int run(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned i, unsigned *k,
	       struct insn_run *r)
{
	const struct x86_insn *in = &b->insn[i];
	struct p6_time *t = &m->time;
	int rc;

	fetch(m, b->pc + in->pc_off, in->bytes, &r->code);
	r->n_ref = 0;
	r->first_ref = *k;
	if (t->touch_at + MOST_REFS > P6_TOUCHES)
		t->touch_at = 0;
	r->ref = &t->touch[t->touch_at];
	rc = p6_plain_before(m, in);
	if (!rc && in->flags & X86_I_REP) {
		const struct before was = look(m, false);

		rc = p6_string_run(m, b, i, slots);
		r->ref[0] = what_happened(m, &was, false);
	}
	if (rc)
		return rc;
	for (; *k < b->n_ref && b->ref[*k].insn <= i; (*k)++)
		if (!(b->ref[*k].flags & X86_REF_REP))
			run_reference(m, b, *k, slots, r);
	p6_plain_after(m, in);
	t->touch_at += r->n_ref < MOST_REFS ? r->n_ref : MOST_REFS;
	return 0;
}

static const struct p6_touch *touch_of(const struct insn_run *r, const struct p6_uop *u)
{
	unsigned k;

	if (u->ref == 0xff || u->ref < r->first_ref)
		return NULL;
	k = u->ref - r->first_ref;
	return k < r->n_ref ? &r->ref[k < MOST_REFS ? k : MOST_REFS - 1] : NULL;
}

/* The micro-ops of one instruction. */
static void time_insn(struct p6 *m, const struct x86_block *b, const struct p6_tblk *t, const struct p6_step *s,
		      uint64_t pc, const struct insn_run *r, bool is_taken)
{
	const uint64_t ready = p6_decode(m, s, pc, &r->code);
	const uint64_t per_clk = s->is_microcoded ? m->time.par.sequencer_uops : 0;
	uint8_t seen = 0xff;

	p6_stack_decoded(&m->time.stack);
	if (s->may_be_bogus)
		p6_bogus_decode(m, s, pc);
	for (unsigned k = 0; k < s->n_uop; k++) {
		const struct p6_uop *u = &t->uop[s->first_uop + k];
		const struct p6_touch *x = touch_of(r, u);
		struct p6_pend p = {.uop = u, .step = s, .block = b, .ready_clk = ready + (per_clk ? k / per_clk : 0),
				    .front = m->time.stack.front};

		p.touch = x;
		p.is_again = x && u->ref == seen;
		seen = u->kind == P6_U_LOAD ? u->ref : seen;
		p.is_taken = is_taken && u->flags & P6_U_BRANCH;
		p6_rat_add(m, &p);
	}
}

/* ---- REP instructions ---------------------------------------------------------------------------------- */

/* Instruction i of b, a REP: the machine does nothing else meanwhile. uops: how many it was. */
static void time_rep(struct p6 *m, const struct p6_step *s, uint64_t pc, const struct insn_run *r, uint64_t uops)
{
	struct p6_time *t = &m->time;
	uint64_t clk, ready = p6_decode(m, s, pc, &r->code);

	p6_rat_flush(m);
	clk = ready > t->retire_clk ? ready : t->retire_clk;
	clk += (uops + t->par.sequencer_uops - 1) / t->par.sequencer_uops;
	if (r->ref[0].lines | r->ref[0].walks) {
		const uint64_t there = p6_fill_data(m, &r->ref[0], clk);

		clk = there > clk ? there : clk;
	}
	if (t->stack.is_on) {
		p6_stack_decoded(&t->stack);
		p6_stack_rep(m, ready, uops, clk);
	}
	t->retire_clk = clk;
	t->retired = (uint8_t)t->par.retire_uops;
	t->ren.next_clk = clk;
	if (t->front.clk < clk)
		t->front.clk = clk;
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

static int run_held(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned n, bool is_taken)
{
	const struct p6_tblk *t = m->time.held_tblk ? m->time.held_tblk : p6_template(m, b);
	unsigned k = 0;

	if (!t)
		return -SPMU_ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		const uint64_t uops = m->dyn[WIRE_P6_RETIRE_UOP_REP];
		const uint64_t pc = b->pc + b->insn[i].pc_off;
		struct insn_run r;
		int rc;

		if (m->time.timer_period_clk)
			p6_int_accept(m);
		rc = run(m, b, slots, i, &k, &r);
		if (rc)
			return rc;
		if (b->insn[i].flags & X86_I_REP)
			time_rep(m, &t->step[i], pc, &r, m->dyn[WIRE_P6_RETIRE_UOP_REP] - uops);
		else
			time_insn(m, b, t, &t->step[i], pc, &r, is_taken && i + 1 == n);
		if (m->time.watch && b->insn[i].flags & X86_I_REP)
			p6_watch_rep(m, b, i, m->dyn[WIRE_P6_RETIRE_UOP_REP] - uops, m->time.retire_clk);
		if (m->time.watch)
			p6_watch_insn(m);
	}
	if (m->time.wrong_mode == MDL_WRONG_LOADS)
		p6_wrong_know(m, b, slots, n);
	return 0;
}

int p6_time_hold(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned n)
{
	m->time.held = b;
	m->time.held_n = n;
	memcpy(m->time.held_slots, slots, 8u * b->n_slot);
	return 0;
}

/* Did the transfer at the end of a block leave the straight line? A direct jump does even to the next instruction. */
static bool is_jump(unsigned term, uint64_t next, uint64_t fall)
{
	return term == X86_TERM_JCC ? next != fall : term != X86_TERM_FALL && term < X86_TERM_SYSCALL;
}

int p6_time_go(struct p6 *m, uint64_t next, enum p6_guess guess)
{
	struct p6_time *t = &m->time;
	const struct x86_block *b = t->held;
	bool is_taken;
	int rc;

	if (!b)
		return 0;
	t->held = NULL;
	is_taken = t->held_n == b->n_insn && is_jump(b->term, next, b->fall);
	rc = run_held(m, b, t->held_slots, t->held_n, is_taken);
	if (rc)
		return rc;
	if (guess == P6_GUESS_WRONG) {
		p6_rat_flush(m);
		p6_wrong_path(m, t->wrong, t->wrong != b->fall, t->branch_clk);
		p6_decode_restart(m, t->branch_clk);
	} else if (guess == P6_GUESS_BY_DECODER) {
		p6_decode_baclear(m);
	} else if (is_taken) {
		p6_decode_jump(m, b->fall);
	}
	P6_SET(m, CORE_CLK, t->retire_clk);
	if (t->held_tblk) {
		keep_collected(&t->ren);
		free_tblk(t->held_tblk);
		t->held_tblk = NULL;
	}
	return 0;
}

bool p6_time_predict(struct p6 *m, const struct p6_pending *p, uint64_t next)
{
	const uint32_t at = btb_find(&m->btb, p->fall - 1);

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
	const bool is_branch = term != X86_TERM_FALL && term < X86_TERM_SYSCALL;
	const enum p6_guess guess = is_wrong	      ? P6_GUESS_WRONG
				    : is_known || !is_branch ? P6_GUESS_RIGHT
							     : P6_GUESS_BY_DECODER;
	const bool is_taken = m->time.held && is_jump(term, next, m->time.held->fall);
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
	if (!m->time.is_on || !m->time.held)
		return;
	rc = p6_time_go(m, m->time.held->fall, P6_GUESS_RIGHT);
	p6_rat_flush(m);
	P6_SET(m, CORE_CLK, m->time.retire_clk);
	if (rc)
		m->time.trouble = rc;
}

int p6_time_feed(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4) {
		const uint32_t head = reader_u32(p);
		const struct x86_block *xb;
		struct p6_blk *b;
		uint32_t entry;
		int rc;

		if (m->time.trouble)
			return m->time.trouble;
		if (head >= TRC_SPECIAL) {
			const int64_t n = p6_event(m, p, end);

			if (n < 0)
				return (int)n;
			if (head != TRC_SPECIAL + TRC_TAKEN) /* the kernel was there: nothing older is in flight */
				m->time.recent[m->time.recent_at++ % P6_MAX_RECENT] = NULL;
			p += n;
			continue;
		}
		entry = p6_meet(m, trc_block_id(head));
		if (entry == P6_NO_ENTRY)
			return -SPMU_EPROTO;
		b = p6_blk_at(m, entry);
		if (b->head != head || end - p < trc_block_bytes(head))
			return -SPMU_EPROTO;
		xb = x86_store_get(m->store, trc_block_id(head));
		p6_event_resolve(m, xb->pc);
		b->n_exec++;
		m->time.recent[m->time.recent_at++ % P6_MAX_RECENT] = xb;
		m->n_insn += b->n_insn;
		if (b->flags & P6_B_FPMMX)
			p6_feed_fpmmx(m, b->fpmmx);
		if (b->flags & P6_B_ASSIST)
			p6_assist_count(m, xb, p + 4, xb->n_insn);
		rc = p6_time_hold(m, xb, p + 4, xb->n_insn);
		if (rc)
			return rc;
		p6_event_wait(m, xb);
		p += trc_block_bytes(head);
	}
	return p == end ? m->time.trouble : -SPMU_EPROTO;
}
