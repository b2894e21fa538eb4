/* pipe.c -- unit core in time: issue slots.
 *
 * COUNTING RULES   a slot is in EX until both of its halves have left it. 1FH: clocks in which addresses wait,
 *                  or (:occ) one per pipe whose address waits, unless the slot waited for something else anyway. 2BH: MMX instructions by pipe.
 * MODELLED         pairs across the cuts between blocks; instructions of several clocks; a V half that starts with
 *                  the last access of its U half (pair.c); address-generation interlocks by what was written in the
 *                  last clock of the slot before; waits for decoding (d1.c), x87 (fpu.c), MMX (mmx.c), data and
 *                  branches.
 * NOT MODELLED     the clocks of the kernel: system calls, faults, interrupts.
 * SOURCES          Intel 241428 (1997) chapter 2; Intel 242816-003 (1997) chapter 3; Agner Fog.
 */
#include "model/p5/p5.h"

#include <string.h>

#include "base/error.h"

/* A slot on its way. */
struct issue {
	const struct p5_fly *u, *v; /* v NULL: u goes alone */
	unsigned refused;	    /* why the next instruction is not v */
	uint64_t ex_clk, u_end, v_end;
	uint64_t v_agi_clk, v_bank_clk; /* of time.wait: what V waited for */
};

static struct p5_fly fly_of(const struct p5_code *c, const uint8_t *slots, unsigned i, unsigned n, uint64_t next,
			    bool is_taken)
{
	const struct x86_block *b = c->block;

	return (struct p5_fly){
	    .op = &c->op[i],
	    .block = b,
	    .code = c,
	    .slots = slots,
	    .pc = b->pc + b->insn[i].pc_off,
	    .next = i + 1u < n ? b->pc + b->insn[i].pc_off + b->insn[i].bytes : next,
	    .is_taken = i + 1u == b->n_insn && is_taken,
	    .insn = (uint8_t)i,
	};
}

static uint64_t behind(const struct p5_fly *f)
{
	return f->pc + f->block->insn[f->insn].bytes;
}

/* Addresses that need what the slot before wrote in its last clock. */
static void interlock(struct p5 *m, struct issue *s)
{
	const struct p5_stages *st = &m->time.stages;
	const unsigned u = (s->u->op->address & st->late) != 0, v = s->v && s->v->op->address & st->late;
	const unsigned clk = m->fig[P5_FIG_CORE_AGI_CLK];

	if (!(u | v) || s->ex_clk != st->late_clk)
		return;
	P5_RAISE(m, CORE_AGI, clk);
	P5_RAISE(m, CORE_AGI_PIPES, u + v);
	m->time.wait[P5_WHY_AGI] += clk;
	s->v_agi_clk = u ? 0 : clk;
	s->ex_clk += clk;
}

/* Do what one instruction does, from clk on. *end receives the clock in which it has left EX. */
static int execute(struct p5 *m, const struct p5_fly *f, const struct p5_op *exchange, bool is_in_v, uint64_t clk,
		   uint64_t *end)
{
	const struct p5_op *op = f->op;
	struct p5_time *t = &m->time;
	uint64_t waited, items = 0;
	int rc = op->flags & P5_OP_REP ? p5_string_items(m, f->block, f->insn, f->slots, &items) : 0;

	if (rc)
		return rc;
	t->data_clk = clk;
	t->rep_clk = op->per_item;
	t->is_in_v = is_in_v;
	t->missed = 0;
	rc = p5_run_op(m, f);
	if (rc)
		return rc;
	waited = t->data_clk - clk;
	if (op->flags & P5_OP_REP)
		*end = clk + waited + op->clk + items * op->per_item;
	else if (op->flags & P5_OP_X87)
		*end = clk + waited + p5_fpu_execute(m, op, exchange, p5_look_facts(m, f),
							clk + waited);
	else
		*end = clk + waited + op->clk;
	if (op->flags & P5_OP_MMX)
		p5_mmx_execute(m, op, clk + waited);
	return 0;
}

static void tell_line(struct p5 *m, const struct issue *s, const struct p5_fly *f, uint64_t end_clk)
{
	const bool is_v = f == s->v;
	struct mdl_line l = {.block = f->block, .insn = f->insn, .pipe = is_v ? MDL_PIPE_V : MDL_PIPE_U, .pc = f->pc,
			     .refused = is_v ? 0 : (uint8_t)s->refused, .clk = s->ex_clk,
			     .held_clk = (uint32_t)(end_clk - s->ex_clk)};

	for (unsigned why = 1; why < P5_N_WHY && l.n_stall < MDL_LINE_STALLS; why++) {
		const uint64_t all = m->time.wait[why] - m->told[why];
		const uint64_t v = why == P5_WHY_AGI ? s->v_agi_clk : why == P5_WHY_BANK ? s->v_bank_clk : 0;
		const uint64_t own = is_v ? v : all - v;

		if (own)
			l.stall[l.n_stall++] = (struct mdl_stall){(uint8_t)why, (uint32_t)own};
	}
	m->on_line(m->line_ctx, &l);
}

