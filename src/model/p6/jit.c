/* jit.c -- write the host code of hot blocks; see jit.h.
 *
 *   rbx  struct p6          r12  record of this block, later the next one     r13  limit
 *   r14  outcome sums       r15  instructions                                 others: scratch
 */
#include "model/p6/jit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "model/p6/btb.h"
#include "trace/record.h"

#define MAX_CODE_BYTES 8192u /* one block, cold part included */
#define NEVER_A_HEAD   0xffffffffu
#define MAX_TARGETS    (1u << TRC_ID_BITS)
#define MAX_COLD       80u
#define MEMORY_BYTES   (P6_JIT_BYTES + P6_JIT_PAGES * sizeof(struct p6_jit_page))

typedef void enter_fn(struct p6 *m, const uint8_t *p, const uint8_t *limit, uint64_t code);

/* What the cold part passes to a helper as its fourth argument, and does with the answer. */
enum cold_kind {
	COLD_SLOTS,         /* the record's slots; goes on */
	COLD_SLOTS_OR_END,  /* the same; a true answer ends the block */
	COLD_ADDRESS_OR_END,/* the linear address in rbp; a true answer ends the block */
	COLD_PAGE,          /* the linear address in rbp; the answer is a page id for edx, rax = rbp */
};

/* One jump into the cold part, which is written after the rest. */
struct cold {
	uint32_t jump_at;   /* displacement of the jump */
	uint32_t back;      /* code offset to go on at */
	uint64_t argument;
	uint64_t helper;    /* address */
	enum cold_kind kind;
};

struct writer {
	struct p6 *m;
	struct x86_out *o;
	const struct p6_blk *b;
	struct p6_jit_blk *jb;
	struct cold cold[MAX_COLD];
	unsigned n_cold;
	bool is_bad;        /* something is out of reach */
};

static void bytes(struct writer *w, const char *p, unsigned n)
{
	emit_bytes(w->o, p, n);
}
#define CODE(w, s) bytes(w, s, sizeof(s) - 1)

/* Displacement of a host address from rbx. */
static uint32_t from_m(struct writer *w, const void *p)
{
	int64_t d = (const uint8_t *)p - (const uint8_t *)w->m;

	if (d != (int32_t)d)
		w->is_bad = true;
	return (uint32_t)d;
}

/* Emit `op` with a displacement from rbx; op ends with the ModRM byte (and SIB) of the form. */
static void with_m(struct writer *w, const char *op, unsigned n, const void *p)
{
	bytes(w, op, n);
	emit32(w->o, from_m(w, p));
}
#define CODE_M(w, s, p) with_m(w, s, sizeof(s) - 1, p)

/* The same relative to the code itself, for the block's data. `after`: bytes of immediate that follow. */
static void with_data(struct writer *w, const char *op, unsigned n, const void *p, unsigned after)
{
	const uint8_t *code = w->o->base;

	bytes(w, op, n);
	emit32(w->o, (uint32_t)((const uint8_t *)p - (code + w->o->off + 4 + after)));
}
#define CODE_DATA(w, s, p, after) with_data(w, s, sizeof(s) - 1, p, after)

static void jump_cold(struct writer *w, const char *op, unsigned n, void *helper, uint64_t argument,
                      enum cold_kind kind)
{
	struct cold *c = &w->cold[w->n_cold];

	if (w->n_cold == MAX_COLD) {
		w->is_bad = true;
		return;
	}
	w->n_cold++;
	bytes(w, op, n);
	emit32(w->o, 0);
	c->jump_at = w->o->off - 4;
	c->back = 0;
	c->argument = argument;
	c->helper = (uint64_t)(uintptr_t)helper;
	c->kind = kind;
}
#define JNE_COLD(w, helper, arg, kind) jump_cold(w, "\x0f\x85", 2, (void *)(uintptr_t)(helper), arg, kind)
#define JE_COLD(w, helper, arg, kind) jump_cold(w, "\x0f\x84", 2, (void *)(uintptr_t)(helper), arg, kind)

/* All cold jumps written since `from` come back here. */
static void come_back_here(struct writer *w, unsigned from)
{
	for (unsigned i = from; i < w->n_cold; i++)
		w->cold[i].back = w->o->off;
}

/* ---- code lines --------------------------------------------------------------------------------- */

