/* time_host_step.c -- host code that all blocks in time share: taking a step, the way in and out.
 */
#include "model/p6/host/time_host_write.h"

#include <stddef.h>

#include "model/p6/kept/memo.h"
#include "model/p6/kept/memo_steps.h"

#define LEAP(h, s, field)                                                                          \
	do {                                                                                       \
		CODE(h, s);                                                                        \
		emit8((h)->out, offsetof(struct p6_leap, field));                                  \
	} while (0)

/* rcx = the step that came behind r14 in place i; other[]: displacements of jumps that are taken
 * when it is not that of key edx and outcome r8, whose tag is esi. The tag lies where r14 does: a
 * step that is another's is not waited for. */
static void try_behind(struct p6_time_host_writer *w, unsigned i, uint32_t other[3])
{
	struct hostcode *h = &w->code;

	CODE(h, "\x66\x41\x39\x76"); /* cmp [r14 + tag], si */
	emit8(h->out, offsetof(struct p6_leap, tag) + 2 * i);
	other[0] = p6_time_host_jump(w, "\x0f\x85");
	CODE(h, "\x41\x8b\x4e"); /* mov ecx, [r14 + then] */
	emit8(h->out, offsetof(struct p6_leap, then) + 4 * i);
	CODE(h, "\x4c\x01\xf9");    /* add rcx, r15 */
	LEAP(h, "\x39\x51", block); /* cmp [rcx + block], edx */
	other[1] = p6_time_host_jump(w, "\x0f\x85");
	LEAP(h, "\x4c\x39\x41", outcome); /* cmp [rcx + outcome], r8 */
	other[2] = p6_time_host_jump(w, "\x0f\x85");
}

/* The step in place i goes one place forward. */
static void forward(struct p6_time_host_writer *w, unsigned i)
{
	struct hostcode *h = &w->code;

	CODE(h, "\x49\xc1\x46"); /* rol qword [r14 + then], 32 */
	emit8(h->out, offsetof(struct p6_leap, then) + 4 * (i - 1));
	emit8(h->out, 32);
	CODE(h, "\x41\xc1\x46"); /* rol dword [r14 + tag], 16 */
	emit8(h->out, offsetof(struct p6_leap, tag) + 2 * (i - 1));
	emit8(h->out, 16);
}

/* Ask the host for the step whose place is at [rcx + disp]. */
static void ask_ahead(struct p6_time_host_writer *w, unsigned disp)
{
	struct hostcode *h = &w->code;

	CODE(h, "\x8b\x41"); /* mov eax, [rcx + disp] */
	emit8(h->out, disp);
	CODE(h, "\x41\x0f\x18\x0c\x07"); /* prefetcht0 [r15 + rax] */
}

/* eax = by how much a clock moved; equal: not at all. rdx: that of rename before. */
static void moved(struct p6_time_host_writer *w, unsigned disp)
{
	struct hostcode *h = &w->code;

	CODE(h, "\x48\x0f\xbf\x41"); /* movsx rax, word [rcx + disp] */
	emit8(h->out, disp);
	emit8(h->out, 0x3d); /* cmp eax, P6_LEAP_BEFORE */
	emit32(h->out, (uint32_t)(int32_t)P6_LEAP_BEFORE);
}

static void move_clock(struct p6_time_host_writer *w, unsigned disp, const uint64_t *clk)
{
	struct hostcode *h = &w->code;

	moved(w, disp);
	CODE(h, "\x74\x0a\x48\x01\xd0"); /* je over; add rax, rdx */
	CODE_AT(h, "\x48\x89\x83", clk); /* mov [clk], rax */
}

static void move_clocks(struct p6_time_host_writer *w)
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
	CODE(h, "\x48\x8d\x34\x10");			/* lea rsi, [rax + rdx] */
	CODE_AT(h, "\x48\x0f\x44\xb3", &t->branch_clk); /* cmove rsi, [branch_clk] */
	CODE_AT(h, "\x48\x89\xb3", &t->branch_clk);	/* mov [branch_clk], rsi */
	move_clock(w, offsetof(struct p6_leap, l2_clk), &t->l2_clk);
}

