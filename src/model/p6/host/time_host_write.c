/* time_host_write.c -- host code for code lines and references of blocks in time. */
#include "model/p6/host/time_host_write.h"

#include <stddef.h>
#include <string.h>

#include "model/p6/host/host_slot.h"
#include "model/p6/clocks/time_key.h"
#include "model/p6/clocks/time_access.h"
#include "x86/asm.h"

static void jump_missing(struct p6_time_host_writer *w, const char *op)
{
	w->missing[w->n_missing++] = p6_time_host_jump(w, op);
}

/* Where L1I keeps the set of line number i of the block. */
static const uint8_t *set_of_line(const struct p6_time_host_writer *w, unsigned i)
{
	const uint64_t line = (w->b->pc >> P6_FAST_LINE_LOG2) + i;

	return w->m->ifu.cache.sets +
	       (line & ((1u << P6_FAST_SET_LOG2) - 1)) * w->m->ifu.cache.stride_bytes;
}

void p6_time_host_write_lines(struct p6_time_host_writer *w)
{
	/* by line: mask = movmskps xmm0; test mask, mask; and cl, [keep + rbx + mask]; or cl, [set
	 * + rbx + mask] */
	static const struct {
		const char *mask, *keep, *set;
		unsigned n_mask, n_touch;
	} form[P6_TIME_HOST_MAX_LINES] = {
	    {"\x0f\x50\xd0\x85\xd2", "\x22\x8c\x13", "\x0a\x8c\x13", 5, 3}, /* edx */
	    {"\x0f\x50\xf0\x85\xf6", "\x22\x8c\x33", "\x0a\x8c\x33", 5, 3}, /* esi */
	    {"\x0f\x50\xf8\x85\xff", "\x22\x8c\x3b", "\x0a\x8c\x3b", 5, 3}, /* edi */
	    {"\x44\x0f\x50\xc0\x45\x85\xc0", "\x42\x22\x8c\x03", "\x42\x0a\x8c\x03", 7,
	     4}, /* r8d */
	};
	struct hostcode *h = &w->code;
	struct p6 *m = w->m;
	const uint64_t vpn = w->b->pc >> PAGE_LOG2;
	const uint32_t page_set = (uint32_t)vpn & (P6_FAST_ITLB_SETS - 1);

	_Static_assert(offsetof(struct p6_frame, id) == 0, "as emitted");
	if (m->time.log.is_on) {
		CODE_AT(h, "\x48\x8b\x8b", &m->time.log.at); /* mov rcx, [at] */
		CODE(h, "\x44\x39\x21\x75\x0a");	     /* cmp [rcx], r12d; jne over */
		CODE(h, "\x80\x79\x07");		     /* cmp byte [rcx + 7], P6_LOG_REF */
		emit8(h->out, P6_LOG_REF);
		jump_missing(w, "\x0f\x85"); /* jne: more is told than of references */
		return;
	}
	CODE_AT(h, "\x48\x81\xbb", &m->fast.itlb[page_set]); /* cmp qword [itlb], vpn */
	emit32(h->out, (uint32_t)vpn);
	w->page = p6_time_host_jump(w, "\x0f\x85"); /* jne */
	w->page_back = h->out->off;
	CODE(h, "\x48\xb9"); /* mov rcx, last */
	emit64(h->out, (uint64_t)(uintptr_t)&m->itlb.last[page_set]);
	CODE(h,
	     "\x66\x0f\x6e\x09\x66\x0f\x70\xc9\x00"); /* movd xmm1, [rcx]; pshufd xmm1, xmm1, 0 */
	for (unsigned i = 0; i < w->b->n_line; i++) {
		CODE(h, "\x66\x0f\x6f\xc1");			   /* movdqa xmm0, xmm1 */
		CODE_AT(h, "\x66\x0f\x76\x83", set_of_line(w, i)); /* pcmpeqd xmm0, [tags] */
		hostcode_bytes(h, form[i].mask, form[i].n_mask);
		jump_missing(w, "\x0f\x84"); /* je */
	}
	for (unsigned i = 0; i < w->b->n_line; i++) {
		CODE_AT(h, "\x8a\x8b", set_of_line(w, i) + 16); /* mov cl, [order] */
		hostcode_with_base(h, form[i].keep, form[i].n_touch, w->host->keep);
		hostcode_with_base(h, form[i].set, form[i].n_touch, w->host->set);
		CODE_AT(h, "\x88\x8b", set_of_line(w, i) + 16); /* mov [order], cl */
	}
}

