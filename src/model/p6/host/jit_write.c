/* jit_write.c -- the forms of jit_write.h. */
#include "model/p6/host/jit_write.h"

#include "model/p6/host/host_slot.h"
#include "model/p6/clocks/time_key.h"

void p6_write_bytes(struct p6_writer *w, const char *p, unsigned n)
{
	emit_bytes(w->o, p, n);
}

/* Displacement of a host address from rbx. */
uint32_t p6_write_from_m(struct p6_writer *w, const void *p)
{
	int64_t d = (const uint8_t *)p - ((const uint8_t *)w->m + P6_JIT_BASE);

	if (d != (int32_t)d)
		w->is_bad = true;
	return (uint32_t)d;
}

/* Emit `op` with a displacement from rbx; op ends with the ModRM byte (and SIB) of the form. */
void p6_write_with_m(struct p6_writer *w, const char *op, unsigned n, const void *p)
{
	const uint32_t d = p6_write_from_m(w, p);
	/* ModRM with base rbx is last, else one with SIB is before it; no SIB here has scale 4 */
	const unsigned modrm = ((uint8_t)op[n - 1] & 0xc7) == 0x83 ? n - 1 : n - 2;

	p6_write_bytes(w, op, n);
	if ((int32_t)d >= -128 && (int32_t)d < 128) {
		w->o->base[w->o->off - n + modrm] ^= 0xc0; /* displacement of 8 bits instead of 32 */
		emit8(w->o, (uint8_t)d);
	} else {
		emit32(w->o, d);
	}
}

/* The same relative to the code itself, for the block's data. `after`: bytes of immediate that follow. */
void p6_write_with_data(struct p6_writer *w, const char *op, unsigned n, const void *p, unsigned after)
{
	const uint8_t *code = w->o->base;

	p6_write_bytes(w, op, n);
	emit32(w->o, (uint32_t)((const uint8_t *)p - (code + w->o->off + 4 + after)));
}

void p6_write_call(struct p6_writer *w, enum p6_jit_helper helper)
{
	CODE_M(w, "\xff\x93", &w->m->jit.helper[helper]); /* call [helper] */
}

static uint32_t write_jump(struct p6_writer *w, const char *op, unsigned n)
{
	p6_write_bytes(w, op, n);
	emit32(w->o, 0);
	return w->o->off - 4;
}

void p6_write_give_up(struct p6_writer *w, const char *op, uint32_t *at, unsigned *n)
{
	at[(*n)++] = write_jump(w, op, 2);
}

void p6_write_jump_cold(struct p6_writer *w, const char *op, unsigned n, enum p6_jit_helper helper,
			uint32_t argument, enum p6_cold_kind kind)
{
	struct p6_cold *c = &w->cold[w->n_cold];

	if (w->n_cold == P6_MAX_COLD) {
		w->is_bad = true;
		return;
	}
	w->n_cold++;
	*c = (struct p6_cold){ .jump_at = { write_jump(w, op, n), 0 },
	                       .argument = argument,
	                       .helper = (uint8_t)helper,
	                       .kind = (uint8_t)kind,
	                       .base_slot = w->base_slot };
	c->again = w->o->off;
}

void p6_write_jump_order(struct p6_writer *w, const char *op)
{
	if (w->n_order == sizeof(w->order) / sizeof(w->order[0])) {
		w->is_bad = true;
		return;
	}
	w->order[w->n_order++] = write_jump(w, op, 2);
}

void p6_write_jump_same(struct p6_writer *w, const char *op, unsigned n)
{
	uint32_t at = write_jump(w, op, n);

	if (w->n_cold)
		w->cold[w->n_cold - 1].jump_at[1] = at;
}

void p6_write_come_back(struct p6_writer *w, unsigned from)
{
	for (unsigned i = from; i < w->n_cold; i++)
		w->cold[i].back = w->o->off;
}

static void write_call_part(struct p6_writer *w, uint32_t to)
{
	emit8(w->o, 0xe8);
	emit32(w->o, to - (w->o->off + 4));
}

/* May the block be done when its helper comes back? */
static bool may_end(const struct p6_cold *c)
{
	return c->kind == COLD_MAY_END || c->kind == COLD_UNALIGNED || c->kind == COLD_WRITE;
}

static void land(struct p6_writer *w, const struct p6_cold *c, unsigned i)
{
	if (c->jump_at[i])
		emit_patch(w->o->base, c->jump_at[i], w->o->off);
}

