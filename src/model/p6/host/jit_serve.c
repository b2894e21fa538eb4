/* jit_serve.c -- host code for reads that L1D does not have: L2 has the line, or memory.
 *
 * COUNTING RULES   those of p6_dcu_read_miss_usual() and of the functions of usual.h, which do what is left to them.
 * Registers: rax  set of L1D << 5    rcx, xmm0  page and, four times, its identity    r8  set of L2    r9  L1D's replacement word
 */
#include "model/p6/host/jit_write.h"

#include <stddef.h>

#include "model/p6/units/memory.h"
#include "model/p6/clocks/time_key.h"

/* L2's set r8 does not have the line of page xmm0: it comes from memory into the way to replace, as p6_l2_take() does it. To
 * `in full`, with nothing done, when what it puts out is modified in L1D's set rax, or a walk remembers a line of r8. Leaves r9 alone. */
static void write_take_read(struct p6_writer *w, uint32_t full[P6_MOST_GIVE_UP], unsigned *n)
{
	struct p6 *m = w->m;
	const uint8_t *sets = m->dcu.cache.sets;

	_Static_assert(offsetof(struct cache_set_of_four, meta.n_empty) == 28 &&
	               offsetof(struct cache_set_of_four, meta.noted) == 30, "as emitted");
	CODE(w, "\x41\x83\x78\x1c\x00");                /* cmp dword [r8 + 28], 0: its empty ways, and what walks remember */
	p6_write_give_up(w, "\x0f\x85", full, n);            /* jne */
	CODE(w, "\x41\x0f\xb6\x70\x10");                /* movzx esi, byte [r8 + 16]: its replacement word */
	CODE_M(w, "\x44\x0f\xb6\x9c\x33", m->jit.victim_at); /* movzx r11d, byte [victim_at + rsi] */
	CODE(w, "\x66\x43\x0f\x6e\x0c\x18");            /* movd xmm1, [r8 + r11] */
	CODE(w, "\x66\x0f\x70\xc9\x00");                /* pshufd xmm1, xmm1, 0 */
	CODE_M(w, "\x66\x0f\x76\x8c\x03", sets);        /* pcmpeqd xmm1, [sets of L1D + rax] */
	CODE(w, "\x0f\x50\xd1");                        /* movmskps edx, xmm1 */
	CODE_M(w, "\x66\x85\x94\x03", &((const struct cache_meta *)(const void *)(sets + 16))->m); /* test [m + rax], dx */
	p6_write_give_up(w, "\x0f\x85", full, n);            /* jne */
	CODE_M(w, "\x8b\x94\xf3", m->jit.victim);        /* mov edx, [victim + rsi*8] */
	CODE(w, "\x45\x31\xd2\x66\x41\x85\x50\x18");    /* xor r10d, r10d; test [r8 + 24], dx: state M? */
	CODE(w, "\x41\x0f\x95\xc2");                    /* setne r10b */
	CODE_M(w, "\x4a\xff\x84\xd3", m->absent[P6_ABSENT_READ]); /* inc qword [absent + r10*8] */
	if (m->tell.is_on) {
		CODE(w, "\x41\xc1\xe2");               /* shl r10d, */
		emit8(w->o, P6_CODE_WB_AT);
		CODE(w, "\x41\x81\xca");               /* or r10d, bits */
		emit32(w->o, P6_CODE_LINE | P6_CODE_L2_MISS | P6_CODE_BRD);
	}
	CODE(w, "\xf7\xd2\x41\x21\x50\x18");            /* not edx; and [r8 + 24], edx: neither M nor S */
	CODE(w, "\x66\x43\x0f\x7e\x04\x18");            /* movd [r8 + r11], xmm0 */
	CODE_M(w, "\x0f\xb6\xb4\x33", m->jit.victim_next); /* movzx esi, byte [victim_next + rsi] */
	CODE(w, "\x41\x88\x70\x10");                    /* mov [r8 + 16], sil */
}

/* r10d = what is told of the line at hand. */
static void write_tell_line(struct p6_writer *w, uint32_t bits)
{
	if (!w->m->tell.is_on)
		return;
	CODE(w, "\x41\xba");                            /* mov r10d, bits */
	emit32(w->o, bits);
}

