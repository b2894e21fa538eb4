/* host_memory.c -- host code for code lines and references that hit. */
#include "model/p6/host/host_write.h"

#include <stddef.h>

#include "model/p6/host/host_slot.h"
#include "model/p6/host/host_ledger.h"
#include "model/p6/host/host_page.h"

void p6_write_page(struct p6_writer *w, unsigned i)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const bool is_second = p6_host_is_second_page(w->b, i);
	const uint64_t vpn = (w->b->pc >> PAGE_LOG2) + is_second;
	const uint64_t *order = &m->itlb.tlb.order[vpn & (P6_FAST_ITLB_SETS - 1)];
	const struct p6_host_page *page = &m->host.page[w->jb->tag[is_second][0]];
	const unsigned from = w->n_cold;

	x86_mov(a, RDX, DATA(&page->key));
	x86_cmp(a, QWORD(MEM(RDX, 0)), IMM(vpn));
	if (p6_blk_lines(w->b)[i] && !w->is_in_order)
		p6_write_jcc_in_order(w, X86_CC_NE);
	else
		p6_write_jcc_cold(w, X86_CC_NE, P6_HOST_CODE_PAGE, i, COLD_SLOTS);
	x86_mov(a, CL, NEAR(a, order));
	x86_and(a, CL, DATA(&page->keep));
	x86_or(a, CL, DATA(&page->set));
	x86_mov(a, NEAR(a, order), CL);
	p6_write_come_back(w, from);
}

/* Code line i of the block is in L1I: note its use; or fetch it. When references come before it, a
 * miss leaves the rest of the block to the form in order. */
void p6_write_line(struct p6_writer *w, unsigned i)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const uint64_t line = (w->b->pc >> P6_FAST_LINE_LOG2) + i;
	const uint32_t set = line & ((1u << P6_FAST_SET_LOG2) - 1);
	const uint8_t *tags = m->ifu.cache.sets + set * m->ifu.cache.stride_bytes;
	const uint64_t *order = &cache_meta(&m->ifu.cache, set)->order;
	const unsigned from = w->n_cold;

	if (p6_host_books(m) && !w->line_row[i])
		w->line_row[i] = p6_host_row_of(w, P6_ROW_LINE, p6_blk_line_insns(w->b)[i]);
	x86_movdqa(a, XMM0, DATA(w->jb->tag[p6_host_is_second_page(w->b, i)]));
	x86_pcmpeqd(a, XMM0, NEAR(a, tags));
	x86_movmskps(a, EDX, XMM0);
	x86_test(a, EDX, EDX);
	if (p6_blk_lines(w->b)[i] && !w->is_in_order)
		p6_write_jcc_in_order(w, X86_CC_E);
	else
		p6_write_jcc_cold(w, X86_CC_E, P6_HOST_FETCH, i, COLD_SLOTS);
	x86_mov(a, CL, NEAR(a, order));
	x86_and(a, CL, NEAR_X(a, m->fast.keep, RDX, 1));
	x86_or(a, CL, NEAR_X(a, m->fast.set, RDX, 1));
	x86_mov(a, NEAR(a, order), CL);
	p6_write_come_back(w, from);
}

/* rbp = linear address of r */
static void write_address(struct p6_writer *w, const struct p6_ref *r)
{
	struct x86_asm *a = &w->a;

	p6_time_host_address(a, r, &w->base_slot);
	if (r->is_more & P6_MORE_FS)
		x86_add(a, RBP, NEAR(a, &w->m->seg.fs_base));
}

/* Places in a line, one bit per byte, at which an access of n bytes is cut by no line end, and none
 * of its pieces of 8 bytes by an 8-byte boundary: there it counts nothing but the reference
 * itself. */
static uint32_t quick_places(unsigned n)
{
	uint32_t places = 0;

	for (unsigned at = 0; at + n <= 1u << P6_FAST_LINE_LOG2; at++)
		if (n > 8 ? at % 8 == 0 : at % 8 + n <= 8)
			places |= 1u << at;
	return places;
}

