/* pipe.c -- unit core in time: issue slots.
 *
 * COUNTING RULES   a slot is in EX until both of its halves have left it. 1FH: clocks in which
 *                  addresses wait, or (:occ) one per pipe whose address waits, unless the slot
 *                  waited for something else anyway. 2BH: MMX instructions by pipe.
 * MODELLED         pairs across the cuts between blocks; instructions of several clocks; a V half
 *                  that starts with the last access of its U half (pair.c); address-generation
 *                  interlocks by what was written in the last clock of the slot before; waits for
 *                  decoding (d1.c), x87 (fpu.c), MMX (mmx.c), data and branches.
 * NOT MODELLED     the clocks of the kernel: system calls, faults, interrupts.
 * SOURCES          Intel 241428 (1997) chapter 2; Intel 242816-003 (1997) chapter 3; Agner Fog.
 */
#include "model/p5/clocks/owner.h"
#include "model/p5/p5.h"
#include "model/p5/blocks/plain.h"
#include "model/p5/blocks/ledger.h"

#include <string.h>

#include "base/error.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* f is instruction i of c, at pc, of which n are executed. Field by field: a copy would wait for
 * all of them to be stored. */
static inline void set_fly(struct p5_fly *f, const struct p5_code *c, const uint8_t *slots,
			   uint64_t pc, unsigned i, unsigned n, uint64_t next, bool is_taken)
{
	const struct x86_block *b = c->block;

	f->op = &c->op[i];
	f->block = b;
	f->code = c;
	f->slots = slots;
	f->pc = pc;
	f->bytes = (uint8_t)p5_op_length(f->op);
	f->next = i + 1u < n ? pc + f->bytes : next;
	f->ready_clk = 0;
	f->insn = (uint8_t)i;
	f->is_taken = i + 1u == b->n_insn && is_taken;
	f->is_fetched = f->is_asked = f->is_marked = false;
}

/* Which boundaries of the block are known. */
static uint64_t marks_of(struct p5 *m, struct p5_code *c)
{
	return m->cpu->has_mmx ? ~0ull : p5_look_marks(m, c, c->block->n_insn);
}

static uint64_t behind(const struct p5_fly *f)
{
	return f->pc + f->bytes;
}

/* Addresses that need what the slot before wrote in its last clock. */
static void interlock(struct p5 *m, struct p5_issue *s)
{
	const struct p5_stages *st = &m->time.stages;
	const unsigned u = (s->u->op->address & st->late) != 0,
		       v = s->v && s->v->op->address & st->late;
	const unsigned clk = m->par[P5_PAR_CORE_AGI_CLK];

	if (!(u | v) || s->ex_clk != st->late_clk)
		return;
	P5_RAISE(m, CORE_AGI, clk);
	P5_RAISE(m, CORE_AGI_PIPES, u + v);
	m->time.wait[P5_WHY_AGI] += clk;
	s->v_agi_clk = u ? 0 : clk;
	s->ex_clk += clk;
}

/* As execute(), whatever the instruction is. */
static __attribute__((noinline)) int execute_any(struct p5 *m, const struct p5_fly *f,
						 const struct p5_op *exchange, bool is_in_v,
						 uint64_t clk, uint64_t *end)
{
	const struct p5_op *op = f->op;
	struct p5_time *t = &m->time;
	uint64_t waited, items = 0;
	int rc = UNLIKELY(op->flags & P5_OP_REP)
		     ? p5_string_items(m, f->block, f->insn, f->slots, &items)
		     : 0;

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
		*end = clk + waited +
		       p5_fpu_execute(m, op, exchange, p5_look_facts(m, f), clk + waited);
	else
		*end = clk + waited + op->clk;
	if (op->flags & P5_OP_MMX)
		p5_mmx_execute(m, op, clk + waited);
	return 0;
}

/* Do what one instruction does, from clk on. *end receives the clock in which it has left EX. */
static inline int execute(struct p5 *m, const struct p5_fly *f, const struct p5_op *exchange,
			  bool is_in_v, uint64_t clk, uint64_t *end)
{
	const struct p5_op *op = f->op;
	struct p5_time *t = &m->time;

	if (UNLIKELY(op->flags & P5_OP_UNUSUAL || m->intr.period_clk || m->debug.has_execute))
		return execute_any(m, f, exchange, is_in_v, clk, end);
	t->data_clk = clk;
	t->rep_clk = op->per_item;
	t->is_in_v = is_in_v;
	t->missed = 0;
	if (op->n_ref)
		p5_run_references(m, f);
	*end = t->data_clk + op->clk;
	return 0;
}

