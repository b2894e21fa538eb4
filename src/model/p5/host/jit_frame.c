/* jit_frame.c -- the parts of host code that all programs share. */
#include "model/p5/host/jit_write.h"

/* ---- on to the next step, and helpers ---------------------------------------------------------------------- */

/* Bytes of a form ending in ModRM for [register + disp8], then the field of a step. */
#define CODE_STEP(h, s, field)                                                                                        \
	do {                                                                                                           \
		CODE(h, s);                                                                                            \
		emit8((h)->out, offsetof(struct memo_step, field));                                                    \
	} while (0)
_Static_assert(P5_JIT_KEPT_GUESSES <= 128 && offsetof(struct memo_step, own) < 128 && sizeof(struct memo_step) <= 128, "as emitted");

/* r12, r13 = where host code goes on at rax; jmp rax */
static void write_go(struct hostcode *h, const struct p5 *m)
{
	CODE_AT(h, "\x4c\x8b\xa3", &m->jit.at);	  /* mov r12, [at] */
	CODE_AT(h, "\x4c\x8b\xab", &m->jit.step); /* mov r13, [step] */
	CODE(h, "\xff\xe0");
}

/* at, step = r12, r13; rdi = the machine; call helper */
static void write_help(struct hostcode *h, const struct p5 *m, enum p5_jit_helper helper)
{
	CODE_AT(h, "\x4c\x89\xa3", &m->jit.at);	  /* mov [at], r12 */
	CODE_AT(h, "\x4c\x89\xab", &m->jit.step); /* mov [step], r13 */
	CODE(h, "\x48\x89\xdf");		  /* mov rdi, rbx */
	CODE_AT(h, "\xff\x93", &m->jit.helper[helper]);
}

/* Called for a look in full; its helper returns to the program. */
static void write_ask(struct hostcode *h, struct p5 *m, enum p5_jit_helper helper)
{
	m->jit.ask[helper] = h->out->off;
	if (helper == P5_JIT_LOOK) {
		CODE_AT(h, "\x4c\x89\xa3", &m->jit.at);	  /* mov [at], r12 */
		CODE_AT(h, "\x4c\x89\xab", &m->jit.step); /* mov [step], r13 */
	}
	CODE(h, "\x48\x89\xdf");				/* mov rdi, rbx */
	if (helper == P5_JIT_DATA)
		CODE(h, "\x48\x89\xc6");			/* mov rsi, rax */
	CODE_AT(h, "\xff\xa3", &m->jit.helper[helper]);		/* jmp [helper] */
}

/* What slots noted, by ecx (enum p5_jit_noted) and rsi, the last one's first address, is written. Changes edx. */
static void write_noted(struct hostcode *h, struct p5_btb *b)
{
	CODE(h, "\x89\xca\xc1\xea\x08\x0f\xb7\xd2");	/* mov edx, ecx; shr edx, P5_JIT_N_SHIFT; movzx edx, dx */
	CODE_AT(h, "\x01\x93", &b->now);		/* add [now], edx */
	if (!b->is_pair) { /* nothing asks for the rest */
		CODE(h, "\x0f\xb6\xc9"); /* movzx ecx, cl */
		return;
	}
	CODE(h, "\x89\xca\xc1\xea\x1e\x83\xe2\x01");	/* mov edx, ecx; shr edx, P5_JIT_PAIR_SHIFT; and edx, 1 */
	CODE_AT(h, "\x88\x93", &b->could_pair);		/* mov [could_pair], dl */
	CODE_AT(h, "\xc6\x83", &b->had_flush);		/* mov byte [had_flush], 0 */
	emit8(h->out, 0);
	CODE_AT(h, "\x48\x89\xb3", &b->prev_u);		/* mov [prev_u], rsi */
	CODE(h, "\x0f\xb6\xc9");			/* movzx ecx, cl */
}

/* The step that goes on from that in r13 is on its way into the host's caches when it is come to, and so is the one that
 * followed last. Changes rcx, rdx. */
static void write_prefetch_aside(struct hostcode *h)
{
	CODE_STEP(h, "\x41\x8b\x4d", aside);			/* mov ecx, [r13 + aside] */
	CODE(h, "\x41\x0f\x18\x0c\xce");			/* prefetcht0 [r14 + rcx * 8] */
	CODE_STEP(h, "\x49\x8b\x55", then);			/* mov rdx, [r13 + then] */
	CODE(h, "\x0f\x18\x0a");				/* prefetcht0 [rdx] */
}

/* The same at a step's end, a block ahead: the one that followed last is there, its program and the step behind it come. Code is to come no nearer
 * than into the second cache: in the first one for data it would only be in the way.
 * Changes rcx, rdx. */
