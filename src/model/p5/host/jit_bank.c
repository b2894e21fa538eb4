/* jit_bank.c -- branches that the BTB of the Pentium with MMX knows, as host code: btb_quick.c does the others.
 *
 * COUNTING RULES   as btb_bank.c; tests compare counts with and without.
 * MODELLED         conditional branches whose look-up came after all their outcomes, jumps, CALL and RET, with an entry of their own
 *                  and no other in the slot, that go where it or the return stack says.
 * NOT MODELLED     LOOP and JCXZ.
 */
#include "model/p5/host/jit_write.h"

/* rdx holds the place of the newest outcome in seen[]: ModRM, SIB and displacement of [rcx + rdx * 4 + seen]; reg: edi or esi. */
static void write_seen(struct hostcode *h, const char *op, unsigned reg)
{
	hostcode_bytes(h, op, 1);
	emit8(h->out, 1 << 6 | reg << 3 | 4);
	emit8(h->out, 2 << 6 | 2 << 3 | 1);
	emit8(h->out, offsetof(struct p5_btb_entry, seen));
}

/* No outcome of the entry came too late: else a jump, whose displacement is returned. */
static uint32_t write_no_lag(struct hostcode *h, const struct p5 *m)
{
	CODE(h, "\x89\xf7");					  /* mov edi, esi */
	write_seen(h, "\x2b", 7);				  /* sub edi, [seen of newest] */
	CODE_AT(h, "\x0f\xb7\x83", &m->fig[P5_FIG_BTB_TIGHT_INSNS]); /* movzx eax, word [tight] */
	CODE(h, "\x39\xc7");					  /* cmp edi, eax */
	return JUMP(h, "\x0f\x86", 0);				  /* jbe */
}

/* The return stack's newest entry is r10: else one of two jumps. */
static void write_is_newest(struct hostcode *h, const struct rsb *r, uint32_t *other)
{
	CODE_AT(h, "\x80\xbb", &r->depth); /* cmp byte [depth], 0 */
	emit8(h->out, 0);
	other[0] = JUMP(h, JE, 0);
	CODE_AT(h, "\x0f\xb6\x83", &r->top);	   /* movzx eax, byte [top] */
	CODE_AT(h, "\x4c\x3b\x94\xc3", r->entry); /* cmp r10, [entry + rax * 8] */
	other[1] = JUMP(h, JNE, 0);
}

/* As p5_rsb_ret() of a RET that is known, and goes to r10; the entry of the BTB in rcx says so. Changes rax, rdx. */
static void write_pop(struct hostcode *h, struct p5 *m)
{
	struct rsb *r = &m->rsb;

	CODE_AT(h, "\x0f\xb6\x93", &r->top);	  /* movzx edx, byte [top] */
	CODE(h, "\xb8");			  /* mov eax, size */
	emit32(h->out, r->size);
	CODE(h, "\x85\xd2\x0f\x45\xc2\xff\xc8"); /* test edx, edx; cmovne eax, edx; dec eax */
	CODE_AT(h, "\x88\x83", &r->top);	  /* mov [top], al */
	CODE_AT(h, "\xfe\x8b", &r->depth);	  /* dec byte [depth] */
	CODE_AT(h, "\x48\xff\x83", &m->seen[WIRE_P5_RSB_PREDICTED]); /* inc qword [predicted] */
	CODE_ENTRY(h, "\x4c\x89\x51", target);	  /* mov [rcx + target], r10 */
}