/* As come_to() of memo.c for the step at rcx, which was linked. */
static void come_to(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_recent *recent = &w->m->time.recent;

	CODE(h, "\x0f\xb6\x41"); /* movzx eax, byte [rcx + reach.stores] */
	emit8(h->out, offsetof(struct p6_leap, reach) + offsetof(struct p6_reach, stores));
	CODE_AT(h, "\x89\x83", &recent->stores); /* mov [stores], eax */
	CODE(h, "\x0f\xb6\x41");
	emit8(h->out, offsetof(struct p6_leap, reach) + offsetof(struct p6_reach, misses));
	CODE_AT(h, "\x89\x83", &recent->misses);
	CODE(h, "\x48\x89\xce\x4c\x29\xfe");	      /* mov rsi, rcx; sub rsi, r15 */
	CODE_AT(h, "\x48\x8b\x83", &w->host->before); /* mov rax, [before] */
	LEAP(h, "\x39\x70", later);		      /* cmp [rax + later], esi */
	LEAP(h, "\x74\x03\x89\x70", later);	      /* je over; mov [rax + later], esi */
	CODE_AT(h, "\x4c\x89\xb3", &w->host->before); /* mov [before], r14 */
	CODE_AT(h, "\x48\x89\x8b", &w->host->last);   /* mov [last], rcx */
	CODE(h, "\x49\x89\xce");		      /* mov r14, rcx */
}

/* Registers as helpers left them. */
static void reload(struct p6_time_host_writer *w)
{
	CODE_AT(&w->code, "\x4c\x8b\xb3", &w->host->last);  /* mov r14, [last] */
	CODE_AT(&w->code, "\x4c\x8b\xab", &w->host->limit); /* mov r13, [limit] */
}

/* Behind a block some of whose accesses have codes: as p6_access_begin(), but nothing is written
 * twice where codes were all of it. */
static void begin_accesses(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_accesses *a = &w->m->time.access;
	struct p6_recent *recent = &w->m->time.recent;
	uint32_t all[2];

	_Static_assert(sizeof(a->loud_ref) == 32, "as emitted");
	CODE_AT(h, "\x48\x8b\x8b", &recent->n_miss);  /* mov rcx, [n_miss] */
	CODE_AT(h, "\x48\x89\x8b", &w->host->n_miss); /* mov [host.n_miss], rcx */
	CODE(h, "\x31\xc0");			      /* xor eax, eax */
	CODE_AT(h, "\x89\x83", &a->n_code);	      /* mov [n_code], eax */
	CODE_AT(h, "\x48\x39\x83",
		&a->spelt); /* cmp [spelt], rax: what says more is in there, too */
	all[0] = p6_time_host_jump(w, "\x0f\x85"); /* jne */
	CODE_AT(h, "\x38\x83", &a->has_bus);	   /* cmp [has_bus], al */
	all[1] = p6_time_host_jump(w, "\x0f\x85");
	CODE(h, "\xc3"); /* ret */
	hostcode_land(h, all[0]);
	hostcode_land(h, all[1]);
	CODE(h, "\x0f\x57\xc0");		     /* xorps xmm0, xmm0 */
	CODE_AT(h, "\x48\x89\x83", &a->loud_code);   /* mov [loud_code], rax */
	CODE_AT(h, "\x0f\x11\x83", &a->loud_ref[0]); /* movups [loud_ref], xmm0 */
	CODE_AT(h, "\x0f\x11\x83", &a->loud_ref[2]);
	CODE_AT(h, "\x48\x89\x83", &a->spelt);	/* mov [spelt], rax */
	CODE_AT(h, "\x88\x83", &a->is_complex); /* mov [is_complex], al */
	CODE_AT(h, "\x88\x83", &a->has_bus);
	CODE(h, "\xc3"); /* ret */
}

/* r8 = number and code of each of the two words at time.access.ref_code, in 21 bits; esi = bits of
 * both codes. */
static void two_codes(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_accesses *a = &w->m->time.access;

	CODE_AT(h, "\x8b\xb3", &a->ref_code[0]); /* mov esi, [ref_code] */
	CODE_AT(h, "\x8b\x8b", &a->ref_code[1]); /* mov ecx, [ref_code + 4] */
	/* mov r8d, esi; shr r8d, 16; shl r8d, 15 */
	CODE(h, "\x41\x89\xf0\x41\xc1\xe8\x10\x41\xc1\xe0\x0f");
	/* mov edi, esi; and edi, 0x7fff; or r8d, edi */
	CODE(h, "\x89\xf7\x81\xe7\xff\x7f\x00\x00\x41\x09\xf8");
	CODE(h, "\x49\xc1\xe0"); /* shl r8, */
	emit8(h->out, P6_OUTCOME_CODE_BITS);
	/* mov edi, ecx; shr edi, 16; shl edi, 15; or r8, rdi */
	CODE(h, "\x89\xcf\xc1\xef\x10\xc1\xe7\x0f\x49\x09\xf8");
	/* mov edi, ecx; and edi, 0x7fff; or r8, rdi */
	CODE(h, "\x89\xcf\x81\xe7\xff\x7f\x00\x00\x49\x09\xf8");
	CODE(h, "\x09\xce"); /* or esi, ecx */
}