/* The page of the block's code is in the ITLB: note its use. */
static void write_page(struct writer *w)
{
	struct p6 *m = w->m;
	const uint64_t vpn = w->b->pc >> PAGE_LOG2;
	const uint64_t *order = &m->itlb.tlb.order[vpn & (P6_USUAL_ITLB_SETS - 1)];
	const struct p6_jit_page *page = &m->jit.page[w->jb->tag[0]];
	const unsigned from = w->n_cold;

	CODE_DATA(w, "\x48\x8b\x15", &page->key, 0);       /* mov rdx, [key] */
	CODE(w, "\x48\x81\x3a");                          /* cmp qword [rdx], vpn */
	emit32(w->o, (uint32_t)vpn);
	JNE_COLD(w, p6_jit_code_page, 0, COLD_SLOTS);
	CODE_M(w, "\x8a\x8b", order);                      /* mov cl, [order] */
	CODE_DATA(w, "\x22\x0d", &page->keep, 0);         /* and cl, [keep] */
	CODE_DATA(w, "\x0a\x0d", &page->set, 0);          /* or cl, [set] */
	CODE_M(w, "\x88\x8b", order);                      /* mov [order], cl */
	come_back_here(w, from);
}

/* Code line i of the block is in L1I: note its use; or fetch it. */
static void write_line(struct writer *w, unsigned i)
{
	struct p6 *m = w->m;
	const uint64_t line = (w->b->pc >> P6_USUAL_LINE_LOG2) + i;
	const uint8_t *set = m->ifu.cache.sets + (line & ((1u << P6_USUAL_SET_LOG2) - 1)) * m->ifu.cache.stride_bytes;
	const unsigned from = w->n_cold;

	CODE_DATA(w, "\x66\x0f\x6f\x05", w->jb->tag, 0);   /* movdqa xmm0, [tag] */
	CODE_M(w, "\x66\x0f\x76\x83", set);              /* pcmpeqd xmm0, [tags] */
	CODE(w, "\x0f\x50\xd0\x85\xd2");                 /* movmskps edx, xmm0; test edx, edx */
	JE_COLD(w, p6_jit_fetch, i, COLD_SLOTS);
	CODE_M(w, "\x8a\x8b", set + 16);                 /* mov cl, [order] */
	CODE_M(w, "\x22\x8c\x13", m->jit.keep);          /* and cl, [keep + rdx] */
	CODE_M(w, "\x0a\x8c\x13", m->jit.set);           /* or cl, [set + rdx] */
	CODE_M(w, "\x88\x8b", set + 16);                 /* mov [order], cl */
	come_back_here(w, from);
}

/* ---- references --------------------------------------------------------------------------------- */

static void write_address(struct writer *w, const struct p6_ref *r)
{
	if (r->slot != P6_NO_SLOT) {
		CODE(w, "\x49\x8b\x84\x24");      /* mov rax, [r12 + slot] */
		emit32(w->o, 4 + 8u * r->slot);
		if (r->disp) {
			CODE(w, "\x48\x05");      /* add rax, disp */
			emit32(w->o, (uint32_t)r->disp);
		}
	} else {
		CODE(w, "\x48\xc7\xc0");          /* mov rax, disp */
		emit32(w->o, (uint32_t)r->disp);
	}
	if (!r->is_more)
		return;
	if (r->slot2 != P6_NO_SLOT) {
		CODE(w, "\x49\x8b\x8c\x24");      /* mov rcx, [r12 + slot2] */
		emit32(w->o, 4 + 8u * r->slot2);
		CODE(w, "\x48\x8d\x04");          /* lea rax, [rax + rcx << shift] */
		emit8(w->o, (unsigned)(r->is_more >> P6_MORE_SHIFT) << 6 | 1 << 3);
	}
	if (r->is_more & P6_MORE_FS)
		CODE_M(w, "\x48\x03\x83", &w->m->fs_base); /* add rax, [fs_base] */
}

/* Places in a line, one bit per byte, at which an access of n bytes is cut by no line end, and none of
 * its pieces of 8 bytes by an 8-byte boundary: there it counts nothing but the reference itself. */
