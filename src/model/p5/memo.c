/* memo.c -- blocks whose clocks are known.
 *
 * The step of a state and a block lists the looks that the block does, with what they saw when it was found out. They
 * are done; while each sees the same, the step holds. A look that sees something else leads aside: to the step that goes
 * on from there, or, when there is none yet, to the pipes, which start over and are told what was seen so far.
 *
 * COUNTING RULES   see memo.h.
 */
#include "model/p5/p5.h"

#include <string.h>

#include "base/error.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define MOST_ASIDE 64u /* steps on the way through one block */

/* An execution of a block. */
struct run {
	struct p5_code *code;
	const uint8_t *slots;
	uint64_t next;
	bool is_taken;
};

/* Steps that led aside, and where. */
struct way {
	unsigned n;
	struct {
		struct memo_step *step;
		uint64_t seen;
		unsigned at;
	} turn[MOST_ASIDE];
};

void p5_memo_open(struct p5 *m, const struct mdl_config *cfg)
{
	bool has_special = cfg->on_line || cfg->is_plain || cfg->timer_hz || cfg->has_errata || cfg->n_uncached;

	for (unsigned i = 0; i < 4; i++)
		has_special |= cfg->breakpoint[i].bytes != 0;
	m->memo.bytes = P5_MEMO_BYTES / (cfg->n_cpus ? cfg->n_cpus : 1);
	m->memo.is_on = m->time.is_on && !cfg->has_no_memo && !has_special;
}

void p5_memo_close(struct p5 *m)
{
	if (m->memo.is_open)
		memo_close(&m->memo.room);
	m->memo.is_open = m->memo.is_on = false;
}

void p5_memo_leave(struct p5 *m)
{
	unsigned n;

	if (!m->memo.state)
		return;
	p5_state_read(m, memo_state_bytes(&m->memo.room, m->memo.state, &n));
	m->memo.state = MEMO_NONE;
	m->memo.last = NULL;
}

void p5_memo_count(struct p5 *m)
{
	if (m->memo.is_open)
		memo_take(&m->memo.room, m->dyn);
}

void p5_memo_forget(struct p5 *m)
{
	p5_memo_leave(m);
	p5_memo_count(m);
	if (m->memo.is_open)
		memo_flush(&m->memo.room);
}

/* ---- looks ----------------------------------------------------------------------------------------------- */

/* The line and page of the reference are those that were used last in their sets, for a write in state M. */
static inline bool is_quick(struct p5 *m, const struct p5_ref *r, uint64_t lin, bool is_write)
{
	const struct p5_dcache *d = &m->dcache;
	const size_t set = lin >> d->cache.line_log2 & (d->cache.n_sets - 1);
	const uint64_t vpn = lin >> PAGE_LOG2;
	const uint64_t *filter = is_write ? d->write_filter : d->read_filter;

	if (!r->is_quick || (filter[set] ^ lin >> cache_way_log2(&d->cache)) | (lin & r->align_mask))
		return false;
	if (m->dtlb.is_full)
		return fulltlb_find_again(&m->dtlb.full, vpn);
	return m->dtlb.filter[vpn & m->dtlb.set_mask] == vpn;
}

static inline uint64_t look_data(struct p5 *m, const struct run *x, const struct p5_act *a)
{
	const struct p5_ref *r = &x->code->ref[a->a];
	const uint64_t lin = p5_ref_address(m, r, x->slots);
	const struct p5_look k = {.part = (uint8_t)(a->b >> P5_ACT_PART_SHIFT),
				  .is_second_half = a->b & P5_ACT_HALF,
				  .is_write = a->b & P5_ACT_WRITE,
				  .asks_fill = a->b & P5_ACT_ASKS_FILL};
	const struct p5_operand op = {r->bytes, r->access, r->is_locked, r->is_mmx, r->is_fst};

	if (LIKELY(!k.is_second_half && !k.asks_fill) && is_quick(m, r, lin, k.is_write))
		return P5_SEEN_HIT;
	return p5_dcache_see(m, lin, &op, &k);
}

static inline uint64_t look_code(struct p5 *m, const struct p5_act *a)
{
	const uint64_t unit = (uint64_t)((int64_t)a->seen >> 16);
	const struct p5_icache *i = &m->icache;
	const uint64_t line = unit >> i->cache.line_log2;

	if (LIKELY(i->has_filter && i->filter[line & (i->cache.n_sets - 1)] == line &&
		   m->itlb.last_vpn == unit >> PAGE_LOG2))
		return unit << 16 | P5_SEEN_HIT;
	return unit << 16 | p5_icache_see(m, unit, unit + a->b);
}