/* esi = tag of key edx, before it is cut; has_outcome: of outcome r8, else that is 0. */
static void tag_of(struct p6_time_host_writer *w, bool has_outcome)
{
	struct hostcode *h = &w->code;

	CODE(h, "\x69\xf2"); /* imul esi, edx, P6_STEPS_TAG_BLOCK */
	emit32(h->out, P6_STEPS_TAG_BLOCK);
	if (!has_outcome)
		return;
	/* mov rcx, r8; shr rcx, 32; xor ecx, r8d */
	CODE(h, "\x4c\x89\xc1\x48\xc1\xe9\x20\x44\x31\xc1");
	CODE(h, "\x69\xc9"); /* imul ecx, ecx, P6_STEPS_TAG_OUTCOME */
	emit32(h->out, P6_STEPS_TAG_OUTCOME);
	CODE(h, "\x01\xce"); /* add esi, ecx */
}

/* r8 = outcome of the block's accesses, at most two of which have a code and none of which asks for
 * the external bus; edx stays. Jumps to `look` then, and falls through when it is not so. Eax is
 * the number of codes, edi is_complex, ecx both and what reach says of buses. */
static void short_outcome(struct p6_time_host_writer *w, uint32_t look)
{
	struct hostcode *h = &w->code;
	struct p6_time *t = &w->m->time;
	struct p6_accesses *a = &t->access;
	const unsigned reach = offsetof(struct p6_leap, reach) + 2;
	uint32_t full[6], more, asks, late, late_alone;

	_Static_assert(P6_OUTCOME_HAS_LATE == 1ull << 62, "as emitted");
	CODE(h, "\x81\xf9\x80\x00\x00\x00");	       /* cmp ecx, has_l2 and nothing else */
	late_alone = p6_time_host_jump(w, "\x0f\x84"); /* je */
	CODE(h, "\x85\xff");			       /* test edi, edi */
	full[0] = p6_time_host_jump(w, "\x0f\x85");    /* jne */
	CODE_AT(h, "\x80\xbb", &a->has_bus);	       /* cmp byte [has_bus], 0 */
	emit8(h->out, 0);
	full[1] = p6_time_host_jump(w, "\x0f\x85");
	CODE_AT(h, "\x48\x83\xbb", &a->loud_code); /* cmp qword [loud_code], 0 */
	emit8(h->out, 0);
	full[2] = p6_time_host_jump(w, "\x0f\x85");
	CODE(h, "\x41\x0f\xb6\x7e"); /* movzx edi, byte [r14 + reach.bus] */
	emit8(h->out, reach);
	CODE(h, "\x40\xf6\xc7\x7f"); /* test dil, 0x7f */
	full[3] = p6_time_host_jump(w, "\x0f\x85");
	CODE(h, "\x83\xf8\x01");		 /* cmp eax, 1 */
	more = p6_time_host_jump(w, "\x0f\x85"); /* jne */
	CODE_AT(h, "\x8b\xb3", &a->ref_code[0]); /* mov esi, [ref_code] */
	/* mov r8d, esi; shr r8d, 16; shl r8d, 15 */
	CODE(h, "\x41\x89\xf0\x41\xc1\xe8\x10\x41\xc1\xe0\x0f");
	/* mov ecx, esi; and ecx, 0x7fff; or r8d, ecx */
	CODE(h, "\x89\xf1\x81\xe1\xff\x7f\x00\x00\x41\x09\xc8");
	asks = h->out->off;
	CODE(h, "\x81\xe7\x80\x00\x00\x00\x81\xe6"); /* and edi, 0x80: has_l2; and esi, */
	emit32(h->out, P6_CODE_ASKS_L2);
	CODE(h, "\x09\xfe"); /* or esi, edi */
	JUMP(h, "\x0f\x84", look);
	late = h->out->off;
	CODE_AT(h, "\x48\x8b\x83", &t->l2_clk);	      /* mov rax, [l2_clk] */
	CODE_AT(h, "\x48\x2b\x83", &t->ren.next_clk); /* sub rax, [next_clk] */
	CODE(h, "\x48\x83\xe8\x01"); /* sub rax, 1: asked for behind the next rename */
	JUMP(h, "\x0f\x8e", look);   /* jle */
	CODE(h, "\x48\x3d");	     /* cmp rax, */
	emit32(h->out, P6_OUTCOME_MOST_LATE);
	full[4] = p6_time_host_jump(w, "\x0f\x87"); /* ja */
	CODE(h, "\x48\xc1\xe0");		    /* shl rax, */
	emit8(h->out, P6_OUTCOME_LATE_AT);
	CODE(h, "\x49\x09\xc0\x49\x0f\xba\xe8\x3e"); /* or r8, rax; bts r8, 62 */
	emit_jump(h->out, look);
	hostcode_land(h, late_alone);
	CODE(h, "\x45\x31\xc0"); /* xor r8d, r8d */
	emit_jump(h->out, late);
	hostcode_land(h, more);
	CODE(h, "\x83\xf8\x02");		    /* cmp eax, 2 */
	full[5] = p6_time_host_jump(w, "\x0f\x85"); /* jne */
	two_codes(w);
	CODE(h, "\x41\x0f\xb6\x7e"); /* movzx edi, byte [r14 + reach.bus] */
	emit8(h->out, reach);
	emit_jump(h->out, asks);
	for (unsigned i = 0; i < 6; i++)
		hostcode_land(h, full[i]);
}

