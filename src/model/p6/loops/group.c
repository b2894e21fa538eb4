/* group.c -- what the members of a group do themselves. Rules: group.h. */
#include "model/p6/loops/group.h"

#include <string.h>

#include "base/error.h"
#include "model/p6/blocks/address.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/loops/events.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/ifu.h"
#include "trace/record.h"

/* ---- the front's filters --------------------------------------------------------------------- */

static void empty_filters(struct p6 *f)
{
	p6_empty_filter(f->dtlb.filter, f->dtlb.tlb.n_sets);
	p6_empty_filter(f->itlb.filter, f->itlb.tlb.n_sets);
	p6_empty_filter(f->dcu.filter, (size_t)P6_KINDS * f->dcu.cache.n_sets);
	p6_empty_filter(f->ifu.filter, f->ifu.cache.n_sets);
}

void p6_group_lead(struct p6_group *g, struct p6 *front)
{
	g->front = front;
	front->group = g;
	empty_filters(front);
	for (unsigned i = 0; i < g->n; i++) {
		g->member[i]->dcu.common = front->dcu.filter;
		g->member[i]->dcu.common_mask = front->dcu.cache.n_sets - 1;
		g->member[i]->ifu.common = front->ifu.filter;
		g->member[i]->ifu.common_mask = front->ifu.cache.n_sets - 1;
	}
}

/* Every member has the line of lin, and in its set it was used last. is_m: in state M. */
static void note(struct p6 *f, uint64_t lin, bool is_m)
{
	const struct cache *c = &f->dcu.cache;
	uint64_t *filter = &f->dcu.filter[P6_KINDS * (lin >> c->line_log2 & (c->n_sets - 1))];
	const uint64_t key = lin >> cache_way_log2(c), vpn = lin >> PAGE_LOG2;

	f->dtlb.filter[vpn & (f->dtlb.tlb.n_sets - 1)] = vpn;
	if (!f->dcu.has_filter)
		return;
	filter[P6_FAST_READ] = key;
	if (is_m)
		filter[P6_FAST_WRITE] = key;
	else if (filter[P6_FAST_WRITE] != key)
		filter[P6_FAST_WRITE] = P6_NO_KEY;
}

/* ---- references ------------------------------------------------------------------------------ */

/* Do the member's own filters leave the reference out? */
static inline bool is_last(const struct p6 *m, uint64_t lin, unsigned kind)
{
	const struct cache *c = &m->dcu.cache;
	const uint64_t vpn = lin >> PAGE_LOG2;
	const size_t set = lin >> c->line_log2 & (c->n_sets - 1);

	return m->dtlb.filter[vpn & (m->dtlb.tlb.n_sets - 1)] == vpn &&
	       m->dcu.filter[P6_KINDS * set + kind] == lin >> cache_way_log2(c);
}

/* It stored into a line of the member's L1I: the rest of the block comes in plain order. */
static void stored_code(struct p6_group *g, unsigned i, const struct p6_blk *b, unsigned k,
			const uint8_t *slots)
{
	struct p6 *m = g->member[i];

	p6_run_rest(m, x86_store_get(m->store, trc_block_id(b->head)), slots, k + 1);
	g->is_done |= 1u << i;
}

/* Access one line in member i. Returns true when it must do the rest of the block by itself. */
static inline bool access_line(struct p6 *m, uint64_t lin, enum p6_access access)
{
	enum p6_dcu_try done;

	if (m->is_fast_shape)
		return p6_dcu_ref_fast(m, lin, access);
	done = p6_dcu_try(m, lin, access);
	return done == P6_DCU_NOT_DONE ? p6_dcu_ref_in_line(m, lin, access)
				       : done == P6_DCU_STORED_CODE;
}

/* A reference to one line. */
static void in_line(struct p6_group *g, const struct p6_blk *b, const struct p6_ref *r,
		    const uint8_t *slots, uint64_t lin)
{
	const enum p6_access access = (enum p6_access)r->access;

	for (unsigned i = 0; i < g->n; i++) {
		struct p6 *m = g->member[i];

		if (is_last(m, lin, r->kind) || g->is_done >> i & 1)
			continue;
		if (__builtin_expect(access_line(m, lin, access), 0))
			stored_code(g, i, b, (unsigned)(r - p6_blk_refs(b)), slots);
	}
	note(g->front, lin, access != P6_READ);
}

/* One that is not aligned, and lies in one line: its pieces are counted first. */
static void unaligned(struct p6_group *g, const struct p6_blk *b, const struct p6_ref *r,
		      const uint8_t *slots, uint64_t lin)
{
	const unsigned bytes = r->align_mask + 1u, times = 1u + (r->access == P6_READ_WRITE);

	for (unsigned i = 0; i < g->n && (lin & 7) + bytes > 8; i++)
		for (unsigned k = 0; k < times && !(g->is_done >> i & 1); k++)
			p6_dcu_count_pieces(g->member[i], lin, bytes);
	in_line(g, b, r, slots, lin);
}