static uint32_t quick_places(unsigned n)
{
	uint32_t places = 0;

	for (unsigned at = 0; at + n <= 1u << P6_USUAL_LINE_LOG2; at++)
		if (n > 8 ? at % 8 == 0 : at % 8 + n <= 8)
			places |= 1u << at;
	return places;
}

static void write_reference(struct writer *w, const struct p6_ref *r, unsigned k)
{
	struct p6 *m = w->m;
	const unsigned from = w->n_cold;
	const uint8_t *sets = m->dcu.cache.sets;
	unsigned page;

	if (r->kind >= P6_NEVER) {
		jump_cold(w, "\xe9", 1, (void *)(uintptr_t)p6_jit_ref, k, COLD_SLOTS_OR_END);
		come_back_here(w, from);
		return;
	}
	write_address(w, r);
	if (r->align_mask) {
		emit8(w->o, 0xba);                /* mov edx, places */
		emit32(w->o, quick_places(r->align_mask + 1u));
		CODE(w, "\x0f\xa3\xc2");          /* bt edx, eax */
		jump_cold(w, "\x0f\x83", 2, (void *)(uintptr_t)p6_jit_ref, k, COLD_SLOTS_OR_END); /* jnc */
	}
	CODE(w, "\x48\x89\xc5");                      /* mov rbp, rax */
	CODE(w, "\x48\x89\xc1\x48\xc1\xe9\x0c\x89\xca\x83\xe2"); /* mov rcx, rax; shr rcx, 12; mov edx, ecx; and edx, */
	emit8(w->o, P6_USUAL_DTLB_SETS - 1);
	CODE_M(w, "\x48\x39\x8c\xd3", m->quick.dtlb);  /* cmp [dtlb + rdx*8], rcx */
	JNE_COLD(w, p6_jit_data_page, 0, COLD_PAGE);
	page = w->n_cold - 1;
	CODE_M(w, "\x8b\x94\xd3", m->dtlb.last);       /* mov edx, [last + rdx*8]: page id */
	w->cold[page].back = w->o->off;
	CODE(w, "\x25");                               /* and eax, set << 5 */
	emit32(w->o, ((1u << P6_USUAL_SET_LOG2) - 1) << P6_USUAL_LINE_LOG2);
	CODE(w, "\x66\x0f\x6e\xc2\x66\x0f\x70\xc0\x00"); /* movd xmm0, edx; pshufd xmm0, xmm0, 0 */
	CODE_M(w, "\x66\x0f\x76\x84\x03", sets);       /* pcmpeqd xmm0, [sets + rax] */
	CODE(w, "\x0f\x50\xd0");                       /* movmskps edx, xmm0 */
	if (r->kind == P6_QUICK_READ)
		CODE(w, "\x85\xd2");                   /* test edx, edx */
	else
		CODE_M(w, "\x66\x85\x94\x03", &((const struct cache_meta *)(const void *)(sets + 16))->m); /* test [m], dx */
	JE_COLD(w, p6_jit_line, k | (uint64_t)r->access << 8, COLD_ADDRESS_OR_END);
	CODE_M(w, "\x0f\xb6\x8c\x03", sets + 16);      /* movzx ecx, byte [order + rax] */
	CODE_M(w, "\x22\x8c\x13", m->jit.keep);        /* and cl, [keep + rdx] */
	CODE_M(w, "\x0a\x8c\x13", m->jit.set);         /* or cl, [set + rdx] */
	CODE_M(w, "\x88\x8c\x03", sets + 16);          /* mov [order + rax], cl */
	for (unsigned i = from; i < w->n_cold; i++)
		if (!w->cold[i].back)
			w->cold[i].back = w->o->off;
}

/* ---- transfers ---------------------------------------------------------------------------------- */

static uint64_t branch_address(const struct writer *w)
{
	return p6_blk_fall(w->b) - 1;
}

/* rcx = the BTB's entry of the branch; to `helper` when it is not there. */
static void write_find_entry(struct writer *w, void *helper, uint64_t argument)
{
	CODE_DATA(w, "\x48\x8b\x0d", &w->jb->entry, 0); /* mov rcx, [entry] */
	CODE(w, "\x48\x81\x39");                        /* cmp qword [rcx], address */
	emit32(w->o, (uint32_t)branch_address(w));
	JNE_COLD(w, helper, argument, COLD_SLOTS);
}