/* A slot without a branch. */
static inline uint64_t look_pass(struct p5 *m, const struct run *x, const struct p5_act *a)
{
	const uint64_t pc = x->code->block->pc, u_pc = pc + a->c;
	const unsigned u = a->a, with_v = a->b & P5_ACT_WITH_V;
	const struct x86_insn *last = &x->code->block->insn[u + with_v];
	struct p5_slot s;
	uint64_t seen;

	if (LIKELY(m->btb.is_pair ? !p5_btb_may_have(&m->btb, m->btb.is_by_pair ? m->btb.prev_u : u_pc)
				  : !(m->btb.map[a->b >> P5_ACT_WORD_SHIFT] & a->seen))) {
		p5_btb_go_on(&m->btb, u_pc, 1 + with_v, a->b & P5_ACT_COULD_PAIR);
		return a->seen;
	}
	s = (struct p5_slot){.u_pc = u_pc, .pc = pc + last->pc_off, .bytes = last->bytes, .is_in_v = with_v,
			     .could_pair = a->b & P5_ACT_COULD_PAIR};
	s.v_pc = with_v ? s.pc : 0;
	s.fall = s.next = s.pc + s.bytes;
	seen = p5_btb_see(m, &s);
	return seen ? seen | P5_SLOT_NOT_PASSED : a->seen;
}

static inline uint64_t look_slot(struct p5 *m, const struct run *x, const struct p5_act *a)
{
	const struct x86_block *b = x->code->block;
	const bool with_v = a->b & P5_ACT_WITH_V;
	struct p5_slot s = {
	    .u_pc = b->pc + (a->c & P5_ACT_OFFSET),
	    .pc = b->pc + (a->c >> P5_ACT_LAST_SHIFT & P5_ACT_OFFSET),
	    .bytes = a->c >> P5_ACT_BYTES_SHIFT & 15,
	    .kind = (uint8_t)(a->c >> P5_ACT_KIND_SHIFT),
	    .is_in_v = with_v,
	    .could_pair = a->b & P5_ACT_COULD_PAIR,
	};

	s.v_pc = with_v ? s.pc : 0;
	s.fall = s.pc + s.bytes;
	s.next = a->a + with_v + 1u < b->n_insn ? s.fall : x->next;
	s.is_taken = s.kind && ((s.kind != P5_BR_JCC && s.kind != P5_BR_LOOP) || x->is_taken);
	return p5_btb_see(m, &s);
}

static uint64_t look(struct p5 *m, const struct run *x, const struct p5_act *a)
{
	const struct x86_block *b = x->code->block;

	switch (a->kind) {
	case P5_ACT_DATA:
		return look_data(m, x, a);
	case P5_ACT_CODE:
		return look_code(m, a);
	case P5_ACT_MARKS:
		return p5_code_marks(m, x->code, b->n_insn);
	case P5_ACT_NOTE:
		p5_icache_is_marked(m, b->pc + b->insn[a->a].pc_off, b->insn[a->a].bytes);
		return 0;
	case P5_ACT_PASS:
		return look_pass(m, x, a);
	case P5_ACT_SLOT:
		return look_slot(m, x, a);
	case P5_ACT_BANK:
		return p5_dcache_is_same_bank(p5_address(m, b, a->a, x->slots), p5_address(m, b, a->b, x->slots));
	default:
		return p5_fpu_facts(m, &x->code->op[a->a], b, x->slots);
	}
}

/* ---- finding out ------------------------------------------------------------------------------------------- */

/* What was seen on the way goes on the tape. */
static void wind(struct p5 *m, const struct way *w)
{
	struct p5_tape *t = &m->time.tape;

	t->n = t->at = 0;
	for (unsigned k = 0; k < w->n; k++) {
		const unsigned n = w->turn[k].at + 1;

		if (t->n + n > P5_MOST_ACTS)
			return; /* no step is that long */
		memcpy(t->act + t->n, memo_extra(w->turn[k].step), n * sizeof(t->act[0]));
		t->n += n;
		t->act[t->n - 1].seen = w->turn[k].seen;
		if (t->act[t->n - 1].kind == P5_ACT_PASS)
			t->act[t->n - 1].kind = P5_ACT_SLOT;
	}
}

/* What the pipes counted since before[]. */
static unsigned deltas(const struct p5 *m, const uint64_t *before, struct memo_delta *delta)
{
	unsigned n = 0;

	for (unsigned wire = 0; wire < WIRE_N; wire++)
		if (m->dyn[wire] != before[wire])
			delta[n++] = (struct memo_delta){wire, (uint32_t)(m->dyn[wire] - before[wire])};
	return n;
}

/* The room is full: all starts anew. */
static void empty(struct p5 *m)
{
	p5_memo_count(m);
	memo_flush(&m->memo.room);
	m->memo.state = MEMO_NONE;
	m->memo.last = NULL;
}

/* The state that the structs are in. */
static uint32_t state_now(struct p5 *m)
{
	uint64_t bytes[MEMO_MAX_STATE / 8];
	const unsigned n = m->time.pending.op ? 0 : p5_state_write(m, (uint8_t *)bytes);

	return n ? memo_state(&m->memo.room, bytes, n) : MEMO_NONE;
}