static void tell(struct p5 *m, const struct issue *s, uint64_t end_clk)
{
	tell_line(m, s, s->u, end_clk);
	if (s->v)
		tell_line(m, s, s->v, end_clk);
	memcpy(m->told, m->time.wait, sizeof(m->told));
}

static void count_slot(struct p5 *m, const struct issue *s)
{
	const unsigned u = s->u->op->flags, v = s->v ? s->v->op->flags : 0;

	P5_RAISE(m, MMX_U, (u & P5_OP_MMX) != 0);
	p5_blame(m, s->u->pc);
	P5_RAISE(m, CORE_V_PIPE, s->v != NULL);
	P5_RAISE(m, CORE_BOTH_MEM, (u & v & P5_OP_MEMORY) != 0);
	P5_RAISE(m, MMX_V, (v & P5_OP_MMX) != 0);
	if (s->v)
		p5_blame(m, s->v->pc);
}

/* The last access of u and the first of v were in one clock: what the clock readings take off. */
static void count_both(struct p5 *m, const struct p5_op *u, const struct p5_op *v, unsigned u_missed, unsigned v_missed)
{
	const bool both_read = u->last == P5_READ && v->first == P5_READ;
	const bool both_write = u->last == P5_WRITE && v->first == P5_WRITE;
	const bool both_miss = u_missed & u->last && v_missed & v->first;

	if ((u_missed | v_missed) & P5_WAS_CUT)
		return;
	P5_RAISE(m, DCACHE_BOTH, 1);
	P5_RAISE(m, DCACHE_MISS_BOTH, both_miss);
	P5_RAISE(m, DCACHE_READ_BOTH, both_read);
	P5_RAISE(m, DCACHE_READ_MISS_BOTH, both_read && both_miss);
	P5_RAISE(m, DCACHE_WRITE_BOTH, both_write);
	P5_RAISE(m, DCACHE_WRITE_MISS_BOTH, both_write && both_miss);
	P5_RAISE(m, DCACHE_WRITE_HIT_BOTH, both_write && !((u_missed | v_missed) & P5_NO_HIT));
}

/* Tell the BTB, and lose what a wrong stream costs. */
static void follow(struct p5 *m, const struct issue *s, uint64_t end_clk)
{
	const struct p5_fly *last = s->v ? s->v : s->u;
	const uint64_t fall = behind(last);
	const bool could_pair = s->refused == P5_WHY_FIRST_TIME;
	struct p5_slot slot;
	unsigned lost;

	slot = (struct p5_slot){
	    .u_pc = s->u->pc,
	    .v_pc = s->v ? s->v->pc : 0,
	    .ex_clk = s->ex_clk,
	    .end_clk = end_clk,
	    .fetch_clk = m->cpu->has_mmx ? last->ready_clk + P5_D1_TO_EX : m->time.stages.d2_clk + P5_D1_TO_EX - 1,
	    .could_pair = could_pair,
	    .insn = s->u->insn,
	    .offset = last->block->insn[last->insn].pc_off,
	    .kind = last->op->branch,
	    .is_in_v = s->v != NULL,
	    .bytes = last->block->insn[last->insn].bytes,
	    .pc = last->pc,
	    .next = last->next,
	    .fall = fall,
	};

	slot.is_taken = slot.kind && ((slot.kind != P5_BR_JCC && slot.kind != P5_BR_LOOP) || last->is_taken);
	lost = p5_btb_slot(m, &slot);
	m->time.now_clk = end_clk + lost;
	if (lost) {
		m->time.wait[P5_WHY_FLUSH] += lost;
		p5_d1_flush(m, m->time.now_clk);
	}
}

