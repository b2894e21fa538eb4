/* host_page.c -- host code for the page of a reference that is not the one used last in its set of
 * the DTLB: the other ways, and usual walks. */
#include "model/p6/host/host_write.h"
#include "model/p6/host/host_ledger.h"
#include "model/p6/clocks/time_key.h"
#include "model/p6/units/walk.h"

#include <stddef.h>

/* esi = tag of page rcx, all bits of its address taken; pages of the upper half have none. r10d =
 * mask of the way of the DTLB's set rdx that has it, ZF when none; r9 = 16 * set. */
static void write_find_page(struct p6_writer *w, struct x86_label *full)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, RSI, RCX);
	x86_shr(a, RSI, 4);
	x86_mov(a, R10, RSI);
	x86_shr(a, R10, 31);
	x86_jcc(a, X86_CC_NE, full);
	x86_movd(a, XMM0, ESI);
	x86_pshufd(a, XMM0, XMM0, 0);
	x86_mov(a, R9D, EDX);
	x86_shl(a, R9D, 4);
	x86_pcmpeqd(a, XMM0, NEAR_X(a, w->m->fast.page_tag, R9, 1));
	x86_movmskps(a, R10D, XMM0);
	x86_test(a, R10D, R10D);
}

/* Note the use of the way in mask r10d; r11 = its frame, r8 = its sets of L2. */
static void write_use_page(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;

	x86_movzx(a, R11D, BYTE(NEAR_X(a, m->dtlb.tlb.order, RDX, 8)));
	x86_and(a, R11B, NEAR_X(a, m->fast.keep, R10, 1));
	x86_or(a, R11B, NEAR_X(a, m->fast.set, R10, 1));
	x86_mov(a, NEAR_X(a, m->dtlb.tlb.order, RDX, 8), R11B);
	x86_bsf(a, R10D, R10D);
	x86_lea(a, R9D, MEM_X(R9, R10, 4, 0));
	x86_mov(a, R8, NEAR_X(a, m->fast.page_at, R9, 2));
	x86_shl(a, R9D, 2);
	x86_mov(a, R11, NEAR_X(a, &m->dtlb.tlb.entry->id, R9, 1));
}

/* The page of frame r11, r8 is the one of its set that was used last; xmm0 = its identity. */
static void write_note_page(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;

	x86_mov(a, NEAR_X(a, m->dtlb.last, RDX, 8), R11);
	x86_mov(a, NEAR_X(a, m->walker.data_at, RDX, 8), R8);
	x86_mov(a, NEAR_X(a, m->fast.dtlb, RDX, 8), RCX);
	x86_movd(a, XMM0, R11D);
}

/* The use of the line of an entry of note r10. */
static void write_use_entry(struct p6_writer *w, unsigned i)
{
	struct x86_asm *a = &w->a;
	const size_t p = offsetof(struct p6_walk_note, place) + i * sizeof(struct p6_walk_place);

	x86_mov(a, R11, MEM(R10, p + offsetof(struct p6_walk_place, set)));
	x86_movzx(a, EAX, BYTE(MEM(R10, p + offsetof(struct p6_walk_place, keep))));
	x86_and(a, AL, IN_SET(R11, meta.order)); /* the replacement word of its set */
	x86_or(a, AL, MEM(R10, p + offsetof(struct p6_walk_place, points)));
	x86_mov(a, IN_SET(R11, meta.order), AL);
}

/* As p6_walk_fast(), for page rcx with tag esi and set rdx of the DTLB, which does not have it; r9
 * = 16 * set. Leaves its frame in r11, its sets of L2 in r8. */
