/* time_host_end.c -- host code for the ends of blocks in time: their arrival counted, their
 * transfers. */
#include "model/p6/host/time_host_write.h"

#include <stddef.h>

#include "model/p6/units/btb.h"
#include "model/p6/kept/memo.h"
#include "model/p6/kept/memo_steps.h"
#include "model/p6/clocks/time_block.h"
#include "trace/record.h"

#define NEVER_A_HEAD 0xffffffffu

void p6_time_host_write_shared(struct p6_time_host_writer *w, uint32_t part)
{
	CODE_DATA(&w->code, "\x48\x8d\x35", w->hb); /* lea rsi, [block] */
	emit_jump(w->code.out, part);
}

void p6_time_host_write_arrival(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_time *t = &w->m->time;
	uint32_t go;

	_Static_assert(P6_LAST_BLOCKS == 64, "as emitted");
	if (!w->m->time.log.is_on)			      /* who is told counts clocks alone */
		CODE_DATA(h, "\x48\xff\x05", &w->hb->n_exec); /* inc qword [n_exec] */
	CODE_AT(h, "\x8b\x83", &t->last_block_at);	      /* mov eax, [last_block_at] */
	CODE(h, "\x8d\x48\x01\x83\xe0\x3f");		      /* lea ecx, [rax + 1]; and eax, 63 */
	CODE_AT(h, "\x89\x8b", &t->last_block_at);	      /* mov [last_block_at], ecx */
	CODE_AT(h, "\xc7\x84\x83", t->last_blocks); /* mov dword [last_blocks + rax*4], id + 1 */
	emit32(h->out, w->hb->id + 1);
	if (!w->m->time.log.is_on) {
		CODE_AT(h, "\x48\x83\x83", &w->m->n_insn); /* add qword [n_insn], instructions */
		emit8(h->out, w->b->n_insn);
	}
	if (w->b->flags & P6_B_FPMMX) {
		CODE(h, "\x48\x89\xdf");	     /* mov rdi, rbx */
		CODE_DATA(h, "\x48\x8d\x35", w->hb); /* lea rsi, [block] */
		CODE_AT(h, "\xff\x93", &w->host->helper[P6_TIME_HOST_FPMMX]);
	}
	CODE(h, "\x49\x8d\x84\x24"); /* lea rax, [r12 + record bytes] */
	emit32(h->out, w->hb->record_bytes);
	CODE(h, "\x4c\x39\xe8");	       /* cmp rax, r13 */
	go = p6_time_host_jump(w, "\x0f\x82"); /* jb */
	p6_time_host_write_shared(w, w->host->leave);
	hostcode_land(h, go);
}

/* ---- transfers ------------------------------------------------------------------------------- */

/* A jump, op of two bytes, to where the rest of the block is called. */
static void jump_end(struct p6_time_host_writer *w, const char *op, uint32_t end)
{
	hostcode_jump(&w->code, op, 2, end);
}

/* rcx = the BTB's entry of the branch. Returns where it is noted how to go on when it is not where
 * it was last. */
static struct p6_time_host_lost *find_entry(struct p6_time_host_writer *w, bool is_taken)
{
	struct hostcode *h = &w->code;
	struct p6_time_host_lost *l = &w->lost[w->n_lost++];

	*l = (struct p6_time_host_lost){.retry = h->out->off, .is_taken = is_taken};
	CODE_DATA(h, "\x48\x8b\x0d", &w->hb->entry); /* mov rcx, [entry] */
	CODE(h, "\x48\x81\x39");		     /* cmp qword [rcx], address */
	emit32(h->out, (uint32_t)(p6_blk_fall(w->b) - 1));
	l->jump = p6_time_host_jump(w, "\x0f\x85"); /* jne */
	return l;
}

/* The conditional branch whose entry is rcx is predicted as it goes; taught. Eax stays. */
static void teach(struct p6_time_host_writer *w, bool is_taken, uint32_t end)
{
	struct hostcode *h = &w->code;

	CODE(h, "\x8b\x51"); /* mov edx, [rcx + history] */
	emit8(h->out, offsetof(struct btb_entry, history));
	CODE(h, "\x80\x7c\x11"); /* cmp byte [rcx + rdx + counter], 2 */
	emit8(h->out, offsetof(struct btb_entry, counter));
	emit8(h->out, 2);
	jump_end(w, is_taken ? "\x0f\x82" : "\x0f\x83", end); /* jb, jae */
	CODE(h, "\xc6\x44\x11"); /* mov byte [rcx + rdx + counter], 3 or 0 */
	emit8(h->out, offsetof(struct btb_entry, counter));
	emit8(h->out, is_taken ? 3 : 0);
	CODE(h, "\x8d\x14\x55"); /* lea edx, [rdx*2 + outcome] */
	emit32(h->out, is_taken);
	CODE(h, "\x83\xe2\x0f\x89\x51"); /* and edx, 15; mov [rcx + history], edx */
	emit8(h->out, offsetof(struct btb_entry, history));
	if (is_taken)
		CODE_AT(h, "\x48\xff\x83", &w->host->sums); /* inc qword [sums] */
	_Static_assert(P6_O_ONE_TAKEN == 1, "as emitted");
}