static void tell_line(struct p5 *m, const struct p5_issue *s, const struct p5_fly *f,
		      uint64_t end_clk)
{
	const bool is_v = f == s->v;
	struct mdl_line l = {.block = f->block,
			     .insn = f->insn,
			     .pipe = is_v ? MDL_PIPE_V : MDL_PIPE_U,
			     .pc = f->pc,
			     .refused = is_v ? 0 : (uint8_t)s->refused,
			     .clk = s->ex_clk,
			     .held_clk = (uint32_t)(end_clk - s->ex_clk)};

	for (unsigned why = 1; why < P5_N_WHY && l.n_stall < MDL_LINE_STALLS; why++) {
		const uint64_t all = m->time.wait[why] - m->told[why];
		const uint64_t v = why == P5_WHY_AGI	? s->v_agi_clk
				   : why == P5_WHY_BANK ? s->v_bank_clk
							: 0;
		const uint64_t own = is_v ? v : all - v;

		if (own)
			l.stall[l.n_stall++] = (struct mdl_stall){(uint8_t)why, (uint32_t)own};
	}
	m->on_line(m->line_ctx, &l);
}

static void tell(struct p5 *m, const struct p5_issue *s, uint64_t end_clk)
{
	tell_line(m, s, s->u, end_clk);
	if (s->v)
		tell_line(m, s, s->v, end_clk);
	memcpy(m->told, m->time.wait, sizeof(m->told));
}

static void count_v(struct p5 *m, const struct p5_issue *s)
{
	P5_RAISE(m, CORE_V_PIPE, 1);
	P5_RAISE(m, CORE_BOTH_MEM, (s->u->op->flags & s->v->op->flags & P5_OP_MEMORY) != 0);
	P5_RAISE(m, MMX_V, (s->v->op->flags & P5_OP_MMX) != 0);
}

/* The last access of u and the first of v were in one clock: what the clock readings take off. */
static void count_both(struct p5 *m, const struct p5_op *u, const struct p5_op *v,
		       unsigned u_missed, unsigned v_missed)
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
static void follow(struct p5 *m, const struct p5_issue *s, uint64_t end_clk)
{
	const struct p5_fly *last = s->v ? s->v : s->u;
	const uint64_t fall = behind(last);
	const bool could_pair = s->refused == P5_WHY_FIRST_TIME;
	struct p5_slot slot;
	unsigned lost;

	m->time.now_clk = end_clk;
	p5_ledger_fly(m, s->u);
	if (!last->op->branch && last->next == fall &&
	    p5_look_silent(m, s->u, s->v, could_pair, fall)) {
		p5_ledger_fly(m, last);
		return;
	}
	slot = (struct p5_slot){
	    .u_pc = s->u->pc,
	    .v_pc = s->v ? s->v->pc : 0,
	    .ex_clk = s->ex_clk,
	    .end_clk = end_clk,
	    .fetch_clk = m->cpu->has_mmx ? last->ready_clk + P5_D1_TO_EX
					 : m->time.stages.d2_clk + P5_D1_TO_EX - 1,
	    .could_pair = could_pair,
	    .insn = s->u->insn,
	    .offset = (uint16_t)(last->pc - last->block->pc),
	    .kind = last->op->branch,
	    .is_in_v = s->v != NULL,
	    .bytes = last->bytes,
	    .pc = last->pc,
	    .next = last->next,
	    .fall = fall,
	};

	slot.is_taken =
	    slot.kind && ((slot.kind != P5_BR_JCC && slot.kind != P5_BR_LOOP) || last->is_taken);
	lost = p5_btb_slot(m, &slot);
	m->time.now_clk = end_clk + lost;
	if (lost) {
		m->time.wait[P5_WHY_FLUSH] += lost;
		p5_d1_flush(m, m->time.now_clk);
	}
	p5_ledger_fly(m, last);
}