static void write_prefetch(struct hostcode *h)
{
	CODE_STEP(h, "\x41\x8b\x4d", aside);			/* mov ecx, [r13 + aside] */
	CODE(h, "\x41\x0f\x18\x0c\xce");			/* prefetcht0 [r14 + rcx * 8] */
	CODE_STEP(h, "\x49\x8b\x55", then);			/* mov rdx, [r13 + then] */
	CODE_STEP(h, "\x8b\x4a", own);				/* mov ecx, [rdx + own] */
	CODE_STEP(h, "\x48\x8b\x52", then);			/* mov rdx, [rdx + then] */
	CODE(h, "\x0f\x18\x0a");				/* prefetcht0 [rdx] */
	CODE(h, "\x41\x0f\x18\x14\x0f");			/* prefetcht1 [r15 + rcx] */
	CODE(h, "\x41\x0f\x18\x54\x0f\x40");			/* prefetcht1 [r15 + rcx + 64] */
	CODE(h, "\x41\x0f\x18\x94\x0f\x80\x00\x00\x00");	/* prefetcht1 [r15 + rcx + 128] */
	CODE(h, "\x41\x0f\x18\x94\x0f\xc0\x00\x00\x00");	/* prefetcht1 [r15 + rcx + 192] */
}

#define MOST_SIBLINGS 8 /* that are looked at here */

/* Step edx, at r8, goes on from that in r13, and rsi is where the list has it, after some others (edi: MOST_SIBLINGS less their number):
 * it is the first of the list then, as in memo_aside(). */
static void write_to_front(struct hostcode *h)
{
	uint32_t is_first;

	CODE(h, "\x83\xff"); /* cmp edi, MOST_SIBLINGS */
	emit8(h->out, MOST_SIBLINGS);
	is_first = JUMP(h, JE, 0);
	CODE_STEP(h, "\x45\x8b\x50", sibling);		/* mov r10d, [r8 + sibling] */
	CODE(h, "\x44\x89\x16");			/* mov [rsi], r10d */
	CODE_STEP(h, "\x45\x8b\x55", aside);		/* mov r10d, [r13 + aside] */
	CODE_STEP(h, "\x45\x89\x50", sibling);		/* mov [r8 + sibling], r10d */
	CODE_STEP(h, "\x41\x89\x55", aside);		/* mov [r13 + aside], edx */
	hostcode_land(h, is_first);
}

/* Jumped to; ecx: number of a look of the step in r13; rax: what it saw, which is not what the step says. On to the step
 * that goes on from there. The first way in writes what is noted. */
static void write_turn(struct hostcode *h, struct p5 *m)
{
	uint32_t loop, none, other[2], no_code;

	m->jit.noted = h->out->off;
	write_noted(h, &m->btb);
	CODE(h, "\xc3");
	m->jit.turn_noted = h->out->off;
	write_noted(h, &m->btb);
	m->jit.turn = h->out->off;
	CODE(h, "\xbf"); /* mov edi, MOST_SIBLINGS */
	emit32(h->out, MOST_SIBLINGS);
	CODE_STEP(h, "\x49\x8d\x75", aside);		/* lea rsi, [r13 + aside] */
	loop = h->out->off;
	CODE(h, "\x8b\x16\x85\xd2");			/* mov edx, [rsi]; test edx, edx */
	none = JUMP(h, JE, 0);
	CODE(h, "\x4d\x8d\x04\xd6");			/* lea r8, [r14 + rdx * 8] */
	CODE_STEP(h, "\x49\x39\x40", outcome);		/* cmp [r8 + outcome], rax */
	other[0] = JUMP(h, JNE, 0);
	CODE_STEP(h, "\x41\x39\x48", block);		/* cmp [r8 + block], ecx */
	other[1] = JUMP(h, JNE, 0);
	CODE_STEP(h, "\x45\x8b\x48", own);		/* mov r9d, [r8 + own] */
	CODE(h, "\x41\x81\xf9");			/* cmp r9d, P5_JIT_FIRST_CODE */
	emit32(h->out, P5_JIT_FIRST_CODE);
	no_code = JUMP(h, "\x0f\x82", 0);		/* jb */
	write_to_front(h);
	CODE(h, "\x4d\x89\xc5\x4d\x01\xf9");		/* mov r13, r8; add r9, r15 */
	write_prefetch_aside(h);
	CODE(h, "\x41\xff\xe1");			/* jmp r9 */
	hostcode_land(h, other[0]);
	hostcode_land(h, other[1]);
	CODE_STEP(h, "\x49\x8d\x70", sibling);		/* lea rsi, [r8 + sibling] */
	CODE(h, "\xff\xcf");				/* dec edi */
	JUMP(h, JNE, loop);
	hostcode_land(h, none);
	hostcode_land(h, no_code);
	CODE(h, "\x89\xce\x48\x89\xc2");		/* mov esi, ecx; mov rdx, rax */
	write_help(h, m, P5_JIT_TURN);
	write_go(h, m);
}