/* The step behind, and r12 = the next record. Returns where the step of key edx is called. */
static uint32_t step(struct p6_time_host_writer *w, bool is_taken)
{
	struct hostcode *h = &w->code;
	uint32_t *zero = &w->m->time.zero, called;

	emit8(h->out, 0xba); /* mov edx, key */
	emit32(h->out, P6_MEMO_KEY(w->hb->id, P6_GUESS_RIGHT, is_taken, P6_PC_64, 0));
	called = h->out->off;
	JUMP(h, "\xe8", w->host->step); /* call */
	if (w->b->zero_keep != UINT32_MAX) {
		CODE_AT(h, "\x81\xa3", zero); /* and dword [zero], keep */
		emit32(h->out, w->b->zero_keep);
	}
	if (w->b->zero_set) {
		CODE_AT(h, "\x81\x8b", zero); /* or dword [zero], set */
		emit32(h->out, w->b->zero_set);
	}
	CODE(h, "\x49\x81\xc4"); /* add r12, record bytes */
	emit32(h->out, w->hb->record_bytes);
	return called;
}

/* cmp eax, head; jne: returns where its displacement is. */
static uint32_t compare(struct p6_time_host_writer *w, struct p6_time_host_slot *slot)
{
	emit8(w->code.out, 0x3d);
	slot->head_at = w->code.out->off;
	emit32(w->code.out, NEVER_A_HEAD);
	return p6_time_host_jump(w, "\x0f\x85");
}

static void slot_jump(struct p6_time_host_writer *w, struct p6_time_host_slot *slot)
{
	emit_jump(w->code.out, 0);
	slot->jump_at = w->code.out->off - 4;
}

static void push_return(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct rsb *r = &w->m->btb.rsb;

	CODE_AT(h, "\x0f\xb6\x8b", &r->top); /* movzx ecx, byte [top] */
	CODE(h, "\xff\xc1\x83\xe1");	     /* inc ecx; and ecx, size - 1 */
	emit8(h->out, r->size - 1u);
	CODE_AT(h, "\x88\x8b", &r->top);	  /* mov [top], cl */
	CODE_AT(h, "\x48\xc7\x84\xcb", r->entry); /* mov qword [entry + rcx*8], fall */
	emit32(h->out, (uint32_t)p6_blk_fall(w->b));
	CODE_AT(h, "\x80\xbb", &r->depth); /* cmp byte [depth], size */
	emit8(h->out, r->size);
	CODE_AT(h, "\x80\x93", &r->depth); /* adc byte [depth], 0 */
	emit8(h->out, 0);
}

static void conditional(struct p6_time_host_writer *w, uint32_t end)
{
	for (int is_taken = 1; is_taken >= 0; is_taken--) {
		struct p6_time_host_slot *slot = is_taken ? &w->hb->taken : &w->hb->fall;
		const uint32_t other = compare(w, slot);
		struct p6_time_host_lost *l = find_entry(w, is_taken);

		teach(w, is_taken, end);
		l->step = step(w, is_taken);
		slot_jump(w, slot);
		hostcode_land(&w->code, other);
	}
	emit_jump(w->code.out, end);
}

/* A direct jump, a call, or no transfer at all. */
static void direct(struct p6_time_host_writer *w, uint32_t end)
{
	const uint32_t other = compare(w, &w->hb->fall);
	struct p6_time_host_lost *l = w->b->term != X86_TERM_FALL ? find_entry(w, true) : NULL;
	uint32_t called;

	if (w->b->term == X86_TERM_CALL)
		push_return(w);
	called = step(w, w->b->term != X86_TERM_FALL);
	if (l)
		l->step = called;
	slot_jump(w, &w->hb->fall);
	hostcode_land(&w->code, other);
	emit_jump(w->code.out, end);
}

/* rdx = p6_time_host_target of the next record's block, whose head is in eax. */
static void find_target(struct p6_time_host_writer *w, uint32_t end)
{
	struct hostcode *h = &w->code;

	_Static_assert(sizeof(struct p6_time_host_target) == 32 &&
			   offsetof(struct p6_time_host_target, code) == 0,
		       "as emitted");
	CODE(h, "\x89\xc2\x81\xe2"); /* mov edx, eax; and edx, id mask */
	emit32(h->out, (1u << TRC_ID_BITS) - 1);
	CODE(h, "\x48\xc1\xe2\x05");		      /* shl rdx, 5 */
	CODE_AT(h, "\x48\x03\x93", &w->host->target); /* add rdx, [target] */
	CODE(h, "\x39\x42");			      /* cmp [rdx + head], eax */
	emit8(h->out, offsetof(struct p6_time_host_target, head));
	jump_end(w, "\x0f\x85", end); /* jne */
}