void p6_write_told(struct p6_writer *w, uint32_t bits)
{
	if (!w->m->tell.is_on)
		return;
	CODE_M(w, "\x81\x8b", &w->m->tell.code);       /* or dword [code], bits */
	emit32(w->o, bits);
}

void p6_write_tell_part(struct p6_writer *w)
{
	struct p6_tell *t = &w->m->tell;
	uint32_t more, full;

	_Static_assert(P6_TELL_MORE == 1u << 31 && P6_TOLD_CODE_AT == 32 && P6_TOLD_WHICH_AT == 48 && P6_TOLD_REF == 0, "as emitted");
	w->m->jit.tell_reference = w->o->off;
	CODE(w, "\x85\xc0");                           /* test eax, eax */
	more = write_jump(w, "\x0f\x88", 2);           /* js */
	CODE_M(w, "\x48\x8b\x93", &t->at);             /* mov rdx, [at] */
	CODE_M(w, "\x48\x3b\x93", &t->limit);          /* cmp rdx, [limit] */
	full = write_jump(w, "\x0f\x83", 2);           /* jae: it is noticed later */
	CODE(w, "\x09\xf0");                           /* or eax, esi */
	CODE(w, "\x44\x89\x22\x89\x42\x04");          /* mov [rdx], r12d; mov [rdx + 4], eax */
	CODE(w, "\x48\x83\xc2\x08");                  /* add rdx, 8 */
	CODE_M(w, "\x48\x89\x93", &t->at);             /* mov [at], rdx */
	emit_patch(w->o->base, full, w->o->off);
	CODE(w, "\x31\xc0");                           /* xor eax, eax */
	CODE_M(w, "\x89\x83", &t->code);               /* mov [code], eax */
	CODE(w, "\xc3");                               /* ret */
	emit_patch(w->o->base, more, w->o->off);
	CODE_M(w, "\x89\x83", &t->code);               /* mov [code], eax */
	CODE(w, "\xc1\xee");                           /* shr esi, */
	emit8(w->o, P6_TOLD_WHICH_AT - P6_TOLD_CODE_AT);
	CODE(w, "\x57" P6_JIT_MOV_RDI_M "\x4c\x89\xe2"); /* push rdi; mov rdi, machine; mov rdx, r12 */
	p6_write_call(w, P6_JIT_TELL);
	CODE(w, "\x5f\xc3");                           /* pop rdi; ret */
}

void p6_write_told_so_far(struct p6_writer *w)
{
	if (w->m->tell.is_on)
		CODE_M(w, "\x8b\x83", &w->m->tell.code); /* mov eax, [code] */
}

/* What the reference of c did, eax, is told, if it was anything; then it goes on. */
static void write_tell(struct p6_writer *w, const struct p6_cold *c)
{
	CODE(w, "\x85\xc0\x0f\x84");                  /* test eax, eax; je back */
	emit32(w->o, c->back - (w->o->off + 4));
	emit8(w->o, 0xbe);                              /* mov esi, k << 16 */
	emit32(w->o, (c->argument & 0xff) << (P6_TOLD_WHICH_AT - P6_TOLD_CODE_AT));
	write_call_part(w, w->m->jit.tell_reference);
	emit_jump(w->o, c->back);
}

static void write_read(struct p6_writer *w, const struct p6_cold *c)
{
	land(w, c, 0);
	write_call_part(w, w->m->jit.read_page);
	if (w->m->tell.is_on)
		CODE(w, "\xeb\x05");                    /* jmp over the next call */
	else
		emit_jump(w->o, c->back);
	land(w, c, 1);
	write_call_part(w, w->m->jit.read_line);
	if (w->m->tell.is_on)
		write_tell(w, c);
	else
		emit_jump(w->o, c->back);
}

