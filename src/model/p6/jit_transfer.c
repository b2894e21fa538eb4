/* jit_transfer.c -- host code for the end of a block: branch prediction and the way to the next block. */
#include "model/p6/jit_write.h"

#include <stddef.h>

#include "model/p6/btb.h"
#include "trace/record.h"

#define NEVER_A_HEAD 0xffffffffu

static uint64_t branch_address(const struct p6_writer *w)
{
	return p6_blk_fall(w->b) - 1;
}

/* rcx = the BTB's entry of the branch; to `helper` when it is not there. */
static void write_find_entry(struct p6_writer *w, void *helper, uint64_t argument)
{
	CODE_DATA(w, "\x48\x8b\x0d", &w->jb->entry, 0); /* mov rcx, [entry] */
	CODE(w, "\x48\x81\x39");                        /* cmp qword [rcx], address */
	emit32(w->o, (uint32_t)branch_address(w));
	JNE_COLD(w, helper, argument, COLD_SLOTS);
}

/* Teach the branch its outcome and sum what the prediction was worth. */
static void write_teach(struct p6_writer *w, bool is_taken)
{
	const unsigned from = w->n_cold;

	write_find_entry(w, (void *)(uintptr_t)p6_jit_branch, is_taken);
	CODE(w, "\x48\x8b\x51");                        /* mov rdx, [rcx + history] */
	emit8(w->o, offsetof(struct btb_entry, history));
	CODE(w, "\x0f\xb6\x74\x11");                    /* movzx esi, byte [rcx + rdx + counter] */
	emit8(w->o, offsetof(struct btb_entry, counter));
	CODE_M(w, "\x4c\x03\xb4\xf3", is_taken ? w->m->jit.taken_sums : w->m->jit.fall_sums); /* add r14, [sums + rsi*8] */
	if (is_taken)
		CODE(w, "\x83\xfe\x03\x83\xd6\x00");    /* cmp esi, 3; adc esi, 0 */
	else
		CODE(w, "\x83\xfe\x01\x83\xd6\xff");    /* cmp esi, 1; adc esi, -1 */
	CODE(w, "\x40\x88\x74\x11");                    /* mov [rcx + rdx + counter], sil */
	emit8(w->o, offsetof(struct btb_entry, counter));
	CODE(w, "\x8d\x14\x55");                        /* lea edx, [rdx*2 + outcome] */
	emit32(w->o, is_taken);
	CODE(w, "\x83\xe2\x0f\x48\x89\x51");            /* and edx, 15; mov [rcx + history], rdx */
	emit8(w->o, offsetof(struct btb_entry, history));
	p6_write_come_back(w, from);
}

/* Stop after this block. */
static void write_leave(struct p6_writer *w)
{
	CODE_M(w, "\xc7\x83", &w->m->jit.last);         /* mov dword [last], id */
	emit32(w->o, w->jb->id);
	emit_jump(w->o, w->m->jit.leave);
}

/* eax = head of the next record: let p6_jit_next find its code and go there, or stop. */
static void write_any_next(struct p6_writer *w)
{
	CODE(w, "\x48\x89\xdf");                        /* mov rdi, rbx */
	CODE_DATA(w, "\x48\x8d\x35", w->jb, 0);         /* lea rsi, [block] */
	CODE(w, "\x89\xc2\x48\xb8");                    /* mov edx, eax; mov rax, helper */
	emit64(w->o, (uint64_t)(uintptr_t)p6_jit_next);
	CODE(w, "\xff\xd0\x48\x85\xc0\x74\x02\xff\xe0"); /* call rax; test rax, rax; jz +2; jmp rax */
	write_leave(w);
}

/* cmp eax, head; je ... : returns the offset of the jump's displacement. */
static uint32_t write_compare(struct p6_writer *w, struct p6_jit_slot *slot)
{
	emit8(w->o, 0x3d);
	slot->head_at = w->o->off;
	emit32(w->o, NEVER_A_HEAD);
	CODE(w, "\x0f\x84");
	emit32(w->o, 0);
	return w->o->off - 4;
}

static void write_slot_jump(struct p6_writer *w, struct p6_jit_slot *slot)
{
	emit_jump(w->o, 0);
	slot->jump_at = w->o->off - 4;
}