/* The block was done, its looks are on the tape; those before `known` belong to the steps that led here. */
static void keep(struct p5 *m, const struct run *x, uint32_t from, const struct way *w, unsigned known,
		 const uint64_t *before, uint64_t before_clk)
{
	struct p5_tape *t = &m->time.tape;
	struct p5_memo *o = &m->memo;
	struct memo_delta delta[WIRE_N];
	struct memo_fact f = {.delta = delta, .n_delta = deltas(m, before, delta), .next = state_now(m)};
	const uint64_t clk = m->time.now_clk - before_clk;
	struct memo_step *s;

	f.extra = t->act + known;
	f.n_extra = (unsigned)((t->n - known) * sizeof(t->act[0]));
	f.clk = (uint32_t)clk;
	if (t->is_lost || clk > UINT32_MAX || m->time.pending.op)
		return;
	if (!f.next) {
		empty(m);
		return;
	}
	if (w->n)
		s = memo_add(&o->room, memo_id(&o->room, w->turn[w->n - 1].step), w->turn[w->n - 1].at,
			     w->turn[w->n - 1].seen, &f);
	else
		s = memo_add(&o->room, from, x->code->block->id, x->next << 1 | x->is_taken, &f);
	if (!s) {
		empty(m);
		return;
	}
	o->state = f.next;
	o->last = s;
}

/* Let the pipes do it, from the state before the block on, and keep what comes of it. */
static int find_out(struct p5 *m, const struct run *x, const struct way *w)
{
	struct p5_tape *t = &m->time.tape;
	const uint32_t from = m->memo.state;
	const uint64_t before_clk = m->time.now_clk;
	uint64_t before[WIRE_N];
	unsigned known;
	int rc;

	p5_memo_leave(m);
	wind(m, w);
	known = t->n;
	t->is_recording = true;
	t->is_lost = false;
	memcpy(before, m->dyn, sizeof(before));
	rc = p5_pipe_run(m, x->code->block, x->slots, x->code->block->n_insn, x->next, x->is_taken);
	t->is_recording = false;
	m->memo.n_new++;
	if (!rc)
		keep(m, x, from, w, known, before, before_clk);
	t->n = t->at = 0;
	return rc;
}

/* ---- blocks -------------------------------------------------------------------------------------------------- */

/* The step held: the block is done. */
static inline void use(struct p5 *m, struct memo_step *s)
{
	memo_use(&m->memo.room, s);
	m->time.now_clk += s->clk;
	m->memo.state = s->next;
	m->memo.last = s;
	m->memo.n_known++;
	if (s->then)
		memo_prefetch(s->then);
}

static int run_known(struct p5 *m, const struct run *x)
{
	struct p5_memo *o = &m->memo;
	const uint64_t outcome = x->next << 1 | x->is_taken;
	const uint32_t id = x->code->block->id;
	struct memo_step *s = o->last ? memo_follow(&o->room, o->last, o->state, id, outcome)
				      : memo_find(&o->room, o->state, id, outcome);
	struct way w;

	w.n = 0;
	while (s) {
		const struct p5_act *a = memo_extra(s), *const first = a;
		const struct p5_act *const end = a + s->n_extra / sizeof(*a);
		struct memo_step *aside;
		uint64_t seen = 0;

		while (a < end && (seen = look(m, x, a)) == a->seen)
			a++;
		if (a == end) {
			use(m, s);
			return 0;
		}
		if (w.n == MOST_ASIDE)
			return -SPMU_ENOMEM; /* no block has so many looks */
		w.turn[w.n].step = s;
		w.turn[w.n].seen = seen;
		w.turn[w.n++].at = (unsigned)(a - first);
		aside = s->aside;
		if (!aside || aside->outcome != seen || aside->block != (uint32_t)(a - first))
			aside = memo_find(&o->room, memo_id(&o->room, s), (uint32_t)(a - first), seen);
		if (aside)
			s->aside = aside;
		s = aside;
	}
	return find_out(m, x, &w);
}

/* Can the block be kept, in the state in which the machine is? */
static bool is_fit(struct p5 *m, struct p5_code *c, unsigned n, uint64_t next)
{
	struct p5_memo *o = &m->memo;
	bool is_new;

	if (c != m->time.code[c->block->id] || c->has_order || n != c->block->n_insn || next == P5_NOWHERE ||
	    m->time.pending.op)
		return false;
	if (LIKELY(o->state))
		return true;
	is_new = !o->is_open;
	if (is_new) {
		o->is_open = true;
		o->is_on = !memo_open(&o->room, o->bytes);
	}
	o->state = o->is_on ? state_now(m) : MEMO_NONE;
	if (!o->state && o->is_on && !is_new && o->room.used > o->room.bytes / 2)
		empty(m);
	return o->state != MEMO_NONE;
}

int p5_memo_run(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned n, uint64_t next, bool is_taken)
{
	struct p5_code *c;

	if (!m->memo.is_on)
		return p5_pipe_run(m, b, slots, n, next, is_taken);
	c = p5_code_of(m, b);
	if (!c)
		return -SPMU_ENOMEM;
	if (LIKELY(is_fit(m, c, n, next)))
		return run_known(m, &(struct run){c, slots, next, is_taken});
	p5_memo_leave(m);
	m->memo.n_full++;
	return p5_pipe_run(m, b, slots, n, next, is_taken);
}
