/* compile.c -- block facts into what the record loop works on. */
#include "model/p5/p5.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/record.h"

static bool is_pow2(unsigned x)
{
	return x && !(x & (x - 1));
}

/* Accesses of instruction i that its count of executions gives. */
static void count_references(const struct x86_block *b, unsigned i, struct tally *t)
{
	const bool is_mmx = b->insn[i].group == X86_GRP_MMX;

	for (unsigned k = 0; k < b->n_ref; k++) {
		const struct x86_ref *r = &b->ref[k];
		const unsigned n = p5_parts(r->bytes);

		if (r->insn != i || r->flags & (X86_REF_REP | X86_REF_PARTS | X86_REF_PREFETCH))
			continue;
		tally_add(t, WIRE_P5_DCACHE_READ, r->flags & X86_REF_READ ? n : 0);
		tally_add(t, WIRE_P5_DCACHE_WRITE, r->flags & X86_REF_WRITE ? n : 0);
		tally_add(t, WIRE_P5_MMX_READ, is_mmx && r->flags & X86_REF_READ ? n : 0);
		tally_add(t, WIRE_P5_MMX_WRITE, is_mmx && r->flags & X86_REF_WRITE ? n : 0);
	}
}

void p5_count_insn(struct p5 *m, const struct x86_block *b, unsigned i, struct tally *t)
{
	const struct x86_insn *n = &b->insn[i];
	const uint32_t kinds = p5_kinds(m, n->mnemonic);

	p5_core_count(m, n, kinds, t);
	p5_seg_count(m, n, kinds, t);
	p5_fpu_count(n, kinds, t);
	p5_mmx_count(n, kinds, t);
	p5_bus_count(m, kinds, t);
	count_references(b, i, t);
}

struct p5_ref p5_compile_ref(struct p5 *m, const struct x86_block *xb, const struct x86_ref *r)
{
	struct p5_ref c = {
	    .disp = r->disp, .bytes = r->bytes, .slot = P5_NO_SLOT, .slot2 = P5_NO_SLOT};

	if (r->slot < xb->n_slot)
		c.slot = r->slot;
	if (r->slot2 < xb->n_slot) {
		c.slot2 = r->slot2;
		c.shift = (uint8_t)(__builtin_ctz(r->scale | 8u) & 3);
	}
	c.access = (uint8_t)((r->flags & X86_REF_READ ? P5_READ : 0) |
			     (r->flags & X86_REF_WRITE ? P5_WRITE : 0));
	c.has_fs = (r->flags & X86_REF_FS) != 0;
	c.is_locked = (xb->insn[r->insn].flags & X86_I_LOCK) != 0;
	c.is_mmx = xb->insn[r->insn].group == X86_GRP_MMX;
	c.is_fst = m->has_errata && p5_kinds(m, xb->insn[r->insn].mnemonic) & P5_K_FST;
	c.is_fast = is_pow2(r->bytes) && r->bytes <= 1u << m->dcache.cache.line_log2 &&
		    m->dcache.has_filter && !c.is_locked && !m->dcache.n_uncached;
	if (c.is_fast)
		c.align_mask = (uint8_t)(r->bytes - 1);
	return c;
}

static uint8_t block_flags(const struct x86_block *xb)
{
	uint8_t flags = 0;

	for (unsigned i = 0; i < xb->n_insn; i++) {
		const struct x86_insn *in = &xb->insn[i];

		if (in->flags & (X86_I_REP | X86_I_SETS_DF | X86_I_CLEARS_DF))
			flags |= P5_B_ORDER;
		if (in->group == X86_GRP_X87 || in->group == X86_GRP_MMX)
			flags |= P5_B_FPMMX;
	}
	for (unsigned k = 0; k < xb->n_slot; k++)
		if (xb->slot[k].kind == X86_SLOT_MMX)
			flags |= P5_B_CLIP;
	for (unsigned k = 0; k < xb->n_ref; k++)
		if (xb->ref[k].flags & (X86_REF_REP | X86_REF_PARTS))
			flags |= P5_B_ORDER;
	return flags;
}

/* Facts come from the translator, but a block that would break the loop is refused here. */
static bool is_sane(const struct x86_block *xb)
{
	if (!xb || !xb->n_insn || xb->n_insn > X86_MAX_INSNS || xb->n_slot > X86_MAX_SLOTS)
		return false;
	for (unsigned k = 0; k < xb->n_ref; k++)
		if (xb->ref[k].insn >= xb->n_insn || (k && xb->ref[k].insn < xb->ref[k - 1].insn))
			return false;
	return true;
}

static struct p5_blk *compile(struct p5 *m, uint32_t id)
{
	const struct x86_block *xb = x86_store_get(m->store, id);
	struct tally *t = &m->tally;
	struct p5_blk *b = NULL;
	struct p5_count *count;
	uint8_t ends;

	if (!is_sane(xb))
		return NULL;
	for (unsigned i = 0; i < xb->n_insn; i++)
		p5_count_insn(m, xb, i, t);
	ends = p5_mmx_ends(m, xb, m->time.is_on ? NULL : t); /* in time the pipes count them */
	b = t->n_touched > UINT8_MAX ? NULL : /* n_count; no block touches a third of that */
		calloc(1,
		       sizeof(*b) + xb->n_ref * sizeof(b->ref[0]) + t->n_touched * sizeof(*count));
	if (b) {
		b->pc = xb->pc;
		b->is_jcc = xb->term == X86_TERM_JCC;
		b->target = b->is_jcc && xb->target != xb->fall ? xb->target : P5_NOWHERE;
		b->head = trc_block_head(id, xb->n_slot);
		b->n_insn = xb->n_insn;
		b->flags = block_flags(xb);
		b->fpmmx = ends;
		for (unsigned k = 0; k < xb->n_ref; k++)
			if (!(xb->ref[k].flags & X86_REF_PREFETCH))
				b->ref[b->n_ref++] = p5_compile_ref(m, xb, &xb->ref[k]);
		b->n_count = (uint8_t)t->n_touched;
	}
	for (unsigned k = 0; k < t->n_touched; k++) {
		if (b)
			p5_blk_counts(b)[k] =
			    (struct p5_count){t->touched[k], (uint16_t)t->n[t->touched[k]]};
		t->n[t->touched[k]] = 0;
	}
	t->n_touched = 0;
	return b;
}

struct p5_blk *p5_meet(struct p5 *m, uint32_t id)
{
	if (id >= x86_store_count(m->store) || id >> TRC_ID_BITS)
		return NULL;
	if (!m->blk[id])
		m->blk[id] = compile(m, id);
	if (id >= m->n_met)
		m->n_met = id + 1;
	return m->blk[id];
}
