/* time_host_step.c -- host code that all blocks in time share: taking a step, the way in and out. */
#include "model/p6/time_host_write.h"

#include <stddef.h>

#include "model/p6/time_memo.h"
#include "model/p6/time_steps.h"

#define LEAP(h, s, field) \
	do { \
		CODE(h, s); \
		emit8((h)->out, offsetof(struct p6_leap, field)); \
	} while (0)

/* rcx = the step that came behind r14 in place i; other[]: displacements of jumps that are taken when it is not that of key edx and
 * outcome r8. */
static void try_behind(struct p6_host_writer *w, unsigned i, uint32_t other[2])
{
	struct hostcode *h = &w->code;

	CODE(h, "\x41\x8b\x4e"); /* mov ecx, [r14 + then] */
	emit8(h->out, offsetof(struct p6_leap, then) + 4 * i);
	CODE(h, "\x48\xc1\xe1\x06\x4c\x01\xf9"); /* shl rcx, 6; add rcx, r15 */
	LEAP(h, "\x39\x51", block);		  /* cmp [rcx + block], edx */
	other[0] = p6_host_jump(w, "\x0f\x85");
	LEAP(h, "\x4c\x39\x41", outcome); /* cmp [rcx + outcome], r8 */
	other[1] = p6_host_jump(w, "\x0f\x85");
}

/* The step in place i goes one place forward. */
static void forward(struct p6_host_writer *w, unsigned i)
{
	struct hostcode *h = &w->code;

	CODE(h, "\x49\xc1\x46"); /* rol qword [r14 + then], 32 */
	emit8(h->out, offsetof(struct p6_leap, then) + 4 * (i - 1));
	emit8(h->out, 32);
	CODE(h, "\x41\xc1\x46"); /* rol dword [r14 + tag], 16 */
	emit8(h->out, offsetof(struct p6_leap, tag) + 2 * (i - 1));
	emit8(h->out, 16);
}

/* Ask the host for the step whose number is at [rcx + disp]. */
static void ask_ahead(struct p6_host_writer *w, unsigned disp)
{
	struct hostcode *h = &w->code;

	CODE(h, "\x8b\x41"); /* mov eax, [rcx + disp] */
	emit8(h->out, disp);
	CODE(h, "\x48\xc1\xe0\x06\x41\x0f\x18\x0c\x07"); /* shl rax, 6; prefetcht0 [r15 + rax] */
}

/* The same for the place of those that begin in the state behind r14. */
static void ask_apart(struct p6_host_writer *w)
{
	struct hostcode *h = &w->code;
	const struct p6_steps *steps = p6_memo_steps(w->m);

	_Static_assert(sizeof(*steps->more) == 64, "as emitted");
	CODE(h, "\x41\x8b\x4e"); /* mov ecx, [r14 + next] */
	emit8(h->out, offsetof(struct p6_leap, next));
	CODE(h, "\x69\xc9"); /* imul ecx, ecx, factor */
	emit32(h->out, P6_STEPS_MORE_FACTOR);
	CODE(h, "\xc1\xe9"); /* shr ecx, shift */
	emit8(h->out, steps->more_shift);
	CODE(h, "\x48\xc1\xe1\x06\x48\xb8"); /* shl rcx, 6; mov rax, places */
	emit64(h->out, (uint64_t)(uintptr_t)steps->more);
	CODE(h, "\x0f\x18\x0c\x08"); /* prefetcht0 [rax + rcx] */
}

/* eax = by how much a clock moved; equal: not at all. rdx: that of rename before. */
static void moved(struct p6_host_writer *w, unsigned disp)
{
	struct hostcode *h = &w->code;

	CODE(h, "\x48\x0f\xbf\x41"); /* movsx rax, word [rcx + disp] */
	emit8(h->out, disp);
	emit8(h->out, 0x3d); /* cmp eax, P6_LEAP_BEFORE */
	emit32(h->out, (uint32_t)(int32_t)P6_LEAP_BEFORE);
}

static void move_clock(struct p6_host_writer *w, unsigned disp, const uint64_t *clk)
{
	struct hostcode *h = &w->code;

	moved(w, disp);
	CODE(h, "\x74\x0a\x48\x01\xd0"); /* je over; add rax, rdx */
	CODE_AT(h, "\x48\x89\x83", clk); /* mov [clk], rax */
}