/* ---- references ------------------------------------------------------------------------------ */

/* rbp = linear address of r */
static void address(struct p6_time_host_writer *w, const struct p6_ref *r)
{
	struct x86_asm a = {.out = w->code.out};

	p6_time_host_address(&a, r, &w->base_slot);
	if (r->is_more & P6_MORE_FS)
		CODE_AT(&w->code, "\x48\x03\xab", &w->m->seg.fs_base); /* add rbp, [fs_base] */
}

static void jump_cold(struct p6_time_host_writer *w, struct p6_time_host_cold *c, const char *op,
		      enum p6_time_host_aside why)
{
	c->jump[why][c->n_jump[why]++] = p6_time_host_jump(w, op);
}

/* No store that can be in the way lies in the 8 bytes of number rcx, or, wide, in the next. */
static void look_for_stores(struct p6_time_host_writer *w, struct p6_time_host_cold *c,
			    bool is_wide)
{
	struct hostcode *h = &w->code;
	struct p6_recent *const recent = &w->m->time.recent;

	for (unsigned i = 0; i <= is_wide; i++) {
		CODE_AT(h, "\x8b\x93", &recent->n_store);	  /* mov edx, [n_store] */
		CODE(h, "\xff\xca");				  /* dec edx */
		CODE_AT(h, "\x2b\x94\x8b", &recent->store_of[i]); /* sub edx, [store_of + rcx*4] */
		CODE_AT(h, "\x3b\x93", &recent->stores);	  /* cmp edx, [stores] */
		jump_cold(w, c, "\x0f\x82", P6_TIME_HOST_NOT_ALONE); /* jb */
	}
}

/* Nor is its line on its way. */
static void look_for_misses(struct p6_time_host_writer *w, struct p6_time_host_cold *c)
{
	struct hostcode *h = &w->code;
	struct p6_recent *const recent = &w->m->time.recent;

	_Static_assert(P6_RECENT_LINES == 256 && P6_FAST_LINE_LOG2 == 5, "as emitted");
	CODE(h, "\x89\xe8\xc1\xe8\x05\x0f\xb6\xc0"); /* mov eax, ebp; shr eax, 5; movzx eax, al */
	CODE_AT(h, "\x8b\x93", &recent->n_miss);     /* mov edx, [n_miss] */
	CODE_AT(h, "\x2b\x94\x83", recent->miss_of); /* sub edx, [miss_of + rax*4] */
	CODE_AT(h, "\x3b\x93", &recent->misses);     /* cmp edx, [misses] */
	jump_cold(w, c, "\x0f\x82", P6_TIME_HOST_NOT_ALONE); /* jb */
}