/* As p5_rsb_call() of a CALL behind which r10 lies. Changes rax, rdx. */
static void write_push(struct hostcode *h, struct p5 *m)
{
	struct rsb *r = &m->rsb;

	CODE_AT(h, "\x0f\xb6\x93", &r->top);	    /* movzx edx, byte [top] */
	CODE(h, "\xff\xc2\x31\xc0\x83\xfa");	    /* inc edx; xor eax, eax; cmp edx, size */
	emit8(h->out, r->size);
	CODE(h, "\x0f\x45\xc2");		    /* cmovne eax, edx */
	CODE_AT(h, "\x88\x83", &r->top);	    /* mov [top], al */
	CODE_AT(h, "\x4c\x89\x94\xc3", r->entry); /* mov [entry + rax * 8], r10 */
	CODE(h, "\x31\xc0");			    /* xor eax, eax */
	CODE_AT(h, "\x80\xbb", &r->depth);	    /* cmp byte [depth], size */
	emit8(h->out, r->size);
	CODE(h, "\x0f\x94\xc0");		    /* sete al */
	CODE_AT(h, "\x48\x01\x83", &m->seen[WIRE_P5_RSB_OVERFLOW]); /* add [overflow], rax */
	CODE(h, "\x34\x01");			    /* xor al, 1 */
	CODE_AT(h, "\x00\x83", &r->depth);	    /* add [depth], al */
}

/* Called; rcx: an entry; esi: instructions up to the branch since btb.now was written; r10: where a RET goes, what lies behind a
 * CALL. ZF: it is of this type and sends the stream where the branch goes; it is taught so, and btb.now is written. Keeps rcx. */
static uint32_t write_known(struct hostcode *h, struct p5 *m, enum p5_btb_type type, bool is_taken)
{
	const uint32_t start = h->out->off;
	uint32_t other[3], not_newest[2];

	CODE_ENTRY(h, "\x80\x79", type); /* cmp byte [rcx + type], type */
	emit8(h->out, type);
	other[0] = JUMP(h, JNE, 0);
	if (type == P5_BTB_RET)
		write_is_newest(h, &m->rsb, not_newest);
	CODE_AT(h, "\x03\xb3", &m->btb.now);			/* add esi, [now] */
	CODE_ENTRY(h, "\x0f\xb6\x51", newest);			/* movzx edx, byte [rcx + newest] */
	other[1] = type == P5_BTB_JCC ? write_no_lag(h, m) : 0;
	CODE_ENTRY(h, "\x0f\xb7\x41", outcomes);		/* movzx eax, word [rcx + outcomes] */
	if (type == P5_BTB_JCC)
		CODE(h, "\x89\xc7\x83\xe7\x0f\x01\xff");	/* mov edi, eax; and edi, 15; add edi, edi */
	else
		CODE(h, "\x31\xff");				/* xor edi, edi */
	CODE_ENTRY(h, "\x44\x8b\x41", counters);		/* mov r8d, [rcx + counters] */
	CODE(h, "\x44\x8d\x4f\x01\x45\x0f\xa3\xc8");		/* lea r9d, [rdi + 1]; bt r8d, r9d */
	other[2] = is_taken ? JUMP(h, "\x0f\x83", 0) : JUMP(h, "\x0f\x82", 0); /* jnc, jc */
	if (is_taken)
		CODE(h, "\x41\x0f\xab\xf8\x8d\x44\x00\x01");	/* bts r8d, edi; lea eax, [rax + rax + 1] */
	else
		CODE(h, "\x41\x0f\xb3\xf8\x01\xc0");		/* btr r8d, edi; add eax, eax */
	CODE_ENTRY(h, "\x44\x89\x41", counters);		/* mov [rcx + counters], r8d */
	CODE_ENTRY(h, "\x66\x89\x41", outcomes);		/* mov [rcx + outcomes], ax */
	CODE(h, "\xff\xc2\x83\xe2");				/* inc edx; and edx, P5_BTB_SEEN - 1 */
	emit8(h->out, P5_BTB_SEEN - 1);
	CODE_ENTRY(h, "\x88\x51", newest);			/* mov [rcx + newest], dl */
	write_seen(h, "\x89", 6);				/* mov [seen of newest], esi */
	CODE_AT(h, "\x89\xb3", &m->btb.now);			/* mov [now], esi */
	if (type == P5_BTB_RET)
		write_pop(h, m);
	if (type == P5_BTB_CALL && m->rsb.size)
		write_push(h, m);
	CODE(h, "\x39\xc0\xc3");				/* cmp eax, eax; ret */
	hostcode_land(h, other[0]);
	if (other[1])
		hostcode_land(h, other[1]);
	hostcode_land(h, other[2]);
	for (unsigned k = 0; type == P5_BTB_RET && k < 2; k++)
		hostcode_land(h, not_newest[k]);
	CODE(h, "\x48\x85\xe4\xc3"); /* test rsp, rsp; ret */
	return start;
}
_Static_assert(P5_BTB_HISTORY_MASK == 15, "as emitted");