/* The step of key edx with the outcome of the block's accesses, taken; it keeps rbp. */
static void step_part(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	struct p6_accesses *a = &w->m->time.access;
	uint32_t other[3], slow[2], coded, over, look, tagged, found, loud, bus, use;

	_Static_assert(sizeof(struct p6_leap) == 64 && offsetof(struct p6_leap, has_bus) ==
							   offsetof(struct p6_leap, has_front) + 1,
		       "as emitted");
	over = hostcode_jump(h, "\xe9", 1, 0); /* what jumps back lies in front */
	look = h->out->off;
	tag_of(w, true);
	tagged = hostcode_jump(h, "\xe9", 1, 0);
	hostcode_land(h, over);
	w->host->step = h->out->off;
	CODE_AT(h, "\x8b\x83", &a->n_code);	    /* mov eax, [n_code] */
	CODE_AT(h, "\x0f\xb6\xbb", &a->is_complex); /* movzx edi, byte [is_complex] */
	CODE(h, "\x41\x0f\xb6\x4e");		    /* movzx ecx, byte [r14 + reach.bus] */
	emit8(h->out, offsetof(struct p6_leap, reach) + 2);
	CODE(h, "\x09\xf9\x09\xc1");		  /* or ecx, edi; or ecx, eax */
	coded = p6_time_host_jump(w, "\x0f\x85"); /* jne */
	CODE(h, "\x45\x31\xc0");		  /* xor r8d, r8d */
	tag_of(w, false);
	hostcode_land(h, tagged);
	CODE(h, "\xc1\xee\x10"); /* shr esi, 16 */
	try_behind(w, 0, other);
	found = h->out->off;
	LEAP(h, "\x8b\x71", times);		    /* mov esi, [rcx + times] */
	CODE(h, "\xff\xc6");			    /* inc esi */
	slow[1] = p6_time_host_jump(w, "\x0f\x88"); /* js: the first time, or the last */
	LEAP(h, "\x89\x71", times);		    /* mov [rcx + times], esi */
	LEAP(
	    h, "\x66\x83\x79",
	    has_front); /* cmp word [rcx + has_front], 0: only has_bus, in front of no wrong path */
	emit8(h->out, 0);
	bus = p6_time_host_jump(w, "\x0f\x85");
	use = h->out->off;
	ask_ahead(w, offsetof(struct p6_leap, then));
	ask_ahead(w, offsetof(struct p6_leap, then) + 4);
	ask_ahead(w, offsetof(struct p6_leap, later));
	move_clocks(w);
	come_to(w);
	CODE_AT(h, "\x83\xbb", &a->n_code); /* cmp dword [n_code], 0 */
	emit8(h->out, 0);
	loud = p6_time_host_jump(w, "\x0f\x85"); /* jne */
	CODE(h, "\xc3");			 /* ret */
	hostcode_land(h, loud);
	begin_accesses(w);
	hostcode_land(h, coded);
	short_outcome(w, look);
	CODE_AT(h, "\x89\x93", &w->host->key);	 /* mov [key], edx */
	CODE(h, "\x48\x83\xec\x08\x48\x89\xdf"); /* sub rsp, 8; mov rdi, rbx */
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_TIME_HOST_OUTCOME]);
	CODE(h, "\x48\x83\xc4\x08");		       /* add rsp, 8 */
	CODE_AT(h, "\x8b\x93", &w->host->key);	       /* mov edx, [key] */
	CODE_AT(h, "\x4c\x8b\x83", &w->host->outcome); /* mov r8, [outcome] */
	CODE(h, "\x84\xc0");			       /* test al, al */
	JUMP(h, "\x0f\x85", look);		       /* jne */
	CODE(h, "\x31\xc9");			       /* xor ecx, ecx: it has no outcome */
	slow[0] = hostcode_jump(h, "\xe9", 1, 0);
	for (unsigned i = 1; i < P6_LEAP_NEXT; i++) {
		for (unsigned j = 0; j < 3; j++)
			hostcode_land(h, other[j]);
		try_behind(w, i, other);
		forward(w, i);
		emit_jump(h->out, found);
	}
	hostcode_land(h, bus);
	CODE(h, "\x51\x48\x89\xdf\x48\x89\xce"); /* push rcx; mov rdi, rbx; mov rsi, rcx */
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_TIME_HOST_BUS]);
	CODE(h, "\x59"); /* pop rcx */
	emit_jump(h->out, use);
	hostcode_land(h, slow[1]);
	for (unsigned j = 0; j < 3; j++)
		hostcode_land(h, other[j]);
	CODE_AT(h, "\x4c\x89\x83", &w->host->outcome); /* mov [outcome], r8 */
	CODE(h, "\xb9\x01\x00\x00\x00");	       /* mov ecx, 1 */
	hostcode_land(h, slow[0]);
	CODE(h,
	     /* sub rsp, 8; mov rdi, rbx; mov esi, edx; mov rdx, r12 */
	     "\x48\x83\xec\x08\x48\x89\xdf\x89\xd6\x4c\x89\xe2");
	CODE_AT(h, "\xff\x93", &w->host->helper[P6_TIME_HOST_FIND]);
	CODE(h, "\x48\x83\xc4\x08"); /* add rsp, 8 */
	reload(w);
	CODE(h, "\xc3");
}

