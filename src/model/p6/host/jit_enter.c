/* jit_enter.c -- host code for a transfer that the BTB does not have: it gets an entry, as by btb_find_or_allocate(). */
#include "model/p6/host/jit_write.h"

#include <stddef.h>

#include "model/p6/units/btb.h"

#define WAYS 16u /* of the BTB, as emitted */

static uint64_t branch_address(const struct p6_writer *w)
{
	return p6_blk_fall(w->b) - 1;
}

/* eax = address, rdx = last target of the entry, rsi = the block's data; then the part for `outcome`. */
static void write_call(struct p6_writer *w, bool outcome, bool has_target)
{
	emit8(w->o, 0xb8);                              /* mov eax, address */
	emit32(w->o, (uint32_t)branch_address(w));
	if (has_target)
		CODE(w, "\x8d\x50\x01");                /* lea edx, [rax + 1]: the block after it */
	else
		CODE(w, "\x31\xd2");                    /* xor edx, edx */
	CODE_DATA(w, "\x48\x8d\x35", w->jb, 0);         /* lea rsi, [block] */
	emit8(w->o, 0xe8);                              /* call */
	emit32(w->o, w->m->jit.enter[outcome] - (w->o->off + 4));
}

/* What a conditional branch without entry, predicted by its direction, was worth. */
static void write_sums(struct p6_writer *w, bool is_taken)
{
	const bool is_backward = w->b->target_rel < 0;
	const struct p6_quick *q = &w->m->quick;

	if (is_taken) /* a counter of 3 says taken, one of 0 not */
		CODE_M(w, "\x4c\x03\xb3", &q->taken_sums[is_backward ? 3 : 0]); /* add r14, [sums] */
	else if (is_backward)
		CODE_M(w, "\x4c\x03\xb3", &q->fall_sums[3]);
}

void p6_write_try_enter(struct p6_writer *w, const struct p6_cold *c)
{
	const bool is_jcc = w->b->term == X86_TERM_JCC;
	uint32_t full;

	if (!w->m->jit.enter[0])
		return;
	write_call(w, !is_jcc || c->argument, c->helper == P6_JIT_ENTER);
	CODE(w, "\x0f\x84");                            /* je full */
	emit32(w->o, 0);
	full = w->o->off - 4;
	if (is_jcc)
		write_sums(w, c->argument);
	emit_jump(w->o, is_jcc || c->helper == P6_JIT_ENTER ? c->back : c->again);
	emit_patch(w->o->base, full, w->o->off);
}

/* r8 = the keys of the set of address eax, r9 = its number; to `full` when one of them is that address, or a way is empty. */
static void write_find(struct p6_writer *w, uint32_t full[2])
{
	const struct btb *b = &w->m->btb;

	CODE(w, "\x41\x89\xc1\x41\xc1\xe9\x04\x41\x83\xe1"); /* mov r9d, eax; shr r9d, 4; and r9d, sets - 1 */
	emit8(w->o, b->sets - 1u);
	CODE(w, "\x4d\x89\xc8\x49\xc1\xe0\x06");        /* mov r8, r9; shl r8, 6 */
	CODE_M(w, "\x4c\x03\x83", &b->key);             /* add r8, [key] */
	CODE(w, "\x66\x0f\x6e\xc0\x66\x0f\x70\xc0\x00"); /* movd xmm0, eax; pshufd xmm0, xmm0, 0 */
	CODE(w, "\x66\x0f\x6f\xc8\x66\x41\x0f\x76\x08"); /* movdqa xmm1, xmm0; pcmpeqd xmm1, [r8] */
	CODE(w, "\x66\x0f\x6f\xd0\x66\x41\x0f\x76\x50\x10"); /* movdqa xmm2, xmm0; pcmpeqd xmm2, [r8 + 16] */
	CODE(w, "\x66\x0f\x6f\xd8\x66\x41\x0f\x76\x58\x20"); /* movdqa xmm3, xmm0; pcmpeqd xmm3, [r8 + 32] */
	CODE(w, "\x66\x41\x0f\x76\x40\x30");            /* pcmpeqd xmm0, [r8 + 48] */
	CODE(w, "\x66\x0f\xeb\xca\x66\x0f\xeb\xd8\x66\x0f\xeb\xcb"); /* por xmm1, xmm2; por xmm3, xmm0; por xmm1, xmm3 */
	CODE(w, "\x66\x44\x0f\xd7\xd9\x45\x85\xdb\x0f\x85"); /* pmovmskb r11d, xmm1; test r11d, r11d; jne */
	emit32(w->o, 0);
	full[0] = w->o->off - 4;
	CODE_M(w, "\x4c\x8b\x9b", &b->used);            /* mov r11, [used] */
	CODE(w, "\x66\x43\x83\x3c\x4b");                /* cmp word [r11 + r9*2], ways */
	emit8(w->o, WAYS);
	CODE(w, "\x0f\x82");                            /* jb */
	emit32(w->o, 0);
	full[1] = w->o->off - 4;
}