/* COLD_UNALIGNED; its argument has the bytes above bit 16. Falls through when the access lies in two lines. */
static void write_in_one_line(struct p6_writer *w, const struct p6_cold *c)
{
	const unsigned bytes = c->argument >> 16;
	const uint64_t *misalign = &w->m->dyn[WIRE_P6_DCU_MISALIGN];
	uint32_t cut;

	if (bytes == 1u << P6_USUAL_LINE_LOG2)
		return;
	CODE(w, "\x89\xe8\x83\xe0\x1f\x83\xf8");    /* mov eax, ebp; and eax, 31; cmp eax, 32 - bytes */
	emit8(w->o, (1u << P6_USUAL_LINE_LOG2) - bytes);
	cut = write_jump(w, "\x0f\x87", 2);            /* ja */
	if (bytes <= 8) {
		CODE(w, "\x83\xe0\x07\x83\xf8");      /* and eax, 7; cmp eax, 9 - bytes */
		emit8(w->o, 9 - bytes);
		CODE(w, "\xf5");                       /* cmc: does it lie over an 8-byte boundary? */
		CODE_M(w, "\x48\x83\x93", misalign);   /* adc qword [misalign], 0 */
		emit8(w->o, 0);
	} else {
		CODE_M(w, "\x48\x83\x83", misalign);   /* add qword [misalign], pieces */
		emit8(w->o, bytes / 8);
	}
	emit_jump(w->o, c->again);
	emit_patch(w->o->base, cut, w->o->off);
}

/* Behind write_page or write_line: on when it did anything, which ZF does not say then. */
static void write_done(struct p6_writer *w, const struct p6_cold *c)
{
	uint32_t full;

	if (!w->m->tell.is_on) {
		CODE(w, "\x0f\x85");                    /* jne back */
		emit32(w->o, c->back - (w->o->off + 4));
		return;
	}
	full = write_jump(w, "\x0f\x84", 2);           /* je */
	p6_write_told_so_far(w);
	write_tell(w, c);
	emit_patch(w->o->base, full, w->o->off);
}

/* ended: code offset to go to when the block is done. */
static void write_piece(struct p6_writer *w, const struct p6_cold *c, uint32_t ended)
{
	if (c->kind == COLD_WRITE) {
		land(w, c, 0);
		write_call_part(w, w->m->jit.write_page);
		CODE(w, "\xeb\x05");                    /* jmp over the next call */
		land(w, c, 1);
		write_call_part(w, w->m->jit.write_line);
		write_done(w, c);
	} else {
		land(w, c, 0);
	}
	if (c->helper == P6_JIT_FETCH && w->m->jit.fetch_line && !(w->b->is_cut && c->argument < 2)) {
		p6_write_fetch(w, c->argument);
		CODE(w, "\x0f\x85");                    /* jne back */
		emit32(w->o, c->back - (w->o->off + 4));
	}
	if (c->kind == COLD_TEACH) {
		p6_write_try_teach(w, c->argument);
		CODE(w, "\x0f\x85");                    /* jne back */
		emit32(w->o, c->back - (w->o->off + 4));
	}
	if (c->helper == P6_JIT_BRANCH || c->helper == P6_JIT_ENTER)
		p6_write_try_enter(w, c);
	if (c->kind == COLD_UNALIGNED && (c->argument >> 8 & 0xff) != P6_READ_WRITE)
		write_in_one_line(w, c);
	CODE(w, P6_JIT_MOV_RDI_M);
	CODE_DATA(w, "\x48\x8d\x35", w->jb, 0);         /* lea rsi, [block] */
	emit8(w->o, 0xba);                              /* mov edx, argument */
	emit32(w->o, c->argument);
	if (c->kind == COLD_WRITE || c->kind == COLD_UNALIGNED) {
		CODE_M(w, "\x4c\x89\xa3", &w->m->jit.at); /* mov [at], r12 */
		CODE(w, "\x48\x89\xe9");                /* mov rcx, rbp */
	} else {
		CODE(w, "\x49\x8d\x4c\x24\x04");        /* lea rcx, [r12 + 4] */
	}
	p6_write_call(w, (enum p6_jit_helper)c->helper);
	if (may_end(c)) {
		CODE(w, "\x84\xc0\x0f\x85");            /* test al, al; jne ended */
		emit32(w->o, ended - (w->o->off + 4));
	}
	if (c->base_slot != P6_NO_SLOT)
		p6_host_base(w->o, c->base_slot);
	emit_jump(w->o, c->back);
}

void p6_write_cold(struct p6_writer *w)
{
	const uint32_t ended = w->o->off;
	bool has_end = false;

	for (unsigned i = 0; i < w->n_cold; i++)
		has_end |= may_end(&w->cold[i]);
	if (has_end) {
		CODE_DATA(w, "\x48\x8d\x35", w->jb, 0); /* lea rsi, [block] */
		emit_jump(w->o, w->m->jit.ended);
	}
	for (unsigned i = 0; i < w->n_cold; i++) {
		if (w->cold[i].kind == COLD_READ)
			write_read(w, &w->cold[i]);
		else
			write_piece(w, &w->cold[i], ended);
	}
}
