/* host_frame.c -- the parts of host code that all programs share. */
#include "model/p5/host/host_write.h"

/* ---- on to the next step, and helpers -------------------------------------------------------- */

/* A field of the step whose address is in reg. */
#define STEP(reg, field) MEM(reg, offsetof(struct memo_step, field))

/* r12, r13 = where host code goes on at rax; jmp rax */
static void write_go(struct x86_asm *a, const struct p5 *m)
{
	x86_mov(a, R12, NEAR(a, &m->host.at));
	x86_mov(a, R13, NEAR(a, &m->host.step));
	x86_jmp_by(a, RAX);
}

/* at, step = r12, r13; rdi = the machine; call helper */
static void write_help(struct x86_asm *a, const struct p5 *m, enum p5_host_helper helper)
{
	x86_mov(a, NEAR(a, &m->host.at), R12);
	x86_mov(a, NEAR(a, &m->host.step), R13);
	x86_mov(a, RDI, RBX);
	x86_call_by(a, NEAR(a, &m->host.helper[helper]));
}

/* Called for a look in full; its helper returns to the program. */
static void write_ask(struct x86_asm *a, struct p5 *m, enum p5_host_helper helper)
{
	m->host.ask[helper] = x86_here(a);
	if (helper == P5_HOST_LOOK) {
		x86_mov(a, NEAR(a, &m->host.at), R12);
		x86_mov(a, NEAR(a, &m->host.step), R13);
	}
	x86_mov(a, RDI, RBX);
	if (helper == P5_HOST_DATA)
		x86_mov(a, RSI, RAX);
	x86_jmp_by(a, NEAR(a, &m->host.helper[helper]));
}

/* What slots noted, by ecx (enum p5_host_noted) and rsi, the last one's first address, is written.
 * Changes edx. */
static void write_noted(struct x86_asm *a, struct p5_btb *b)
{
	x86_mov(a, EDX, ECX);
	x86_shr(a, EDX, P5_HOST_N_SHIFT);
	x86_movzx(a, EDX, DX); /* 16 bits */
	x86_add(a, NEAR(a, &b->now), EDX);
	if (!b->is_pair) { /* nothing asks for the rest */
		x86_movzx(a, ECX, CL);
		return;
	}
	x86_mov(a, EDX, ECX);
	x86_shr(a, EDX, P5_HOST_PAIR_SHIFT);
	x86_and(a, EDX, IMM(1));
	x86_mov(a, NEAR(a, &b->could_pair), DL);
	x86_mov(a, BYTE(NEAR(a, &b->had_flush)), IMM(0));
	x86_mov(a, NEAR(a, &b->prev_u), RSI);
	x86_movzx(a, ECX, CL);
}

/* Write prefetches of the step that goes on from the one in r13, and of the one that followed last.
 * Changes rcx, rdx. */
static void write_prefetch_aside(struct x86_asm *a)
{
	x86_mov(a, ECX, STEP(R13, aside));
	x86_prefetcht0(a, MEM_X(R14, RCX, 8, 0));
	x86_mov(a, RDX, STEP(R13, then));
	x86_prefetcht0(a, MEM(RDX, 0));
}

/* Write prefetches at a step's end, a block ahead: the step that followed last is in the caches
 * already; fetch its program and the step behind it. Code goes into the second cache only: in the
 * first one for data it would be in the way. Changes rcx, rdx. */
static void write_prefetch(struct x86_asm *a)
{
	x86_mov(a, ECX, STEP(R13, aside));
	x86_prefetcht0(a, MEM_X(R14, RCX, 8, 0));
	x86_mov(a, RDX, STEP(R13, then));
	x86_mov(a, ECX, STEP(RDX, own));
	x86_mov(a, RDX, STEP(RDX, then));
	x86_prefetcht0(a, MEM(RDX, 0));
	x86_prefetcht1(a, MEM_X(R15, RCX, 1, 0));
	x86_prefetcht1(a, MEM_X(R15, RCX, 1, 64));
	x86_prefetcht1(a, MEM_X(R15, RCX, 1, 128));
	x86_prefetcht1(a, MEM_X(R15, RCX, 1, 192));
}

#define MOST_SIBLINGS 8 /* that are looked at here */

/* Step edx, at r8, goes on from that in r13, and rsi is where the list has it, after some others
 * (edi: MOST_SIBLINGS less their number): it is the first of the list then, as in memo_aside(). */
static void write_to_front(struct x86_asm *a)
{
	struct x86_label is_first = {0};

	x86_cmp(a, EDI, IMM(MOST_SIBLINGS));
	x86_jcc(a, X86_CC_E, &is_first);
	x86_mov(a, R10D, STEP(R8, sibling));
	x86_mov(a, MEM(RSI, 0), R10D);
	x86_mov(a, R10D, STEP(R13, aside));
	x86_mov(a, STEP(R8, sibling), R10D);
	x86_mov(a, STEP(R13, aside), EDX);
	x86_land(a, &is_first);
}