/* The slot of u, with v unless NULL, begins: all that needs no value that v works with. */
static int begin(struct p5 *m, struct p5_issue *s)
{
	struct p5_time *t = &m->time;
	const struct p5_fly *u = s->u, *v = s->v;
	int rc;

	s->exchange = v && v->op->pair == CAT_PAIR_FXCH ? v->op : NULL;
	s->ex_clk = p5_d1_issue(m, u, v);
	s->ex_clk = s->ex_clk > t->now_clk ? s->ex_clk : t->now_clk;
	interlock(m, s);
	s->ex_clk = p5_fpu_wait(m, u->op, s->ex_clk);
	s->ex_clk = p5_mmx_wait(m, u->op, v ? v->op : NULL, s->ex_clk);
	P5_RAISE(m, MMX_U, (u->op->flags & P5_OP_MMX) != 0);
	s->v_clk = v && v->slots ? p5_pair_v_clk(m, u, v, &s->has_conflict) : 0;
	rc = execute(m, u, s->exchange, false, s->ex_clk, &s->u_end);
	s->v_end = s->ex_clk;
	s->u_missed = t->missed;
	p5_ledger_fly(m, u);
	return rc;
}

/* v does what it does. */
static int go_down_v(struct p5 *m, struct p5_issue *s)
{
	const struct p5_fly *u = s->u, *v = s->v;
	int rc;

	count_v(m, s);
	if (!s->exchange) {
		/* waits of a read-modify-write delay its write */
		if (u->op->write_clk)
			s->v_clk += s->u_end - s->ex_clk - u->op->clk;
		rc = execute(m, v, NULL, true, s->ex_clk + s->v_clk, &s->v_end);
		if (rc)
			return rc;
	}
	if (u->op->flags & v->op->flags & P5_OP_MEMORY && !s->has_conflict)
		count_both(m, u->op, v->op, s->u_missed, m->time.missed);
	if (s->has_conflict) {
		P5_RAISE(m, DCACHE_BANK_CONFLICT, 1);
		m->time.wait[P5_WHY_BANK]++;
		s->v_bank_clk = 1;
	}
	return 0;
}

/* The slot ends. */
static int end(struct p5 *m, struct p5_issue *s)
{
	const struct p5_fly *u = s->u, *v = s->v;
	const int rc = v ? go_down_v(m, s) : 0;
	uint64_t end_clk;

	p5_ledger_fly(m, v ? v : u);
	if (rc)
		return rc;
	end_clk = s->u_end > s->v_end ? s->u_end : s->v_end;
	p5_d1_executed(m, s->ex_clk, end_clk,
		       (uint16_t)((s->u_end == end_clk ? u->op->late : 0) |
				  (v && s->v_end == end_clk ? v->op->late : 0)));
	if (m->on_line)
		tell(m, s, end_clk);
	follow(m, s, end_clk);
	return 0;
}

/* Issue u, with v unless NULL. */
static int issue(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v, unsigned refused)
{
	struct p5_issue s = {.u = u, .v = v, .refused = refused};
	const int rc = begin(m, &s);

	return rc ? rc : end(m, &s);
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
	if (m->par[P5_PAR_CORE_PAIR_FIRST_TIME] && (!u->is_marked || !v->is_marked) &&
	    u->op->bytes > 1)
		return P5_WHY_FIRST_TIME;
	return 0;
}

/* The slot that was begun ends with f, or (NULL, or f stands elsewhere) without; *is_v: f was its
 * second half. What is known of f is noted there. */
static int end_begun(struct p5 *m, struct p5_fly *f, bool *is_v)
{
	struct p5_begun *g = &m->time.begun;
	const bool is_f = f && f->pc == g->v.pc && f->op->bytes == g->v.op->bytes;

	g->is_on = *is_v = false;
	if (is_f) {
		f->is_marked = g->v.is_marked;
		f->is_asked = g->v.is_asked;
		f->is_fetched = g->v.is_fetched;
		f->ready_clk = g->v.ready_clk;
	}
	if (!g->is_pair)
		return 0;
	g->slot.u = &g->u;
	g->slot.v = is_f ? f : NULL;
	g->slot.exchange = is_f ? g->slot.exchange : NULL;
	g->slot.v_clk = is_f ? p5_pair_v_clk(m, &g->u, f, &g->slot.has_conflict) : 0;
	*is_v = is_f;
	return end(m, &g->slot);
}

/* f is the next instruction in program order. *waits: what waits for a partner before it, and then
 * behind it; NULL: nothing. */