/* The store of n bytes to rbp, in the 8 bytes of number rcx, as note_store() does it. */
static void note_store(struct p6_time_host_writer *w, unsigned n)
{
	struct hostcode *h = &w->code;
	struct p6_recent *const recent = &w->m->time.recent;
	const unsigned kept = P6_RECENT_STORES - 1, most = w->m->time.par.store_buffers < kept
							       ? w->m->time.par.store_buffers
							       : kept;

	_Static_assert(P6_RECENT_STORES == 16, "as emitted");
	CODE_AT(h, "\x48\x8b\x83", &recent->n_store); /* mov rax, [n_store] */
	CODE_AT(h, "\x89\x84\x8b", recent->store_of); /* mov [store_of + rcx*4], eax */
	if (n > 8)
		CODE_AT(h, "\x89\x84\x8b", recent->store_of + 1);
	CODE(h, "\x48\x8d\x50\x01");			     /* lea rdx, [rax + 1] */
	CODE_AT(h, "\x48\x89\x93", &recent->n_store);	     /* mov [n_store], rdx */
	CODE(h, "\x83\xe0\x0f");			     /* and eax, 15 */
	CODE_AT(h, "\x48\x89\xac\xc3", recent->lin);	     /* mov [lin + rax*8], rbp */
	CODE(h, "\x89\xea\x81\xe2\xff\x0f\x00\x00");	     /* mov edx, ebp; and edx, 0xfff */
	CODE_AT(h, "\x66\x89\x94\x43", recent->store_at);    /* mov [store_at + rax*2], dx */
	CODE_AT(h, "\x66\xc7\x84\x43", recent->store_bytes); /* mov word [store_bytes + rax*2], n */
	emit8(h->out, n);
	emit8(h->out, 0);
	CODE_AT(h, "\x83\xbb", &recent->stores); /* cmp dword [stores], most */
	emit8(h->out, most);
	CODE_AT(h, "\x83\x93", &recent->stores); /* adc dword [stores], 0 */
	emit8(h->out, 0);
}

/* Nothing is told of the reference of c. */
static void look_for_word(struct p6_time_host_writer *w, struct p6_time_host_cold *c)
{
	struct hostcode *h = &w->code;

	CODE_AT(h, "\x48\x8b\x8b", &w->m->time.log.at); /* mov rcx, [at] */
	CODE(h, "\x44\x39\x21");			/* cmp [rcx], r12d */
	jump_cold(w, c, "\x0f\x84", P6_TIME_HOST_ELSEWHERE);
}

/* Page and line of r are those used last in their sets. */
static void look_for_line(struct p6_time_host_writer *w, struct p6_time_host_cold *c,
			  const struct p6_ref *r)
{
	struct hostcode *h = &w->code;
	struct p6 *m = w->m;

	_Static_assert(P6_KINDS * sizeof(m->fast.dcu[0]) == 1u << P6_FAST_LINE_LOG2, "as emitted");
	/* mov rcx, rbp; shr rcx, 12; mov edx, ecx; and edx, */
	CODE(h, "\x48\x89\xe9\x48\xc1\xe9\x0c\x89\xca\x83\xe2");
	emit8(h->out, P6_FAST_DTLB_SETS - 1);
	CODE_AT(h, "\x48\x39\x8c\xd3", m->fast.dtlb); /* cmp [dtlb + rdx*8], rcx */
	jump_cold(w, c, "\x0f\x85", P6_TIME_HOST_ELSEWHERE);
	CODE(h, "\x89\xe8\x25"); /* mov eax, ebp; and eax, set << 5 */
	emit32(h->out, ((1u << P6_FAST_SET_LOG2) - 1) << P6_FAST_LINE_LOG2);
	CODE_AT(h, "\x48\x39\x8c\x03", &m->fast.dcu[r->kind]); /* cmp [filter + rax], rcx */
	jump_cold(w, c, "\x0f\x85", P6_TIME_HOST_ELSEWHERE);
}