/* Jumped to; ecx: number of a look of the step in r13; rax: what it saw, which is not what the step
 * says. On to the step that goes on from there. The first way in writes what is noted. */
static void write_turn(struct x86_asm *a, struct p5 *m)
{
	struct x86_label loop = {0}, other = {0}, none = {0};

	m->host.noted = x86_here(a);
	write_noted(a, &m->btb);
	x86_ret(a);
	m->host.turn_noted = x86_here(a);
	write_noted(a, &m->btb);
	m->host.turn = x86_here(a);
	x86_mov(a, EDI, IMM(MOST_SIBLINGS));
	x86_lea(a, RSI, STEP(R13, aside));
	x86_land(a, &loop);
	x86_mov(a, EDX, MEM(RSI, 0));
	x86_test(a, EDX, EDX);
	x86_jcc(a, X86_CC_E, &none);
	x86_lea(a, R8, MEM_X(R14, RDX, 8, 0));
	x86_cmp(a, STEP(R8, outcome), RAX);
	x86_jcc(a, X86_CC_NE, &other);
	x86_cmp(a, STEP(R8, block), ECX);
	x86_jcc(a, X86_CC_NE, &other);
	x86_mov(a, R9D, STEP(R8, own));
	x86_cmp(a, R9D, IMM(P5_HOST_FIRST_CODE));
	x86_jcc(a, X86_CC_B, &none);
	write_to_front(a);
	x86_mov(a, R13, R8);
	x86_add(a, R9, R15);
	write_prefetch_aside(a);
	x86_jmp_by(a, R9);
	x86_land(a, &other);
	x86_lea(a, RSI, STEP(R8, sibling));
	x86_dec(a, EDI);
	x86_jcc(a, X86_CC_NE, &loop);
	x86_land(a, &none);
	x86_mov(a, ESI, ECX);
	x86_mov(a, RDX, RAX);
	write_help(a, m, P5_HOST_TURN);
	write_go(a, m);
}

/* lea rax, [part]; ret */
static void write_return(struct x86_asm *a, const struct p5 *m, uint32_t part)
{
	x86_lea(a, RAX, DATA(m->host.memory + part));
	x86_ret(a);
}

/* Called; the step in r13 holds, r12 is the record behind: its use is counted. rax = where host
 * code goes on, with r13. */
static void write_tail(struct x86_asm *a, struct p5 *m)
{
	struct x86_label first_use = {0}, counted = {0}, at_end = {0};

	m->host.tail = x86_here(a);
	x86_mov(a, RAX, STEP(R13, times));
	x86_test(a, RAX, RAX);
	x86_jcc(a, X86_CC_E, &first_use);
	x86_inc(a, RAX);
	x86_mov(a, STEP(R13, times), RAX);
	x86_land(a, &counted);
	x86_mov(a, EAX, STEP(R13, clk));
	x86_add(a, NEAR(a, &m->time.now_clk), RAX);
	x86_mov(a, NEAR(a, &m->memo.last), R13);
	x86_mov(a, R13, STEP(R13, then));
	x86_cmp(a, R12, RBP);
	x86_jcc(a, X86_CC_AE, &at_end);
	x86_mov(a, EAX, STEP(R13, own)); /* it may be a way to `next` */
	x86_add(a, RAX, R15);
	write_prefetch(a);
	x86_ret(a);
	x86_land(a, &first_use);
	x86_mov(a, RDI, RBX);
	x86_mov(a, RSI, R13);
	x86_sub(a, RSP, IMM(8));
	x86_call_by(a, NEAR(a, &m->host.helper[P5_HOST_LIST]));
	x86_add(a, RSP, IMM(8));
	x86_jmp(a, &counted);
	x86_land(a, &at_end);
	write_return(a, m, m->host.leave);
}

/* ---- BTB ------------------------------------------------------------------------------------- */

/* Called. CF: the map of the BTB has the bit of btb.prev_u. */
static void write_prev_bit(struct x86_asm *a, struct p5 *m)
{
	m->host.prev_bit = x86_here(a);
	x86_mov(a, EAX, NEAR(a, &m->btb.prev_u));
	x86_mov(a, ECX, EAX);
	x86_shr(a, ECX, 3);
	x86_and(a, ECX, IMM(P5_BTB_MAP_BYTES - 1));
	x86_movzx(a, ECX, BYTE(NEAR_X(a, m->btb.map, RCX, 1)));
	x86_and(a, EAX, IMM(7));
	x86_bt(a, ECX, EAX);
	x86_ret(a);
}