static int next_instruction(struct p5 *m, struct p5_fly **waits, struct p5_fly *f)
{
	struct p5_fly *u = *waits;
	bool is_v = false;
	unsigned why;
	int rc = UNLIKELY(m->time.begun.is_on) ? end_begun(m, f, &is_v) : 0;

	if (rc || is_v)
		return rc;
	if (u) {
		*waits = NULL;
		why = refused(m, u, f);
		u->next = f->pc;
		p5_d1_fetch(m, u);
		rc = issue(m, u, why ? NULL : f, why);
		if (rc || !why)
			return rc;
		/* decoded already, thrown away */
		if (m->time.stages.late_clk != m->time.now_clk)
			f->is_fetched = false;
	}
	if (!f->op->why_u) {
		*waits = f;
		return 0;
	}
	p5_d1_fetch(m, f);
	return issue(m, f, NULL, f->op->why_u);
}

int p5_pipe_ahead(struct p5 *m, const struct x86_block *b, unsigned insn)
{
	struct p5_begun *g = &m->time.begun;
	struct p5_code *c = p5_code_of(m, b);
	int rc;

	if (!c)
		return -SPMU_ENOMEM;
	if (g->is_on || !m->time.pending.op)
		return 0;
	if (!insn)
		m->time.marks = marks_of(m, c);
	*g = (struct p5_begun){.u = m->time.pending, .is_on = true};
	set_fly(&g->v, c, NULL, b->pc + b->insn[insn].pc_off, insn, b->n_insn, P5_NOWHERE, false);
	g->has_marks = !insn;
	g->v.is_marked = m->time.marks >> insn & 1;
	g->slot = (struct p5_issue){.u = &g->u, .refused = refused(m, &g->u, &g->v)};
	g->is_pair = !g->slot.refused;
	g->slot.v = g->is_pair ? &g->v : NULL;
	g->u.next = g->v.pc;
	p5_d1_fetch(m, &g->u);
	m->time.pending.op = NULL;
	rc = begin(m, &g->slot);
	if (rc || g->is_pair)
		return rc;
	rc = end(m, &g->slot);
	/* decoded already, thrown away */
	if (m->time.stages.late_clk != m->time.now_clk)
		g->v.is_fetched = false;
	return rc;
}

/* Behind b comes an RDPMC, which pairs with nothing: what waits for a partner, the last instruction
 * of b, need not. */
static int issue_last(struct p5 *m, const struct x86_block *b, uint64_t next)
{
	struct p5_fly u = m->time.pending;

	if (!u.op || !b->is_before_rdpmc || !m->cpu->has_mmx || next != b->fall)
		return 0;
	m->time.pending.op = NULL;
	p5_d1_fetch(m, &u);
	return issue(m, &u, NULL, P5_WHY_NP);
}

int p5_pipe_run(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		unsigned n, uint64_t next, bool is_taken)
{
	struct p5_code *c = p5_code_of(m, b);
	struct p5_fly *pending = &m->time.pending, *waits = NULL;
	struct p5_fly fly[2]; /* the next instruction, and the one that waits for it */
	uint64_t pc = from ? b->pc + b->insn[from].pc_off : b->pc;

	if (!c)
		return -SPMU_ENOMEM;
	if (pending->op) {
		fly[1] = *pending;
		waits = &fly[1];
		pending->op = NULL;
	}
	if (!from && n &&
	    !(m->time.begun.is_on && m->time.begun.has_marks && m->time.begun.v.block == b))
		m->time.marks = marks_of(m, c);
	for (unsigned i = from; i < n; i++) {
		struct p5_fly *f = waits == &fly[0] ? &fly[1] : &fly[0];
		int rc;

		set_fly(f, c, slots, pc, i, n, next, is_taken);
		pc += f->bytes;
		f->is_marked = m->time.marks >> i & 1;
		f->context = m->ledger ? m->ledger->context : 0;
		rc = next_instruction(m, &waits, f);
		if (rc)
			return rc;
	}
	if (waits)
		*pending = *waits;
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
	bool is_v;

	if (m->time.begun.is_on)
		return end_begun(m, NULL, &is_v);
	if (!u.op)
		return 0;
	m->time.pending.op = NULL;
	p5_d1_fetch(m, &u);
	return issue(m, &u, NULL, P5_WHY_ELSEWHERE);
}