static void write_walk(struct p6_writer *w, struct x86_label *full)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;

	_Static_assert(sizeof(struct p6_walk_note) == 64 &&
			   offsetof(struct p6_walk_note, usual) == 0,
		       "as emitted");
	x86_mov(a, R10D, ECX);
	x86_and(a, R10D, IMM(P6_WALK_NOTES - 1));
	x86_shl(a, R10D, 6);
	x86_add(a, R10, NEAR(a, &m->walker.note));
	x86_lea(a, R11, MEM(RCX, 1));
	x86_cmp(a, MEM(R10, offsetof(struct p6_walk_note, usual)), R11);
	x86_jcc(a, X86_CC_NE, full);
	x86_cmp(a, DWORD(NEAR_X(a, &m->fast.page_tag[0][P6_FAST_WAYS - 1], R9, 1)), IMM(-1));
	x86_jcc(a, X86_CC_E, full);
	write_use_entry(w, 0);
	write_use_entry(w, 1);
	x86_inc(a, QWORD(NEAR(a, &m->walker.n_served[P6_WALKED_DATA])));
	p6_write_log(w, P6_CODE_WALK, P6_DID_WALK);
	x86_movzx(a, EAX, BYTE(NEAR_X(a, m->dtlb.tlb.order, RDX, 8)));
	x86_movzx(a, R11D, BYTE(NEAR_X(a, m->host.victim_at, RAX, 1)));
	x86_movzx(a, EAX, BYTE(NEAR_X(a, m->host.victim_next, RAX, 1)));
	x86_mov(a, NEAR_X(a, m->dtlb.tlb.order, RDX, 8), AL);
	x86_add(a, R9D, R11D);
	x86_mov(a, NEAR_X(a, m->fast.page_tag, R9, 1), ESI);
	x86_mov(a, R8, MEM(R10, offsetof(struct p6_walk_note, page_at)));
	x86_mov(a, R11, MEM(R10, offsetof(struct p6_walk_note, page)));
	x86_mov(a, NEAR_X(a, m->fast.page_at, R9, 2), R8);
	x86_shl(a, R9D, 2);
	x86_mov(a, NEAR_X(a, &m->dtlb.tlb.entry->key, R9, 1), RCX);
	x86_mov(a, NEAR_X(a, &m->dtlb.tlb.entry->id, R9, 1), R11);
}

/* eax = set of L1D << 5 of the address in rbp */
static void write_line_set(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, EAX, EBP);
	x86_and(a, EAX, IMM(((1u << P6_FAST_SET_LOG2) - 1) << P6_FAST_LINE_LOG2));
}

/* Have the page looked up by the unit: rcx, rdx and eax are as `line_part` wants them then. */
static void write_ask(struct p6_writer *w, uint32_t line_part)
{
	struct x86_asm *a = &w->a;

	x86_push(a, RDI);
	p6_write_machine(w);
	x86_mov(a, RSI, RBP);
	x86_shl(a, RSI, 16);
	x86_shr(a, RSI, 28); /* its page in 48 bits */
	p6_write_call(w, P6_HOST_PAGE);
	x86_pop(a, RDI);
	x86_mov(a, RCX, RBP);
	x86_shl(a, RCX, 16);
	x86_shr(a, RCX, 28);
	x86_mov(a, EDX, ECX);
	x86_and(a, EDX, IMM(P6_FAST_DTLB_SETS - 1));
	write_line_set(w);
	x86_jmp_to(a, line_part);
}

void p6_write_page_part(struct p6_writer *w, uint32_t line_part, uint32_t known_part)
{
	struct x86_asm *a = &w->a;
	struct x86_label full = {0}, missing = {0};

	_Static_assert(offsetof(struct page, id) == 8 && offsetof(struct page, colour) == 12 &&
			   sizeof(struct page) == 16,
		       "as emitted");
	if (w->m->is_fast_miss) {
		write_find_page(w, &full);
		x86_jcc(a, X86_CC_E, &missing);
		write_use_page(w);
		write_note_page(w);
		write_line_set(w);
		x86_jmp_to(a, known_part);
		x86_land(a, &missing);
		write_walk(w, &full);
		write_note_page(w);
		write_line_set(w);
		x86_jmp_to(a, known_part);
		x86_land(a, &full);
	}
	write_ask(w, line_part);
}
