/* host_bank.c -- branches that the BTB of the Pentium with MMX knows, as host code: btb_bank.c
 * does the others.
 *
 * COUNTING RULES   as btb_bank.c; tests compare counts with and without.
 * MODELLED         conditional branches whose look-up came after all their outcomes, jumps, CALL
 *                  and RET, with an entry of their own and no other in the slot, that go where
 *                  it or the return stack says.
 * NOT MODELLED     LOOP and JCXZ.
 */
#include "model/p5/host/host_write.h"

/* Where the entry in rcx keeps the number of the newest outcome's instruction, whose place in
 * seen[] rdx is. */
static struct x86_operand seen_of_newest(void)
{
	return MEM_X(RCX, RDX, 4, offsetof(struct p5_btb_entry, seen));
}

/* To `other` when an outcome of the entry came too late. */
static void write_no_lag(struct x86_asm *a, const struct p5 *m, struct x86_label *other)
{
	x86_mov(a, EDI, ESI);
	x86_sub(a, EDI, seen_of_newest());
	x86_movzx(a, EAX, WORD(NEAR(a, &m->par[P5_PAR_BTB_TIGHT_INSNS])));
	x86_cmp(a, EDI, EAX);
	x86_jcc(a, X86_CC_BE, other);
}

/* To `other` unless the return stack's newest entry is r10. */
static void write_is_newest(struct x86_asm *a, const struct rsb *r, struct x86_label *other)
{
	x86_cmp(a, BYTE(NEAR(a, &r->depth)), IMM(0));
	x86_jcc(a, X86_CC_E, other);
	x86_movzx(a, EAX, BYTE(NEAR(a, &r->top)));
	x86_cmp(a, R10, NEAR_X(a, r->entry, RAX, 8));
	x86_jcc(a, X86_CC_NE, other);
}

/* As p5_rsb_ret() of a RET that is known, and goes to r10; the entry of the BTB in rcx says so.
 * Changes rax, rdx. */
static void write_pop(struct x86_asm *a, struct p5 *m)
{
	struct rsb *r = &m->rsb;

	x86_movzx(a, EDX, BYTE(NEAR(a, &r->top)));
	x86_mov(a, EAX, IMM(r->size));
	x86_test(a, EDX, EDX);
	x86_cmovcc(a, X86_CC_NE, EAX, EDX);
	x86_dec(a, EAX);
	x86_mov(a, NEAR(a, &r->top), AL);
	x86_dec(a, BYTE(NEAR(a, &r->depth)));
	x86_inc(a, QWORD(NEAR(a, &m->seen[WIRE_P5_RSB_PREDICTED])));
	x86_mov(a, ENTRY(target), R10);
}

/* As p5_rsb_call() of a CALL behind which r10 lies. Changes rax, rdx. */
static void write_push(struct x86_asm *a, struct p5 *m)
{
	struct rsb *r = &m->rsb;

	x86_movzx(a, EDX, BYTE(NEAR(a, &r->top)));
	x86_inc(a, EDX);
	x86_xor(a, EAX, EAX);
	x86_cmp(a, EDX, IMM(r->size));
	x86_cmovcc(a, X86_CC_NE, EAX, EDX);
	x86_mov(a, NEAR(a, &r->top), AL);
	x86_mov(a, NEAR_X(a, r->entry, RAX, 8), R10);
	x86_xor(a, EAX, EAX);
	x86_cmp(a, BYTE(NEAR(a, &r->depth)), IMM(r->size));
	x86_setcc(a, X86_CC_E, AL);
	x86_add(a, NEAR(a, &m->seen[WIRE_P5_RSB_OVERFLOW]), RAX);
	x86_xor(a, AL, IMM(1));
	x86_add(a, NEAR(a, &r->depth), AL);
}

/* Called; rcx: an entry; esi: instructions up to the branch since btb.now was written; r10: where a
 * RET goes, what lies behind a CALL. ZF: it is of this type and sends the stream where the branch
 * goes; it is taught so, and btb.now is written. Keeps rcx. */