/* lea rax, [part]; ret */
static void write_return(struct hostcode *h, const struct p5 *m, uint32_t part)
{
	CODE_DATA(h, "\x48\x8d\x05", m->jit.memory + part);
	CODE(h, "\xc3");
}

/* Called; the step in r13 holds, r12 is the record behind: its use is counted. rax = where host code goes on, with r13. */
static void write_tail(struct hostcode *h, struct p5 *m)
{
	uint32_t first_use, counted, at_end;

	m->jit.tail = h->out->off;
	CODE_STEP(h, "\x49\x8b\x45", times);		/* mov rax, [r13 + times] */
	CODE(h, "\x48\x85\xc0");			/* test rax, rax */
	first_use = JUMP(h, JE, 0);
	CODE(h, "\x48\xff\xc0");			/* inc rax */
	CODE_STEP(h, "\x49\x89\x45", times);		/* mov [r13 + times], rax */
	counted = h->out->off;
	CODE_STEP(h, "\x41\x8b\x45", clk);		/* mov eax, [r13 + clk] */
	CODE_AT(h, "\x48\x01\x83", &m->time.now_clk);	/* add [now_clk], rax */
	CODE_AT(h, "\x4c\x89\xab", &m->memo.last);	/* mov [last], r13 */
	CODE_STEP(h, "\x4d\x8b\x6d", then);		/* mov r13, [r13 + then] */
	CODE(h, "\x49\x39\xec");			/* cmp r12, rbp */
	at_end = JUMP(h, "\x0f\x83", 0);		/* jae */
	CODE_STEP(h, "\x41\x8b\x45", own);		/* mov eax, [r13 + own], which may be a way to `next` */
	CODE(h, "\x4c\x01\xf8");			/* add rax, r15 */
	write_prefetch(h);
	CODE(h, "\xc3");
	hostcode_land(h, first_use);
	CODE(h, "\x48\x89\xdf\x4c\x89\xee\x48\x83\xec\x08"); /* mov rdi, rbx; mov rsi, r13; sub rsp, 8 */
	CODE_AT(h, "\xff\x93", &m->jit.helper[P5_JIT_LIST]);
	CODE(h, "\x48\x83\xc4\x08"); /* add rsp, 8 */
	emit_jump(h->out, counted);
	hostcode_land(h, at_end);
	write_return(h, m, m->jit.leave);
}

/* ---- BTB --------------------------------------------------------------------------------------------------------- */

/* Called. CF: the map of the BTB has the bit of btb.prev_u. */
static void write_prev_bit(struct hostcode *h, struct p5 *m)
{
	m->jit.prev_bit = h->out->off;
	CODE_AT(h, "\x8b\x83", &m->btb.prev_u); /* mov eax, [prev_u] */
	CODE(h, "\x89\xc1\xc1\xe9\x03\x81\xe1"); /* mov ecx, eax; shr ecx, 3; and ecx, P5_BTB_MAP_BYTES - 1 */
	emit32(h->out, P5_BTB_MAP_BYTES - 1);
	CODE_AT(h, "\x0f\xb6\x8c\x0b", m->btb.map);	     /* movzx ecx, byte [map + rcx] */
	CODE(h, "\x83\xe0\x07\x0f\xa3\xc1\xc3");	     /* and eax, 7; bt ecx, eax; ret */
}

#define MOST_LANES 16 /* of a BTB that is looked through here */

/* Called; rax, or btb.prev_u: a key without its key_shift lowest bits. ZF: no entry has it; else one may have. */
static void write_entry(struct hostcode *h, struct p5 *m)
{
	const struct p5_btb *b = &m->btb;

	m->jit.entry = m->jit.prev_entry = 0;
	if (b->lanes > MOST_LANES)
		return;
	m->jit.prev_entry = h->out->off;
	CODE_AT(h, "\x48\x8b\x83", &b->prev_u); /* mov rax, [prev_u] */
	m->jit.entry = h->out->off;
	CODE(h, "\x89\xc1\x81\xe1"); /* mov ecx, eax; and ecx, set_mask */
	emit32(h->out, b->set_mask);
	CODE(h, "\x69\xc9"); /* imul ecx, ecx, bytes of a set */
	emit32(h->out, (uint32_t)(b->lanes * sizeof(*b->low)));
	CODE(h, "\x66\x0f\x6e\xc0\x66\x0f\x70\xc0\x00"); /* movd xmm0, eax; pshufd xmm0, xmm0, 0 */
	for (unsigned lane = 0; lane < b->lanes; lane += 4) {
		CODE_AT(h, "\x66\x0f\x6f\x8c\x0b", &b->low[lane]); /* movdqa xmm1, [low + rcx] */
		CODE(h, "\x66\x0f\x76\xc8");			    /* pcmpeqd xmm1, xmm0 */
		if (lane)
			CODE(h, "\x66\x0f\xeb\xd1"); /* por xmm2, xmm1 */
		else
			CODE(h, "\x66\x0f\x6f\xd1"); /* movdqa xmm2, xmm1 */
	}
	CODE(h, "\x0f\x50\xd2\x85\xd2\xc3"); /* movmskps edx, xmm2; test edx, edx; ret */
}

