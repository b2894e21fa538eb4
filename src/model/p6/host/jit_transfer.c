/* jit_transfer.c -- host code for the end of a block: branch prediction and the way to the next block. */
#include "model/p6/host/jit_write.h"

#include <stddef.h>

#include "model/p6/units/btb.h"
#include "trace/record.h"

#define NEVER_A_HEAD 0xffffffffu
/* Of a branch that is steady (is_steady_now), by experiment. */
#define MOST_SURE      5u  /* of 16 histories */
#define INSNS_AN_ENTRY 64u /* least number of instructions per branch that gets an entry in the BTB */

static uint64_t branch_address(const struct p6_writer *w)
{
	return p6_blk_fall(w->b) - 1;
}

/* rcx = the BTB's entry of the branch; to the helper P6_JIT_BRANCH when it is not there. */
static void write_find_entry(struct p6_writer *w, bool is_taken)
{
	CODE_DATA(w, "\x48\x8b\x0d", &w->jb->entry, 0); /* mov rcx, [entry] */
	CODE(w, "\x48\x81\x39");                        /* cmp qword [rcx], address */
	emit32(w->o, (uint32_t)branch_address(w));
	JNE_COLD(w, P6_JIT_BRANCH, is_taken, COLD_SLOTS);
}

/* Is the branch expected to go this way time and again, and to stay in the BTB? It has just done so, with other histories it is sure
 * of next to nothing, and few branches were lost so far. A guess: counts do not depend on it. */
static bool is_steady_now(const struct p6_writer *w, bool is_taken)
{
	const struct btb *b = &w->m->btb;
	const struct btb_entry *e = &b->entry[w->b->btb & (BTB_MAX_ENTRIES - 1)];
	unsigned n_sure = 0;

	if (e->tag != branch_address(w) || e->history != (is_taken ? 15 : 0) || e->counter[e->history] != (is_taken ? 3 : 0))
		return false;
	for (unsigned i = 0; i < 16; i++)
		n_sure += e->counter[i] == 0 || e->counter[i] == 3;
	return n_sure <= MOST_SURE && b->n_entered * INSNS_AN_ENTRY <= w->m->n_insn;
}

/* Of a branch that goes the same way time and again: nothing changes in the BTB when it does so once more (btb_entry.steady);
 * else it is taught. */
static void write_steady(struct p6_writer *w, bool is_taken)
{
	const unsigned from = w->n_cold;

	CODE_DATA(w, "\x48\x8b\x0d", &w->jb->entry, 0); /* mov rcx, [entry] */
	CODE(w, "\x81\x79");                            /* cmp dword [rcx + steady], */
	emit8(w->o, offsetof(struct btb_entry, steady));
	emit32(w->o, btb_steady_key(branch_address(w), is_taken));
	JNE_COLD(w, P6_JIT_BRANCH, is_taken, COLD_TEACH);
	if (is_taken)
		CODE(w, "\x49\xff\xc6");                /* inc r14 */
	p6_write_come_back(w, from);
}

/* Teach the branch whose entry is rcx its outcome and sum what the prediction was worth, as btb_teach(); leaves its history
 * before in rdx and its new counter in esi. */
