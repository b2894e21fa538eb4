/* host_transfer.c -- host code for a block's end: branch prediction, and on to the next block. */
#include "model/p6/host/host_write.h"

#include <stddef.h>

#include "model/p6/host/host_ledger.h"
#include "model/p6/units/btb.h"
#include "trace/record.h"

#define NEVER_A_HEAD 0xffffffffu
/* Of a branch that is steady (is_steady_now), by experiment. */
#define MOST_SURE 5u /* of 16 histories */
/* Least number of instructions per branch that gets an entry in the BTB. */
#define INSNS_AN_ENTRY 64u

static uint64_t branch_address(const struct p6_writer *w)
{
	return p6_blk_fall(w->b) - 1;
}

/* rcx = the BTB's entry of the branch; to the helper P6_HOST_BRANCH when it is not there. */
static void write_find_entry(struct p6_writer *w, bool is_taken)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, RCX, DATA(&w->jb->entry));
	x86_cmp(a, QWORD(MEM(RCX, offsetof(struct btb_entry, tag))), IMM(branch_address(w)));
	p6_write_jcc_cold(w, X86_CC_NE, P6_HOST_BRANCH, is_taken, COLD_SLOTS);
}

/* Is the branch expected to go this way time and again, and to stay in the BTB? It has just done
 * so, with other histories it is sure of next to nothing, and few branches were lost so far. A
 * guess: counts do not depend on it. */
static bool is_steady_now(const struct p6_writer *w, bool is_taken)
{
	const struct btb *b = &w->m->btb.table;
	const struct btb_entry *e = &b->entry[w->b->btb & (BTB_MAX_ENTRIES - 1)];
	unsigned n_sure = 0;

	if (e->tag != branch_address(w) || e->history != (is_taken ? 15 : 0) ||
	    e->counter[e->history] != (is_taken ? 3 : 0))
		return false;
	for (unsigned i = 0; i < 16; i++)
		n_sure += e->counter[i] == 0 || e->counter[i] == 3;
	return n_sure <= MOST_SURE && b->n_entered * INSNS_AN_ENTRY <= w->m->n_insn;
}

/* Of a branch that goes the same way time and again: nothing changes in the BTB when it does so
 * once more (btb_entry.steady); else it is taught. */
static void write_steady(struct p6_writer *w, bool is_taken)
{
	struct x86_asm *a = &w->a;
	const unsigned from = w->n_cold;

	x86_mov(a, RCX, DATA(&w->jb->entry));
	x86_cmp(a, DWORD(MEM(RCX, offsetof(struct btb_entry, steady))),
		IMM(btb_steady_key(branch_address(w), is_taken)));
	p6_write_jcc_cold(w, X86_CC_NE, P6_HOST_BRANCH, is_taken, COLD_TEACH);
	if (is_taken) {
		x86_inc(a, R14);
		p6_write_booked_taken(w);
	}
	p6_write_come_back(w, from);
}

/* Teach the branch whose entry is rcx its outcome and sum what the prediction was worth, as
 * btb_teach(); leaves its history before in rdx and its new counter in esi. is_shared: in the part
 * teach; with a ledger, r8 = the row. */
static void write_teach(struct p6_writer *w, bool is_taken, bool is_shared)
{
	struct x86_asm *a = &w->a;
	const uint8_t counter = offsetof(struct btb_entry, counter),
		      history = offsetof(struct btb_entry, history);

	_Static_assert(offsetof(struct btb_entry, steady) ==
			   offsetof(struct btb_entry, history) + 4,
		       "as emitted");
	x86_mov(a, EDX, MEM(RCX, history));
	x86_movzx(a, ESI, BYTE(MEM_X(RCX, RDX, 1, counter)));
	x86_add(a, R14, NEAR_X(a, is_taken ? w->m->fast.taken_sums : w->m->fast.fall_sums, RSI, 8));
	p6_write_booked_outcome(w, is_taken, is_shared);
	if (is_taken) {
		x86_cmp(a, ESI, IMM(3));
		x86_adc(a, ESI, IMM(0));
	} else {
		x86_cmp(a, ESI, IMM(1));
		x86_adc(a, ESI, IMM(-1));
	}
	x86_mov(a, MEM_X(RCX, RDX, 1, counter), SIL);
	x86_lea(a, EDI, MEM_X(RDX, RDX, 1, is_taken));
	x86_and(a, EDI, IMM(15));
	x86_mov(a, MEM(RCX, history), RDI); /* steady is 0 */
}