static void reference(struct p6_time_host_writer *w, const struct p6_ref *r, unsigned k)
{
	struct hostcode *h = &w->code;
	struct p6_time_host_cold *c = &w->cold[w->n_cold++];
	const bool is_wide = r->align_mask + 1u > 8;

	c->k = (uint8_t)k;
	address(w, r);
	c->base_slot = w->base_slot;
	if (r->align_mask) {
		CODE(h, "\x40\xf6\xc5"); /* test bpl, align_mask */
		emit8(h->out, r->align_mask);
		jump_cold(w, c, "\x0f\x85", P6_TIME_HOST_NOT_ALIGNED); /* jne */
	}
	if (w->m->time.log.is_on)
		look_for_word(w, c);
	else
		look_for_line(w, c, r);
	c->hit = h->out->off;
	if (r->role & (P6_ROLE_LOAD | P6_ROLE_STORE)) {
		CODE(h, "\x89\xe9\xc1\xe9\x03\x81\xe1"); /* mov ecx, ebp; shr ecx, 3; and ecx, */
		emit32(h->out, P6_RECENT_EIGHTS - 1);
	}
	if (r->role & P6_ROLE_LOAD)
		look_for_stores(w, c, is_wide);
	look_for_misses(w, c);
	if (r->role & P6_ROLE_STORE)
		note_store(w, r->align_mask + 1u);
	c->back = h->out->off;
}

void p6_time_host_write_references(struct p6_time_host_writer *w)
{
	w->base_slot = P6_NO_SLOT;
	for (unsigned k = 0; k < w->b->n_ref; k++)
		reference(w, &p6_blk_refs(w->b)[k], k);
}

/* Jumps of `why` land here. */
static void land(struct p6_time_host_writer *w, const struct p6_time_host_cold *c,
		 enum p6_time_host_aside why)
{
	for (unsigned j = 0; j < c->n_jump[why]; j++)
		hostcode_land(&w->code, c->jump[why][j]);
}

/* rdi as it was in front of c. */
static void slot_value(struct p6_time_host_writer *w, const struct p6_time_host_cold *c)
{
	struct x86_asm a = {.out = w->code.out};

	if (c->base_slot != P6_NO_SLOT)
		p6_time_host_base(&a, c->base_slot);
}

/* A helper is called for c, its other arguments in place; rdi is what it was then. */
static void call(struct p6_time_host_writer *w, const struct p6_time_host_cold *c,
		 enum p6_time_host_helper helper)
{
	CODE(&w->code, "\x48\x89\xdf");				 /* mov rdi, rbx */
	CODE_AT(&w->code, "\xff\x93", &w->host->helper[helper]); /* call [helper] */
	slot_value(w, c);
}

/* Does r load no more than 8 bytes, and nothing else? */
static bool is_short_load(const struct p6_ref *r)
{
	return r->role == P6_ROLE_LOAD && r->align_mask < 8;
}

/* As p6_log_look() of a short load that asked L2 for its line, with nothing older in its way but
 * misses. */