/* The line of page rcx, xmm0 comes into L1D's set rax, of word r9, in state E in place of one in that state. r10d: what is told of it. */
static void write_put_in(struct p6_writer *w)
{
	struct p6 *m = w->m;
	const uint8_t *sets = m->dcu.cache.sets;

	CODE_M(w, "\x42\x0f\xb6\x94\x0b", m->jit.victim_at); /* movzx edx, byte [victim_at + r9] */
	CODE(w, "\x48\x01\xc2");                          /* add rdx, rax */
	CODE_M(w, "\x66\x0f\x7e\x84\x13", sets);         /* movd [tags + rdx], xmm0 */
	CODE_M(w, "\x42\x0f\xb6\x94\x0b", m->jit.victim_next); /* movzx edx, byte [victim_next + r9] */
	CODE_M(w, "\x88\x94\x03", sets + 16);             /* mov [order + rax], dl */
	CODE_M(w, "\x48\x89\x8c\x03", &m->quick.dcu[P6_QUICK_READ]); /* mov [filter + rax], rcx */
	CODE_M(w, "\x48\xc7\x84\x03", &m->quick.dcu[P6_QUICK_WRITE]); /* mov qword [filter of stores + rax], -1 */
	emit32(w->o, UINT32_MAX);
	p6_write_told_so_far(w);
	if (m->tell.is_on)
		CODE(w, "\x44\x09\xd0");              /* or eax, r10d */
	CODE(w, "\xc3");                                  /* ret */
}

/* edx = mask of the way of L2's set r8 that holds the line of page xmm0; to `full` when it is in state S. Returns the displacement of the jump that
 * is taken when L2 does not have it. */
static uint32_t write_find_in_l2(struct p6_writer *w, uint32_t full[P6_MOST_GIVE_UP], unsigned *n)
{
	uint32_t absent;

	CODE(w, "\x66\x0f\x6f\xc8\x66\x41\x0f\x76\x08"); /* movdqa xmm1, xmm0; pcmpeqd xmm1, [r8] */
	CODE(w, "\x0f\x50\xd1\x85\xd2");                 /* movmskps edx, xmm1; test edx, edx */
	p6_write_give_up(w, "\x0f\x84", &absent, &(unsigned){0}); /* je */
	CODE(w, "\x66\x41\x85\x50\x1a");                 /* test [r8 + 26], dx: state S? */
	p6_write_give_up(w, "\x0f\x85", full, n);            /* jne */
	return absent;
}

/* That line, in state E or M there, is counted and its use noted. */
static void write_serve_found(struct p6_writer *w)
{
	struct p6 *m = w->m;

	CODE(w, "\x45\x31\xd2\x66\x41\x85\x50\x18");     /* xor r10d, r10d; test [r8 + 24], dx */
	CODE(w, "\x41\x0f\x94\xc2");                      /* sete r10b: P6_L2_E, else P6_L2_M */
	CODE_M(w, "\x4a\xff\x84\xd3", m->served[P6_SERVED_READ]); /* inc qword [served + r10*8] */
	CODE(w, "\x45\x0f\xb6\x50\x10");                 /* movzx r10d, byte [r8 + 16]: its replacement word */
	CODE_M(w, "\x44\x22\x94\x13", m->quick.keep);       /* and r10b, [keep + rdx] */
	CODE_M(w, "\x44\x0a\x94\x13", m->quick.set);        /* or r10b, [set + rdx] */
	CODE(w, "\x45\x88\x50\x10");                      /* mov [r8 + 16], r10b */
}

/* The way to replace holds a modified line: as may_make_room() and put_in() of dcu.c have it go to L2. Registers as in
 * p6_write_serve_line(), which this is a part of; to `full`, with nothing done, when L2 does not have both lines. */