static void write_teach(struct p6_writer *w, bool is_taken)
{
	const uint8_t counter = offsetof(struct btb_entry, counter), history = offsetof(struct btb_entry, history);

	_Static_assert(offsetof(struct btb_entry, steady) == offsetof(struct btb_entry, history) + 4, "as emitted");
	CODE(w, "\x8b\x51");                            /* mov edx, [rcx + history] */
	emit8(w->o, history);
	CODE(w, "\x0f\xb6\x74\x11");                    /* movzx esi, byte [rcx + rdx + counter] */
	emit8(w->o, counter);
	CODE_M(w, "\x4c\x03\xb4\xf3", is_taken ? w->m->quick.taken_sums : w->m->quick.fall_sums); /* add r14, [sums + rsi*8] */
	if (is_taken)
		CODE(w, "\x83\xfe\x03\x83\xd6\x00");    /* cmp esi, 3; adc esi, 0 */
	else
		CODE(w, "\x83\xfe\x01\x83\xd6\xff");    /* cmp esi, 1; adc esi, -1 */
	CODE(w, "\x40\x88\x74\x11");                    /* mov [rcx + rdx + counter], sil */
	emit8(w->o, counter);
	CODE(w, "\x8d\x7c\x12");                        /* lea edi, [rdx + rdx + outcome] */
	emit8(w->o, is_taken);
	CODE(w, "\x83\xe7\x0f\x48\x89\x79");            /* and edi, 15; mov [rcx + history], rdi: steady is 0 */
	emit8(w->o, history);
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
	write_teach(w, is_taken);
	p6_write_come_back(w, from);
}

void p6_write_try_teach(struct p6_writer *w, bool is_taken)
{
	emit8(w->o, 0xb8);                              /* mov eax, address */
	emit32(w->o, (uint32_t)branch_address(w));
	emit8(w->o, 0xe8);                              /* call */
	emit32(w->o, w->m->jit.teach[is_taken] - (w->o->off + 4));
}

/* rsi = the block's data, and on to what all blocks share at code offset `to`. */
static void write_shared(struct p6_writer *w, uint32_t to)
{
	CODE_DATA(w, "\x48\x8d\x35", w->jb, 0);         /* lea rsi, [block] */
	emit_jump(w->o, to);
}

/* A jump that is not there yet; returns the offset of its displacement. */
static uint32_t write_forward(struct p6_writer *w, const char *op)
{
	CODE(w, "\x0f");
	emit8(w->o, (uint8_t)op[0]);
	emit32(w->o, 0);
	return w->o->off - 4;
}

/* A jump (op: the second byte of a conditional one) to where the code of the next record's block is looked up, its head
 * in eax. */
static void write_jump_any_next(struct p6_writer *w, const char *op)
{
	w->any_next[w->n_any_next++] = write_forward(w, op);
}

/* cmp eax, head; jne ... : returns the offset of the jump's displacement. */
static uint32_t write_compare(struct p6_writer *w, struct p6_jit_slot *slot)
{
	emit8(w->o, 0x3d);
	slot->head_at = w->o->off;
	emit32(w->o, NEVER_A_HEAD);
	return write_forward(w, "\x85");
}

static void write_compare_only(struct p6_writer *w, struct p6_jit_slot *slot)
{
	w->any_next[w->n_any_next++] = write_compare(w, slot);
}

static void write_slot_jump(struct p6_writer *w, struct p6_jit_slot *slot)
{
	emit_jump(w->o, 0);
	slot->jump_at = w->o->off - 4;
}

static void write_conditional(struct p6_writer *w)
{
	const uint32_t not_taken = write_compare(w, &w->jb->taken);

	write_outcome(w, true);
	write_slot_jump(w, &w->jb->taken);
	emit_patch(w->o->base, not_taken, w->o->off);
	write_compare_only(w, &w->jb->fall);
	write_outcome(w, false);
	write_slot_jump(w, &w->jb->fall);
}

static void write_push_return(struct p6_writer *w)
{
	struct rsb *r = &w->m->rsb;

	CODE_M(w, "\x0f\xb6\x8b", &r->top);             /* movzx ecx, byte [top] */
	CODE(w, "\xff\xc1\x83\xe1");                    /* inc ecx; and ecx, size - 1 */
	emit8(w->o, r->size - 1u);
	CODE_M(w, "\x88\x8b", &r->top);                 /* mov [top], cl */
	CODE_M(w, "\x48\xc7\x84\xcb", r->entry);        /* mov qword [entry + rcx*8], fall */
	emit32(w->o, (uint32_t)p6_blk_fall(w->b));
	CODE_M(w, "\x80\xbb", &r->depth);               /* cmp byte [depth], size */
	emit8(w->o, r->size);
	CODE_M(w, "\x80\x93", &r->depth);               /* adc byte [depth], 0 */
	emit8(w->o, 0);
}