void p5_jit_write_bank(struct p5 *m, struct hostcode *h)
{
	struct p5_jit *j = &m->jit;

	if (m->btb.is_pair)
		return;
	j->jcc_taken = write_known(h, m, P5_BTB_JCC, true);
	j->jcc_falls = write_known(h, m, P5_BTB_JCC, false);
	j->jmp = write_known(h, m, P5_BTB_JMP, true);
	j->call = write_known(h, m, P5_BTB_CALL, true);
	j->ret = m->rsb.size ? write_known(h, m, P5_BTB_RET, true) : 0;
}

/* The part that does slot s, which saw this; 0: none does. */
static uint32_t part_of(const struct p5_jit *j, const struct p5_slot *s, uint64_t seen)
{
	const uint64_t right = P5_SLOT_ASKED | P5_SLOT_HIT | P5_SLOT_RIGHT;

	if (s->kind < P5_BR_JCC || s->kind > P5_BR_RET)
		return 0;
	if (!s->is_taken)
		return s->kind == P5_BR_JCC && seen == right && s->next == s->fall ? j->jcc_falls : 0;
	if (seen != (right | P5_SLOT_TAKEN))
		return 0;
	switch (p5_btb_type_of(s->kind)) {
	case P5_BTB_JCC:
		return j->jcc_taken;
	case P5_BTB_JMP:
		return j->jmp;
	case P5_BTB_CALL:
		return j->call;
	case P5_BTB_RET:
		return j->ret;
	default:
		return 0;
	}
}

bool p5_write_known_branch(struct p5_jit_writer *w, const struct p5_slot *s, struct p5_cold *c, uint64_t seen)
{
	const uint64_t last = s->fall - 1;
	const uint32_t part = part_of(&w->m->jit, s, seen);
	const bool is_ret = s->kind == P5_BR_RET, is_call = s->kind == P5_BR_CALL || s->kind == P5_BR_CALL_IND;

	if (!part || !p5_is_imm32(last) || !p5_is_imm32(s->next) || !p5_is_imm32(s->fall))
		return false;
	if (last > s->u_pc)
		p5_write_map_bits(w, c, s->u_pc, (unsigned)(last - s->u_pc));
	p5_write_hinted(w, last);
	CODE(&w->h, "\x48\x81\x39");		      /* cmp qword [rcx], last */
	emit32(w->h.out, (uint32_t)last);
	p5_write_jump_cold(w, c, JNE);
	if (s->is_taken && !is_ret) {
		CODE_ENTRY(&w->h, "\x48\x81\x79", target); /* cmp qword [rcx + target], next */
		emit32(w->h.out, (uint32_t)s->next);
		p5_write_jump_cold(w, c, JNE);
	}
	if (is_ret || is_call) {
		CODE(&w->h, "\x49\xc7\xc2"); /* mov r10, where */
		emit32(w->h.out, (uint32_t)(is_ret ? s->next : s->fall));
	}
	CODE(&w->h, "\xbe"); /* mov esi, n */
	emit32(w->h.out, w->noted.n + 1 + s->is_in_v);
	JUMP(&w->h, "\xe8", part);
	p5_write_jump_cold(w, c, JNE);
	p5_write_come_back(w, c);
	w->noted = (struct p5_noted){.n = 0};
	return true;
}
