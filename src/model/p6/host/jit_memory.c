/* jit_memory.c -- host code for code lines and references that hit. */
#include "model/p6/host/jit_write.h"

#include <stddef.h>

#include "model/p6/host/host_slot.h"
#include "model/p6/units/memory.h"

void p6_write_page(struct p6_writer *w, unsigned i)
{
	struct p6 *m = w->m;
	const bool is_second = p6_jit_is_second_page(w->b, i);
	const uint64_t vpn = (w->b->pc >> PAGE_LOG2) + is_second;
	const uint64_t *order = &m->itlb.tlb.order[vpn & (P6_USUAL_ITLB_SETS - 1)];
	const struct p6_jit_page *page = &m->jit.page[w->jb->tag[is_second][0]];
	const unsigned from = w->n_cold;

	CODE_DATA(w, "\x48\x8b\x15", &page->key, 0);       /* mov rdx, [key] */
	CODE(w, "\x48\x81\x3a");                          /* cmp qword [rdx], vpn */
	emit32(w->o, (uint32_t)vpn);
	if (p6_blk_lines(w->b)[i] && !w->is_in_order)
		p6_write_jump_order(w, "\x0f\x85");         /* jne */
	else
		JNE_COLD(w, P6_JIT_CODE_PAGE, i, COLD_SLOTS);
	CODE_M(w, "\x8a\x8b", order);                      /* mov cl, [order] */
	CODE_DATA(w, "\x22\x0d", &page->keep, 0);         /* and cl, [keep] */
	CODE_DATA(w, "\x0a\x0d", &page->set, 0);          /* or cl, [set] */
	CODE_M(w, "\x88\x8b", order);                      /* mov [order], cl */
	p6_write_come_back(w, from);
}

/* Code line i of the block is in L1I: note its use; or fetch it. When references come before it, a miss
 * leaves the rest of the block to the form in order. */
void p6_write_line(struct p6_writer *w, unsigned i)
{
	struct p6 *m = w->m;
	const uint64_t line = (w->b->pc >> P6_USUAL_LINE_LOG2) + i;
	const uint8_t *set = m->ifu.cache.sets + (line & ((1u << P6_USUAL_SET_LOG2) - 1)) * m->ifu.cache.stride_bytes;
	const unsigned from = w->n_cold;

	CODE_DATA(w, "\x66\x0f\x6f\x05", w->jb->tag[p6_jit_is_second_page(w->b, i)], 0);   /* movdqa xmm0, [tag] */
	CODE_M(w, "\x66\x0f\x76\x83", set);              /* pcmpeqd xmm0, [tags] */
	CODE(w, "\x0f\x50\xd0\x85\xd2");                 /* movmskps edx, xmm0; test edx, edx */
	if (p6_blk_lines(w->b)[i] && !w->is_in_order)
		p6_write_jump_order(w, "\x0f\x84");         /* je */
	else
		JE_COLD(w, P6_JIT_FETCH, i, COLD_SLOTS);
	CODE_M(w, "\x8a\x8b", set + 16);                 /* mov cl, [order] */
	CODE_M(w, "\x22\x8c\x13", m->quick.keep);          /* and cl, [keep + rdx] */
	CODE_M(w, "\x0a\x8c\x13", m->quick.set);           /* or cl, [set + rdx] */
	CODE_M(w, "\x88\x8b", set + 16);                 /* mov [order], cl */
	p6_write_come_back(w, from);
}