/* One successor: a direct jump, a call, or no transfer at all. */
static void write_direct(struct p6_writer *w)
{
	const unsigned from = w->n_cold;

	write_compare_only(w, &w->jb->fall);
	if (w->b->term == X86_TERM_JMP || w->b->term == X86_TERM_CALL) {
		write_find_entry(w, true);
		if (w->b->term == X86_TERM_CALL)
			write_push_return(w);
		p6_write_come_back(w, from);
	}
	write_slot_jump(w, &w->jb->fall);
}

/* rdx = the BTB's entry of the branch, which gets one when it has none; eax = head of the next record. */
static void write_enter(struct p6_writer *w)
{
	const unsigned from = w->n_cold;

	CODE_DATA(w, "\x48\x8b\x15", &w->jb->entry, 0); /* mov rdx, [entry] */
	CODE(w, "\x48\x81\x3a");                        /* cmp qword [rdx], address */
	emit32(w->o, (uint32_t)branch_address(w));
	JNE_COLD(w, P6_JIT_ENTER, 0, COLD_SLOTS);
	p6_write_come_back(w, from);
	CODE(w, "\x41\x8b\x04\x24");                    /* mov eax, [r12] */
}

/* rcx = p6_jit_target of the next record's block, whose head is in eax. */
static void write_find_target(struct p6_writer *w)
{
	CODE(w, "\x89\xc2\x81\xe2");                    /* mov edx, eax; and edx, id mask */
	emit32(w->o, (1u << TRC_ID_BITS) - 1);
	CODE(w, "\x48\xc1\xe2\x05");                    /* shl rdx, 5 */
	CODE_M(w, "\x48\x8b\x8b", &w->m->jit.target);   /* mov rcx, [target] */
	CODE(w, "\x48\x01\xd1\x39\x41");               /* add rcx, rdx; cmp [rcx + head], eax */
	emit8(w->o, offsetof(struct p6_jit_target, head));
	write_jump_any_next(w, "\x85");                /* jne */
}

/* Add a mispredicted, taken transfer to the sums unless the flags say equal. */
static void write_wrong_unless_equal(struct p6_writer *w)
{
	uint32_t from;

	CODE(w, "\x74\x00");                            /* je */
	from = w->o->off;
	CODE_M(w, "\x4c\x03\xb3", &w->m->jit.taken_wrong); /* add r14, [taken_wrong] */
	w->o->base[from - 1] = (uint8_t)(w->o->off - from);
}

/* RET to a block with host code: pop the return stack, compare. */
static void write_return(struct p6_writer *w)
{
	struct rsb *r = &w->m->rsb;

	write_enter(w);
	write_find_target(w);
	CODE_M(w, "\x80\xbb", &r->depth);               /* cmp byte [depth], 0 */
	emit8(w->o, 0);
	write_jump_any_next(w, "\x84");                /* je */
	CODE_M(w, "\x0f\xb6\x93", &r->top);             /* movzx edx, byte [top] */
	CODE_M(w, "\xfe\x8b", &r->depth);               /* dec byte [depth] */
	CODE_M(w, "\x48\x8b\xb4\xd3", r->entry);        /* mov rsi, [entry + rdx*8] */
	CODE(w, "\xff\xca\x83\xe2");                    /* dec edx; and edx, size - 1 */
	emit8(w->o, r->size - 1u);
	CODE_M(w, "\x88\x93", &r->top);                 /* mov [top], dl */
	CODE(w, "\x48\x3b\x71");                        /* cmp rsi, [rcx + pc] */
	emit8(w->o, offsetof(struct p6_jit_target, pc));
	write_wrong_unless_equal(w);
	CODE(w, "\xff\x21");                            /* jmp [rcx + code] */
}

