/* host_serve.c -- host code for reads that L1D does not have: L2 has the line, or memory.
 *
 * COUNTING RULES   those of p6_dcu_read_miss_fast() and of the functions of l2_inline.h, which do
 *                  what is left to them.
 *
 * REGISTERS of the code that is written
 *   rax    set of L1D << 5
 *   rcx    page of the line
 *   xmm0   its identity, four times
 *   r8     set of L2
 *   r9     L1D's replacement word
 */
#include "model/p6/host/host_write.h"

#include <stddef.h>

#include "model/p6/host/host_ledger.h"
#include "model/p6/clocks/time_key.h"

/* L2's set r8 does not have the line of page xmm0: it comes from memory into the way to replace, as
 * p6_l2_take() does it. To `in full`, with nothing done, when what it puts out is modified in L1D's
 * set rax, or a walk remembers a line of r8. Leaves r9 alone. */
static void write_take_read(struct p6_writer *w, struct x86_label *full)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const uint8_t *sets = m->dcu.cache.sets;

	_Static_assert(offsetof(struct cache_meta, noted) ==
			   offsetof(struct cache_meta, n_empty) + 2,
		       "as emitted");
	x86_cmp(a, DWORD(IN_SET(R8, meta.n_empty)),
		IMM(0)); /* its empty ways, and what walks remember */
	x86_jcc(a, X86_CC_NE, full);
	x86_movzx(a, ESI, BYTE(IN_SET(R8, meta.order))); /* its replacement word */
	x86_movzx(a, R11D, BYTE(NEAR_X(a, m->host.victim_at, RSI, 1)));
	x86_movd(a, XMM1, MEM_X(R8, R11, 1, 0));
	x86_pshufd(a, XMM1, XMM1, 0);
	x86_pcmpeqd(a, XMM1, NEAR_X(a, sets, RAX, 1));
	x86_movmskps(a, EDX, XMM1);
	x86_test(a, NEAR_X(a, &cache_meta(&m->dcu.cache, 0)->m, RAX, 1), DX);
	x86_jcc(a, X86_CC_NE, full);
	x86_mov(a, EDX, NEAR_X(a, m->host.victim, RSI, 8));
	x86_xor(a, R10D, R10D);
	x86_test(a, IN_SET(R8, meta.m), DX); /* state M? */
	x86_setcc(a, X86_CC_NE, R10B);
	x86_inc(a, QWORD(NEAR_X(a, m->l2.absent[P6_ABSENT_READ], R10, 8)));
	if (m->log.is_on) {
		x86_shl(a, R10D, P6_CODE_WB_AT);
		x86_or(a, R10D, IMM(P6_CODE_LINE | P6_CODE_L2_MISS | P6_CODE_BRD));
	} else if (m->ledger) {
		x86_add(a, R10D, IMM(P6_DID_ABSENT));
	}
	x86_not(a, EDX);
	x86_and(a, IN_SET(R8, meta.m), EDX); /* neither M nor S */
	x86_movd(a, MEM_X(R8, R11, 1, 0), XMM0);
	x86_movzx(a, ESI, BYTE(NEAR_X(a, m->host.victim_next, RSI, 1)));
	x86_mov(a, IN_SET(R8, meta.order), SIL);
}

/* r10d = what is told of the line at hand, which is in the way of L2's set r8 of mask edx. */
static void write_log_line(struct p6_writer *w, uint32_t bits, uint32_t did)
{
	struct x86_asm *a = &w->a;

	if (w->m->log.is_on)
		x86_mov(a, R10D, IMM(bits));
	else if (w->m->ledger)
		p6_write_did_line(w, did);
}

/* The line of page rcx, xmm0 comes into L1D's set rax, of word r9, in state E in place of one in
 * that state. r10d: what is told of it. Changes rdx; rsi and r11 are free, too, which
 * write_take_read() changes. */
static void write_put_in(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const uint8_t *sets = m->dcu.cache.sets;

	x86_movzx(a, EDX, BYTE(NEAR_X(a, m->host.victim_at, R9, 1)));
	x86_add(a, RDX, RAX);
	x86_movd(a, NEAR_X(a, sets, RDX, 1), XMM0);
	x86_movzx(a, EDX, BYTE(NEAR_X(a, m->host.victim_next, R9, 1)));
	x86_mov(a, NEAR_X(a, &cache_meta(&m->dcu.cache, 0)->order, RAX, 1), DL);
	x86_mov(a, NEAR_X(a, &m->fast.dcu[P6_FAST_READ], RAX, 1), RCX);
	x86_mov(a, QWORD(NEAR_X(a, &m->fast.dcu[P6_FAST_WRITE], RAX, 1)), IMM(-1));
	p6_write_log_so_far(w);
	if (p6_write_says(w))
		x86_or(a, EAX, R10D);
	x86_ret(a);
}

/* edx = mask of the way of L2's set r8 that holds the line of page xmm0; to `full` when it is in
 * state S, to `absent` when L2 does not have it. */
static void write_find_in_l2(struct p6_writer *w, struct x86_label *full, struct x86_label *absent)
{
	struct x86_asm *a = &w->a;

	x86_movdqa(a, XMM1, XMM0);
	x86_pcmpeqd(a, XMM1, IN_SET(R8, tag));
	x86_movmskps(a, EDX, XMM1);
	x86_test(a, EDX, EDX);
	x86_jcc(a, X86_CC_E, absent);
	x86_test(a, IN_SET(R8, meta.s), DX); /* state S? */
	x86_jcc(a, X86_CC_NE, full);
}