static void move_clocks(struct p6_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_time *t = &w->m->time;

	CODE_AT(h, "\x48\x8b\x93", &t->ren.next_clk); /* mov rdx, [next_clk] */
	LEAP(h, "\x0f\xb7\x41", clk);		      /* movzx eax, word [rcx + clk] */
	CODE(h, "\x48\x01\xd0");		      /* add rax, rdx */
	CODE_AT(h, "\x48\x89\x83", &t->ren.next_clk); /* mov [next_clk], rax */
	move_clock(w, offsetof(struct p6_leap, retire_clk), &t->retire_clk);
	/* every other block has a branch: no jump that cannot be guessed */
	moved(w, offsetof(struct p6_leap, branch_clk));
	CODE(h, "\x48\x8d\x34\x10");		       /* lea rsi, [rax + rdx] */
	CODE_AT(h, "\x48\x0f\x44\xb3", &t->branch_clk); /* cmove rsi, [branch_clk] */
	CODE_AT(h, "\x48\x89\xb3", &t->branch_clk);    /* mov [branch_clk], rsi */
	move_clock(w, offsetof(struct p6_leap, l2_clk), &t->l2_clk);
}

/* As come_to() of time_memo.c for the step at rcx, which was linked. */
static void come_to(struct p6_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_near *near = &w->m->time.near;

	CODE(h, "\x0f\xb6\x41"); /* movzx eax, byte [rcx + reach.stores] */
	emit8(h->out, offsetof(struct p6_leap, reach) + offsetof(struct p6_reach, stores));
	CODE_AT(h, "\x89\x83", &near->stores); /* mov [stores], eax */
	CODE(h, "\x0f\xb6\x41");
	emit8(h->out, offsetof(struct p6_leap, reach) + offsetof(struct p6_reach, misses));
	CODE_AT(h, "\x89\x83", &near->misses);
	CODE_AT(h, "\x48\x8b\x83", &w->host->before);		  /* mov rax, [before] */
	CODE(h, "\x48\x89\xce\x4c\x29\xfe\x48\xc1\xee\x06");	  /* mov rsi, rcx; sub rsi, r15; shr rsi, 6 */
	LEAP(h, "\x39\x70", later);				  /* cmp [rax + later], esi */
	LEAP(h, "\x74\x03\x89\x70", later);			  /* je over; mov [rax + later], esi */
	CODE_AT(h, "\x4c\x89\xb3", &w->host->before);		  /* mov [before], r14 */
	CODE_AT(h, "\x48\x89\x8b", &w->host->last);		  /* mov [last], rcx */
	CODE(h, "\x49\x89\xce");				  /* mov r14, rcx */
	CODE_AT(h, "\x48\x8b\x83", &near->n_miss);		  /* mov rax, [n_miss] */
	CODE_AT(h, "\x48\x89\x83", &w->host->n_miss);
}

/* Registers as helpers left them. */
static void reload(struct p6_host_writer *w)
{
	CODE_AT(&w->code, "\x4c\x8b\xb3", &w->host->last);  /* mov r14, [last] */
	CODE_AT(&w->code, "\x4c\x8b\xab", &w->host->limit); /* mov r13, [limit] */
}

/* As p6_access_begin(). */
static void begin_accesses(struct p6_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_accesses *a = &w->m->time.access;

	_Static_assert(sizeof(a->loud_ref) == 32, "as emitted");
	CODE(h, "\x31\xc0\x0f\x57\xc0");		   /* xor eax, eax; xorps xmm0, xmm0 */
	CODE_AT(h, "\x48\x89\x83", &a->loud_code);	   /* mov [loud_code], rax */
	CODE_AT(h, "\x0f\x11\x83", &a->loud_ref[0]);   /* movups [loud_ref], xmm0 */
	CODE_AT(h, "\x0f\x11\x83", &a->loud_ref[2]);
	CODE_AT(h, "\x48\x89\x83", &a->spelt);	   /* mov [spelt], rax */
	CODE_AT(h, "\x88\x83", &a->is_complex);	   /* mov [is_complex], al */
	CODE_AT(h, "\x88\x83", &a->has_bus);
	CODE_AT(h, "\x89\x83", &a->n_code);	   /* mov [n_code], eax */
}

