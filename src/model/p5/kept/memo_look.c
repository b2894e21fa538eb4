/* memo_look.c -- the looks of a block whose clocks are known, one by one, without the pipes.
 *
 * COUNTING RULES   as look.h; what is left out changes nothing (parts/replace.h).
 */
#include "model/p5/kept/run.h"
#include "model/p5/blocks/address.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

static inline uint64_t look_data(struct p5 *m, const struct p5_run *x, const struct p5_act *a)
{
	const struct p5_ref *r = &x->code->ref[a->a];
	const uint64_t lin = p5_ref_address(m, r, x->slots);
	const struct p5_look k = p5_memo_access(a);
	const struct p5_operand op = {r->bytes, r->access, r->is_locked, r->is_mmx, r->is_fst};

	if (LIKELY(!k.is_second_half && !k.asks_fill) && p5_ref_is_fast(m, r, lin, k.is_write))
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

void p5_memo_pass(const struct p5_run *x, const struct p5_act *a, struct p5_slot *out)
{
	const struct x86_block *b = x->code->block;
	const bool with_v = a->b & P5_ACT_WITH_V, has_u_before = a->b & P5_ACT_BEFORE;
	struct p5_slot s = {.u_pc = b->pc + (uint64_t)(int32_t)a->c,
			    .is_in_v = with_v,
			    .could_pair = a->b & P5_ACT_COULD_PAIR};

	s.fall = s.next = s.u_pc + a->seen;
	if (has_u_before && !with_v) {
		s.pc = s.u_pc;
		s.bytes = (uint8_t)a->seen;
	} else {
		const struct x86_insn *last = &b->insn[has_u_before ? 0 : a->a + with_v];

		s.pc = b->pc + last->pc_off;
		s.bytes = last->bytes;
	}
	s.v_pc = with_v ? s.pc : 0;
	*out = s;
}

/* A slot without a branch. */
static inline uint64_t look_pass(struct p5 *m, const struct p5_run *x, const struct p5_act *a)
{
	const uint64_t u_pc = x->code->block->pc + (uint64_t)(int32_t)a->c;
	const unsigned with_v = a->b & P5_ACT_WITH_V;
	struct p5_slot s;
	uint64_t seen;

	if (LIKELY(m->btb.is_pair
		       ? !p5_btb_may_have(&m->btb, m->btb.is_by_pair ? m->btb.prev_u : u_pc)
		       : !p5_btb_first(p5_btb_bits(&m->btb, u_pc), (unsigned)a->seen))) {
		p5_btb_go_on(&m->btb, u_pc, 1 + with_v, a->b & P5_ACT_COULD_PAIR);
		return a->seen;
	}
	p5_memo_pass(x, a, &s);
	seen = p5_btb_see(m, &s);
	return seen ? seen | P5_SLOT_NOT_PASSED : a->seen;
}

void p5_memo_slot(const struct p5_run *x, const struct p5_act *a, struct p5_slot *out)
{
	const struct x86_block *b = x->code->block;
	const bool with_v = a->b & P5_ACT_WITH_V, has_u_before = a->b & P5_ACT_BEFORE;
	const unsigned begun =
	    (has_u_before ? 0 : a->a + 1u) + with_v; /* instructions of the block */
	const uint64_t first = a->c & P5_ACT_OFFSET;
	struct p5_slot s = {
	    .u_pc = has_u_before ? b->pc - first : b->pc + first,
	    .pc = begun ? b->pc + (a->c >> P5_ACT_LAST_SHIFT & P5_ACT_OFFSET) : b->pc - first,
	    .bytes = a->c >> P5_ACT_BYTES_SHIFT & 15,
	    .kind = (uint8_t)(a->c >> P5_ACT_KIND_SHIFT),
	    .is_in_v = with_v,
	    .could_pair = a->b & P5_ACT_COULD_PAIR,
	};

	s.v_pc = with_v ? s.pc : 0;
	s.fall = s.pc + s.bytes;
	s.next = begun < b->n_insn ? s.fall : x->next;
	s.is_taken = s.kind && ((s.kind != P5_BR_JCC && s.kind != P5_BR_LOOP) || x->is_taken);
	*out = s;
}

static inline uint64_t look_slot(struct p5 *m, const struct p5_run *x, const struct p5_act *a)
{
	struct p5_slot s;

	p5_memo_slot(x, a, &s);
	return p5_btb_see(m, &s);
}

uint64_t p5_memo_look(struct p5 *m, const struct p5_run *x, const struct p5_act *a)
{
	const struct x86_block *b = x->code->block;
	unsigned bytes;
	uint64_t pc;

	switch (a->kind) {
	case P5_ACT_DATA: return look_data(m, x, a);
	case P5_ACT_CODE: return look_code(m, a);
	case P5_ACT_MARKS: return p5_code_marks(m, x->code, b->n_insn);
	case P5_ACT_NOTE:
		pc = p5_memo_noted(b, a, &bytes);
		p5_icache_is_marked(m, pc, bytes);
		return 0;
	case P5_ACT_PASS: return look_pass(m, x, a);
	case P5_ACT_SLOT: return look_slot(m, x, a);
	case P5_ACT_BANK:
		return p5_dcache_is_same_bank(p5_address(m, b, a->a, x->slots),
					      p5_address(m, b, a->b, x->slots));
	default: return p5_fpu_facts(m, &x->code->op[a->a], b, x->slots);
	}
}