static uint32_t write_known(struct x86_asm *a, struct p5 *m, enum p5_btb_type type, bool is_taken)
{
	const uint32_t start = x86_here(a);
	struct x86_label other = {0};

	x86_cmp(a, BYTE(ENTRY(type)), IMM(type));
	x86_jcc(a, X86_CC_NE, &other);
	if (type == P5_BTB_RET)
		write_is_newest(a, &m->rsb, &other);
	x86_add(a, ESI, NEAR(a, &m->btb.now));
	x86_movzx(a, EDX, BYTE(ENTRY(newest)));
	if (type == P5_BTB_JCC)
		write_no_lag(a, m, &other);
	x86_movzx(a, EAX, WORD(ENTRY(outcomes)));
	if (type == P5_BTB_JCC) {
		x86_mov(a, EDI, EAX);
		x86_and(a, EDI, IMM(P5_BTB_HISTORY_MASK));
		x86_add(a, EDI, EDI);
	} else {
		x86_xor(a, EDI, EDI);
	}
	x86_mov(a, R8D, ENTRY(counters));
	x86_lea(a, R9D, MEM(RDI, 1));
	x86_bt(a, R8D, R9D);
	x86_jcc(a, is_taken ? X86_CC_NC : X86_CC_C, &other);
	if (is_taken) {
		x86_bts(a, R8D, EDI);
		x86_lea(a, EAX, MEM_X(RAX, RAX, 1, 1));
	} else {
		x86_btr(a, R8D, EDI);
		x86_add(a, EAX, EAX);
	}
	x86_mov(a, ENTRY(counters), R8D);
	x86_mov(a, ENTRY(outcomes), AX);
	x86_inc(a, EDX);
	x86_and(a, EDX, IMM(P5_BTB_SEEN - 1));
	x86_mov(a, ENTRY(newest), DL);
	x86_mov(a, seen_of_newest(), ESI);
	x86_mov(a, NEAR(a, &m->btb.now), ESI);
	if (type == P5_BTB_RET)
		write_pop(a, m);
	if (type == P5_BTB_CALL && m->rsb.size)
		write_push(a, m);
	x86_cmp(a, EAX, EAX); /* ZF */
	x86_ret(a);
	x86_land(a, &other);
	x86_test(a, RSP, RSP); /* no ZF */
	x86_ret(a);
	return start;
}

void p5_host_write_bank(struct p5 *m, struct x86_asm *a)
{
	struct p5_host *j = &m->host;

	if (m->btb.is_pair)
		return;
	j->jcc_taken = write_known(a, m, P5_BTB_JCC, true);
	j->jcc_falls = write_known(a, m, P5_BTB_JCC, false);
	j->jmp = write_known(a, m, P5_BTB_JMP, true);
	j->call = write_known(a, m, P5_BTB_CALL, true);
	j->ret = m->rsb.size ? write_known(a, m, P5_BTB_RET, true) : 0;
}

/* The part that does slot s, which saw this; 0: none does. */
static uint32_t part_of(const struct p5_host *j, const struct p5_slot *s, uint64_t seen)
{
	const uint64_t right = P5_SLOT_ASKED | P5_SLOT_HIT | P5_SLOT_RIGHT;

	if (s->kind < P5_BR_JCC || s->kind > P5_BR_RET)
		return 0;
	if (!s->is_taken)
		return s->kind == P5_BR_JCC && seen == right && s->next == s->fall ? j->jcc_falls
										   : 0;
	if (seen != (right | P5_SLOT_TAKEN))
		return 0;
	switch (p5_btb_type_of(s->kind)) {
	case P5_BTB_JCC: return j->jcc_taken;
	case P5_BTB_JMP: return j->jmp;
	case P5_BTB_CALL: return j->call;
	case P5_BTB_RET: return j->ret;
	default: return 0;
	}
}

bool p5_write_known_branch(struct p5_host_writer *w, const struct p5_slot *s, struct p5_cold *c,
			   uint64_t seen)
{
	struct x86_asm *a = &w->a;
	const uint64_t last = s->fall - 1;
	const uint32_t part = part_of(&w->m->host, s, seen);
	const bool is_ret = s->kind == P5_BR_RET,
		   is_call = s->kind == P5_BR_CALL || s->kind == P5_BR_CALL_IND;

	if (!part || !p5_is_imm32(last) || !p5_is_imm32(s->next) || !p5_is_imm32(s->fall))
		return false;
	if (last > s->u_pc)
		p5_write_map_bits(w, c, s->u_pc, (unsigned)(last - s->u_pc));
	p5_write_hinted(w, last);
	x86_cmp(a, QWORD(ENTRY(key)), IMM(last));
	p5_write_jcc_cold(w, c, X86_CC_NE);
	if (s->is_taken && !is_ret) {
		x86_cmp(a, QWORD(ENTRY(target)), IMM(s->next));
		p5_write_jcc_cold(w, c, X86_CC_NE);
	}
	if (is_ret || is_call)
		x86_mov(a, R10, IMM(is_ret ? s->next : s->fall));

	x86_mov(a, ESI, IMM(w->noted.n + 1 + s->is_in_v));
	x86_call_to(a, part);
	p5_write_jcc_cold(w, c, X86_CC_NE);
	p5_write_come_back(w, c);
	w->noted = (struct p5_noted){.n = 0};
	return true;
}