/* ecx = the way to replace, by the next number of the sequence (Marsaglia's xorshift). */
static void write_choose(struct p6_writer *w)
{
	uint32_t *random = &w->m->btb.random;

	CODE_M(w, "\x8b\x8b", random);                  /* mov ecx, [random] */
	CODE(w, "\x41\x89\xcb\x41\xc1\xe3\x0d\x44\x31\xd9"); /* mov r11d, ecx; shl r11d, 13; xor ecx, r11d */
	CODE(w, "\x41\x89\xcb\x41\xc1\xeb\x11\x44\x31\xd9"); /* mov r11d, ecx; shr r11d, 17; xor ecx, r11d */
	CODE(w, "\x41\x89\xcb\x41\xc1\xe3\x05\x44\x31\xd9"); /* mov r11d, ecx; shl r11d, 5; xor ecx, r11d */
	CODE_M(w, "\x89\x8b", random);                  /* mov [random], ecx */
	CODE(w, "\xc1\xe9\x1c");                        /* shr ecx, 28 */
}

/* One part of struct p6_jit.enter. */
static void write_part(struct p6_writer *w, bool outcome)
{
	struct btb *b = &w->m->btb;
	uint32_t full[2];

	_Static_assert(sizeof(struct btb_entry) == 32 && offsetof(struct btb_entry, tag) == 0 &&
	               offsetof(struct btb_entry, counter) == 8 && offsetof(struct btb_entry, history) == 24 &&
	               offsetof(struct btb_entry, steady) == 28, "as emitted");
	w->m->jit.enter[outcome] = w->o->off;
	write_find(w, full);
	write_choose(w);
	CODE(w, "\x41\x89\x04\x88");                    /* mov [r8 + rcx*4], eax: its key */
	CODE(w, "\x41\xc1\xe1\x04\x44\x01\xc9");        /* shl r9d, 4; add ecx, r9d: its position */
	CODE_M(w, "\x48\xff\x83", &b->n_entered);       /* inc qword [n_entered] */
	CODE_M(w, "\x4c\x8b\x83", &b->target);          /* mov r8, [target] */
	CODE(w, "\x4d\x8d\x04\xc8\x49\x89\x10\x4c\x89\x46"); /* lea r8, [r8 + rcx*8]; mov [r8], rdx; mov [rsi + target], r8 */
	emit8(w->o, offsetof(struct p6_jit_blk, target));
	emit8(w->o, 0x49);                              /* mov r8, the counters */
	emit8(w->o, 0xb8);
	emit32(w->o, outcome ? 0x02020202 : 0x01010101);
	emit32(w->o, outcome ? 0x02020202 : 0x01010101);
	CODE(w, "\xc1\xe1\x05");                        /* shl ecx, 5 */
	CODE_M(w, "\x48\x03\x8b", &b->entry);           /* add rcx, [entry]: not 0 */
	CODE(w, "\x48\x89\x4e");                        /* mov [rsi + entry], rcx */
	emit8(w->o, offsetof(struct p6_jit_blk, entry));
	CODE(w, "\x48\x89\x01\x4c\x89\x41\x08\x4c\x89\x41\x10"); /* mov [rcx], rax; mov [rcx + 8], r8; mov [rcx + 16], r8 */
	CODE(w, "\x48\xc7\x41\x18");                    /* mov qword [rcx + history], : steady is 0 */
	emit32(w->o, outcome ? 15 : 0);
	CODE(w, "\xc3");                                /* ret */
	for (unsigned i = 0; i < 2; i++)
		emit_patch(w->o->base, full[i], w->o->off);
	CODE(w, "\x31\xc0\xc3");                        /* xor eax, eax; ret */
}

void p6_write_enter_parts(struct p6_writer *w)
{
	const struct btb *b = &w->m->btb;

	if (b->ways != WAYS || b->sets > 128)
		return;
	write_part(w, false);
	write_part(w, true);
}
