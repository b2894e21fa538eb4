/* host_help.c -- what host code leaves to the units' functions; see host.h. */
#include "model/p6/host/host_ledger.h"

#include <string.h>

#include "model/p6/units/btb.h"
#include "model/p6/units/btb_inline.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/ifu.h"
#include "model/p6/blocks/address.h"
#include "model/p6/host/host_page.h"
#include "trace/record.h"

static struct p6_blk *compiled(const struct p6 *m, const struct p6_host_blk *b)
{
	return p6_blk_at(m, b->blk);
}

static void empty_page_filter(struct p6 *m)
{
	memset(m->fast.itlb, 0xff, sizeof(m->fast.itlb));
}

/* A store into a line of L1I: the rest of the block is done in plain order, because its code may
 * have to be fetched again. */
static void run_rest(struct p6 *m, const struct p6_host_blk *b, uint64_t k, const uint8_t *slots)
{
	p6_run_rest(m, x86_store_get(m->store, b->id), slots, (unsigned)k + 1);
	empty_page_filter(m);
}

/* In front of an access by helpers for the record whose slots are at `slots`. */
static struct p6_log_counts before(struct p6 *m, bool is_code, const uint8_t *slots)
{
	if (p6_host_books(m))
		p6_host_ledger_before(m);
	if (!m->log.is_on)
		return (struct p6_log_counts){0};
	p6_log_write_at(&m->log, slots - 4);
	return p6_log_write_before(m, is_code);
}

/* Call it after reference k of the block. */
static void behind(struct p6 *m, const struct p6_host_blk *b, const struct p6_log_counts *was,
		   uint64_t k)
{
	if (p6_host_books(m))
		p6_host_ledger_behind(m, b->id, p6_blk_refs(compiled(m, b))[k & 0xff].insn);
	if (!m->log.is_on)
		return;
	p6_log_write_behind(m, was);
	p6_log_write_reference(m, k & 0xff);
}

/* Call it after fetching code line i of the block. */
static void fetched(struct p6 *m, const struct p6_host_blk *b, const struct p6_log_counts *was,
		    uint64_t i)
{
	if (p6_host_books(m))
		p6_host_ledger_behind(m, b->id, p6_blk_line_insns(compiled(m, b))[i]);
	if (m->log.is_on)
		p6_log_write_fetched(m, was, (unsigned)i);
}

/* Parts of references: the page, and a read that L1D does not have. */
static void page_logged(struct p6 *m, uint64_t vpn)
{
	const struct p6_log_counts was = p6_log_write_before(m, false);

	p6_dcu_page_fast(m, vpn);
	p6_log_write_behind(m, &was);
}

static void miss_logged(struct p6 *m, uint64_t lin, struct p6_frame page)
{
	const struct p6_log_counts was = p6_log_write_before(m, false);

	p6_dcu_read_miss_fast(m, lin, page);
	p6_log_write_behind(m, &was);
}

static void tell(struct p6 *m, uint64_t k, const uint8_t *record)
{
	p6_log_write_at(&m->log, record);
	p6_log_write_reference(m, (unsigned)k);
}

bool p6_host_line(struct p6 *m, struct p6_host_blk *b, uint64_t k, uint64_t lin)
{
	const uint8_t *slots = (const uint8_t *)(uintptr_t)m->host.at + 4;
	const struct p6_log_counts was = before(m, false, slots);
	bool smc;

	lin &= P6_LIN_MASK;
	smc = p6_dcu_ref_fast(m, lin, (enum p6_access)(k >> 8));
	behind(m, b, &was, k);
	if (!smc)
		return false;
	run_rest(m, b, k & 0xff, slots);
	return true;
}

/* Page vpn, of identity id, is in the ITLB now: let the host code of its blocks look there. */
static void note_page(struct p6 *m, uint32_t id, uint64_t vpn)
{
	const struct page *e = m->itlb.tlb.entry + (vpn & (P6_FAST_ITLB_SETS - 1)) * P6_FAST_WAYS;

	for (unsigned w = 0; w < P6_FAST_WAYS; w++) {
		if (e[w].key != vpn)
			continue;
		m->host.page[id] = (struct p6_host_page){
		    &e[w].key, m->fast.keep[1u << w], m->fast.set[1u << w], {0}};
	}
}

void p6_host_code_page(struct p6 *m, struct p6_host_blk *b, uint64_t i, const uint8_t *slots)
{
	const struct p6_blk *blk = compiled(m, b);
	const bool is_second = p6_host_is_second_page(blk, i);
	const uint64_t vpn = (blk->pc >> PAGE_LOG2) + is_second;

	const struct p6_log_counts was = before(m, true, slots);

	p6_ifu_page_fast(m, vpn);
	fetched(m, b, &was, i);
	m->fast.itlb[vpn & (P6_FAST_ITLB_SETS - 1)] = P6_NO_KEY;
	note_page(m, b->tag[is_second][0], vpn);
}