/* A helper does the block at r12, of data rsi, and says where to go on; 0: `out`. Returns where
 * this part is. */
static uint32_t helper_part(struct p6_time_host_writer *w, enum p6_time_host_helper helper,
			    uint32_t out)
{
	struct hostcode *h = &w->code;
	const uint32_t here = h->out->off;

	CODE(h, "\x48\x89\xdf\x4c\x89\xe2"); /* mov rdi, rbx; mov rdx, r12 */
	CODE_AT(h, "\xff\x93", &w->host->helper[helper]);
	CODE(h, "\x48\x85\xc0");		  /* test rax, rax */
	JUMP(h, "\x0f\x84", out);		  /* je */
	CODE_AT(h, "\x4c\x8b\xa3", &w->host->at); /* mov r12, [at] */
	reload(w);
	CODE(h, "\xff\xe0"); /* jmp rax */
	return here;
}

void p6_time_host_write_frame(struct p6_time_host_writer *w)
{
	struct hostcode *h = &w->code;
	uint32_t out;

	CODE(h,
	     /* push rbx rbp r12 r13 r14 r15; sub rsp, 8 */
	     "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x08");
	CODE(h,
	     "\x48\x89\xfb\x49\x89\xf4\x49\x89\xd7"); /* mov rbx, rdi; mov r12, rsi; mov r15, rdx */
	reload(w);
	CODE(h, "\xff\xe1"); /* jmp rcx */
	w->host->leave = h->out->off;
	CODE_AT(h, "\x48\x89\xb3", &w->host->held); /* mov [held], rsi */
	CODE_AT(h, "\x4c\x89\xa3", &w->host->at);   /* mov [at], r12 */
	out = h->out->off;
	CODE(h, "\x48\x83\xc4\x08\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3"); /* and back; ret */
	w->host->block = helper_part(w, P6_TIME_HOST_BLOCK, out);
	w->host->end = helper_part(w, P6_TIME_HOST_END, out);
	p6_time_host_write_log(w);
	step_part(w);
}
