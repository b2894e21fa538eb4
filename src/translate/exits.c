/* exits.c -- ways out of translated code into the runtime. */
#include "translate/internal.h"

#include "translate/term32.h"

uint32_t xlt_new_exit(struct xlt *x, uint8_t kind, uint64_t pc, uint32_t block)
{
	struct shr_exit *e;
	uint32_t id = x->n_exit;

	if (id >= SHR_MAX_EXITS) {
		x->is_full = true;
		return XLT_NONE;
	}
	x->n_exit++;
	e = &x->cfg.tables->exit[id];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->pc = pc;
	e->block = block;
	x->exit[id] = (struct xlt_exit){ .target = pc, .patch_off = XLT_NONE, .next = XLT_NONE };
	return id;
}

uint32_t xlt_emit_exit(struct xlt *x, uint32_t exit_id)
{
	uint32_t at = x->cold.off;

	emit_store_gs_imm(&x->cold, SHR_GS_EXIT_ID, exit_id);
	xlt_note(x, x->cold.off - 4, XLT_MOVE_EXIT);
	emit_jump_gs(&x->cold, SHR_GS_RUNTIME);
	return at;
}

/* Indirect branch without a matching block: gs.target = target, the program's rcx spilled. */
static void emit_indirect_miss(struct x86_out *o)
{
	emit_load_gs(o, X86_RCX, SHR_GS_SPILL_RCX);
	emit_store_gs_imm(o, SHR_GS_EXIT_ID, XLT_EXIT_INDIRECT);
	emit_jump_gs(o, SHR_GS_RUNTIME);
}

void xlt_emit_common(struct xlt *x)
{
	xlt_new_exit(x, SHR_EXIT_NONE, 0, 0); /* id 0 means none */
	xlt_new_exit(x, SHR_EXIT_INDIRECT, 0, 0);
	if (x->cfg.mode == X86_MODE_32)
		xlt32_emit_common(&x->out, XLT_EXIT_INDIRECT);
	else
		emit_indirect_miss(&x->out);
	if (x->cfg.has_assists)
		xlt_emit_assist_common(x);
}