#define MOST_LANES 16 /* of a BTB that is looked through here */

/* Called; rax, or btb.prev_u: a key without its key_shift lowest bits. ZF: no entry has it; else
 * one may have. */
static void write_entry(struct x86_asm *a, struct p5 *m)
{
	const struct p5_btb *b = &m->btb;

	m->host.entry = m->host.prev_entry = 0;
	if (b->lanes > MOST_LANES)
		return;
	m->host.prev_entry = x86_here(a);
	x86_mov(a, RAX, NEAR(a, &b->prev_u));
	m->host.entry = x86_here(a);
	x86_mov(a, ECX, EAX);
	x86_and(a, ECX, IMM(b->set_mask));
	x86_imul(a, ECX, ECX, IMM(b->lanes * sizeof(*b->low)));
	x86_movd(a, XMM0, EAX);
	x86_pshufd(a, XMM0, XMM0, 0);
	for (unsigned lane = 0; lane < b->lanes; lane += 4) {
		x86_movdqa(a, XMM1, NEAR_X(a, &b->low[lane], RCX, 1));
		x86_pcmpeqd(a, XMM1, XMM0);
		if (lane)
			x86_por(a, XMM2, XMM1);
		else
			x86_movdqa(a, XMM2, XMM1);
	}
	x86_movmskps(a, EDX, XMM2);
	x86_test(a, EDX, EDX);
	x86_ret(a);
}

/* A step without a program has its visits where others have the place of theirs: jumped to, they
 * lead to `next`. There the step in r13 is not the one behind the last, or has no program. It may
 * be the second guess, if that was not tried yet; now and then the helper, which knows of both, is
 * called nevertheless. */
static void write_next(struct x86_asm *a, struct p5 *m)
{
	struct x86_label ask = {0};

	while (x86_here(a) < m->host.min_uses)
		x86_nop(a);
	m->host.next = x86_here(a);
	x86_mov(a, RDX, NEAR(a, &m->memo.last));
	x86_mov(a, EDX, STEP(RDX, or_then));
	x86_lea(a, RDX, MEM_X(R14, RDX, 8, 0));
	x86_cmp(a, RDX, R13);
	x86_jcc(a, X86_CC_E, &ask);
	x86_mov(a, EAX, STEP(RDX, own));
	x86_cmp(a, EAX, IMM(P5_HOST_FIRST_CODE));
	x86_jcc(a, X86_CC_B, &ask);
	x86_inc(a, DWORD(NEAR(a, &m->host.n_wrong)));
	x86_test(a, BYTE(NEAR(a, &m->host.n_wrong)), IMM(P5_HOST_KEPT_GUESSES - 1));
	x86_jcc(a, X86_CC_E, &ask);
	x86_mov(a, R13, RDX);
	x86_add(a, RAX, R15);
	x86_jmp_by(a, RAX);
	x86_land(a, &ask);
	write_help(a, m, P5_HOST_NEXT);
	write_go(a, m);
}

void p5_host_write_frame(struct p5 *m)
{
	struct p5_host *j = &m->host;
	struct x86_asm asm_of_frame = p5_host_assembler(m), *a = &asm_of_frame;

	write_next(a, m);
	j->enter = x86_here(a);
	x86_push(a, RBX);
	x86_push(a, RBP);
	x86_push(a, R12);
	x86_push(a, R13);
	x86_push(a, R14);
	x86_push(a, R15);
	x86_sub(a, RSP, IMM(8));
	x86_mov(a, RBX, RDI);
	x86_mov(a, R12, RSI);
	x86_mov(a, R13, RDX);
	x86_lea(a, R15, DATA(j->memory));
	x86_mov(a, RBP, NEAR(a, &j->limit));
	x86_mov(a, R14, NEAR(a, &m->memo.room.arena));
	x86_jmp_by(a, RCX);
	j->leave = x86_here(a);
	x86_mov(a, NEAR(a, &j->at), R12);
	x86_add(a, RSP, IMM(8));
	x86_pop(a, R15);
	x86_pop(a, R14);
	x86_pop(a, R13);
	x86_pop(a, R12);
	x86_pop(a, RBP);
	x86_pop(a, RBX);
	x86_ret(a);
	for (unsigned k = 0; k < P5_HOST_N_ASKS; k++)
		write_ask(a, m, k);
	write_turn(a, m);
	write_tail(a, m);
	p5_host_write_caches(m, a);
	write_prev_bit(a, m);
	write_entry(a, m);
	p5_host_write_bank(m, a);
	if (a->is_bad) {
		p5_host_close(m);
		return;
	}
	j->first_program = j->out.off > P5_HOST_FIRST_CODE ? j->out.off : P5_HOST_FIRST_CODE;
	j->out.off = j->first_program;
}