/* An indirect jump or call to a block with host code: to where it went last, or mispredicted. */
static void write_indirect(struct p6_writer *w)
{
	write_enter(w);
	write_find_target(w);
	CODE_DATA(w, "\x48\x8b\x15", &w->jb->target, 0); /* mov rdx, [target] */
	CODE(w, "\x48\x8b\x71");                        /* mov rsi, [rcx + pc] */
	emit8(w->o, offsetof(struct p6_jit_target, pc));
	CODE(w, "\x48\x39\x32");                        /* cmp [rdx], rsi */
	write_wrong_unless_equal(w);
	CODE(w, "\x48\x89\x32");                        /* mov [rdx], rsi */
	if (w->b->term == X86_TERM_CALL_IND) {
		CODE(w, "\x48\x89\xca");                /* mov rdx, rcx */
		write_push_return(w);
		CODE(w, "\xff\x22");                    /* jmp [rdx + code] */
	} else {
		CODE(w, "\xff\x21");                    /* jmp [rcx + code] */
	}
}

/* add r12, bytes of the record */
static void write_add_record(struct p6_writer *w)
{
	const uint32_t bytes = trc_block_bytes(w->b->head);

	if (bytes < 128) {
		CODE(w, "\x49\x83\xc4");
		emit8(w->o, bytes);
	} else {
		CODE(w, "\x49\x81\xc4");
		emit32(w->o, bytes);
	}
}

void p6_write_transfer(struct p6_writer *w)
{
	_Static_assert(sizeof(struct p6_jit_target) == 32 && offsetof(struct p6_jit_target, code) == 0, "as emitted");
	CODE_DATA(w, "\x48\xff\x05", &w->jb->n_exec, 0); /* inc qword [n_exec] */
	write_add_record(w);
	CODE(w, "\x49\x83\xc7");                         /* add r15, instructions */
	emit8(w->o, w->b->n_insn);
	if (w->m->tell.is_on)
		w->stop = write_forward(w, "\x89");     /* jns */
	CODE(w, "\x4d\x39\xec");                        /* cmp r12, r13 */
	w->full = write_forward(w, "\x83");             /* jae */
	CODE(w, "\x41\x8b\x04\x24");                    /* mov eax, [r12] */
	switch (w->b->term) {
	case X86_TERM_JCC:
		write_conditional(w);
		break;
	case X86_TERM_JMP: case X86_TERM_CALL: case X86_TERM_FALL:
		write_direct(w);
		break;
	case X86_TERM_RET:
		write_return(w);
		break;
	case X86_TERM_JMP_IND: case X86_TERM_CALL_IND:
		write_indirect(w);
		break;
	default:
		write_shared(w, w->m->jit.any_next);
		break;
	}
}

void p6_write_transfer_cold(struct p6_writer *w)
{
	emit_patch(w->o->base, w->full, w->o->off);
	if (w->m->tell.is_on)
		emit_patch(w->o->base, w->stop, w->o->off);
	write_shared(w, w->m->jit.leave_after);
	for (unsigned i = 0; i < w->n_any_next; i++)
		emit_patch(w->o->base, w->any_next[i], w->o->off);
	write_shared(w, w->m->jit.any_next);
}

/* ---- shared by all blocks ------------------------------------------------------------------------- */

/* The part struct p6_jit.teach for one outcome. The branch is steady when it had four such outcomes before, which its counter
 * now says as firmly as it can. */