void p6_time_host_write_log(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_time *t = &w->m->time;
	struct p6_recent *recent = &t->recent;
	struct p6_accesses *a = &t->access;
	uint32_t other[2];

	_Static_assert(P6_TIME_HOST_MAX_REFS <= P6_MAX_CODES, "each has room for its code");
	_Static_assert(P6_RECENT_MISSES == 32 && P6_RECENT_LINES == 256 &&
			   P6_RECENT_EIGHTS == 512 && P6_FAST_LINE_LOG2 == 5,
		       "as emitted");
	_Static_assert(offsetof(struct p6_access_what, k) == 0, "as emitted");
	w->host->log = h->out->off;
	CODE(h, "\x0f\xb7\x41\x04");	     /* movzx eax, word [rcx + 4]: its code */
	CODE(h, "\x41\x89\xc0\x41\x81\xe0"); /* mov r8d, eax; and r8d, */
	emit32(h->out, 0xffff & ~(unsigned)(P6_CODE_OUT | P6_CODE_WALK));
	CODE(h, "\x41\x83\xf8"); /* cmp r8d, P6_CODE_LINE */
	emit8(h->out, P6_CODE_LINE);
	other[0] = p6_time_host_jump(w, "\x0f\x85"); /* jne */
	CODE(h, "\x89\xef\xc1\xef\x03\x81\xe7");     /* mov edi, ebp; shr edi, 3; and edi, */
	emit32(h->out, P6_RECENT_EIGHTS - 1);
	CODE_AT(h, "\x44\x8b\x83", &recent->n_store);	  /* mov r8d, [n_store] */
	CODE(h, "\x41\xff\xc8");			  /* dec r8d */
	CODE_AT(h, "\x44\x2b\x84\xbb", recent->store_of); /* sub r8d, [store_of + rdi*4] */
	CODE_AT(h, "\x44\x3b\x83", &recent->stores);	  /* cmp r8d, [stores] */
	other[1] = p6_time_host_jump(w, "\x0f\x82");	  /* jb */
	CODE(h, "\x48\x83\xc1\x08");			  /* add rcx, 8 */
	CODE_AT(h, "\x48\x89\x8b", &t->log.at);		  /* mov [at], rcx */
	CODE_AT(h, "\x44\x8b\x83", &a->n_code);		  /* mov r8d, [n_code] */
	CODE_AT(h, "\x48\x8b\xbb", &recent->n_miss);	  /* mov rdi, [n_miss] */
	CODE_AT(h, "\x4a\x89\xbc\xc3", a->n_miss);	  /* mov [access.n_miss + r8*8], rdi */
	CODE(h, "\x0f\xb6\xd2\xc1\xe2\x10\x09\xc2");  /* movzx edx, dl; shl edx, 16; or edx, eax */
	CODE_AT(h, "\x42\x89\x94\x83", a->ref_code);  /* mov [ref_code + r8*4], edx */
	CODE_AT(h, "\xff\x83", &a->n_code);	      /* inc dword [n_code] */
	CODE(h, "\x48\xff\xc7");		      /* inc rdi */
	CODE_AT(h, "\x48\x89\xbb", &recent->n_miss);  /* mov [n_miss], rdi */
	CODE(h, "\x48\xc1\xe6\x10\x48\xc1\xee\x15");  /* shl rsi, 16; shr rsi, 21: its line */
	CODE(h, "\x40\x0f\xb6\xc6");		      /* movzx eax, sil */
	CODE_AT(h, "\x89\xbc\x83", recent->miss_of);  /* mov [miss_of + rax*4], edi */
	CODE(h, "\x83\xe7\x1f");		      /* and edi, 31 */
	CODE_AT(h, "\x48\x89\xb4\xfb", recent->line); /* mov [line + rdi*8], rsi */
	CODE(h,
	     "\x48\x89\xf0\x48\xc1\xe8\x07\x31\xf0");  /* mov rax, rsi; shr rax, 7; xor eax, esi */
	CODE_AT(h, "\x88\x84\x3b", recent->miss_hash); /* mov [miss_hash + rdi], al */
	CODE_AT(h, "\x83\xbb", &recent->misses);       /* cmp dword [misses], 31 */
	emit8(h->out, P6_RECENT_MISSES - 1);
	CODE_AT(h, "\x83\x93", &recent->misses); /* adc dword [misses], 0 */
	emit8(h->out, 0);
	CODE(h, "\xc3"); /* ret */
	hostcode_land(h, other[0]);
	hostcode_land(h, other[1]);
	CODE(h, "\x48\x83\xec\x08\x48\x89\xdf"); /* sub rsp, 8; mov rdi, rbx */
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_TIME_HOST_LOG]);
	CODE(h, "\x48\x83\xc4\x08\xc3"); /* add rsp, 8; ret */
}

/* rsi = address, edx = what host code says of reference c. */
static void say_what(struct p6_time_host_writer *w, const struct p6_time_host_cold *c)
{
	const struct p6_access_what what = p6_access_what(&p6_blk_refs(w->b)[c->k], c->k);
	uint32_t word;

	_Static_assert(sizeof(what) == sizeof(word), "in a register");
	memcpy(&word, &what, sizeof(word));
	CODE(&w->code, "\x48\x89\xee\xba"); /* mov rsi, rbp; mov edx, what */
	emit32(w->code.out, word);
}