/* rbp = linear address of r */
static void write_address(struct p6_writer *w, const struct p6_ref *r)
{
	p6_host_address(w->o, r, &w->base_slot);
	if (r->is_more & P6_MORE_FS)
		CODE_M(w, "\x48\x03\xab", &w->m->fs_base); /* add rbp, [fs_base] */
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

/* To the cold part by op, when r is not aligned. */
static void write_if_unaligned(struct p6_writer *w, const char *op, const struct p6_ref *r, unsigned k)
{
	const uint32_t what = k | (uint32_t)r->access << 8 | (r->align_mask + 1u) << 16;

	if (r->access == P6_LOCKED)
		p6_write_jump_cold(w, op, 2, P6_JIT_REF, k, COLD_MAY_END);
	else
		p6_write_jump_cold(w, op, 2, P6_JIT_UNALIGNED, what, COLD_UNALIGNED);
}

static void write_alignment(struct p6_writer *w, const struct p6_ref *r, unsigned k)
{
	if (!r->align_mask)
		return;
	if (r->align_mask < 8) {
		CODE(w, "\x40\xf6\xc5");               /* test bpl, align_mask */
		emit8(w->o, r->align_mask);
		write_if_unaligned(w, "\x0f\x85", r, k); /* jne */
		return;
	}
	emit8(w->o, 0xba);                             /* mov edx, places */
	emit32(w->o, quick_places(r->align_mask + 1u));
	CODE(w, "\x0f\xa3\xea");                       /* bt edx, ebp */
	write_if_unaligned(w, "\x0f\x83", r, k);      /* jnc */
}

void p6_write_reference(struct p6_writer *w, const struct p6_ref *r, unsigned k)
{
	struct p6 *m = w->m;
	const unsigned from = w->n_cold;

	_Static_assert(P6_KINDS * sizeof(m->quick.dcu[0]) == 1u << P6_USUAL_LINE_LOG2, "as emitted");
	if (r->kind >= P6_NEVER) {
		w->base_slot = P6_NO_SLOT;
		p6_write_jump_cold(w, "\xe9", 1, P6_JIT_REF, k, COLD_MAY_END);
		p6_write_come_back(w, from);
		return;
	}
	write_address(w, r);
	write_alignment(w, r, k);
	CODE(w, "\x48\x89\xe9\x48\xc1\xe9\x0c\x89\xca\x83\xe2"); /* mov rcx, rbp; shr rcx, 12; mov edx, ecx; and edx, */
	emit8(w->o, P6_USUAL_DTLB_SETS - 1);
	CODE_M(w, "\x48\x39\x8c\xd3", m->quick.dtlb);  /* cmp [dtlb + rdx*8], rcx */
	if (r->access == P6_READ)
		JNE_COLD(w, P6_JIT_PAGE, k, COLD_READ);
	else
		JNE_COLD(w, P6_JIT_LINE, k | (uint32_t)r->access << 8, COLD_WRITE);
	CODE(w, "\x89\xe8\x25");                        /* mov eax, ebp; and eax, set << 5 */
	emit32(w->o, ((1u << P6_USUAL_SET_LOG2) - 1) << P6_USUAL_LINE_LOG2);
	CODE_M(w, "\x48\x39\x8c\x03", &m->quick.dcu[r->kind]); /* cmp [filter + rax], rcx */
	p6_write_jump_same(w, "\x0f\x85", 2);           /* jne */
	p6_write_come_back(w, from);
}

/* ---- shared by all blocks ------------------------------------------------------------------------- */

/* xmm0 = the page of the DTLB's set rdx, four times; r8 = the set of L2 that its line rax would be in, asked for: whether L1D
 * has the line cannot be guessed. Returns the code offset for who has the page in xmm0 and its first set of L2 in r8. */
static uint32_t write_load_place(struct p6_writer *w, bool has_l2)
{
	uint32_t known;

	_Static_assert(PAGE_LOG2 == 12 && P6_USUAL_LINE_LOG2 == 5 && sizeof(struct cache_set_of_four) == 32, "as emitted");
	CODE_M(w, "\x66\x0f\x6e\x84\xd3", &w->m->dtlb.last[0].id); /* movd xmm0, [last + rdx*8] */
	if (has_l2)
		CODE_M(w, "\x4c\x8b\x84\xd3", w->m->data_at); /* mov r8, [data_at + rdx*8] */
	known = w->o->off;
	CODE(w, "\x66\x0f\x70\xc0\x00");              /* pshufd xmm0, xmm0, 0 */
	if (has_l2)
		CODE(w, "\x49\x01\xc0\x41\x0f\x18\x08"); /* add r8, rax; prefetcht0 [r8] */
	return known;
}

/* edx = mask of the ways of L1D's set rax that hold the line of page xmm0; ZF when none. */
static void write_find_line(struct p6_writer *w)
{
	CODE(w, "\x66\x0f\x6f\xc8");                    /* movdqa xmm1, xmm0 */
	CODE_M(w, "\x66\x0f\x76\x8c\x03", w->m->dcu.cache.sets); /* pcmpeqd xmm1, [sets + rax] */
	CODE(w, "\x0f\x50\xd1\x85\xd2");               /* movmskps edx, xmm1; test edx, edx */
}

/* Note the use of the way in mask edx of set rax by page rcx. */
static void write_touch_line(struct p6_writer *w)
{
	struct p6 *m = w->m;
	const uint8_t *sets = m->dcu.cache.sets;

	CODE_M(w, "\x0f\xb6\xb4\x03", sets + 16);        /* movzx esi, byte [order + rax] */
	CODE_M(w, "\x40\x22\xb4\x13", m->quick.keep);      /* and sil, [keep + rdx] */
	CODE_M(w, "\x40\x0a\xb4\x13", m->quick.set);       /* or sil, [set + rdx] */
	CODE_M(w, "\x40\x88\xb4\x03", sets + 16);        /* mov [order + rax], sil */
	CODE_M(w, "\x48\x89\x8c\x03", &m->quick.dcu[P6_QUICK_READ]); /* mov [filter + rax], rcx */
}

/* The end of the part write_line: the way in mask edx of set rax, 0 if none, has the line of page rcx, xmm0. When it is in state M, or in
 * state E and L1I has nothing of it, it is stored to, as first_store() of dcu.c does it. */
static void write_own_line(struct p6_writer *w)
{
	struct p6 *m = w->m;
	const struct cache_meta *meta = (const struct cache_meta *)(const void *)(m->dcu.cache.sets + 16);
	uint32_t full[P6_MOST_GIVE_UP], is_m;
	unsigned n = 0;

	CODE_M(w, "\x66\x85\x94\x03", &meta->m);      /* test [m + rax], dx */
	p6_write_give_up(w, "\x0f\x85", &is_m, &(unsigned){0}); /* jne */
	CODE(w, "\x85\xd2");                          /* test edx, edx */
	p6_write_give_up(w, "\x0f\x84", full, &n);        /* je */
	CODE_M(w, "\x66\x85\x94\x03", &meta->s);      /* test [s + rax], dx */
	p6_write_give_up(w, "\x0f\x85", full, &n);        /* jne */
	CODE_M(w, "\x66\x0f\x76\x84\x03", m->ifu.cache.sets); /* pcmpeqd xmm0, [sets of L1I + rax] */
	CODE(w, "\x0f\x50\xf0\x85\xf6");              /* movmskps esi, xmm0; test esi, esi */
	p6_write_give_up(w, "\x0f\x85", full, &n);        /* jne */
	CODE_M(w, "\x66\x09\x94\x03", &meta->m);      /* or [m + rax], dx */
	emit_patch(w->o->base, is_m, w->o->off);
	write_touch_line(w);
	CODE_M(w, "\x48\x89\x8c\x03", &m->quick.dcu[P6_QUICK_WRITE]); /* mov [filter of stores + rax], rcx */
	CODE(w, "\x85\xd2\xc3");                      /* test edx, edx; ret */
	for (unsigned i = 0; i < n; i++)
		emit_patch(w->o->base, full[i], w->o->off);
	CODE(w, "\x31\xf6\xc3");                      /* xor esi, esi; ret */
}

/* As p6_ifu_miss_usual(), when L1D does not have the line in state M and L2 has it in state E or S. Only a model in time asks for
 * code_epoch. */
static void write_fetch_line(struct p6_writer *w)
{
	struct p6 *m = w->m;
	const uint8_t *sets = m->ifu.cache.sets;
	const struct cache_meta *code = (const struct cache_meta *)(const void *)(sets + 16),
				*data = (const struct cache_meta *)(const void *)(m->dcu.cache.sets + 16);
	uint32_t full[P6_MOST_GIVE_UP];
	unsigned n = 0;

	_Static_assert(P6_L2_S == P6_L2_E + 1, "as emitted");
	CODE_M(w, "\x4c\x03\x83", &m->l2.sets);           /* add r8, [sets] */
	CODE_M(w, "\x83\xbc\x03", &code->n_empty);         /* cmp dword [n_empty + rax], 0 */
	emit8(w->o, 0);
	p6_write_give_up(w, "\x0f\x85", full, &n);            /* jne */
	CODE(w, "\x66\x0f\x6e\xc6\x66\x0f\x70\xc0\x00");  /* movd xmm0, esi; pshufd xmm0, xmm0, 0 */
	CODE(w, "\x66\x0f\x6f\xc8");                      /* movdqa xmm1, xmm0 */
	CODE_M(w, "\x66\x0f\x76\x8c\x03", m->dcu.cache.sets); /* pcmpeqd xmm1, [sets of L1D + rax] */
	CODE(w, "\x0f\x50\xd1");                          /* movmskps edx, xmm1 */
	CODE_M(w, "\x66\x85\x94\x03", &data->m);          /* test [m + rax], dx */
	p6_write_give_up(w, "\x0f\x85", full, &n);            /* jne */
	CODE(w, "\x66\x41\x0f\x76\x00");                  /* pcmpeqd xmm0, [r8] */
	CODE(w, "\x0f\x50\xd0\x85\xd2");                  /* movmskps edx, xmm0; test edx, edx */
	p6_write_give_up(w, "\x0f\x84", full, &n);            /* je */
	CODE(w, "\x66\x41\x85\x50\x18");                  /* test [r8 + 24], dx: state M? */
	p6_write_give_up(w, "\x0f\x85", full, &n);            /* jne */
	CODE(w, "\x45\x31\xdb\x66\x41\x85\x50\x1a");      /* xor r11d, r11d; test [r8 + 26], dx */
	CODE(w, "\x41\x0f\x95\xc3");                      /* setne r11b: state S */
	CODE_M(w, "\x4a\xff\x84\xdb", &m->served[P6_SERVED_FETCH][P6_L2_E]); /* inc qword [served + r11*8] */
	CODE(w, "\x45\x0f\xb6\x58\x10");                 /* movzx r11d, byte [r8 + 16]: its replacement word */
	CODE_M(w, "\x44\x22\x9c\x13", m->quick.keep);       /* and r11b, [keep + rdx] */
	CODE_M(w, "\x44\x0a\x9c\x13", m->quick.set);        /* or r11b, [set + rdx] */
	CODE(w, "\x45\x88\x58\x10");                      /* mov [r8 + 16], r11b */
	CODE_M(w, "\x44\x0f\xb6\x8c\x03", &code->order);  /* movzx r9d, byte [order + rax] */
	CODE_M(w, "\x42\x0f\xb6\x94\x0b", m->jit.victim_at); /* movzx edx, byte [victim_at + r9] */
	CODE(w, "\x48\x01\xc2");                          /* add rdx, rax */
	CODE_M(w, "\x89\xb4\x13", sets);                  /* mov [tags + rdx], esi */
	CODE_M(w, "\x42\x0f\xb6\x94\x0b", m->jit.victim_next); /* movzx edx, byte [victim_next + r9] */
	CODE_M(w, "\x88\x94\x03", &code->order);          /* mov [order + rax], dl */
	CODE_M(w, "\x48\xff\x83", &m->dyn[WIRE_P6_IFU_MISS_REF]); /* inc qword [miss_ref] */
	CODE(w, "\xc3");                                  /* ret */
	for (unsigned i = 0; i < n; i++)
		emit_patch(w->o->base, full[i], w->o->off);
	CODE(w, "\x31\xd2\xc3");                          /* xor edx, edx; ret */
}

/* Try fetch_line for code line i of the block, of which no instruction lies on two missing lines. */
void p6_write_fetch(struct p6_writer *w, unsigned i)
{
	const unsigned in_page = (w->jb->first_in_page + i) % P6_JIT_PAGE_LINES;
	const uint32_t page = w->jb->tag[p6_jit_is_second_page(w->b, i)][0];
	const uint32_t at = (uint32_t)w->m->colour[page] << (PAGE_LOG2 - P6_USUAL_LINE_LOG2) | in_page;

	CODE(w, "\xbe");                                  /* mov esi, page */
	emit32(w->o, page);
	CODE(w, "\xb8");                                  /* mov eax, set << 5 */
	emit32(w->o, in_page << P6_USUAL_LINE_LOG2);
	CODE(w, "\x41\xb8");                              /* mov r8d, offset */
	emit32(w->o, (at & (w->m->l2.n_sets - 1)) * (uint32_t)sizeof(struct cache_set_of_four));
	CODE(w, "\xe8");                                  /* call */
	emit32(w->o, w->m->jit.fetch_line - (w->o->off + 4));
}

void p6_write_memory_parts(struct p6_writer *w)
{
	struct p6 *m = w->m;
	const void *m_bits = &((const struct cache_meta *)(const void *)(m->dcu.cache.sets + 16))->m;
	uint32_t miss, known;

	m->jit.read_line = w->o->off;
	known = write_load_place(w, m->is_served);
	write_find_line(w);
	CODE(w, "\x0f\x84");                            /* je miss */
	emit32(w->o, 0);
	miss = w->o->off - 4;
	write_touch_line(w);
	CODE(w, "\x48\xc7\xc6\xff\xff\xff\xff");        /* mov rsi, -1 */
	CODE_M(w, "\x66\x85\x94\x03", m_bits);          /* test [m], dx */
	CODE(w, "\x48\x0f\x45\xf1");                    /* cmovne rsi, rcx */
	CODE_M(w, "\x48\x89\xb4\x03", &m->quick.dcu[P6_QUICK_WRITE]); /* mov [filter of stores + rax], rsi */
	p6_write_told_so_far(w);
	CODE(w, "\xc3");                                /* ret */
	emit_patch(w->o->base, miss, w->o->off);
	p6_write_serve_line(w);
	CODE(w, "\x89\xca\x83\xe2");                     /* mov edx, ecx; and edx, */
	emit8(w->o, P6_USUAL_DTLB_SETS - 1);
	CODE_M(w, "\x48\x8b\x94\xd3", m->dtlb.last);    /* mov rdx, [last + rdx*8] */
	CODE(w, "\x57" P6_JIT_MOV_RDI_M "\x48\x89\xee"); /* push rdi; mov rsi, rbp */
	p6_write_call(w, P6_JIT_MISS);
	CODE(w, "\x5f");                                /* pop rdi */
	p6_write_told_so_far(w);
	CODE(w, "\xc3");                                /* ret */

	m->jit.read_page = w->o->off;
	p6_write_page_part(w, m->jit.read_line, known);

	m->jit.write_line = w->o->off;
	known = write_load_place(w, false);
	write_find_line(w);
	write_own_line(w);

	m->jit.write_page = w->o->off;
	p6_write_page_part(w, m->jit.write_line, known);

	p6_write_tell_part(w);
	if (w->m->is_served && !m->tell.is_on) {
		m->jit.fetch_line = w->o->off;
		write_fetch_line(w);
	}
}