void p6_host_fetch(struct p6 *m, struct p6_host_blk *b, uint64_t i, const uint8_t *slots)
{
	const uint32_t line = b->first_in_page + (uint32_t)i;
	const uint32_t page = b->tag[line >= P6_HOST_PAGE_LINES][0];

	const struct p6_log_counts was = before(m, true, slots);

	p6_ifu_miss_fast(
	    m, (struct cache_line){page, m->walker.colour[page], line % P6_HOST_PAGE_LINES});
	/* an instruction over two missing lines is one */
	if (b->is_cut && i == 0)
		b->cut_exec = b->n_exec + 1;
	if (!(b->is_cut && i == 1 && b->cut_exec == b->n_exec + 1))
		P6_RAISE(m, IFU_MISS_REF, 1);
	fetched(m, b, &was, i);
}

bool p6_host_unaligned(struct p6 *m, struct p6_host_blk *b, uint64_t k, uint64_t lin)
{
	const uint8_t *slots = (const uint8_t *)(uintptr_t)m->host.at + 4;
	const struct p6_log_counts was = before(m, false, slots);
	const bool smc = p6_dcu_ref_unaligned(m, lin & P6_LIN_MASK, (unsigned)(k >> 16),
					      (enum p6_access)(k >> 8 & 0xff));

	behind(m, b, &was, k);
	if (!smc)
		return false;
	run_rest(m, b, k & 0xff, slots);
	return true;
}

bool p6_host_ref(struct p6 *m, struct p6_host_blk *b, uint64_t k, const uint8_t *slots)
{
	const struct p6_ref *r = &p6_blk_refs(compiled(m, b))[k];
	const struct x86_block *xb = x86_store_get(m->store, b->id);
	const uint64_t lin = p6_address(m, xb, (unsigned)k, slots) & P6_LIN_MASK;
	const struct p6_log_counts was = before(m, false, slots);
	const bool smc =
	    p6_dcu_ref(m, lin, xb->ref[k].bytes, xb->ref[k].flags, r->access == P6_LOCKED);

	behind(m, b, &was, k);
	if (!smc)
		return false;
	run_rest(m, b, k, slots);
	return true;
}

static void found_at(struct p6 *m, struct p6_host_blk *b, uint32_t at)
{
	b->entry = &m->btb.table.entry[at];
	b->target = &m->btb.table.target[at];
}

/* In front of what the transfer of b counts, and behind it. */
static void before_transfer(struct p6 *m)
{
	if (p6_host_books(m))
		p6_host_ledger_before(m);
}

static void behind_transfer(struct p6 *m, const struct p6_host_blk *b)
{
	if (p6_host_books(m))
		p6_host_ledger_behind(m, b->id, compiled(m, b)->n_insn - 1u);
}

static void resolve(struct p6 *m, struct p6_host_blk *b, uint64_t next)
{
	struct p6_outcomes o = {0};
	struct p6_blk *blk = compiled(m, b);
	const uint64_t fall = p6_blk_fall(blk);

	before_transfer(m);
	p6_btb_resolve(m, blk->term, fall + (uint64_t)(int64_t)blk->target_rel, fall, next,
		       &blk->btb, &o, true);
	p6_btb_add(m, &o);
	behind_transfer(m, b);
	if (btb_is_at(&m->btb.table, blk->btb, fall - 1))
		found_at(m, b, blk->btb);
}

void p6_host_branch(struct p6 *m, struct p6_host_blk *b, uint64_t is_taken)
{
	struct p6_blk *blk = compiled(m, b);
	const uint64_t fall = p6_blk_fall(blk);
	bool is_new;
	const uint32_t at = btb_find_or_allocate(&m->btb.table, fall - 1, is_taken, &is_new);

	if (__builtin_expect(!is_new, 0)) {
		blk->btb = (uint16_t)at;
		resolve(m, b, is_taken ? fall + (uint64_t)(int64_t)blk->target_rel : fall);
		return;
	}
	found_at(m, b, at);
	if (blk->term == X86_TERM_JCC) {
		const bool is_wrong = (blk->target_rel < 0) != is_taken;

		before_transfer(m);
		m->btb.n_taken += is_taken;
		P6_RAISE(m, RETIRE_MISPREDICT, is_wrong);
		P6_RAISE(m, RETIRE_MISPREDICT_TAKEN, is_wrong & is_taken);
		behind_transfer(m, b);
	} else if (blk->term == X86_TERM_CALL) {
		rsb_push(&m->btb.rsb, fall);
	}
}