/* What the outcome of the conditional branch does. */
static void write_outcome(struct p6_writer *w, bool is_taken)
{
	const unsigned from = w->n_cold;

	if (is_steady_now(w, is_taken)) {
		write_steady(w, is_taken);
		return;
	}
	write_find_entry(w, is_taken);
	write_teach(w, is_taken, false);
	p6_write_come_back(w, from);
}

void p6_write_try_teach(struct p6_writer *w, bool is_taken)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, EAX, IMM(branch_address(w)));
	if (p6_host_books(w->m))
		x86_lea(a, R8, DATA(w->transfer_row));
	x86_call_to(a, w->m->host.teach[is_taken]);
}

/* rsi = the block's data, and on to what all blocks share at code offset `to`. */
static void write_shared(struct p6_writer *w, uint32_t to)
{
	struct x86_asm *a = &w->a;

	x86_lea(a, RSI, DATA(w->jb));
	x86_jmp_to(a, to);
}

/* To the label when eax is not the head of that slot: none is, until p6_host_next() knows one. */
static void write_compare(struct p6_writer *w, struct p6_host_slot *slot, struct x86_label *other)
{
	struct x86_asm *a = &w->a;

	x86_cmp(a, EAX, IMM32(NEVER_A_HEAD));
	slot->head_at = x86_here(a) - 4;
	x86_jcc(a, X86_CC_NE, other);
}

/* And the jump of that slot. */
static void write_slot_jump(struct p6_writer *w, struct p6_host_slot *slot)
{
	struct x86_asm *a = &w->a;

	x86_jmp_to(a, 0);
	slot->jump_at = x86_here(a) - 4;
}

static void write_conditional(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct x86_label not_taken = {0};

	write_compare(w, &w->jb->taken, &not_taken);
	write_outcome(w, true);
	write_slot_jump(w, &w->jb->taken);
	x86_land(a, &not_taken);
	write_compare(w, &w->jb->fall, &w->any_next);
	write_outcome(w, false);
	write_slot_jump(w, &w->jb->fall);
}

static void write_push_return(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct rsb *r = &w->m->btb.rsb;

	x86_movzx(a, ECX, BYTE(NEAR(a, &r->top)));
	x86_inc(a, ECX);
	x86_and(a, ECX, IMM(r->size - 1u));
	x86_mov(a, NEAR(a, &r->top), CL);
	x86_mov(a, QWORD(NEAR_X(a, r->entry, RCX, 8)), IMM(p6_blk_fall(w->b)));
	x86_cmp(a, BYTE(NEAR(a, &r->depth)), IMM(r->size));
	x86_adc(a, BYTE(NEAR(a, &r->depth)), IMM(0));
}

/* One successor: a direct jump, a call, or no transfer at all. */
static void write_direct(struct p6_writer *w)
{
	const unsigned from = w->n_cold;

	write_compare(w, &w->jb->fall, &w->any_next);
	if (w->b->term == X86_TERM_JMP || w->b->term == X86_TERM_CALL) {
		write_find_entry(w, true);
		if (w->b->term == X86_TERM_CALL)
			write_push_return(w);
		p6_write_come_back(w, from);
	}
	write_slot_jump(w, &w->jb->fall);
}

/* rdx = the BTB's entry of the branch, which gets one when it has none; eax = head of the next
 * record. */
static void write_enter(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	const unsigned from = w->n_cold;

	x86_mov(a, RDX, DATA(&w->jb->entry));
	x86_cmp(a, QWORD(MEM(RDX, offsetof(struct btb_entry, tag))), IMM(branch_address(w)));
	p6_write_jcc_cold(w, X86_CC_NE, P6_HOST_ENTER, 0, COLD_SLOTS);
	p6_write_come_back(w, from);
	x86_mov(a, EAX, MEM(R12, 0));
}