/* A step without a program has its visits where others have the place of theirs: jumped to, they lead to `next`. There the
 * step in r13 is not the one behind the last, or has no program. It may be the second guess, if that was not tried yet; now and then
 * the helper, which knows of both, is called nevertheless. */
static void write_next(struct hostcode *h, struct p5 *m)
{
	uint32_t tried, no_code, now_and_then;

	while (h->out->off < m->jit.min_uses)
		CODE(h, "\x90"); /* nop */
	m->jit.next = h->out->off;
	CODE_AT(h, "\x48\x8b\x93", &m->memo.last);	/* mov rdx, [last] */
	CODE_STEP(h, "\x8b\x52", or_then);		/* mov edx, [rdx + or_then] */
	CODE(h, "\x49\x8d\x14\xd6");			/* lea rdx, [r14 + rdx * 8] */
	CODE(h, "\x4c\x39\xea");			/* cmp rdx, r13 */
	tried = JUMP(h, JE, 0);
	CODE_STEP(h, "\x8b\x42", own);			/* mov eax, [rdx + own] */
	CODE(h, "\x3d");				/* cmp eax, P5_JIT_FIRST_CODE */
	emit32(h->out, P5_JIT_FIRST_CODE);
	no_code = JUMP(h, "\x0f\x82", 0);		/* jb */
	CODE_AT(h, "\xff\x83", &m->jit.n_wrong);	/* inc dword [n_wrong] */
	CODE_AT(h, "\xf6\x83", &m->jit.n_wrong);	/* test byte [n_wrong], P5_JIT_KEPT_GUESSES - 1 */
	emit8(h->out, P5_JIT_KEPT_GUESSES - 1);
	now_and_then = JUMP(h, JE, 0);
	CODE(h, "\x49\x89\xd5\x4c\x01\xf8");		/* mov r13, rdx; add rax, r15 */
	CODE(h, "\xff\xe0");				/* jmp rax */
	hostcode_land(h, tried);
	hostcode_land(h, no_code);
	hostcode_land(h, now_and_then);
	write_help(h, m, P5_JIT_NEXT);
	write_go(h, m);
}

void p5_jit_write_frame(struct p5 *m)
{
	struct p5_jit *j = &m->jit;
	struct hostcode h = {&j->out, m, false};

	write_next(&h, m);
	j->enter = j->out.off;
	CODE(&h, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x08"); /* push rbx rbp r12-r15; sub rsp, 8 */
	CODE(&h, "\x48\x89\xfb\x49\x89\xf4\x49\x89\xd5"); /* mov rbx, rdi; mov r12, rsi; mov r13, rdx */
	CODE_DATA(&h, "\x4c\x8d\x3d", j->memory);	  /* lea r15, [the code] */
	CODE_AT(&h, "\x48\x8b\xab", &j->limit);	  /* mov rbp, [limit] */
	CODE_AT(&h, "\x4c\x8b\xb3", &m->memo.room.arena); /* mov r14, [arena] */
	CODE(&h, "\xff\xe1");				  /* jmp rcx */
	j->leave = j->out.off;
	CODE_AT(&h, "\x4c\x89\xa3", &j->at); /* mov [at], r12 */
	CODE(&h, "\x48\x83\xc4\x08\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");
	for (unsigned k = 0; k < P5_JIT_N_ASKS; k++)
		write_ask(&h, m, k);
	write_turn(&h, m);
	write_tail(&h, m);
	p5_jit_write_caches(m, &h);
	write_prev_bit(&h, m);
	write_entry(&h, m);
	p5_jit_write_bank(m, &h);
	if (h.is_bad) {
		p5_jit_close(m);
		return;
	}
	j->first_program = j->out.off > P5_JIT_FIRST_CODE ? j->out.off : P5_JIT_FIRST_CODE;
	j->out.off = j->first_program;
}
