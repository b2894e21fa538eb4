/* exits.c -- ways out of translated code into the runtime. */
#include "translate/internal.h"

#include "translate/term32.h"

_Static_assert(SHR_IB2_HIGH == 8 * 9 && sizeof(struct shr_ib2) == 16, "index of the second table");

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
	x->exit[id] = (struct xlt_exit){.target = pc, .patch_off = XLT_NONE, .next = XLT_NONE};
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

/* rax = 16 bytes' worth of shr_ib2_index(gs.target) / 8; flags stay. */
static void emit_second_index(struct x86_out *o)
{
	emit_bytes(o, "\x65\x0f\xb7\x0c\x25", 5); /* movzx ecx, word gs:[target + 2] */
	emit32(o, SHR_GS_TARGET + 2);
	emit_bytes(o, "\x8d\x0c\xc9", 3);	  /* lea ecx, [rcx + rcx*8] */
	emit_bytes(o, "\x65\x0f\xb7\x04\x25", 5); /* movzx eax, word gs:[target] */
	emit32(o, SHR_GS_TARGET);
	emit_bytes(o, "\x8d\x04\xc8", 3); /* lea eax, [rax + rcx*8] */
	emit_bytes(o, "\x0f\xb7\xc0", 3); /* movzx eax, ax */
	emit_bytes(o, "\x8d\x04\x00", 3); /* lea eax, [rax + rax] */
}

/* Indirect branch whose entry in the first table was another block's or none: gs.target = target,
 * the program's rcx spilled. The second table, from where the block gets its entry in the first one
 * back; then the runtime. */
static void emit_indirect_miss(struct x86_out *o)
{
	uint32_t jump;

	emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
	emit_store_gs(o, SHR_GS_SPILL_Y, X86_RDX);
	emit_second_index(o);
	emit_bytes(o, "\x65\x48\x8b\x0c\xc5", 5); /* mov rcx, gs:[rax*8 + minus_pc] */
	emit32(o, SHR_GS_IB2);
	emit_load_gs(o, X86_RDX, SHR_GS_TARGET);
	emit_lea_index(o, X86_RCX, X86_RCX, X86_RDX);
	emit_load_gs(o, X86_RDX, SHR_GS_SPILL_Y);
	emit8(o, 0xe3); /* jrcxz */
	jump = o->off;
	emit8(o, 0);
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
	emit_load_gs(o, X86_RCX, SHR_GS_SPILL_RCX);
	emit_store_gs_imm(o, SHR_GS_EXIT_ID, XLT_EXIT_INDIRECT);
	emit_jump_gs(o, SHR_GS_RUNTIME);
	o->base[jump] = (uint8_t)(o->off - jump - 1);
	emit_bytes(o, "\x65\x8b\x0c\xc5", 4); /* mov ecx, gs:[rax*8 + indirect] */
	emit32(o, SHR_GS_IB2 + 12);
	emit_bytes(o, "\x65\x8b\x04\xc5", 4); /* mov eax, gs:[rax*8 + code] */
	emit32(o, SHR_GS_IB2 + 8);
	emit_store_gs(o, SHR_GS_SPILL_Z, X86_RAX);
	emit_bytes(o, "\x65\x0f\xb7\x04\x25", 5); /* movzx eax, word gs:[target] */
	emit32(o, SHR_GS_TARGET);
	emit_bytes(o, "\x65\x48\x89\x0c\xc5", 5); /* mov gs:[rax*8 + ib], rcx */
	emit32(o, SHR_GS_IB);
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
	emit_load_gs(o, X86_RCX, SHR_GS_SPILL_RCX);
	emit_jump_gs(o, SHR_GS_SPILL_Z);
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