/* rcx = p6_host_target of the next record's block, whose head is in eax. */
static void write_find_target(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;

	x86_mov(a, EDX, EAX);
	x86_and(a, EDX, IMM((1u << TRC_ID_BITS) - 1));
	x86_shl(a, RDX, 5);
	x86_mov(a, RCX, NEAR(a, &w->m->host.target));
	x86_add(a, RCX, RDX);
	x86_cmp(a, MEM(RCX, offsetof(struct p6_host_target, head)), EAX);
	x86_jcc(a, X86_CC_NE, &w->any_next);
}

/* Add a mispredicted, taken transfer to the sums unless the flags say equal. */
static void write_wrong_unless_equal(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct x86_label equal = {0};

	x86_jcc_short(a, X86_CC_E, &equal);
	x86_add(a, R14, NEAR(a, &w->m->host.taken_wrong));
	p6_write_booked_wrong(w);
	x86_land(a, &equal);
}

/* RET to a block with host code: pop the return stack, compare. */
static void write_return(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct rsb *r = &w->m->btb.rsb;

	write_enter(w);
	write_find_target(w);
	x86_cmp(a, BYTE(NEAR(a, &r->depth)), IMM(0));
	x86_jcc(a, X86_CC_E, &w->any_next);
	x86_movzx(a, EDX, BYTE(NEAR(a, &r->top)));
	x86_dec(a, BYTE(NEAR(a, &r->depth)));
	x86_mov(a, RSI, NEAR_X(a, r->entry, RDX, 8));
	x86_dec(a, EDX);
	x86_and(a, EDX, IMM(r->size - 1u));
	x86_mov(a, NEAR(a, &r->top), DL);
	x86_cmp(a, RSI, MEM(RCX, offsetof(struct p6_host_target, pc)));
	write_wrong_unless_equal(w);
	x86_jmp_by(a, MEM(RCX, offsetof(struct p6_host_target, code)));
}

/* An indirect jump or call to a block with host code: to where it went last, or mispredicted. */
static void write_indirect(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;

	write_enter(w);
	write_find_target(w);
	x86_mov(a, RDX, DATA(&w->jb->target));
	x86_mov(a, RSI, MEM(RCX, offsetof(struct p6_host_target, pc)));
	x86_cmp(a, MEM(RDX, 0), RSI);
	write_wrong_unless_equal(w);
	x86_mov(a, MEM(RDX, 0), RSI);
	if (w->b->term == X86_TERM_CALL_IND) {
		x86_mov(a, RDX, RCX);
		write_push_return(w);
		x86_jmp_by(a, MEM(RDX, offsetof(struct p6_host_target, code)));
	} else {
		x86_jmp_by(a, MEM(RCX, offsetof(struct p6_host_target, code)));
	}
}

void p6_write_transfer(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;

	_Static_assert(sizeof(struct p6_host_target) == 32 &&
			   offsetof(struct p6_host_target, code) == 0,
		       "as emitted");
	if (p6_host_books(w->m))
		w->transfer_row = p6_host_row_of(w, P6_ROW_TRANSFER, w->b->n_insn - 1u);
	x86_inc(a, QWORD(DATA(&w->jb->n_exec)));
	x86_add(a, R12, IMM(trc_block_bytes(w->b->head)));
	x86_add(a, R15, IMM(w->b->n_insn));
	if (w->m->can_stop)
		x86_jcc(a, X86_CC_NS, &w->leave);
	x86_cmp(a, R12, R13);
	x86_jcc(a, X86_CC_AE, &w->leave);
	x86_mov(a, EAX, MEM(R12, 0));
	switch (w->b->term) {
	case X86_TERM_JCC: write_conditional(w); break;
	case X86_TERM_JMP:
	case X86_TERM_CALL:
	case X86_TERM_FALL: write_direct(w); break;
	case X86_TERM_RET: write_return(w); break;
	case X86_TERM_JMP_IND:
	case X86_TERM_CALL_IND: write_indirect(w); break;
	default: write_shared(w, w->m->host.any_next); break;
	}
}

void p6_write_transfer_cold(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;

	x86_land(a, &w->leave);
	write_shared(w, w->m->host.leave_after);
	x86_land(a, &w->any_next);
	write_shared(w, w->m->host.any_next);
}