/* A reference that is not where the last one was. */
static void write_elsewhere(struct p6_time_host_writer *w, const struct p6_time_host_cold *c,
			    uint32_t done)
{
	struct hostcode *h = &w->code;

	land(w, c, P6_TIME_HOST_ELSEWHERE);
	if (w->m->time.log.is_on) {
		CODE(h, "\x80\x79\x06"); /* cmp byte [rcx + 6], k */
		emit8(h->out, c->k);
		JUMP(h, "\x0f\x85", c->hit); /* jne */
		say_what(w, c);
		if (is_short_load(&p6_blk_refs(w->b)[c->k])) {
			JUMP(h, "\xe8", w->host->log); /* call */
			slot_value(w, c);
		} else {
			call(w, c, P6_TIME_HOST_LOG);
		}
		emit_jump(h->out, c->back);
		return;
	}
	say_what(w, c);
	emit8(h->out, 0xb9); /* mov ecx, position */
	emit32(h->out, w->hb->blk);
	CODE(h, "\x4d\x8d\x44\x24\x04"); /* lea r8, [r12 + 4] */
	call(w, c, P6_TIME_HOST_LOOK);
	CODE(h, "\x83\xf8\x01");     /* cmp eax, P6_ACCESS_ALL */
	JUMP(h, "\x0f\x82", c->hit); /* jb */
	JUMP(h, "\x0f\x84", done);   /* je */
	emit_jump(h->out, c->back);
}

static void write_aside(struct p6_time_host_writer *w, const struct p6_time_host_cold *c,
			uint32_t done)
{
	struct hostcode *h = &w->code;

	_Static_assert(P6_ACCESS_HIT == 0 && P6_ACCESS_ALL == 1, "as emitted");
	if (c->n_jump[P6_TIME_HOST_NOT_ALIGNED]) {
		land(w, c, P6_TIME_HOST_NOT_ALIGNED);
		CODE_DATA(h, "\x48\x8d\x35", w->hb); /* lea rsi, [block] */
		emit8(h->out, 0xba);		     /* mov edx, k */
		emit32(h->out, c->k);
		CODE(h, "\x4c\x89\xe1"); /* mov rcx, r12 */
		call(w, c, P6_TIME_HOST_REF);
		CODE(h, "\x84\xc0");	   /* test al, al */
		JUMP(h, "\x0f\x85", done); /* jne */
		emit_jump(h->out, c->back);
	}
	write_elsewhere(w, c, done);
	land(w, c, P6_TIME_HOST_NOT_ALONE);
	say_what(w, c);
	call(w, c, P6_TIME_HOST_NEAR);
	emit_jump(h->out, c->back);
}

void p6_time_host_write_cold(struct p6_time_host_writer *w, uint32_t done)
{
	struct hostcode *h = &w->code;

	if (w->page) {
		hostcode_land(h, w->page);
		CODE(h, "\x48\x89\xdf\xbe"); /* mov rdi, rbx; mov esi, page */
		emit32(h->out, (uint32_t)(w->b->pc >> PAGE_LOG2));
		CODE_AT(h, "\xff\x93", &w->host->helper[P6_TIME_HOST_PAGE]);
		CODE(h, "\x84\xc0");		   /* test al, al */
		JUMP(h, "\x0f\x85", w->page_back); /* jne */
	}
	for (unsigned i = 0; i < w->n_missing; i++)
		hostcode_land(h, w->missing[i]);
	CODE(h, "\x48\x89\xdf\x4c\x89\xe2"); /* mov rdi, rbx; mov rdx, r12 */
	CODE_DATA(h, "\x48\x8d\x35", w->hb); /* lea rsi, [block] */
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_TIME_HOST_LINES]);
	emit_jump(h->out, done);
	for (unsigned i = 0; i < w->n_cold; i++)
		write_aside(w, &w->cold[i], done);
}
