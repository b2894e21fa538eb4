/* jit_help.c -- what host code leaves to the units' functions; see jit.h. */
#include "model/p6/jit.h"

#include <string.h>

#include "model/p6/btb.h"
#include "trace/record.h"

static struct p6_blk *compiled(const struct p6 *m, const struct p6_jit_blk *b)
{
	return p6_blk_at(m, b->blk);
}

/* The filters of L1D know nothing of the lines of [lin, lin + bytes). */
static void empty_filters(struct p6 *m, uint64_t lin, unsigned bytes)
{
	const uint32_t sets = 1u << P6_USUAL_SET_LOG2;
	const uint64_t last = (lin + bytes - 1) >> P6_USUAL_LINE_LOG2;

	for (uint64_t line = lin >> P6_USUAL_LINE_LOG2; line <= last; line++) {
		m->quick.dcu[line & (sets - 1)] = P6_NO_KEY;
		m->quick.dcu[sets + (line & (sets - 1))] = P6_NO_KEY;
	}
}

static void empty_all_filters(struct p6 *m)
{
	memset(m->quick.dcu, 0xff, 2 * sizeof(m->quick.dcu[0]) << P6_USUAL_SET_LOG2);
	memset(m->quick.ifu, 0xff, sizeof(m->quick.ifu));
	memset(m->quick.itlb, 0xff, sizeof(m->quick.itlb));
}

/* A store into a line of L1I: the rest of the block is done in plain order, because its code may have to
 * be fetched again. */
static void run_rest(struct p6 *m, const struct p6_jit_blk *b, uint64_t k, const uint8_t *slots)
{
	p6_run_rest(m, x86_store_get(m->store, b->id), slots, (unsigned)k + 1);
	empty_all_filters(m);
}

uint64_t p6_jit_data_page(struct p6 *m, struct p6_jit_blk *b, uint64_t zero, uint64_t lin)
{
	const uint64_t vpn = (lin & P6_LIN_MASK) >> PAGE_LOG2;
	const uint32_t set = (uint32_t)vpn & (P6_USUAL_DTLB_SETS - 1);
	const struct page *e = m->dtlb.tlb.entry + (size_t)set * P6_USUAL_WAYS;
	uint64_t *order = &m->dtlb.tlb.order[set];

	(void)b;
	(void)zero;
	for (unsigned w = 0; w < P6_USUAL_WAYS; w++) {
		if (e[w].key != vpn)
			continue;
		*order = (*order & m->jit.keep[1u << w]) | m->jit.set[1u << w];
		m->quick.dtlb[set] = vpn;
		m->dtlb.last[set] = (struct p6_frame){ e[w].id, e[w].colour };
		return e[w].id;
	}
	return p6_translate(m, &m->dtlb, vpn).id;
}

bool p6_jit_miss(struct p6 *m, struct p6_jit_blk *b, uint64_t zero, uint64_t lin)
{
	const uint64_t vpn = lin >> PAGE_LOG2;

	(void)b;
	(void)zero;
	p6_dcu_read_miss_usual(m, lin, m->dtlb.last[vpn & (P6_USUAL_DTLB_SETS - 1)]);
	return false;
}

bool p6_jit_line(struct p6 *m, struct p6_jit_blk *b, uint64_t k, uint64_t lin)
{
	const uint8_t *slots = (const uint8_t *)(uintptr_t)m->jit.at + 4;

	lin &= P6_LIN_MASK;
	if (!p6_dcu_ref_usual(m, lin, (enum p6_access)(k >> 8))) {
		empty_filters(m, lin, 1);
		return false;
	}
	run_rest(m, b, k & 0xff, slots);
	return true;
}

bool p6_jit_ref(struct p6 *m, struct p6_jit_blk *b, uint64_t k, const uint8_t *slots)
{
	const struct x86_block *xb = x86_store_get(m->store, b->id);
	const struct p6_ref *r = &p6_blk_refs(compiled(m, b))[k];
	uint64_t lin = p6_address(m, xb, (unsigned)k, slots) & P6_LIN_MASK;
	bool is_smc;

	if (!(lin & r->align_mask) && r->kind < P6_NEVER) {
		is_smc = p6_dcu_ref_usual(m, lin, r->access);
		empty_filters(m, lin, 1);
	} else {
		is_smc = p6_dcu_ref(m, lin, xb->ref[k].bytes, xb->ref[k].flags, r->access == P6_LOCKED);
		empty_filters(m, lin, xb->ref[k].bytes ? xb->ref[k].bytes : 1);
	}
	if (is_smc)
		run_rest(m, b, k, slots);
	return is_smc;
}