static void write_serve_out(struct p6_writer *w, uint32_t full[P6_MOST_GIVE_UP], unsigned *n)
{
	struct p6 *m = w->m;
	const uint8_t *sets = m->dcu.cache.sets;
	const struct cache_meta *meta = (const struct cache_meta *)(const void *)(sets + 16);
	uint32_t absent;

	_Static_assert(sizeof(*m->colour) == 2, "as emitted");
	CODE_M(w, "\x83\xbc\x03", &meta->n_empty);         /* cmp dword [n_empty + rax], 0 */
	emit8(w->o, 0);
	p6_write_give_up(w, "\x0f\x85", full, n);            /* jne */
	CODE_M(w, "\x66\x44\x85\x94\x03", &meta->m);      /* test [m + rax], r10w */
	p6_write_give_up(w, "\x0f\x84", full, n);            /* je */
	CODE_M(w, "\x80\xbb", &m->wc.n);                  /* cmp byte [wc.n], 0 */
	emit8(w->o, 0);
	p6_write_give_up(w, "\x0f\x85", full, n);            /* jne */
	CODE_M(w, "\x42\x0f\xb6\x94\x0b", m->jit.victim_at); /* movzx edx, byte [victim_at + r9] */
	CODE(w, "\x48\x01\xc2");                         /* add rdx, rax */
	CODE_M(w, "\x8b\xb4\x13", sets);                  /* mov esi, [tags + rdx] */
	CODE(w, "\x66\x0f\x6e\xce\x66\x0f\x70\xc9\x00"); /* movd xmm1, esi; pshufd xmm1, xmm1, 0 */
	CODE_M(w, "\x4c\x8b\x9b", &m->colour);            /* mov r11, [colour] */
	CODE(w, "\x45\x0f\xb7\x1c\x73\x41\xc1\xe3");    /* movzx r11d, word [r11 + rsi*2]; shl r11d, */
	emit8(w->o, PAGE_LOG2);
	CODE(w, "\x41\x09\xc3\x41\x81\xe3");            /* or r11d, eax; and r11d, sets of L2 << 5 */
	emit32(w->o, (m->l2.n_sets - 1) * (uint32_t)sizeof(struct cache_set_of_four));
	CODE_M(w, "\x4c\x03\x9b", &m->l2.sets);           /* add r11, [sets] */
	CODE(w, "\x66\x41\x0f\x76\x0b\x0f\x50\xf1");    /* pcmpeqd xmm1, [r11]; movmskps esi, xmm1 */
	CODE(w, "\x85\xf6");                              /* test esi, esi */
	p6_write_give_up(w, "\x0f\x84", full, n);            /* je */
	absent = write_find_in_l2(w, full, n);
	full[(*n)++] = absent;
	write_serve_found(w);
	CODE(w, "\x66\x41\x09\x73\x18");                 /* or [r11 + 24], si */
	CODE(w, "\x45\x0f\xb6\x53\x10");                 /* movzx r10d, byte [r11 + 16] */
	CODE_M(w, "\x44\x22\x94\x33", m->quick.keep);     /* and r10b, [keep + rsi] */
	CODE_M(w, "\x44\x0a\x94\x33", m->quick.set);      /* or r10b, [set + rsi] */
	CODE(w, "\x45\x88\x53\x10");                      /* mov [r11 + 16], r10b */
	CODE(w, "\xf7\xd6\x66\x41\x21\x73\x1a");        /* not esi; and [r11 + 26], si */
	CODE_M(w, "\x48\xff\x83", &m->n_cast_out);        /* inc qword [n_cast_out] */
	CODE_M(w, "\x46\x8b\x94\xcb", m->jit.victim);    /* mov r10d, [victim + r9*8] */
	CODE(w, "\x41\xf7\xd2");                         /* not r10d */
	CODE_M(w, "\x66\x44\x21\x94\x03", &meta->m);      /* and [m + rax], r10w */
	write_tell_line(w, P6_CODE_LINE | P6_CODE_OUT);
	write_put_in(w);
}

void p6_write_serve_line(struct p6_writer *w)
{
	struct p6 *m = w->m;
	const struct cache_meta *meta = (const struct cache_meta *)(const void *)(m->dcu.cache.sets + 16);
	uint32_t full[P6_MOST_GIVE_UP], absent, out;
	unsigned n = 0;

	_Static_assert(P6_L2_M == 0 && P6_L2_E == 1, "as emitted");
	_Static_assert(offsetof(struct cache_meta, m) == 8 && offsetof(struct cache_meta, s) == 10 &&
	               offsetof(struct cache_meta, n_empty) == 12, "as emitted");
	if (!m->is_served)
		return;
	CODE_M(w, "\x44\x0f\xb6\x8c\x03", &meta->order);  /* movzx r9d, byte [order + rax] */
	CODE_M(w, "\x4e\x8b\x94\xcb", m->jit.victim);     /* mov r10, [victim + r9*8] */
	CODE_M(w, "\x4c\x85\x94\x03", &meta->m);          /* test [m, s and n_empty + rax], r10 */
	p6_write_give_up(w, "\x0f\x85", &out, &(unsigned){0}); /* jne */
	CODE_M(w, "\x80\xbb", &m->wc.n);                  /* cmp byte [wc.n], 0 */
	emit8(w->o, 0);
	p6_write_give_up(w, "\x0f\x85", full, &n);
	absent = write_find_in_l2(w, full, &n);
	write_serve_found(w);
	write_tell_line(w, P6_CODE_LINE);
	write_put_in(w);
	if (m->is_flat) {
		emit_patch(w->o->base, out, w->o->off);
		write_serve_out(w, full, &n);
		emit_patch(w->o->base, absent, w->o->off);
		write_take_read(w, full, &n);
		write_put_in(w);
	}
	for (unsigned i = 0; i < n; i++)
		emit_patch(w->o->base, full[i], w->o->off);
	if (!m->is_flat) {
		emit_patch(w->o->base, out, w->o->off);
		emit_patch(w->o->base, absent, w->o->off);
	}
}