/* Issue u, with v unless NULL. */
static int issue(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v, unsigned refused)
{
	struct p5_time *t = &m->time;
	struct issue s = {.u = u, .v = v, .refused = refused};
	const struct p5_op *exchange = v && v->op->pair == CAT_PAIR_FXCH ? v->op : NULL;
	bool has_conflict = false;
	uint64_t end_clk, v_clk;
	unsigned u_missed;
	int rc;

	s.ex_clk = p5_d1_issue(m, u, v);
	s.ex_clk = s.ex_clk > t->now_clk ? s.ex_clk : t->now_clk;
	interlock(m, &s);
	s.ex_clk = p5_fpu_wait(m, u->op, s.ex_clk);
	s.ex_clk = p5_mmx_wait(m, u->op, v ? v->op : NULL, s.ex_clk);
	count_slot(m, &s);
	v_clk = v ? p5_pair_v_clk(m, u, v, &has_conflict) : 0;
	rc = execute(m, u, exchange, false, s.ex_clk, &s.u_end);
	if (rc)
		return rc;
	p5_blame(m, u->pc);
	s.v_end = s.ex_clk;
	u_missed = t->missed;
	if (v && !exchange) {
		/* waits of a read-modify-write delay its write */
		if (u->op->write_clk)
			v_clk += s.u_end - s.ex_clk - u->op->clk;
		rc = execute(m, v, NULL, true, s.ex_clk + v_clk, &s.v_end);
		if (rc)
			return rc;
	}
	if (v && u->op->flags & v->op->flags & P5_OP_MEMORY && !has_conflict)
		count_both(m, u->op, v->op, u_missed, t->missed);
	if (has_conflict) {
		P5_RAISE(m, DCACHE_BANK_CONFLICT, 1);
		t->wait[P5_WHY_BANK]++;
		s.v_bank_clk = 1;
	}
	end_clk = s.u_end > s.v_end ? s.u_end : s.v_end;
	p5_d1_executed(m, s.ex_clk, end_clk,
		       (uint16_t)((s.u_end == end_clk ? u->op->late : 0) |
				  (v && s.v_end == end_clk ? v->op->late : 0)));
	if (m->on_line)
		tell(m, &s, end_clk);
	if (v)
		p5_blame(m, v->pc);
	follow(m, &s, end_clk);
	p5_blame(m, v ? v->pc : u->pc);
	return 0;
}

/* Why v, which follows u, does not go down V with it; 0: it does. */
static unsigned refused(struct p5 *m, struct p5_fly *u, struct p5_fly *v)
{
	unsigned why;

	if (v->pc != behind(u))
		return P5_WHY_ELSEWHERE;
	why = p5_pair_refused(m, u->op, v->op);
	if (why)
		return why;
	p5_d1_fetch(m, u);
	p5_d1_fetch(m, v);
	if (v->ready_clk >= p5_d1_done(m, u))
		return P5_WHY_NOT_THERE;
	if (m->fig[P5_FIG_CORE_PAIR_FIRST_TIME] && (!u->is_marked || !v->is_marked) && u->op->bytes > 1)
		return P5_WHY_FIRST_TIME;
	return 0;
}

/* f is the next instruction in program order. */
static int next_instruction(struct p5 *m, struct p5_fly *f)
{
	struct p5_fly u = m->time.pending;
	unsigned why;
	int rc = 0;

	if (u.op) {
		why = refused(m, &u, f);
		u.next = f->pc;
		p5_d1_fetch(m, &u);
		m->time.pending.op = NULL;
		rc = issue(m, &u, why ? NULL : f, why);
		if (rc || !why)
			return rc;
		/* decoded already, thrown away */
		if (m->time.stages.late_clk != m->time.now_clk)
			f->is_fetched = false;
	}
	if (!f->op->why_u) {
		m->time.pending = *f;
		return 0;
	}
	p5_d1_fetch(m, f);
	return issue(m, f, NULL, f->op->why_u);
}

/* Behind b comes an RDPMC, which pairs with nothing: what waits for a partner, the last instruction of b, need not. */
static int issue_last(struct p5 *m, const struct x86_block *b, uint64_t next)
{
	struct p5_fly u = m->time.pending;

	if (!u.op || !b->is_before_rdpmc || !m->cpu->has_mmx || next != b->fall)
		return 0;
	m->time.pending.op = NULL;
	p5_d1_fetch(m, &u);
	return issue(m, &u, NULL, P5_WHY_NP);
}

int p5_pipe_run(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from, unsigned n, uint64_t next,
		bool is_taken)
{
	struct p5_code *c = p5_code_of(m, b);
	struct p5_fly *pending = &m->time.pending;

	if (!c)
		return -SPMU_ENOMEM;
	if (!from && n)
		m->time.marks = m->cpu->has_mmx ? ~0ull : p5_look_marks(m, c, b->n_insn);
	for (unsigned i = from; i < n; i++) {
		struct p5_fly f = fly_of(c, slots, i, n, next, is_taken);
		int rc;

		f.is_marked = m->time.marks >> i & 1;
		rc = next_instruction(m, &f);
		if (rc)
			return rc;
	}
	if (n == b->n_insn) {
		const int rc = issue_last(m, b, next);

		if (rc)
			return rc;
	}
	if (pending->op && pending->slots == slots) {
		memcpy(m->time.pending_slots, slots, 8u * b->n_slot);
		pending->slots = m->time.pending_slots;
	}
	return 0;
}

int p5_pipe_drain(struct p5 *m)
{
	struct p5_fly u = m->time.pending;

	if (!u.op)
		return 0;
	m->time.pending.op = NULL;
	p5_d1_fetch(m, &u);
	return issue(m, &u, NULL, P5_WHY_ELSEWHERE);
}