/* The page of b is in the ITLB now: let the host code of the page's blocks look there. */
static void note_page(struct p6 *m, struct p6_jit_blk *b)
{
	const uint64_t vpn = compiled(m, b)->pc >> PAGE_LOG2;
	const struct page *e = m->itlb.tlb.entry + (vpn & (P6_USUAL_ITLB_SETS - 1)) * P6_USUAL_WAYS;

	for (unsigned w = 0; w < P6_USUAL_WAYS; w++) {
		if (e[w].key != vpn)
			continue;
		m->jit.page[b->tag[0]] = (struct p6_jit_page){ &e[w].key, m->jit.keep[1u << w], m->jit.set[1u << w], { 0 } };
	}
}

void p6_jit_code_page(struct p6 *m, struct p6_jit_blk *b, uint64_t zero, const uint8_t *slots)
{
	const uint64_t vpn = compiled(m, b)->pc >> PAGE_LOG2;

	(void)zero;
	(void)slots;
	p6_translate(m, &m->itlb, vpn);
	m->quick.itlb[vpn & (P6_USUAL_ITLB_SETS - 1)] = P6_NO_KEY;
	note_page(m, b);
}

void p6_jit_fetch(struct p6 *m, struct p6_jit_blk *b, uint64_t i, const uint8_t *slots)
{
	const struct p6_blk *blk = compiled(m, b);
	const uint32_t line = (uint32_t)(blk->pc >> P6_USUAL_LINE_LOG2) + (uint32_t)i;
	const uint32_t in_page = line & ((1u << (PAGE_LOG2 - P6_USUAL_LINE_LOG2)) - 1);

	(void)slots;
	p6_ifu_miss_usual(m, (struct cache_line){ b->tag[0], m->colour[b->tag[0]], in_page });
	/* an instruction over two missing lines is one */
	if (blk->is_cut && i == 0)
		b->cut_exec = b->n_exec;
	if (!(blk->is_cut && i == 1 && b->cut_exec == b->n_exec))
		P6_RAISE(m, IFU_MISS_REF, 1);
}

static void resolve(struct p6 *m, struct p6_jit_blk *b, uint64_t next)
{
	struct p6_outcomes o = { 0 };
	struct p6_blk *blk = compiled(m, b);
	const uint64_t fall = p6_blk_fall(blk);

	p6_btb_resolve(m, blk->term, fall + (uint64_t)(int64_t)blk->target_rel, fall, next, &blk->btb, &o, true);
	p6_btb_add(m, &o);
	if (btb_is_at(&m->btb, blk->btb, fall - 1))
		b->entry = &m->btb.entry[blk->btb];
}

void p6_jit_branch(struct p6 *m, struct p6_jit_blk *b, uint64_t is_taken)
{
	const struct p6_blk *blk = compiled(m, b);
	const uint64_t fall = p6_blk_fall(blk);

	resolve(m, b, is_taken ? fall + (uint64_t)(int64_t)blk->target_rel : fall);
}

static void patch_slot(struct p6 *m, const struct p6_jit_slot *slot, const struct p6_jit_target *to)
{
	uint8_t *code = m->jit.memory;

	if (!slot->head_at)
		return;
	memcpy(code + slot->head_at, &to->head, 4);
	emit_patch(code, slot->jump_at, (uint32_t)(to->code - (uint64_t)(uintptr_t)code));
}

uint64_t p6_jit_next(struct p6 *m, struct p6_jit_blk *b, uint64_t head)
{
	const struct p6_jit_target *to = p6_jit_find(&m->jit, (uint32_t)head);
	const struct p6_blk *blk = compiled(m, b);
	uint64_t fall = p6_blk_fall(blk);

	if (!to)
		return 0;
	if (blk->term == X86_TERM_JCC && to->pc == fall + (uint64_t)(int64_t)blk->target_rel)
		patch_slot(m, &b->taken, to);
	else
		patch_slot(m, &b->fall, to);
	resolve(m, b, to->pc);
	return to->code;
}