/* That line, in state E or M there, is counted and its use noted. */
static void write_serve_found(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;

	x86_xor(a, R10D, R10D);
	x86_test(a, IN_SET(R8, meta.m), DX);
	x86_setcc(a, X86_CC_E, R10B); /* P6_L2_E, else P6_L2_M */
	x86_inc(a, QWORD(NEAR_X(a, m->l2.served[P6_SERVED_READ], R10, 8)));
	x86_movzx(a, R10D, BYTE(IN_SET(R8, meta.order))); /* its replacement word */
	x86_and(a, R10B, NEAR_X(a, m->fast.keep, RDX, 1));
	x86_or(a, R10B, NEAR_X(a, m->fast.set, RDX, 1));
	x86_mov(a, IN_SET(R8, meta.order), R10B);
}

/* The way to replace holds a modified line: as find_room() and put_in() of dcu.c have it go to
 * L2. Registers as in p6_write_serve_line(), which this is a part of; to `full`, with nothing done,
 * when L2 does not have both lines. */
static void write_serve_out(struct p6_writer *w, struct x86_label *full)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const uint8_t *sets = m->dcu.cache.sets;
	const struct cache_meta *meta = cache_meta(&m->dcu.cache, 0);

	_Static_assert(sizeof(*m->walker.colour) == 2, "as emitted");
	x86_cmp(a, DWORD(NEAR_X(a, &meta->n_empty, RAX, 1)), IMM(0));
	x86_jcc(a, X86_CC_NE, full);
	x86_test(a, NEAR_X(a, &meta->m, RAX, 1), R10W);
	x86_jcc(a, X86_CC_E, full);
	x86_cmp(a, BYTE(NEAR(a, &m->dcu.wc.n)), IMM(0));
	x86_jcc(a, X86_CC_NE, full);
	x86_movzx(a, EDX, BYTE(NEAR_X(a, m->host.victim_at, R9, 1)));
	x86_add(a, RDX, RAX);
	x86_mov(a, ESI, NEAR_X(a, sets, RDX, 1));
	x86_movd(a, XMM1, ESI);
	x86_pshufd(a, XMM1, XMM1, 0);
	x86_mov(a, R11, NEAR(a, &m->walker.colour));
	x86_movzx(a, R11D, WORD(MEM_X(R11, RSI, 2, 0)));
	x86_shl(a, R11D, PAGE_LOG2);
	x86_or(a, R11D, EAX);
	x86_and(a, R11D,
		IMM((m->l2.cache.n_sets - 1) * (uint32_t)sizeof(struct cache_set_of_four)));
	x86_add(a, R11, NEAR(a, &m->l2.cache.sets));
	x86_pcmpeqd(a, XMM1, IN_SET(R11, tag));
	x86_movmskps(a, ESI, XMM1);
	x86_test(a, ESI, ESI);
	x86_jcc(a, X86_CC_E, full);
	write_find_in_l2(w, full, full);
	write_serve_found(w);
	x86_or(a, IN_SET(R11, meta.m), SI);
	x86_movzx(a, R10D, BYTE(IN_SET(R11, meta.order)));
	x86_and(a, R10B, NEAR_X(a, m->fast.keep, RSI, 1));
	x86_or(a, R10B, NEAR_X(a, m->fast.set, RSI, 1));
	x86_mov(a, IN_SET(R11, meta.order), R10B);
	x86_not(a, ESI);
	x86_and(a, IN_SET(R11, meta.s), SI);
	x86_inc(a, QWORD(NEAR(a, &m->dcu.n_cast_out)));
	x86_mov(a, R10D, NEAR_X(a, m->host.victim, R9, 8));
	x86_not(a, R10D);
	x86_and(a, NEAR_X(a, &meta->m, RAX, 1), R10W);
	write_log_line(w, P6_CODE_LINE | P6_CODE_OUT, P6_DID_OUT);
	write_put_in(w);
}

void p6_write_serve_line(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6 *m = w->m;
	const struct cache_meta *meta = cache_meta(&m->dcu.cache, 0);
	struct x86_label full = {0}, absent = {0}, out = {0};

	_Static_assert(P6_L2_M == 0 && P6_L2_E == 1, "as emitted");
	_Static_assert(offsetof(struct cache_meta, m) == 8 &&
			   offsetof(struct cache_meta, s) == 10 &&
			   offsetof(struct cache_meta, n_empty) == 12,
		       "as emitted");
	if (!m->is_served)
		return;
	x86_movzx(a, R9D, BYTE(NEAR_X(a, &meta->order, RAX, 1)));
	x86_mov(a, R10, NEAR_X(a, m->host.victim, R9, 8));
	x86_test(a, NEAR_X(a, &meta->m, RAX, 1), R10);
	x86_jcc(a, X86_CC_NE, &out);
	x86_cmp(a, BYTE(NEAR(a, &m->dcu.wc.n)), IMM(0));
	x86_jcc(a, X86_CC_NE, &full);
	write_find_in_l2(w, &full, &absent);
	write_serve_found(w);
	write_log_line(w, P6_CODE_LINE, 0);
	write_put_in(w);
	if (m->is_fast_miss) {
		x86_land(a, &out);
		write_serve_out(w, &full);
		x86_land(a, &absent);
		write_take_read(w, &full);
		write_put_in(w);
	}
	x86_land(a, &full);
	if (!m->is_fast_miss) {
		x86_land(a, &out);
		x86_land(a, &absent);
	}
}