/* To the cold part when cc says that r is not aligned. */
static void write_if_unaligned(struct p6_writer *w, enum x86_cc cc, const struct p6_ref *r,
			       unsigned k)
{
	const uint32_t what = k | (uint32_t)r->access << 8 | (r->align_mask + 1u) << 16;

	if (r->access == P6_LOCKED)
		p6_write_jcc_cold(w, cc, P6_HOST_REF, k, COLD_MAY_END);
	else
		p6_write_jcc_cold(w, cc, P6_HOST_UNALIGNED, what, COLD_UNALIGNED);
}

static void write_alignment(struct p6_writer *w, const struct p6_ref *r, unsigned k)
{
	struct x86_asm *a = &w->a;

	if (!r->align_mask)
		return;
	if (r->align_mask < 8) {
		x86_test(a, BPL, IMM(r->align_mask));
		write_if_unaligned(w, X86_CC_NE, r, k);
		return;
	}
	x86_mov(a, EDX, IMM(quick_places(r->align_mask + 1u)));
	x86_bt(a, EDX, EBP);
	write_if_unaligned(w, X86_CC_NC, r, k);
}

void p6_write_reference(struct p6_writer *w, const struct p6_ref *r, unsigned k)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const unsigned from = w->n_cold;

	if (p6_host_books(m) && !w->ref_row[k])
		w->ref_row[k] = p6_host_row_of(w, P6_ROW_REFERENCE, r->insn);
	_Static_assert(P6_KINDS * sizeof(m->fast.dcu[0]) == 1u << P6_FAST_LINE_LOG2, "as emitted");
	if (r->kind >= P6_NEVER) {
		w->base_slot = P6_NO_SLOT;
		p6_write_jmp_cold(w, P6_HOST_REF, k, COLD_MAY_END);
		p6_write_come_back(w, from);
		return;
	}
	write_address(w, r);
	write_alignment(w, r, k);
	x86_mov(a, RCX, RBP);
	x86_shr(a, RCX, 12);
	x86_mov(a, EDX, ECX);
	x86_and(a, EDX, IMM(P6_FAST_DTLB_SETS - 1));
	x86_cmp(a, NEAR_X(a, m->fast.dtlb, RDX, 8), RCX);
	if (r->access == P6_READ)
		p6_write_jcc_cold(w, X86_CC_NE, P6_HOST_PAGE, k, COLD_READ);
	else
		p6_write_jcc_cold(w, X86_CC_NE, P6_HOST_LINE, k | (uint32_t)r->access << 8,
				  COLD_WRITE);
	x86_mov(a, EAX, EBP);
	x86_and(a, EAX, IMM(((1u << P6_FAST_SET_LOG2) - 1) << P6_FAST_LINE_LOG2));
	x86_cmp(a, NEAR_X(a, &m->fast.dcu[r->kind], RAX, 1), RCX);
	p6_write_jcc_same(w, X86_CC_NE);
	p6_write_come_back(w, from);
}

/* ---- shared by all blocks -------------------------------------------------------------------- */

/* xmm0 = the page of the DTLB's set rdx, four times; r8 = the set of L2 that its line rax would be
 * in, asked for: whether L1D has the line cannot be guessed. Returns the code offset for who has
 * the page in xmm0 and its first set of L2 in r8. */
static uint32_t write_load_place(struct p6_writer *w, bool has_l2)
{
	struct x86_asm *a = &w->a;
	uint32_t known;

	_Static_assert(PAGE_LOG2 == 12 && P6_FAST_LINE_LOG2 == 5 &&
			   sizeof(struct cache_set_of_four) == 32,
		       "as emitted");
	x86_movd(a, XMM0, NEAR_X(a, &w->m->dtlb.last[0].id, RDX, 8));
	if (has_l2)
		x86_mov(a, R8, NEAR_X(a, w->m->walker.data_at, RDX, 8));
	known = x86_here(a);
	x86_pshufd(a, XMM0, XMM0, 0);
	if (has_l2) {
		x86_add(a, R8, RAX);
		x86_prefetcht0(a, MEM(R8, 0));
	}
	return known;
}

/* edx = mask of the ways of L1D's set rax that hold the line of page xmm0; ZF when none. */
static void write_find_line(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;

	x86_movdqa(a, XMM1, XMM0);
	x86_pcmpeqd(a, XMM1, NEAR_X(a, w->m->dcu.cache.sets, RAX, 1));
	x86_movmskps(a, EDX, XMM1);
	x86_test(a, EDX, EDX);
}

