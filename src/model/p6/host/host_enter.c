/* host_enter.c -- host code for a transfer that the BTB does not have: it gets an entry, as by
 * btb_find_or_allocate(). */
#include "model/p6/host/host_write.h"

#include <stddef.h>

#include "model/p6/host/host_ledger.h"
#include "model/p6/units/btb.h"

#define WAYS 16u /* of the BTB, as emitted */

static uint64_t branch_address(const struct p6_writer *w)
{
	return p6_blk_fall(w->b) - 1;
}

/* eax = address, rdx = last target of the entry, rsi = the block's data; then the part for
 * `outcome`. */
static void write_call(struct p6_writer *w, bool outcome, bool has_target)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, EAX, IMM(branch_address(w)));
	if (has_target)
		x86_lea(a, EDX, MEM(RAX, 1)); /* the block after it */
	else
		x86_xor(a, EDX, EDX);
	x86_lea(a, RSI, DATA(w->jb));
	x86_call_to(a, w->m->host.enter[outcome]);
}

/* What a conditional branch without entry, predicted by its direction, was worth. */
static void write_sums(struct p6_writer *w, bool is_taken)
{
	struct x86_asm *a = &w->a;
	const bool is_backward = w->b->target_rel < 0;
	const struct p6_fast_filters *q = &w->m->fast;

	p6_write_booked_static(w, is_taken, is_taken != is_backward);
	if (is_taken) /* a counter of 3 says taken, one of 0 not */
		x86_add(a, R14, NEAR(a, &q->taken_sums[is_backward ? 3 : 0]));
	else if (is_backward)
		x86_add(a, R14, NEAR(a, &q->fall_sums[3]));
}

void p6_write_try_enter(struct p6_writer *w, struct p6_cold *c)
{
	struct x86_asm *a = &w->a;
	const bool is_jcc = w->b->term == X86_TERM_JCC;
	struct x86_label full = {0};

	if (!w->m->host.enter[0])
		return;
	write_call(w, !is_jcc || c->argument, c->helper == P6_HOST_ENTER);
	x86_jcc(a, X86_CC_E, &full);
	if (is_jcc)
		write_sums(w, c->argument);
	x86_jmp(a, is_jcc || c->helper == P6_HOST_ENTER ? &c->back : &c->again);
	x86_land(a, &full);
}

/* r8 = the keys of the set of address eax, r9 = its number; to `full` when one of them is that
 * address, or a way is empty. */
static void write_find(struct p6_writer *w, struct x86_label *full)
{
	struct x86_asm *a = &w->a;
	const struct btb *b = &w->m->btb.table;

	x86_mov(a, R9D, EAX);
	x86_shr(a, R9D, 4);
	x86_and(a, R9D, IMM(b->sets - 1u));
	x86_mov(a, R8, R9);
	x86_shl(a, R8, 6);
	x86_add(a, R8, NEAR(a, &b->key));
	x86_movd(a, XMM0, EAX);
	x86_pshufd(a, XMM0, XMM0, 0);
	x86_movdqa(a, XMM1, XMM0);
	x86_pcmpeqd(a, XMM1, MEM(R8, 0));
	x86_movdqa(a, XMM2, XMM0);
	x86_pcmpeqd(a, XMM2, MEM(R8, 16));
	x86_movdqa(a, XMM3, XMM0);
	x86_pcmpeqd(a, XMM3, MEM(R8, 32));
	x86_pcmpeqd(a, XMM0, MEM(R8, 48));
	x86_por(a, XMM1, XMM2);
	x86_por(a, XMM3, XMM0);
	x86_por(a, XMM1, XMM3);
	x86_pmovmskb(a, R11D, XMM1);
	x86_test(a, R11D, R11D);
	x86_jcc(a, X86_CC_NE, full);
	x86_mov(a, R11, NEAR(a, &b->used));
	x86_cmp(a, WORD(MEM_X(R11, R9, 2, 0)), IMM(WAYS));
	x86_jcc(a, X86_CC_B, full);
}

/* ecx = the way to replace, by the next number of the sequence (Marsaglia's xorshift). */
static void write_choose(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	uint32_t *random = &w->m->btb.table.random;

	x86_mov(a, ECX, NEAR(a, random));
	x86_mov(a, R11D, ECX);
	x86_shl(a, R11D, 13);
	x86_xor(a, ECX, R11D);
	x86_mov(a, R11D, ECX);
	x86_shr(a, R11D, 17);
	x86_xor(a, ECX, R11D);
	x86_mov(a, R11D, ECX);
	x86_shl(a, R11D, 5);
	x86_xor(a, ECX, R11D);
	x86_mov(a, NEAR(a, random), ECX);
	x86_shr(a, ECX, 28);
}

/* One part of struct p6_host.enter. */
static void write_part(struct p6_writer *w, bool outcome)
{
	struct x86_asm *a = &w->a;
	struct btb *b = &w->m->btb.table;
	struct x86_label full = {0};

	_Static_assert(sizeof(struct btb_entry) == 32 && offsetof(struct btb_entry, tag) == 0 &&
			   offsetof(struct btb_entry, counter) == 8 &&
			   offsetof(struct btb_entry, history) == 24 &&
			   offsetof(struct btb_entry, steady) == 28,
		       "as emitted");
	w->m->host.enter[outcome] = x86_here(a);
	write_find(w, &full);
	write_choose(w);
	x86_mov(a, MEM_X(R8, RCX, 4, 0), EAX); /* its key */
	x86_shl(a, R9D, 4);
	x86_add(a, ECX, R9D); /* its position */
	x86_inc(a, QWORD(NEAR(a, &b->n_entered)));
	x86_mov(a, R8, NEAR(a, &b->target));
	x86_lea(a, R8, MEM_X(R8, RCX, 8, 0));
	x86_mov(a, MEM(R8, 0), RDX);
	x86_mov(a, MEM(RSI, offsetof(struct p6_host_blk, target)), R8);
	x86_mov(a, R8, IMM(outcome ? 0x0202020202020202 : 0x0101010101010101)); /* its counters */
	x86_shl(a, ECX, 5);
	x86_add(a, RCX, NEAR(a, &b->entry)); /* not 0 */
	x86_mov(a, MEM(RSI, offsetof(struct p6_host_blk, entry)), RCX);
	x86_mov(a, MEM(RCX, offsetof(struct btb_entry, tag)), RAX);
	x86_mov(a, MEM(RCX, offsetof(struct btb_entry, counter)), R8);
	x86_mov(a, MEM(RCX, offsetof(struct btb_entry, counter) + 8), R8);
	x86_mov(a, QWORD(MEM(RCX, offsetof(struct btb_entry, history))),
		IMM(outcome ? 15 : 0)); /* steady is 0 */
	x86_ret(a);
	x86_land(a, &full);
	x86_xor(a, EAX, EAX);
	x86_ret(a);
}

void p6_write_enter_parts(struct p6_writer *w)
{
	const struct btb *b = &w->m->btb.table;

	if (b->ways != WAYS || b->sets > 128)
		return;
	write_part(w, false);
	write_part(w, true);
}
