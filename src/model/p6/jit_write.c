/* jit_write.c -- the forms of jit_write.h. */
#include "model/p6/jit_write.h"

void p6_write_bytes(struct p6_writer *w, const char *p, unsigned n)
{
	emit_bytes(w->o, p, n);
}

/* Displacement of a host address from rbx. */
uint32_t p6_write_from_m(struct p6_writer *w, const void *p)
{
	int64_t d = (const uint8_t *)p - (const uint8_t *)w->m;

	if (d != (int32_t)d)
		w->is_bad = true;
	return (uint32_t)d;
}

/* Emit `op` with a displacement from rbx; op ends with the ModRM byte (and SIB) of the form. */
void p6_write_with_m(struct p6_writer *w, const char *op, unsigned n, const void *p)
{
	p6_write_bytes(w, op, n);
	emit32(w->o, p6_write_from_m(w, p));
}

/* The same relative to the code itself, for the block's data. `after`: bytes of immediate that follow. */
void p6_write_with_data(struct p6_writer *w, const char *op, unsigned n, const void *p, unsigned after)
{
	const uint8_t *code = w->o->base;

	p6_write_bytes(w, op, n);
	emit32(w->o, (uint32_t)((const uint8_t *)p - (code + w->o->off + 4 + after)));
}

void p6_write_jump_cold(struct p6_writer *w, const char *op, unsigned n, void *helper, uint64_t argument,
                      enum p6_cold_kind kind)
{
	struct p6_cold *c = &w->cold[w->n_cold];

	if (w->n_cold == P6_MAX_COLD) {
		w->is_bad = true;
		return;
	}
	w->n_cold++;
	p6_write_bytes(w, op, n);
	emit32(w->o, 0);
	c->jump_at = w->o->off - 4;
	c->back = 0;
	c->argument = argument;
	c->helper = (uint64_t)(uintptr_t)helper;
	c->kind = kind;
}

/* All cold jumps written since `from` come back here. */
void p6_write_come_back(struct p6_writer *w, unsigned from)
{
	for (unsigned i = from; i < w->n_cold; i++)
		w->cold[i].back = w->o->off;
}

void p6_write_cold(struct p6_writer *w, uint32_t transfer)
{
	for (unsigned i = 0; i < w->n_cold; i++) {
		const struct p6_cold *c = &w->cold[i];

		emit_patch(w->o->base, c->jump_at, w->o->off);
		CODE(w, "\x48\x89\xdf");                /* mov rdi, rbx */
		CODE_DATA(w, "\x48\x8d\x35", w->jb, 0); /* lea rsi, [block] */
		emit8(w->o, 0xba);                      /* mov edx, argument */
		emit32(w->o, (uint32_t)c->argument);
		if (c->kind == COLD_ADDRESS_OR_END)
			CODE_M(w, "\x4c\x89\xa3", &w->m->jit.at); /* mov [at], r12 */
		if (c->kind == COLD_ADDRESS_OR_END || c->kind == COLD_PAGE)
			CODE(w, "\x48\x89\xe9");        /* mov rcx, rbp */
		else
			CODE(w, "\x49\x8d\x4c\x24\x04"); /* lea rcx, [r12 + 4] */
		CODE(w, "\x48\xb8");                    /* mov rax, helper */
		emit64(w->o, c->helper);
		CODE(w, "\xff\xd0");                    /* call rax */
		if (c->kind == COLD_PAGE) {
			CODE(w, "\x89\xc2\x89\xe8");    /* mov edx, eax; mov eax, ebp */
		} else if (c->kind != COLD_SLOTS) {
			CODE(w, "\x84\xc0\x0f\x85");    /* test al, al; jne transfer */
			emit32(w->o, transfer - (w->o->off + 4));
		}
		emit_jump(w->o, c->back ? c->back : transfer);
	}
}