/* r8 = number and code of each of the two words at time.access.ref_code, in 21 bits; esi = bits of both codes. */
static void two_codes(struct p6_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_accesses *a = &w->m->time.access;

	CODE_AT(h, "\x8b\xb3", &a->ref_code[0]);			   /* mov esi, [ref_code] */
	CODE_AT(h, "\x8b\x8b", &a->ref_code[1]);			   /* mov ecx, [ref_code + 4] */
	CODE(h, "\x41\x89\xf0\x41\xc1\xe8\x10\x41\xc1\xe0\x0f"); /* mov r8d, esi; shr r8d, 16; shl r8d, 15 */
	CODE(h, "\x89\xf7\x81\xe7\xff\x7f\x00\x00\x41\x09\xf8"); /* mov edi, esi; and edi, 0x7fff; or r8d, edi */
	CODE(h, "\x49\xc1\xe0");				   /* shl r8, */
	emit8(h->out, P6_OUTCOME_CODE_BITS);
	CODE(h, "\x89\xcf\xc1\xef\x10\xc1\xe7\x0f\x49\x09\xf8"); /* mov edi, ecx; shr edi, 16; shl edi, 15; or r8, rdi */
	CODE(h, "\x89\xcf\x81\xe7\xff\x7f\x00\x00\x49\x09\xf8"); /* mov edi, ecx; and edi, 0x7fff; or r8, rdi */
	CODE(h, "\x09\xce");					   /* or esi, ecx */
}

/* r8 = outcome of the block's accesses, of which at most two have a code and none asks for the external bus; edx stays. Jumps to `look`
 * then, and falls through when it is not so. */
static void short_outcome(struct p6_host_writer *w, uint32_t look)
{
	struct hostcode *h = &w->code;
	struct p6_time *t = &w->m->time;
	struct p6_accesses *a = &t->access;
	const unsigned reach = offsetof(struct p6_leap, reach) + 2;
	uint32_t full[5], more, asks;

	_Static_assert(offsetof(struct p6_accesses, has_bus) == offsetof(struct p6_accesses, is_complex) + 1, "as emitted");
	_Static_assert(P6_OUTCOME_HAS_LATE == 1ull << 62, "as emitted");
	CODE_AT(h, "\x66\x83\xbb", &a->is_complex); /* cmp word [is_complex], 0 */
	emit8(h->out, 0);
	full[0] = p6_host_jump(w, "\x0f\x85"); /* jne */
	CODE_AT(h, "\x48\x83\xbb", &a->loud_code); /* cmp qword [loud_code], 0 */
	emit8(h->out, 0);
	full[1] = p6_host_jump(w, "\x0f\x85");
	CODE(h, "\x41\x0f\xb6\x46"); /* movzx eax, byte [r14 + reach.bus] */
	emit8(h->out, reach);
	CODE(h, "\xa8\x7f"); /* test al, 0x7f */
	full[2] = p6_host_jump(w, "\x0f\x85");
	CODE(h, "\x31\xf6");		       /* xor esi, esi */
	CODE_AT(h, "\x83\xbb", &a->n_code); /* cmp dword [n_code], 1 */
	emit8(h->out, 1);
	more = p6_host_jump(w, "\x0f\x87");	   /* ja */
	CODE_AT(h, "\x0f\x43\xb3", &a->ref_code[0]); /* cmovae esi, [ref_code] */
	CODE(h, "\x41\x89\xf0\x41\xc1\xe8\x10\x41\xc1\xe0\x0f"); /* mov r8d, esi; shr r8d, 16; shl r8d, 15 */
	CODE(h, "\x89\xf1\x81\xe1\xff\x7f\x00\x00\x41\x09\xc8"); /* mov ecx, esi; and ecx, 0x7fff; or r8d, ecx */
	asks = h->out->off;
	CODE(h, "\x24\x80\x81\xe6");				   /* and al, 0x80: has_l2; and esi, */
	emit32(h->out, P6_CODE_ASKS_L2);
	CODE(h, "\x09\xc6"); /* or esi, eax */
	JUMP(h, "\x0f\x84", look);
	CODE_AT(h, "\x48\x8b\x83", &t->l2_clk);	   /* mov rax, [l2_clk] */
	CODE_AT(h, "\x48\x2b\x83", &t->ren.next_clk); /* sub rax, [next_clk] */
	CODE(h, "\x48\x83\xe8\x01");		   /* sub rax, 1: asked for behind the next rename */
	JUMP(h, "\x0f\x8e", look);			   /* jle */
	CODE(h, "\x48\x3d");				   /* cmp rax, */
	emit32(h->out, P6_OUTCOME_MOST_LATE);
	full[4] = p6_host_jump(w, "\x0f\x87"); /* ja */
	CODE(h, "\x48\xc1\xe0");		 /* shl rax, */
	emit8(h->out, P6_OUTCOME_LATE_AT);
	CODE(h, "\x49\x09\xc0\x49\x0f\xba\xe8\x3e"); /* or r8, rax; bts r8, 62 */
	emit_jump(h->out, look);
	hostcode_land(h, more);
	CODE_AT(h, "\x83\xbb", &a->n_code); /* cmp dword [n_code], 2 */
	emit8(h->out, 2);
	full[3] = p6_host_jump(w, "\x0f\x87"); /* ja */
	two_codes(w);
	emit_jump(h->out, asks);
	for (unsigned i = 0; i < 5; i++)
		hostcode_land(h, full[i]);
}