/* ---- shared by all blocks -------------------------------------------------------------------- */

/* The part struct p6_host.teach for one outcome. The branch is steady when it had four such
 * outcomes before, which its counter now says as firmly as it can. */
static void write_teach_part(struct p6_writer *w, bool is_taken)
{
	struct x86_asm *a = &w->a;
	struct x86_label other = {0};

	w->m->host.teach[is_taken] = x86_here(a);
	x86_cmp(a, MEM(RCX, offsetof(struct btb_entry, tag)), RAX);
	x86_jcc(a, X86_CC_NE, &other);
	write_teach(w, is_taken, true);
	x86_lea(a, EDX, MEM_X(RSI, RDX, 4, 0));
	if (is_taken) {
		x86_cmp(a, EDX, IMM(15 * 4 + 3)); /* carry unless it is that */
	} else {
		x86_bts(a, EAX, IMM(31));
		x86_neg(a, EDX); /* carry unless it is 0 */
	}
	x86_sbb(a, EDX, EDX);
	x86_or(a, EDX, EAX);
	/* the key, or -1, which is none */
	x86_mov(a, MEM(RCX, offsetof(struct btb_entry, steady)), EDX);
	x86_ret(a);
	x86_land(a, &other);
	x86_xor(a, EAX, EAX);
	x86_ret(a);
}

void p6_write_frame(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6_host *j = &w->m->host;
	struct x86_label none = {0};

	x86_push(a, RBX);
	x86_push(a, RBP);
	x86_push(a, R12);
	x86_push(a, R13);
	x86_push(a, R14);
	x86_push(a, R15);
	x86_sub(a, RSP, IMM(8));
	x86_mov(a, RBX, RDI);
	x86_sub(a, RBX, IMM(-P6_HOST_BASE)); /* shorter than to add 128 */
	x86_mov(a, R12, RSI);
	x86_mov(a, R13, RDX);
	x86_xor(a, R14D, R14D);
	x86_mov(a, R15, NEAR(a, &j->n_insn));
	x86_jmp_by(a, RCX);

	j->leave_after = x86_here(a);
	x86_mov(a, EAX, MEM(RSI, offsetof(struct p6_host_blk, id)));
	x86_mov(a, NEAR(a, &j->last), EAX);
	x86_mov(a, NEAR(a, &j->at), R12);
	x86_mov(a, NEAR(a, &j->sums), R14);
	x86_mov(a, NEAR(a, &j->n_insn), R15);
	x86_add(a, RSP, IMM(8));
	x86_pop(a, R15);
	x86_pop(a, R14);
	x86_pop(a, R13);
	x86_pop(a, R12);
	x86_pop(a, RBP);
	x86_pop(a, RBX);
	x86_ret(a);

	j->ended = x86_here(a);
	x86_inc(a, QWORD(MEM(RSI, offsetof(struct p6_host_blk, n_exec))));
	x86_mov(a, EAX, MEM(RSI, offsetof(struct p6_host_blk, n_insn)));
	x86_add(a, R15, RAX);
	x86_mov(a, EAX, MEM(RSI, offsetof(struct p6_host_blk, record_bytes)));
	x86_add(a, R12, RAX);
	if (w->m->can_stop) {
		x86_test(a, R15, R15);
		x86_jcc_to(a, X86_CC_NS, j->leave_after);
	}
	x86_cmp(a, R12, R13);
	x86_jcc_to(a, X86_CC_AE, j->leave_after);
	x86_mov(a, EAX, MEM(R12, 0));

	j->any_next = x86_here(a);
	x86_mov(a, RBP, RSI);
	p6_write_machine(w);
	x86_mov(a, EDX, EAX);
	p6_write_call(w, P6_HOST_NEXT);
	x86_test(a, RAX, RAX);
	x86_jcc(a, X86_CC_E, &none);
	x86_jmp_by(a, RAX);
	x86_land(a, &none);
	x86_mov(a, RSI, RBP);
	x86_jmp_to(a, j->leave_after);
	write_teach_part(w, false);
	write_teach_part(w, true);
}
