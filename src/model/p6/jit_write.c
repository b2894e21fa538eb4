/* jit_write.c -- the forms of jit_write.h. */
#include "model/p6/jit_write.h"

#include "model/p6/host_slot.h"

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

static void write_read(struct p6_writer *w, const struct p6_cold *c)
{
	land(w, c, 0);
	write_call_part(w, w->m->jit.read_page);
	emit_jump(w->o, c->back);
	land(w, c, 1);
	write_call_part(w, w->m->jit.read_line);
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

/* ended: code offset to go to when the block is done. */
static void write_piece(struct p6_writer *w, const struct p6_cold *c, uint32_t ended)
{
	if (c->kind == COLD_WRITE) {
		land(w, c, 0);
		write_call_part(w, w->m->jit.write_page);
		CODE(w, "\xeb\x05");                    /* jmp over the next call */
		land(w, c, 1);
		write_call_part(w, w->m->jit.write_line);
		CODE(w, "\x0f\x85");                    /* jne back */
		emit32(w->o, c->back - (w->o->off + 4));
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
