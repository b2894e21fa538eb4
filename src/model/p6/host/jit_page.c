/* jit_page.c -- host code for the page of a reference that is not the one used last in its set of the DTLB: the other ways, and
 * usual walks. */
#include "model/p6/host/jit_write.h"
#include "model/p6/clocks/time_key.h"
#include "model/p6/units/usual.h"

#include <stddef.h>

#define MOST_JUMPS 8u

/* Jumps to what is written later. */
struct jumps {
	uint32_t at[MOST_JUMPS]; /* displacements */
	unsigned n;
};

/* A jump, op of two bytes. */
static void write_jump(struct p6_writer *w, const char *op, struct jumps *j)
{
	p6_write_bytes(w, op, 2);
	emit32(w->o, 0);
	j->at[j->n++] = w->o->off - 4;
}
#define JUMP(w, op, j) write_jump(w, op, j)

/* They come here. */
static void land(struct p6_writer *w, const struct jumps *j)
{
	for (unsigned i = 0; i < j->n; i++)
		emit_patch(w->o->base, j->at[i], w->o->off);
}

static void write_offset(struct p6_writer *w, const char *op, unsigned n, size_t offset)
{
	p6_write_bytes(w, op, n);
	emit8(w->o, (uint8_t)offset);
}
#define CODE_AT(w, s, offset) write_offset(w, s, sizeof(s) - 1, offset)

/* esi = tag of page rcx, all bits of its address taken; pages of the upper half have none. r10d = mask of the way of the DTLB's set rdx
 * that has it, ZF when none; r9 = 16 * set. */
static void write_find_page(struct p6_writer *w, struct jumps *full)
{
	CODE(w, "\x48\x89\xce\x48\xc1\xee\x04");        /* mov rsi, rcx; shr rsi, 4 */
	CODE(w, "\x49\x89\xf2\x49\xc1\xea\x1f");        /* mov r10, rsi; shr r10, 31 */
	JUMP(w, "\x0f\x85", full);                        /* jne */
	CODE(w, "\x66\x0f\x6e\xc6\x66\x0f\x70\xc0\x00"); /* movd xmm0, esi; pshufd xmm0, xmm0, 0 */
	CODE(w, "\x41\x89\xd1\x41\xc1\xe1\x04");        /* mov r9d, edx; shl r9d, 4 */
	CODE_M(w, "\x66\x42\x0f\x76\x84\x0b", w->m->quick.page_tag); /* pcmpeqd xmm0, [page_tag + r9] */
	CODE(w, "\x44\x0f\x50\xd0\x45\x85\xd2");        /* movmskps r10d, xmm0; test r10d, r10d */
}

/* Note the use of the way in mask r10d; r11 = its frame, r8 = its sets of L2. */
static void write_use_page(struct p6_writer *w)
{
	struct p6 *m = w->m;

	CODE_M(w, "\x44\x0f\xb6\x9c\xd3", m->dtlb.tlb.order); /* movzx r11d, byte [order + rdx*8] */
	CODE_M(w, "\x46\x22\x9c\x13", m->quick.keep);    /* and r11b, [keep + r10] */
	CODE_M(w, "\x46\x0a\x9c\x13", m->quick.set);     /* or r11b, [set + r10] */
	CODE_M(w, "\x44\x88\x9c\xd3", m->dtlb.tlb.order); /* mov [order + rdx*8], r11b */
	CODE(w, "\x45\x0f\xbc\xd2\x47\x8d\x0c\x91");    /* bsf r10d, r10d; lea r9d, [r9 + r10*4] */
	CODE_M(w, "\x4e\x8b\x84\x4b", m->quick.page_at); /* mov r8, [page_at + r9*2] */
	CODE(w, "\x41\xc1\xe1\x02");                    /* shl r9d, 2 */
	CODE_M(w, "\x4e\x8b\x9c\x0b", &m->dtlb.tlb.entry->id); /* mov r11, [frame + r9] */
}

/* The page of frame r11, r8 is the one of its set that was used last; xmm0 = its identity. */
static void write_note_page(struct p6_writer *w)
{
	struct p6 *m = w->m;

	CODE_M(w, "\x4c\x89\x9c\xd3", m->dtlb.last);    /* mov [last + rdx*8], r11 */
	CODE_M(w, "\x4c\x89\x84\xd3", m->data_at);      /* mov [data_at + rdx*8], r8 */
	CODE_M(w, "\x48\x89\x8c\xd3", m->quick.dtlb);   /* mov [dtlb + rdx*8], rcx */
	CODE(w, "\x66\x41\x0f\x6e\xc3");              /* movd xmm0, r11d */
}

/* The use of the line of an entry of note r10. */
static void write_use_entry(struct p6_writer *w, unsigned i)
{
	const size_t p = offsetof(struct p6_walk_note, place) + i * sizeof(struct p6_walk_place);

	CODE_AT(w, "\x4d\x8b\x5a", p + offsetof(struct p6_walk_place, set)); /* mov r11, [r10 + set] */
	CODE_AT(w, "\x41\x0f\xb6\x42", p + offsetof(struct p6_walk_place, keep)); /* movzx eax, byte [r10 + keep] */
	CODE(w, "\x41\x22\x43\x10");                    /* and al, [r11 + 16]: the replacement word of its set */
	CODE_AT(w, "\x41\x0a\x42", p + offsetof(struct p6_walk_place, points)); /* or al, [r10 + points] */
	CODE(w, "\x41\x88\x43\x10");                    /* mov [r11 + 16], al */
}

