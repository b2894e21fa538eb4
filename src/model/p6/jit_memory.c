/* jit_memory.c -- host code for code lines and references that hit. */
#include "model/p6/jit_write.h"

#include <stddef.h>

/* The page of the block's code is in the ITLB: note its use. */
void p6_write_page(struct p6_writer *w)
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
	p6_write_come_back(w, from);
}

/* Code line i of the block is in L1I: note its use; or fetch it. */
void p6_write_line(struct p6_writer *w, unsigned i)
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
	p6_write_come_back(w, from);
}


static void write_address(struct p6_writer *w, const struct p6_ref *r)
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

void p6_write_reference(struct p6_writer *w, const struct p6_ref *r, unsigned k)
{
	struct p6 *m = w->m;
	const unsigned from = w->n_cold;
	const uint8_t *sets = m->dcu.cache.sets;
	unsigned page;

	if (r->kind >= P6_NEVER) {
		p6_write_jump_cold(w, "\xe9", 1, (void *)(uintptr_t)p6_jit_ref, k, COLD_SLOTS_OR_END);
		p6_write_come_back(w, from);
		return;
	}
	write_address(w, r);
	if (r->align_mask) {
		emit8(w->o, 0xba);                /* mov edx, places */
		emit32(w->o, quick_places(r->align_mask + 1u));
		CODE(w, "\x0f\xa3\xc2");          /* bt edx, eax */
		p6_write_jump_cold(w, "\x0f\x83", 2, (void *)(uintptr_t)p6_jit_ref, k, COLD_SLOTS_OR_END); /* jnc */
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
	if (r->access == P6_READ)
		JE_COLD(w, p6_jit_miss, 0, COLD_ADDRESS_OR_END);
	else
		JE_COLD(w, p6_jit_line, k | (uint64_t)r->access << 8, COLD_ADDRESS_OR_END);
	CODE_M(w, "\x0f\xb6\x8c\x03", sets + 16);      /* movzx ecx, byte [order + rax] */
	CODE_M(w, "\x22\x8c\x13", m->jit.keep);        /* and cl, [keep + rdx] */
	CODE_M(w, "\x0a\x8c\x13", m->jit.set);         /* or cl, [set + rdx] */
	CODE_M(w, "\x88\x8c\x03", sets + 16);          /* mov [order + rax], cl */
	for (unsigned i = from; i < w->n_cold; i++)
		if (!w->cold[i].back)
			w->cold[i].back = w->o->off;
}