/* The step of key edx with the outcome of the block's accesses, taken; it keeps rbp. */
static void step_part(struct p6_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_accesses *a = &w->m->time.access;
	uint32_t other[2], slow[2], coded, look, found, loud, bus, use;

	_Static_assert(sizeof(struct p6_leap) == 64 && offsetof(struct p6_leap, has_bus) == offsetof(struct p6_leap, has_front) + 1,
		       "as emitted");
	w->host->step = h->out->off;
	CODE_AT(h, "\x8b\x83", &a->n_code);	 /* mov eax, [n_code] */
	CODE_AT(h, "\x0f\xb6\x8b", &a->is_complex); /* movzx ecx, byte [is_complex] */
	CODE(h, "\x09\xc8\x41\x0f\xb6\x4e");	 /* or eax, ecx; movzx ecx, byte [r14 + reach.bus] */
	emit8(h->out, offsetof(struct p6_leap, reach) + 2);
	CODE(h, "\x09\xc8"); /* or eax, ecx */
	coded = p6_host_jump(w, "\x0f\x85"); /* jne */
	CODE(h, "\x45\x31\xc0");		  /* xor r8d, r8d */
	look = h->out->off;
	try_behind(w, 0, other);
	found = h->out->off;
	LEAP(h, "\x8b\x41", times);		  /* mov eax, [rcx + times] */
	CODE(h, "\x8d\x70\x01\x83\xfe\x01");	  /* lea esi, [rax + 1]; cmp esi, 1 */
	slow[1] = p6_host_jump(w, "\x0f\x86");	  /* jbe: the first time, or the last */
	LEAP(h, "\x66\x83\x79", has_front);	  /* cmp word [rcx + has_front], 0: only has_bus, in front of no wrong path */
	emit8(h->out, 0);
	bus = p6_host_jump(w, "\x0f\x85");
	use = h->out->off;
	LEAP(h, "\x89\x71", times); /* mov [rcx + times], esi */
	ask_ahead(w, offsetof(struct p6_leap, then));
	ask_ahead(w, offsetof(struct p6_leap, then) + 4);
	ask_ahead(w, offsetof(struct p6_leap, later));
	move_clocks(w);
	come_to(w);
	CODE_AT(h, "\x83\xbb", &a->n_code); /* cmp dword [n_code], 0 */
	emit8(h->out, 0);
	loud = p6_host_jump(w, "\x0f\x85"); /* jne */
	CODE(h, "\xc3");		     /* ret */
	hostcode_land(h, loud);
	begin_accesses(w);
	CODE(h, "\xc3");
	hostcode_land(h, coded);
	short_outcome(w, look);
	CODE_AT(h, "\x89\x93", &w->host->key);	    /* mov [key], edx */
	CODE(h, "\x48\x83\xec\x08\x48\x89\xdf"); /* sub rsp, 8; mov rdi, rbx */
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_HOST_OUTCOME]);
	CODE(h, "\x48\x83\xc4\x08");		      /* add rsp, 8 */
	CODE_AT(h, "\x8b\x93", &w->host->key);	      /* mov edx, [key] */
	CODE_AT(h, "\x4c\x8b\x83", &w->host->outcome); /* mov r8, [outcome] */
	CODE(h, "\x84\xc0");			      /* test al, al */
	JUMP(h, "\x0f\x85", look);		      /* jne */
	CODE(h, "\x31\xc9");			      /* xor ecx, ecx: it has no outcome */
	slow[0] = hostcode_jump(h, "\xe9", 1, 0);
	for (unsigned i = 1; i < P6_LEAP_NEXT; i++) {
		for (unsigned j = 0; j < 2; j++)
			hostcode_land(h, other[j]);
		if (i == 1)
			ask_apart(w);
		try_behind(w, i, other);
		forward(w, i);
		emit_jump(h->out, found);
	}
	hostcode_land(h, bus);
	CODE(h, "\x51\x48\x89\xdf\x48\x89\xce"); /* push rcx; mov rdi, rbx; mov rsi, rcx */
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_HOST_BUS]);
	CODE(h, "\x59"); /* pop rcx */
	LEAP(h, "\x8b\x71", times); /* mov esi, [rcx + times] */
	CODE(h, "\xff\xc6");	      /* inc esi */
	emit_jump(h->out, use);
	for (unsigned j = 0; j < 2; j++)
		hostcode_land(h, other[j]);
	hostcode_land(h, slow[1]);
	CODE_AT(h, "\x4c\x89\x83", &w->host->outcome); /* mov [outcome], r8 */
	CODE(h, "\xb9\x01\x00\x00\x00");		  /* mov ecx, 1 */
	hostcode_land(h, slow[0]);
	CODE(h, "\x48\x83\xec\x08\x48\x89\xdf\x89\xd6\x4c\x89\xe2"); /* sub rsp, 8; mov rdi, rbx; mov esi, edx; mov rdx, r12 */
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_HOST_FIND]);
	CODE(h, "\x48\x83\xc4\x08"); /* add rsp, 8 */
	reload(w);
	CODE(h, "\xc3");
}