static void write_teach_part(struct p6_writer *w, bool is_taken)
{
	uint32_t other;

	w->m->jit.teach[is_taken] = w->o->off;
	CODE(w, "\x48\x39\x01");                        /* cmp [rcx], rax */
	other = write_forward(w, "\x85");               /* jne */
	write_teach(w, is_taken);
	CODE(w, "\x8d\x14\x96");                        /* lea edx, [rsi + rdx*4] */
	if (is_taken)
		CODE(w, "\x83\xfa\x3f");                /* cmp edx, 15*4 + 3: carry unless it is that */
	else
		CODE(w, "\x0f\xba\xe8\x1f\xf7\xda");    /* bts eax, 31; neg edx: carry unless it is 0 */
	CODE(w, "\x19\xd2\x09\xc2\x89\x51");          /* sbb edx, edx; or edx, eax; mov [rcx + steady], edx: the key, or -1, which is none */
	emit8(w->o, offsetof(struct btb_entry, steady));
	CODE(w, "\xc3");                                /* ret */
	emit_patch(w->o->base, other, w->o->off);
	CODE(w, "\x31\xc0\xc3");                        /* xor eax, eax; ret */
}

void p6_write_frame(struct p6_writer *w)
{
	struct p6_jit *j = &w->m->jit;
	const unsigned id = offsetof(struct p6_jit_blk, id);
	uint32_t none, full;

	CODE(w, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x08"); /* push rbx rbp r12-r15; sub rsp, 8 */
	CODE(w, "\x48\x89\xfb\x48\x83\xeb\x80");        /* mov rbx, rdi; sub rbx, -P6_JIT_BASE */
	CODE(w, "\x49\x89\xf4\x49\x89\xd5");            /* mov r12, rsi; mov r13, rdx */
	CODE(w, "\x45\x31\xf6");                        /* xor r14d, r14d */
	CODE_M(w, "\x4c\x8b\xbb", &j->n_insn);          /* mov r15, [n_insn] */
	CODE(w, "\xff\xe1");                            /* jmp rcx */

	j->leave_after = w->o->off;
	CODE(w, "\x8b\x46");                            /* mov eax, [rsi + id] */
	emit8(w->o, id);
	CODE_M(w, "\x89\x83", &j->last);                /* mov [last], eax */
	CODE_M(w, "\x4c\x89\xa3", &j->at);              /* mov [at], r12 */
	CODE_M(w, "\x4c\x89\xb3", &j->sums);            /* mov [sums], r14 */
	CODE_M(w, "\x4c\x89\xbb", &j->n_insn);          /* mov [n_insn], r15 */
	CODE(w, "\x48\x83\xc4\x08\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");

	j->ended = w->o->off;
	CODE(w, "\x48\xff\x06\x8b\x46");               /* inc qword [rsi + n_exec]; mov eax, [rsi + n_insn] */
	emit8(w->o, offsetof(struct p6_jit_blk, n_insn));
	CODE(w, "\x49\x01\xc7\x8b\x46");               /* add r15, rax; mov eax, [rsi + record_bytes] */
	emit8(w->o, offsetof(struct p6_jit_blk, record_bytes));
	CODE(w, "\x49\x01\xc4");                       /* add r12, rax */
	if (w->m->tell.is_on) {
		CODE(w, "\x4d\x85\xff");               /* test r15, r15 */
		full = write_forward(w, "\x89");        /* jns */
		emit_patch(w->o->base, full, j->leave_after);
	}
	CODE(w, "\x4d\x39\xec");                       /* cmp r12, r13 */
	full = write_forward(w, "\x83");                /* jae */
	emit_patch(w->o->base, full, j->leave_after);
	CODE(w, "\x41\x8b\x04\x24");                    /* mov eax, [r12] */

	j->any_next = w->o->off;
	CODE(w, "\x48\x89\xf5" P6_JIT_MOV_RDI_M "\x89\xc2"); /* mov rbp, rsi; mov edx, eax */
	p6_write_call(w, P6_JIT_NEXT);
	CODE(w, "\x48\x85\xc0");                        /* test rax, rax */
	none = write_forward(w, "\x84");                /* je */
	CODE(w, "\xff\xe0");                            /* jmp rax */
	emit_patch(w->o->base, none, w->o->off);
	CODE(w, "\x48\x89\xee");                        /* mov rsi, rbp */
	emit_jump(w->o, j->leave_after);
	write_teach_part(w, false);
	write_teach_part(w, true);
}