/* RET to where the return stack says. */
static void ret(struct p6_time_host_writer *w, uint32_t end)
{
	struct hostcode *h = &w->code;
	struct rsb *r = &w->m->btb.rsb;

	find_entry(w, true);
	find_target(w, end);
	CODE_AT(h, "\x80\xbb", &r->depth); /* cmp byte [depth], 0 */
	emit8(h->out, 0);
	jump_end(w, "\x0f\x84", end);		  /* je */
	CODE_AT(h, "\x0f\xb6\x8b", &r->top);	  /* movzx ecx, byte [top] */
	CODE_AT(h, "\x48\x8b\xb4\xcb", r->entry); /* mov rsi, [entry + rcx*8] */
	CODE(h, "\x48\x3b\x72");		  /* cmp rsi, [rdx + pc] */
	emit8(h->out, offsetof(struct p6_time_host_target, pc));
	jump_end(w, "\x0f\x85", end);	   /* jne */
	CODE_AT(h, "\xfe\x8b", &r->depth); /* dec byte [depth] */
	CODE(h, "\xff\xc9\x83\xe1");	   /* dec ecx; and ecx, size - 1 */
	emit8(h->out, r->size - 1u);
	CODE_AT(h, "\x88\x8b", &r->top); /* mov [top], cl */
	CODE(h, "\x48\x8b\x2a");	 /* mov rbp, [rdx + code] */
	step(w, true);
	CODE(h, "\xff\xe5"); /* jmp rbp */
}

/* An indirect jump or call to where it went last. */
static void indirect(struct p6_time_host_writer *w, uint32_t end)
{
	struct hostcode *h = &w->code;

	find_entry(w, true);
	find_target(w, end);
	CODE_DATA(h, "\x48\x8b\x0d", &w->hb->target); /* mov rcx, [target] */
	CODE(h, "\x48\x8b\x72");		      /* mov rsi, [rdx + pc] */
	emit8(h->out, offsetof(struct p6_time_host_target, pc));
	CODE(h, "\x48\x39\x31");      /* cmp [rcx], rsi */
	jump_end(w, "\x0f\x85", end); /* jne */
	if (w->b->term == X86_TERM_CALL_IND)
		push_return(w);
	CODE(h, "\x48\x8b\x2a"); /* mov rbp, [rdx + code] */
	step(w, true);
	CODE(h, "\xff\xe5"); /* jmp rbp */
}

void p6_time_host_write_end(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	const uint32_t over = hostcode_jump(h, "\xe9", 1, 0), end = h->out->off;

	w->end = end;
	p6_time_host_write_shared(w, w->host->end); /* in front, so that jumps know where it is */
	hostcode_land(h, over);
	CODE(h, "\x41\x8b\x84\x24"); /* mov eax, [r12 + record bytes] */
	emit32(h->out, w->hb->record_bytes);
	switch (w->b->term) {
	case X86_TERM_JCC: conditional(w, end); break;
	case X86_TERM_JMP:
	case X86_TERM_CALL:
	case X86_TERM_FALL: direct(w, end); break;
	case X86_TERM_RET: ret(w, end); break;
	case X86_TERM_JMP_IND:
	case X86_TERM_CALL_IND: indirect(w, end); break;
	default: emit_jump(h->out, end); break;
	}
}

static void write_lost(struct p6_time_host_writer *w, const struct p6_time_host_lost *l)
{
	struct hostcode *h = &w->code;

	hostcode_land(h, l->jump);
	CODE(h, "\x48\x89\xdf\xba"); /* mov rdi, rbx; mov edx, is_taken */
	emit32(h->out, l->is_taken);
	CODE_DATA(h, "\x48\x8d\x35", w->hb); /* lea rsi, [block] */
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_TIME_HOST_LOST]);
	CODE(h, "\x89\xc5\x41\x8b\x84\x24"); /* mov ebp, eax; mov eax, [r12 + record bytes] */
	emit32(h->out, w->hb->record_bytes);
	_Static_assert(P6_TIME_HOST_FOUND == 0xffffffff && P6_TIME_HOST_WRONG == 0xfffffffe,
		       "as emitted");
	CODE(h, "\x83\xfd\xff");       /* cmp ebp, P6_TIME_HOST_FOUND */
	JUMP(h, "\x0f\x84", l->retry); /* je */
	if (!l->step) {
		emit_jump(h->out, w->end);
		return;
	}
	CODE(h, "\x83\xfd\xfe"); /* cmp ebp, P6_TIME_HOST_WRONG */
	jump_end(w, "\x0f\x84", w->end);
	if (w->b->term == X86_TERM_CALL)
		push_return(w);
	CODE(h, "\x89\xea"); /* mov edx, ebp */
	emit_jump(h->out, l->step);
}

void p6_time_host_write_lost(struct p6_time_host_writer *w)
{
	for (unsigned i = 0; i < w->n_lost; i++)
		write_lost(w, &w->lost[i]);
}