/* A helper does the block at r12, of data rsi, and says where to go on; 0: `out`. Returns where this part is. */
static uint32_t helper_part(struct p6_host_writer *w, enum p6_host_helper helper, uint32_t out)
{
	struct hostcode *h = &w->code;
	const uint32_t here = h->out->off;

	CODE(h, "\x48\x89\xdf\x4c\x89\xe2"); /* mov rdi, rbx; mov rdx, r12 */
	CODE_AT(h, "\xff\x93", &w->host->helper[helper]);
	CODE(h, "\x48\x85\xc0");		   /* test rax, rax */
	JUMP(h, "\x0f\x84", out);		   /* je */
	CODE_AT(h, "\x4c\x8b\xa3", &w->host->at); /* mov r12, [at] */
	reload(w);
	CODE(h, "\xff\xe0"); /* jmp rax */
	return here;
}

void p6_host_write_frame(struct p6_host_writer *w)
{
	struct hostcode *h = &w->code;
	uint32_t out;

	CODE(h, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x08"); /* push rbx rbp r12 r13 r14 r15; sub rsp, 8 */
	CODE(h, "\x48\x89\xfb\x49\x89\xf4\x49\x89\xd7"); /* mov rbx, rdi; mov r12, rsi; mov r15, rdx */
	reload(w);
	CODE(h, "\xff\xe1"); /* jmp rcx */
	w->host->leave = h->out->off;
	CODE_AT(h, "\x48\x89\xb3", &w->host->held); /* mov [held], rsi */
	CODE_AT(h, "\x4c\x89\xa3", &w->host->at);   /* mov [at], r12 */
	out = h->out->off;
	CODE(h, "\x48\x83\xc4\x08\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3"); /* and back; ret */
	w->host->block = helper_part(w, P6_HOST_BLOCK, out);
	w->host->end = helper_part(w, P6_HOST_END, out);
	step_part(w);
}