/* Teach the branch its outcome and sum what the prediction was worth. */
static void write_teach(struct writer *w, bool is_taken)
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
	come_back_here(w, from);
}

/* Stop after this block. */
static void write_leave(struct writer *w)
{
	CODE_M(w, "\xc7\x83", &w->m->jit.last);         /* mov dword [last], id */
	emit32(w->o, w->jb->id);
	emit_jump(w->o, w->m->jit.leave);
}

/* eax = head of the next record: let p6_jit_next find its code and go there, or stop. */
static void write_any_next(struct writer *w)
{
	CODE(w, "\x48\x89\xdf");                        /* mov rdi, rbx */
	CODE_DATA(w, "\x48\x8d\x35", w->jb, 0);         /* lea rsi, [block] */
	CODE(w, "\x89\xc2\x48\xb8");                    /* mov edx, eax; mov rax, helper */
	emit64(w->o, (uint64_t)(uintptr_t)p6_jit_next);
	CODE(w, "\xff\xd0\x48\x85\xc0\x74\x02\xff\xe0"); /* call rax; test rax, rax; jz +2; jmp rax */
	write_leave(w);
}

/* cmp eax, head; je ... : returns the offset of the jump's displacement. */
static uint32_t write_compare(struct writer *w, struct p6_jit_slot *slot)
{
	emit8(w->o, 0x3d);
	slot->head_at = w->o->off;
	emit32(w->o, NEVER_A_HEAD);
	CODE(w, "\x0f\x84");
	emit32(w->o, 0);
	return w->o->off - 4;
}

static void write_slot_jump(struct writer *w, struct p6_jit_slot *slot)
{
	emit_jump(w->o, 0);
	slot->jump_at = w->o->off - 4;
}

static void write_conditional(struct writer *w)
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

static void write_push_return(struct writer *w)
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
static void write_direct(struct writer *w)
{
	uint32_t go = write_compare(w, &w->jb->fall);
	const unsigned from = w->n_cold;

	write_any_next(w);
	emit_patch(w->o->base, go, w->o->off);
	if (w->b->term == X86_TERM_JMP || w->b->term == X86_TERM_CALL) {
		write_find_entry(w, (void *)(uintptr_t)p6_jit_branch, 1);
		if (w->b->term == X86_TERM_CALL)
			write_push_return(w);
		come_back_here(w, from);
	}
	write_slot_jump(w, &w->jb->fall);
}

/* RET to a block with host code: pop the return stack, compare, note that the BTB has the branch. */
static void write_return(struct writer *w)
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

static void write_transfer(struct writer *w)
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

/* ---- blocks ------------------------------------------------------------------------------------- */

static void write_cold(struct writer *w, uint32_t transfer)
{
	for (unsigned i = 0; i < w->n_cold; i++) {
		const struct cold *c = &w->cold[i];

		emit_patch(w->o->base, c->jump_at, w->o->off);
		CODE(w, "\x48\x89\xdf");                /* mov rdi, rbx */
		CODE_DATA(w, "\x48\x8d\x35", w->jb, 0); /* lea rsi, [block] */
		emit8(w->o, 0xba);                      /* mov edx, argument */
		emit32(w->o, (uint32_t)c->argument);
		if (c->kind == COLD_ADDRESS_OR_END)
			CODE_M(w, "\x4c\x89\xa3", &w->m->jit.at); /* mov [at], r12 */
		if (c->kind == COLD_ADDRESS_OR_END || c->kind == COLD_PAGE)
			CODE(w, "\x48\x89\xe9");        /* mov rcx, rbp */
		else
			CODE(w, "\x49\x8d\x4c\x24\x04"); /* lea rcx, [r12 + 4] */
		CODE(w, "\x48\xb8");                    /* mov rax, helper */
		emit64(w->o, c->helper);
		CODE(w, "\xff\xd0");                    /* call rax */
		if (c->kind == COLD_PAGE) {
			CODE(w, "\x89\xc2\x89\xe8");    /* mov edx, eax; mov eax, ebp */
		} else if (c->kind != COLD_SLOTS) {
			CODE(w, "\x84\xc0\x0f\x85");    /* test al, al; jne transfer */
			emit32(w->o, transfer - (w->o->off + 4));
		}
		emit_jump(w->o, c->back ? c->back : transfer);
	}
}