/* One over a line end, or of unusual size. */
static void odd(struct p6_group *g, const struct p6_blk *b, const struct p6_ref *r,
		const uint8_t *slots, uint64_t lin)
{
	struct p6 *f = g->front;
	const unsigned k = (unsigned)(r - p6_blk_refs(b));
	const struct x86_block *xb = x86_store_get(f->store, trc_block_id(b->head));
	const struct x86_ref *x = &xb->ref[k];
	const bool is_locked = r->access == P6_LOCKED;
	const uint64_t step = 1u << f->line_log2;

	for (unsigned i = 0; i < g->n; i++) {
		struct p6 *m = g->member[i];
		bool smc;

		if (g->is_done >> i & 1)
			continue;
		if (m->is_fast_shape && r->kind < P6_NEVER && !is_locked)
			smc = p6_dcu_ref_unaligned(m, lin, r->align_mask + 1u,
						   (enum p6_access)r->access);
		else
			smc = p6_dcu_ref(m, lin, x->bytes, x->flags, is_locked);
		if (smc)
			stored_code(g, i, b, k, slots);
	}
	if (is_locked) /* on the bus, where it is cut */
		empty_filters(f);
	for (uint64_t at = lin & ~(step - 1); x->bytes && !is_locked && at < lin + x->bytes;
	     at += step)
		note(f, at & P6_LIN_MASK, r->access != P6_READ);
}

void p6_group_reference(struct p6 *front, const struct p6_blk *b, const struct p6_ref *r,
			const uint8_t *slots, uint64_t lin)
{
	struct p6_group *g = front->group;
	const uint64_t line_mask = (1u << front->line_log2) - 1;

	if (r->kind == P6_FAR)
		lin = p6_address(front, x86_store_get(front->store, trc_block_id(b->head)),
				 (unsigned)(r - p6_blk_refs(b)), slots);
	lin &= P6_LIN_MASK;
	if (r->kind < P6_NEVER && !(lin & r->align_mask))
		in_line(g, b, r, slots, lin);
	else if (r->kind < P6_NEVER && r->access != P6_LOCKED &&
		 (lin & line_mask) + r->align_mask <= line_mask)
		unaligned(g, b, r, slots, lin);
	else
		odd(g, b, r, slots, lin);
}

/* ---- code ------------------------------------------------------------------------------------ */

void p6_group_line(struct p6 *f, const struct p6_blk *b, uint64_t line, unsigned i)
{
	struct p6_group *g = f->group;
	const uint64_t vpn = line >> (PAGE_LOG2 - f->line_log2);
	uint32_t missing = 0;

	for (unsigned k = 0; k < g->n; k++) {
		struct p6 *m = g->member[k];
		bool is_miss;

		if (g->is_done >> k & 1)
			continue;
		if (p6_ifu_try(m, line))
			continue;
		is_miss = m->is_fast_shape ? p6_ifu_line_fast(m, line) : p6_ifu_line(m, line);
		missing |= (uint32_t)is_miss << k;
		/* one instruction over two missing lines is one */
		P6_RAISE(m, IFU_MISS_REF,
			 is_miss && !(i == 1 && g->was_missing >> k & 1 && b->is_cut));
	}
	g->was_missing = missing;
	f->itlb.filter[vpn & (f->itlb.tlb.n_sets - 1)] = vpn;
	if (f->ifu.has_filter)
		f->ifu.filter[line & (f->ifu.cache.n_sets - 1)] = line >> f->ifu.cache.set_log2;
}

/* ---- what is past the loop ------------------------------------------------------------------- */

bool p6_group_flagged(struct p6 *front, const struct p6_blk *b, const uint8_t *p, int *rc)
{
	struct p6_group *g = front->group;
	const struct x86_block *xb = x86_store_get(front->store, trc_block_id(b->head));

	*rc = 0;
	if (!(b->flags & (P6_B_ORDER | P6_B_WC)))
		return false;
	if (b->flags & P6_B_ORDER)
		*rc = p6_run_plain(front, xb, p + 4, b->n_insn, false);
	for (unsigned i = 0; i < g->n && !*rc; i++) {
		if (!(b->flags & P6_B_ORDER) && !g->member[i]->dcu.wc.n)
			continue;
		*rc = p6_run_plain(g->member[i], xb, p + 4, b->n_insn, false);
		g->is_done |= 1u << i;
	}
	if (b->flags & P6_B_ORDER || *rc)
		p6_group_end_block(g);
	return b->flags & P6_B_ORDER || *rc;
}

int p6_group_event(struct p6 *front, const uint8_t *p, const uint8_t *end)
{
	struct p6_group *g = front->group;
	const uint32_t kind = reader_u32(p) - TRC_SPECIAL;

	switch (kind) {
	case TRC_PARTIAL:
	case TRC_PIECE:
	case TRC_FS_BASE:
	case TRC_UNKNOWN_INSN:
	case TRC_DF:
	case TRC_EXEC:
	case TRC_EXIT: break;
	default: return 0; /* of the predictor, or nothing */
	}
	empty_filters(front);
	for (unsigned i = 0; i < g->n; i++) {
		const int64_t n = p6_event(g->member[i], p, end);

		if (n < 0)
			return (int)n;
	}
	return 0;
}

void p6_group_end_block(struct p6_group *g)
{
	if (!g->is_done)
		return;
	g->is_done = 0;
	empty_filters(g->front);
}

/* ---- counts ---------------------------------------------------------------------------------- */

void p6_group_add(struct p6_group *g, const uint64_t *executions)
{
	for (unsigned i = 0; i < g->n; i++)
		for (unsigned wire = WIRE_P6_FIRST; wire < WIRE_P6_END; wire++)
			g->member[i]->dyn[wire] += executions[wire];
	empty_filters(g->front);
}

void p6_group_sum(const uint64_t *executions, const uint64_t *front, uint64_t *total)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = WIRE_P6_FIRST; i < WIRE_P6_END && i < n; i++)
		if (wire[i].need != CAT_NEED_MEMORY && wire[i].need != CAT_NEED_ALONE)
			total[i] = executions[i] + front[i];
}