static void write_conditional(struct p6_writer *w)
{
	uint32_t taken = write_compare(w, &w->jb->taken);
	uint32_t fall = write_compare(w, &w->jb->fall);

	write_any_next(w);
	emit_patch(w->o->base, taken, w->o->off);
	write_teach(w, true);
	write_slot_jump(w, &w->jb->taken);
	emit_patch(w->o->base, fall, w->o->off);
	write_teach(w, false);
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
	uint32_t go = write_compare(w, &w->jb->fall);
	const unsigned from = w->n_cold;

	write_any_next(w);
	emit_patch(w->o->base, go, w->o->off);
	if (w->b->term == X86_TERM_JMP || w->b->term == X86_TERM_CALL) {
		write_find_entry(w, (void *)(uintptr_t)p6_jit_branch, 1);
		if (w->b->term == X86_TERM_CALL)
			write_push_return(w);
		p6_write_come_back(w, from);
	}
	write_slot_jump(w, &w->jb->fall);
}

/* RET to a block with host code: pop the return stack, compare, note that the BTB has the branch. */
static void write_return(struct p6_writer *w)
{
	struct rsb *r = &w->m->rsb;
	struct p6_jit *j = &w->m->jit;
	uint32_t unknown[3], full;

	CODE(w, "\x89\xc2\x81\xe2");                    /* mov edx, eax; and edx, id mask */
	emit32(w->o, (1u << TRC_ID_BITS) - 1);
	CODE(w, "\x48\xc1\xe2\x05\x48\xb9");            /* shl rdx, 5; mov rcx, targets */
	emit64(w->o, (uint64_t)(uintptr_t)j->target);
	CODE(w, "\x48\x01\xd1\x39\x41");               /* add rcx, rdx; cmp [rcx + head], eax */
	emit8(w->o, offsetof(struct p6_jit_target, head));
	CODE(w, "\x0f\x85");
	emit32(w->o, 0);
	unknown[0] = w->o->off - 4;
	CODE_DATA(w, "\x48\x8b\x15", &w->jb->entry, 0); /* mov rdx, [entry] */
	CODE(w, "\x48\x81\x3a");                        /* cmp qword [rdx], address */
	emit32(w->o, (uint32_t)branch_address(w));
	CODE(w, "\x0f\x85");
	emit32(w->o, 0);
	unknown[1] = w->o->off - 4;
	CODE_M(w, "\x80\xbb", &r->depth);               /* cmp byte [depth], 0 */
	emit8(w->o, 0);
	CODE(w, "\x0f\x84");
	emit32(w->o, 0);
	unknown[2] = w->o->off - 4;
	CODE_M(w, "\x0f\xb6\x93", &r->top);             /* movzx edx, byte [top] */
	CODE_M(w, "\xfe\x8b", &r->depth);               /* dec byte [depth] */
	CODE_M(w, "\x48\x8b\xb4\xd3", r->entry);        /* mov rsi, [entry + rdx*8] */
	CODE(w, "\xff\xca\x83\xe2");                    /* dec edx; and edx, size - 1 */
	emit8(w->o, r->size - 1u);
	CODE_M(w, "\x88\x93", &r->top);                 /* mov [top], dl */
	CODE(w, "\x48\x3b\x71");                        /* cmp rsi, [rcx + pc] */
	emit8(w->o, offsetof(struct p6_jit_target, pc));
	CODE(w, "\x74\x00");
	full = w->o->off;
	CODE_M(w, "\x4c\x03\xb3", &j->taken_wrong);     /* add r14, [taken_wrong] */
	w->o->base[full - 1] = (uint8_t)(w->o->off - full);
	CODE(w, "\xff\x21");                            /* jmp [rcx + code] */
	for (unsigned i = 0; i < 3; i++)
		emit_patch(w->o->base, unknown[i], w->o->off);
	write_any_next(w);
}

void p6_write_transfer(struct p6_writer *w)
{
	CODE(w, "\x49\x81\xc4");                        /* add r12, record bytes */
	emit32(w->o, trc_block_bytes(w->b->head));
	CODE(w, "\x4d\x39\xec\x0f\x83");                /* cmp r12, r13; jae leave */
	emit32(w->o, 0);
	{
		uint32_t at = w->o->off - 4;

		CODE(w, "\x41\x8b\x04\x24");            /* mov eax, [r12] */
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
		default:
			write_any_next(w);
			break;
		}
		emit_patch(w->o->base, at, w->o->off);
		write_leave(w);
	}
}