static bool qualifies(const struct p6 *m, const struct p6_blk *b)
{
	const uint64_t last = p6_blk_fall(b) - 1;

	if (b->flags || b->n_line > P6_JIT_MAX_LINES || last >= 0x7fffffffull || m->rsb.size & (m->rsb.size - 1u))
		return false;
	return b->pc >> PAGE_LOG2 == last >> PAGE_LOG2;
}

static struct p6_jit_blk *new_data(struct p6_jit *j)
{
	if (j->data_low < j->out.off + MAX_CODE_BYTES + sizeof(struct p6_jit_blk)) {
		j->is_full = true;
		return NULL;
	}
	j->data_low -= (uint32_t)((sizeof(struct p6_jit_blk) + 15) & ~15ul);
	return memset(j->memory + j->data_low, 0, sizeof(struct p6_jit_blk));
}

void p6_jit_compile(struct p6 *m, uint32_t id)
{
	struct p6_jit *j = &m->jit;
	const struct p6_blk *b = p6_blk_at(m, m->position[id]);
	struct page page;
	struct writer *w;
	uint32_t start = j->out.off, transfer;

	if (!j->memory || j->is_full || id >= MAX_TARGETS || j->target[id].code || !qualifies(m, b))
		return;
	w = calloc(1, sizeof(*w));
	if (!w)
		return;
	w->m = m;
	w->o = &j->out;
	w->b = b;
	w->jb = new_data(j);
	if (!w->jb) {
		free(w);
		return;
	}
	w->jb->entry = &j->nowhere;
	w->jb->blk = m->position[id];
	w->jb->head = b->head;
	w->jb->id = id;
	w->jb->body = start;
	page = pages_get(&m->pages, b->pc >> PAGE_LOG2);
	if (page.id >= P6_JIT_PAGES) {
		free(w);
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		w->jb->tag[i] = page.id;
	if (!j->page[page.id].key)
		j->page[page.id].key = &j->nowhere.tag;
	CODE_DATA(w, "\x48\xff\x05", &w->jb->n_exec, 0); /* inc qword [n_exec] */
	CODE(w, "\x49\x83\xc7");                         /* add r15, instructions */
	emit8(w->o, b->n_insn);
	write_page(w);
	for (unsigned k = 0, i = 0; k <= b->n_ref; k++) {
		for (; i < b->n_line && (p6_blk_lines(b)[i] <= k || k == b->n_ref); i++)
			write_line(w, i);
		if (k < b->n_ref)
			write_reference(w, &p6_blk_refs(b)[k], k);
	}
	transfer = w->o->off;
	write_transfer(w);
	write_cold(w, transfer);
	if (w->is_bad) {
		j->out.off = start;
	} else {
		j->target[id] = (struct p6_jit_target){ (uint64_t)(uintptr_t)(j->memory + start), b->pc, b->head, 0, w->jb };
		if (id >= j->n_target)
			j->n_target = id + 1;
		if (++j->n_block > P6_JIT_MAX_BLOCKS)
			j->is_full = true;
	}
	free(w);
}

/* ---- running ------------------------------------------------------------------------------------ */

const uint8_t *p6_jit_run(struct p6 *m, const uint8_t *p, const uint8_t *limit)
{
	struct p6_jit *j = &m->jit;
	uint32_t head;
	enter_fn *enter = (enter_fn *)(uintptr_t)j->memory;
	struct p6_outcomes o;
	const struct p6_blk *last;

	memcpy(&head, p, 4);
	memset(m->quick.dcu, 0xff, 2 * sizeof(m->quick.dcu[0]) << P6_USUAL_SET_LOG2);
	memset(m->quick.ifu, 0xff, sizeof(m->quick.ifu));
	memset(m->quick.itlb, 0xff, sizeof(m->quick.itlb));
	enter(m, p, limit, j->target[trc_block_id(head)].code);
	m->code_epoch++;
	m->n_insn += j->n_insn;
	o.sums = j->sums;
	p6_btb_add(m, &o);
	last = p6_blk_at(m, m->position[j->last]);
	m->pending = (struct p6_pending){ p6_blk_fall(last) + (uint64_t)(int64_t)last->target_rel, p6_blk_fall(last),
	                                  last->term };
	m->pending_blk = m->position[j->last];
	return (const uint8_t *)(uintptr_t)j->at;
}

void p6_jit_fold(struct p6 *m)
{
	for (uint32_t i = 0; i < m->jit.n_target; i++) {
		struct p6_jit_blk *b = m->jit.target[i].blk;

		if (!b)
			continue;
		p6_blk_at(m, b->blk)->n_exec += b->n_exec;
		b->n_exec = 0;
	}
}

/* Way in and way out. */
static void write_frame(struct writer *w)
{
	struct p6_jit *j = &w->m->jit;

	CODE(w, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x08"); /* push rbx rbp r12-r15; sub rsp, 8 */
	CODE(w, "\x48\x89\xfb\x49\x89\xf4\x49\x89\xd5");  /* mov rbx, rdi; mov r12, rsi; mov r13, rdx */
	CODE(w, "\x45\x31\xf6\x45\x31\xff\xff\xe1");      /* xor r14d, r14d; xor r15d, r15d; jmp rcx */
	j->leave = w->o->off;
	CODE_M(w, "\x4c\x89\xa3", &j->at);                /* mov [at], r12 */
	CODE_M(w, "\x4c\x89\xb3", &j->sums);              /* mov [sums], r14 */
	CODE_M(w, "\x4c\x89\xbb", &j->n_insn);            /* mov [n_insn], r15 */
	CODE(w, "\x48\x83\xc4\x08\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");
}

static void fill_tables(struct p6_jit *j)
{
	const struct repl tree = { .ways = P6_USUAL_WAYS };

	for (unsigned way = 0; way < P6_USUAL_WAYS; way++) {
		uint64_t set = repl_touch(&tree, 0, way);

		j->set[1u << way] = (uint8_t)set;
		j->keep[1u << way] = (uint8_t)(repl_touch(&tree, 0xff, way) & ~set);
	}
	j->taken_wrong = 1ull << P6_O_WRONG | 1ull << P6_O_WRONG_TAKEN;
	for (uint64_t c = 0; c < 4; c++) {
		uint64_t wrong_taken = c < 2, wrong_fall = c >= 2;

		j->taken_sums[c] = 1ull << P6_O_TAKEN | wrong_taken << P6_O_WRONG | wrong_taken << P6_O_WRONG_TAKEN;
		j->fall_sums[c] = wrong_fall << P6_O_WRONG;
	}
}

int p6_jit_open(struct p6 *m, uint32_t min_exec)
{
	struct p6_jit *j = &m->jit;
	struct writer w = { .m = m, .o = &j->out };

	_Static_assert(sizeof(struct p6_jit_target) == 32 && offsetof(struct p6_jit_target, code) == 0, "as emitted");
	_Static_assert(sizeof(struct cache_meta) == 16 && offsetof(struct cache_meta, order) == 0, "sets as emitted");
	if (!m->is_usual_shape || m->dcu.cache.stride_bytes != 1u << P6_USUAL_LINE_LOG2)
		return -SPMU_ENOTSUP;
	j->memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (j->memory == MAP_FAILED) {
		j->memory = NULL;
		return -SPMU_ENOTSUP;
	}
	j->target = mmap(NULL, MAX_TARGETS * sizeof(*j->target), PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (j->target == MAP_FAILED) {
		j->target = NULL;
		p6_jit_close(m);
		return -SPMU_ENOMEM;
	}
	j->min_exec = min_exec ? min_exec : P6_JIT_MIN_EXEC;
	j->out.base = j->memory;
	j->data_low = P6_JIT_BYTES;
	j->page = (struct p6_jit_page *)(void *)(j->memory + P6_JIT_BYTES);
	fill_tables(j);
	write_frame(&w);
	if (w.is_bad) {
		p6_jit_close(m);
		return -SPMU_ENOTSUP;
	}
	return 0;
}

void p6_jit_close(struct p6 *m)
{
	if (m->jit.memory)
		munmap(m->jit.memory, MEMORY_BYTES);
	if (m->jit.target)
		munmap(m->jit.target, MAX_TARGETS * sizeof(*m->jit.target));
	m->jit.memory = NULL;
	m->jit.target = NULL;
	m->jit.n_target = 0;
	m->jit.is_full = false;
}