void p6_host_enter(struct p6 *m, struct p6_host_blk *b, uint64_t zero)
{
	const uint64_t fall = p6_blk_fall(compiled(m, b));
	bool is_new;
	const uint32_t at = btb_find_or_allocate(&m->btb.table, fall - 1, true, &is_new);

	(void)zero;
	if (is_new)
		m->btb.table.target[at] =
		    fall; /* where an indirect transfer without entry is expected to go */
	found_at(m, b, at);
}

/* Where to enter `to` from b, whose code lines and pages were all used last in their sets. */
static uint32_t entry_from(const struct p6 *m, const struct p6_host_blk *b,
			   const struct p6_host_blk *to)
{
	const struct p6_blk *x = compiled(m, b), *y = compiled(m, to);
	const uint64_t x_first = x->pc >> P6_FAST_LINE_LOG2,
		       x_last = (p6_blk_fall(x) - 1) >> P6_FAST_LINE_LOG2,
		       y_first = y->pc >> P6_FAST_LINE_LOG2,
		       y_last = (p6_blk_fall(y) - 1) >> P6_FAST_LINE_LOG2;

	if (y->pc >> PAGE_LOG2 != x->pc >> PAGE_LOG2 &&
	    y->pc >> PAGE_LOG2 != (p6_blk_fall(x) - 1) >> PAGE_LOG2)
		return to->at[P6_HOST_ALL];
	if (y_first < x_first || y_first > x_last)
		return to->at[P6_HOST_SAME_PAGE];
	return to->at[y_last <= x_last ? P6_HOST_SAME_LINES : P6_HOST_SAME_LINE];
}

static void patch_slot(struct p6 *m, const struct p6_host_blk *b, const struct p6_host_slot *slot,
		       const struct p6_host_target *to)
{
	uint8_t *code = m->host.memory;

	if (!slot->head_at)
		return;
	memcpy(code + slot->head_at, &to->head, 4);
	emit_patch(code, slot->jump_at, entry_from(m, b, to->blk));
}

uint64_t p6_host_next(struct p6 *m, struct p6_host_blk *b, uint64_t head)
{
	const struct p6_host_target *to = p6_host_find(&m->host, (uint32_t)head);
	const struct p6_blk *blk = compiled(m, b);
	uint64_t fall = p6_blk_fall(blk);

	if (!to)
		return 0;
	if (blk->term == X86_TERM_JCC && to->pc == fall + (uint64_t)(int64_t)blk->target_rel)
		patch_slot(m, b, &b->taken, to);
	else
		patch_slot(m, b, &b->fall, to);
	resolve(m, b, to->pc);
	return to->code;
}

void p6_host_helpers(struct p6 *m)
{
	struct p6_host *const j = &m->host;
	const bool tells = m->log.is_on, books = p6_host_books(m);

	j->helper[P6_HOST_CODE_PAGE] = (uint64_t)(uintptr_t)p6_host_code_page;
	j->helper[P6_HOST_FETCH] = (uint64_t)(uintptr_t)p6_host_fetch;
	j->helper[P6_HOST_PAGE] = tells	  ? (uint64_t)(uintptr_t)page_logged
				  : books ? (uint64_t)(uintptr_t)p6_host_page_booked
					  : (uint64_t)(uintptr_t)p6_dcu_page_fast;
	j->helper[P6_HOST_MISS] = tells	  ? (uint64_t)(uintptr_t)miss_logged
				  : books ? (uint64_t)(uintptr_t)p6_host_miss_booked
					  : (uint64_t)(uintptr_t)p6_dcu_read_miss_fast;
	j->helper[P6_HOST_BOOK] = (uint64_t)(uintptr_t)p6_host_book;
	j->helper[P6_HOST_LOG] = (uint64_t)(uintptr_t)tell;
	j->helper[P6_HOST_LINE] = (uint64_t)(uintptr_t)p6_host_line;
	j->helper[P6_HOST_REF] = (uint64_t)(uintptr_t)p6_host_ref;
	j->helper[P6_HOST_UNALIGNED] = (uint64_t)(uintptr_t)p6_host_unaligned;
	j->helper[P6_HOST_BRANCH] = (uint64_t)(uintptr_t)p6_host_branch;
	j->helper[P6_HOST_ENTER] = (uint64_t)(uintptr_t)p6_host_enter;
	j->helper[P6_HOST_NEXT] = (uint64_t)(uintptr_t)p6_host_next;
}