/* Note the use of the way in mask edx of set rax by page rcx. */
static void write_touch_line(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const struct cache_meta *meta = cache_meta(&m->dcu.cache, 0);

	x86_movzx(a, ESI, BYTE(NEAR_X(a, &meta->order, RAX, 1)));
	x86_and(a, SIL, NEAR_X(a, m->fast.keep, RDX, 1));
	x86_or(a, SIL, NEAR_X(a, m->fast.set, RDX, 1));
	x86_mov(a, NEAR_X(a, &meta->order, RAX, 1), SIL);
	x86_mov(a, NEAR_X(a, &m->fast.dcu[P6_FAST_READ], RAX, 1), RCX);
}

/* The end of the part write_line: the way in mask edx of set rax, 0 if none, has the line of page
 * rcx, xmm0. When it is in state M, or in state E and L1I has nothing of it, it is stored to, as
 * first_store() of dcu.c does it. */
static void write_own_line(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const struct cache_meta *meta = cache_meta(&m->dcu.cache, 0);
	struct x86_label full = {0}, is_m = {0};

	x86_test(a, NEAR_X(a, &meta->m, RAX, 1), DX);
	x86_jcc(a, X86_CC_NE, &is_m);
	x86_test(a, EDX, EDX);
	x86_jcc(a, X86_CC_E, &full);
	x86_test(a, NEAR_X(a, &meta->s, RAX, 1), DX);
	x86_jcc(a, X86_CC_NE, &full);
	x86_pcmpeqd(a, XMM0, NEAR_X(a, m->ifu.cache.sets, RAX, 1));
	x86_movmskps(a, ESI, XMM0);
	x86_test(a, ESI, ESI);
	x86_jcc(a, X86_CC_NE, &full);
	x86_or(a, NEAR_X(a, &meta->m, RAX, 1), DX);
	x86_land(a, &is_m);
	write_touch_line(w);
	x86_mov(a, NEAR_X(a, &m->fast.dcu[P6_FAST_WRITE], RAX, 1), RCX);
	x86_test(a, EDX, EDX);
	x86_ret(a);
	x86_land(a, &full);
	x86_xor(a, ESI, ESI);
	x86_ret(a);
}

/* As p6_ifu_miss_fast(), when L1D does not have the line in state M and L2 has it in state E or S.
 * Only a model in time asks for code_epoch. */
static void write_fetch_line(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const uint8_t *sets = m->ifu.cache.sets;
	const struct cache_meta *code = cache_meta(&m->ifu.cache, 0),
				*data = cache_meta(&m->dcu.cache, 0);
	struct x86_label full = {0};

	_Static_assert(P6_L2_S == P6_L2_E + 1, "as emitted");
	x86_add(a, R8, NEAR(a, &m->l2.cache.sets));
	x86_cmp(a, DWORD(NEAR_X(a, &code->n_empty, RAX, 1)), IMM(0));
	x86_jcc(a, X86_CC_NE, &full);
	x86_movd(a, XMM0, ESI);
	x86_pshufd(a, XMM0, XMM0, 0);
	x86_movdqa(a, XMM1, XMM0);
	x86_pcmpeqd(a, XMM1, NEAR_X(a, m->dcu.cache.sets, RAX, 1));
	x86_movmskps(a, EDX, XMM1);
	x86_test(a, NEAR_X(a, &data->m, RAX, 1), DX);
	x86_jcc(a, X86_CC_NE, &full);
	x86_pcmpeqd(a, XMM0, IN_SET(R8, tag));
	x86_movmskps(a, EDX, XMM0);
	x86_test(a, EDX, EDX);
	x86_jcc(a, X86_CC_E, &full);
	x86_test(a, IN_SET(R8, meta.m), DX); /* state M? */
	x86_jcc(a, X86_CC_NE, &full);
	x86_xor(a, R10D, R10D);
	x86_test(a, IN_SET(R8, meta.s), DX);
	x86_setcc(a, X86_CC_NE, R10B); /* state S */
	x86_inc(a, QWORD(NEAR_X(a, &m->l2.served[P6_SERVED_FETCH][P6_L2_E], R10, 8)));
	x86_movzx(a, R11D, BYTE(IN_SET(R8, meta.order))); /* its replacement word */
	x86_and(a, R11B, NEAR_X(a, m->fast.keep, RDX, 1));
	x86_or(a, R11B, NEAR_X(a, m->fast.set, RDX, 1));
	x86_mov(a, IN_SET(R8, meta.order), R11B);
	x86_movzx(a, R9D, BYTE(NEAR_X(a, &code->order, RAX, 1)));
	x86_movzx(a, EDX, BYTE(NEAR_X(a, m->host.victim_at, R9, 1)));
	x86_add(a, RDX, RAX);
	x86_mov(a, NEAR_X(a, sets, RDX, 1), ESI);
	x86_movzx(a, EDX, BYTE(NEAR_X(a, m->host.victim_next, R9, 1)));
	x86_mov(a, NEAR_X(a, &code->order, RAX, 1), DL);
	x86_inc(a, QWORD(NEAR(a, &m->dyn[WIRE_P6_IFU_MISS_REF])));
	x86_ret(a);
	x86_land(a, &full);
	x86_xor(a, EDX, EDX);
	x86_ret(a);
}