/* As p6_walk_flat(), for page rcx with tag esi and set rdx of the DTLB, which does not have it; r9 = 16 * set. Leaves its frame in
 * r11, its sets of L2 in r8. */
static void write_walk(struct p6_writer *w, struct jumps *full)
{
	struct p6 *m = w->m;

	_Static_assert(sizeof(struct p6_walk_note) == 64 && offsetof(struct p6_walk_note, usual) == 0, "as emitted");
	CODE(w, "\x41\x89\xca\x41\x81\xe2");            /* mov r10d, ecx; and r10d, notes - 1 */
	emit32(w->o, P6_WALK_NOTES - 1);
	CODE(w, "\x41\xc1\xe2\x06");                    /* shl r10d, 6 */
	CODE_M(w, "\x4c\x03\x93", &m->walks);           /* add r10, [walks] */
	CODE(w, "\x4c\x8d\x59\x01\x4d\x39\x1a");        /* lea r11, [rcx + 1]; cmp [r10], r11 */
	JUMP(w, "\x0f\x85", full);                        /* jne */
	CODE_M(w, "\x42\x83\xbc\x0b", &m->quick.page_tag[0][P6_USUAL_WAYS - 1]); /* cmp dword [last way's page_tag + r9], -1 */
	emit8(w->o, 0xff);
	JUMP(w, "\x0f\x84", full);                        /* je */
	write_use_entry(w, 0);
	write_use_entry(w, 1);
	CODE_M(w, "\x48\xff\x83", &m->walked[P6_WALKED_DATA]); /* inc qword [walked] */
	p6_write_told(w, P6_CODE_WALK);
	CODE_M(w, "\x0f\xb6\x84\xd3", m->dtlb.tlb.order); /* movzx eax, byte [order + rdx*8] */
	CODE_M(w, "\x44\x0f\xb6\x9c\x03", m->jit.victim_at); /* movzx r11d, byte [victim_at + rax] */
	CODE_M(w, "\x0f\xb6\x84\x03", m->jit.victim_next); /* movzx eax, byte [victim_next + rax] */
	CODE_M(w, "\x88\x84\xd3", m->dtlb.tlb.order);   /* mov [order + rdx*8], al */
	CODE(w, "\x45\x01\xd9");                        /* add r9d, r11d */
	CODE_M(w, "\x42\x89\xb4\x0b", m->quick.page_tag); /* mov [page_tag + r9], esi */
	CODE_AT(w, "\x4d\x8b\x42", offsetof(struct p6_walk_note, page_at)); /* mov r8, [r10 + page_at] */
	CODE_AT(w, "\x4d\x8b\x5a", offsetof(struct p6_walk_note, page)); /* mov r11, [r10 + page] */
	CODE_M(w, "\x4e\x89\x84\x4b", m->quick.page_at); /* mov [page_at + r9*2], r8 */
	CODE(w, "\x41\xc1\xe1\x02");                    /* shl r9d, 2 */
	CODE_M(w, "\x4a\x89\x8c\x0b", &m->dtlb.tlb.entry->key); /* mov [key + r9], rcx */
	CODE_M(w, "\x4e\x89\x9c\x0b", &m->dtlb.tlb.entry->id); /* mov [frame + r9], r11 */
}

/* eax = set of L1D << 5 of the address in rbp */
static void write_line_set(struct p6_writer *w)
{
	CODE(w, "\x89\xe8\x25");                        /* mov eax, ebp; and eax, set << 5 */
	emit32(w->o, ((1u << P6_USUAL_SET_LOG2) - 1) << P6_USUAL_LINE_LOG2);
}

/* Have the page looked up by the unit: rcx, rdx and eax are as `line_part` wants them then. */
static void write_ask(struct p6_writer *w, uint32_t line_part)
{
	CODE(w, "\x57" P6_JIT_MOV_RDI_M "\x48\x89\xee"); /* push rdi; mov rsi, rbp */
	CODE(w, "\x48\xc1\xe6\x10\x48\xc1\xee\x1c");    /* shl rsi, 16; shr rsi, 28: its page in 48 bits */
	p6_write_call(w, P6_JIT_PAGE);
	CODE(w, "\x5f\x48\x89\xe9");                    /* pop rdi; mov rcx, rbp */
	CODE(w, "\x48\xc1\xe1\x10\x48\xc1\xe9\x1c");    /* shl rcx, 16; shr rcx, 28 */
	CODE(w, "\x89\xca\x83\xe2");                     /* mov edx, ecx; and edx, */
	emit8(w->o, P6_USUAL_DTLB_SETS - 1);
	write_line_set(w);
	emit_jump(w->o, line_part);
}

void p6_write_page_part(struct p6_writer *w, uint32_t line_part, uint32_t known_part)
{
	struct jumps full = {.n = 0}, missing = {.n = 0};

	_Static_assert(offsetof(struct page, id) == 8 && offsetof(struct page, colour) == 12 && sizeof(struct page) == 16, "as emitted");
	if (w->m->is_flat) {
		write_find_page(w, &full);
		JUMP(w, "\x0f\x84", &missing);            /* je */
		write_use_page(w);
		write_note_page(w);
		write_line_set(w);
		emit_jump(w->o, known_part);
		land(w, &missing);
		write_walk(w, &full);
		write_note_page(w);
		write_line_set(w);
		emit_jump(w->o, known_part);
		land(w, &full);
	}
	write_ask(w, line_part);
}