/* Try fetch_line for code line i of the block, of which no instruction lies on two missing
 * lines. */
void p6_write_fetch(struct p6_writer *w, unsigned i)
{
	struct x86_asm *a = &w->a;
	const unsigned in_page = (w->jb->first_in_page + i) % P6_HOST_PAGE_LINES;
	const uint32_t page = w->jb->tag[p6_host_is_second_page(w->b, i)][0];
	const uint32_t at =
	    (uint32_t)w->m->walker.colour[page] << (PAGE_LOG2 - P6_FAST_LINE_LOG2) | in_page;

	x86_mov(a, ESI, IMM(page));
	x86_mov(a, EAX, IMM(in_page << P6_FAST_LINE_LOG2));
	x86_mov(
	    a, R8D,
	    IMM((at & (w->m->l2.cache.n_sets - 1)) * (uint32_t)sizeof(struct cache_set_of_four)));
	x86_call_to(a, w->m->host.fetch_line);
}

void p6_write_memory_parts(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const void *m_bits = &cache_meta(&m->dcu.cache, 0)->m;
	struct x86_label miss = {0};
	uint32_t known;

	m->host.read_line = x86_here(a);
	known = write_load_place(w, m->is_served);
	write_find_line(w);
	x86_jcc(a, X86_CC_E, &miss);
	write_touch_line(w);
	x86_mov(a, RSI, IMM(-1));
	x86_test(a, NEAR_X(a, m_bits, RAX, 1), DX);
	x86_cmovcc(a, X86_CC_NE, RSI, RCX);
	x86_mov(a, NEAR_X(a, &m->fast.dcu[P6_FAST_WRITE], RAX, 1), RSI);
	p6_write_log_so_far(w);
	x86_ret(a);
	x86_land(a, &miss);
	p6_write_serve_line(w);
	x86_mov(a, EDX, ECX);
	x86_and(a, EDX, IMM(P6_FAST_DTLB_SETS - 1));
	x86_mov(a, RDX, NEAR_X(a, m->dtlb.last, RDX, 8));
	x86_push(a, RDI);
	p6_write_machine(w);
	x86_mov(a, RSI, RBP);
	p6_write_call(w, P6_HOST_MISS);
	x86_pop(a, RDI);
	p6_write_log_so_far(w);
	x86_ret(a);

	m->host.read_page = x86_here(a);
	p6_write_page_part(w, m->host.read_line, known);

	m->host.write_line = x86_here(a);
	known = write_load_place(w, false);
	write_find_line(w);
	write_own_line(w);

	m->host.write_page = x86_here(a);
	p6_write_page_part(w, m->host.write_line, known);

	p6_write_log_part(w);
	p6_write_book_part(w);
	if (w->m->is_served && !m->log.is_on) {
		m->host.fetch_line = x86_here(a);
		write_fetch_line(w);
	}
}
