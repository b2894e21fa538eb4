/* slots.c -- what a block writes into its record: registers, addresses, memory, masks, operand
 * classes.
 *
 * The scratch register y is spilled around what needs it; flags and all other registers stay.
 */
#include "translate/term32.h"
#include "translate/terminator.h"

void xlt_save_y(struct xlt_emitter *e)
{
	emit_store_gs(e->out, SHR_GS_SPILL_Y, e->regs.y);
	xlt_mark(e, e->state | SHR_ST_Y);
}

void xlt_restore_y(struct xlt_emitter *e)
{
	emit_load_gs(e->out, e->regs.y, SHR_GS_SPILL_Y);
	xlt_mark(e, e->state & ~(unsigned)SHR_ST_Y);
}

/* Hardware register that holds guest register r inside this block. */
static unsigned host_reg(const struct xlt_emitter *e, unsigned r)
{
	return r == X86_R15 ? e->regs.x : r;
}

/* y += (bit offset >> log2(operand bits)) * operand bytes, flags kept by way of rax. y is not rax.
 */
static void add_bit_offset(struct xlt_emitter *e, const struct x86_decoded *d)
{
	struct x86_out *o = e->out;
	unsigned bits = d->z.operand_width,
		 reg = host_reg(e, (unsigned)x86_gpr_number(d->op[1].reg.value));
	unsigned log2_bytes = bits == 64 ? 3 : bits == 32 ? 2 : 1;

	emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
	emit_bytes(o, "\x9f\x0f\x90\xc0", 4); /* lahf; seto al */
	emit_store_gs(o, SHR_GS_SPILL_Z, X86_RAX);
	if (reg == X86_RAX)
		emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
	else
		emit_bytes(
		    o, (uint8_t[]){(uint8_t)(0x48 | reg >> 3), 0x8b, (uint8_t)(0xc0 | (reg & 7))},
		    3);
	if (bits == 32)
		emit_bytes(o, "\x48\x63\xc0", 3); /* movsxd rax, eax */
	else if (bits == 16)
		emit_bytes(o, "\x48\x0f\xbf\xc0", 4); /* movsx rax, ax */
	emit_bytes(o, (uint8_t[]){0x48, 0xc1, 0xf8, (uint8_t)(log2_bytes + 3)}, 4); /* sar rax, n */
	emit_bytes(o, (uint8_t[]){0x48, 0xc1, 0xe0, (uint8_t)log2_bytes}, 4);	    /* shl rax, m */
	emit_lea_index(o, e->regs.y, e->regs.y, X86_RAX);
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_Z);
	emit_bytes(o, "\x04\x7f\x9e", 3); /* add al, 127; sahf */
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
}

/* y32 = register `from` */
static void emit_low_half(struct x86_out *o, unsigned y, unsigned from)
{
	if ((y | from) >= 8)
		emit8(o, 0x40 | (from >> 3) << 2 | y >> 3);
	emit_bytes(o, (uint8_t[]){0x89, (uint8_t)(0xc0 | (from & 7) << 3 | (y & 7))}, 2);
}

/* The register that is the whole address of an operand without a ModRM byte (MASKMOVQ with an
 * address of 32 bits). */
static unsigned implicit_base(const struct x86_decoded *d)
{
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const int base = d->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY
				     ? x86_gpr_number(d->op[i].mem.base)
				     : -1;

		if (base >= 0 && d->op[i].encoding == ZYDIS_OPERAND_ENCODING_NONE)
			return (unsigned)base;
	}
	return X86_RDI;
}

static void emit_address_slot(struct xlt_emitter *e, const struct x86_decoded *d, unsigned operand,
			      int32_t at)
{
	if (d->is_32) {
		xlt32_address(e->out, d, operand);
		emit_store(e->out, X86_R15, at, XLT32_SCRATCH);
		return;
	}
	xlt_save_y(e);
	if (d->z.mnemonic == ZYDIS_MNEMONIC_XLAT) {
		/* movzx y, al; lea y, [rbx + y] */
		if (e->regs.y >= 8)
			emit8(e->out, 0x44);
		emit_bytes(e->out, (uint8_t[]){0x0f, 0xb6, (uint8_t)(0xc0 | (e->regs.y & 7) << 3)},
			   3);
		emit_lea_index(e->out, e->regs.y, X86_RBX, e->regs.y);
		if (d->z.address_width == 32)
			emit_low_half(e->out, e->regs.y, e->regs.y);
	} else if (d->mem < 0) {
		emit_low_half(e->out, e->regs.y, implicit_base(d));
	} else {
		xlt_note_rip(e->x, xlt_memory_op(e->out, d, &e->regs, 0x8d, e->regs.y));
		if (x86_is_bit_string(d))
			add_bit_offset(e, d);
	}
	emit_store(e->out, X86_R15, at, e->regs.y);
	xlt_restore_y(e);
}

/* The memory operand of d: 2, 4 or 8 bytes. */
static void emit_memory_slot(struct xlt_emitter *e, const struct x86_decoded *d, unsigned bytes,
			     int32_t at)
{
	if (d->is_32) {
		xlt32_address(e->out, d, 0);
		if (bytes == 2)
			emit_bytes(e->out, "\x4d\x0f\xbf\x00", 4); /* movsx r8, word [r8] */
		else if (bytes == 4)
			emit_bytes(e->out, "\x4d\x63\x00", 3); /* movsxd r8, dword [r8] */
		else
			emit_load(e->out, XLT32_SCRATCH, XLT32_SCRATCH, 0);
		emit_store(e->out, X86_R15, at, XLT32_SCRATCH);
		return;
	}
	xlt_save_y(e);
	xlt_note_rip(e->x, xlt_memory_op(e->out, d, &e->regs,
					 bytes == 2   ? 0x0fbf
					 : bytes == 4 ? 0x63
						      : 0x8b,
					 e->regs.y));
	emit_store(e->out, X86_R15, at, e->regs.y);
	xlt_restore_y(e);
}

/* Mask of instruction e->insn, by way of y. */
static void emit_mask_slot(struct xlt_emitter *e, const struct x86_slot *s, int32_t at)
{
	if (e->b->mode == X86_MODE_32) {
		xlt_emit_mask(e->out, s, XLT32_VALUE);
		emit_store(e->out, X86_R15, at, XLT32_VALUE);
		return;
	}
	xlt_save_y(e);
	xlt_emit_mask(e->out, s, e->regs.y);
	emit_store(e->out, X86_R15, at, e->regs.y);
	xlt_restore_y(e);
}

void xlt_emit_slots(struct xlt_emitter *e, bool is_after)
{
	const struct x86_block *blk = &e->b->block;

	while (e->slots_done < blk->n_slot && e->b->slot[e->slots_done].insn == e->insn) {
		const struct x86_slot *s = &e->b->slot[e->slots_done];
		int32_t at = (int32_t)(4 + 8 * e->slots_done);

		if ((s->kind >= X86_SLOT_REG_AFTER) != is_after)
			return;
		if (s->kind == X86_SLOT_ADDRESS)
			emit_address_slot(e, &e->b->dec[e->insn], s->reg, at);
		else if (s->kind == X86_SLOT_MASK_K || s->kind == X86_SLOT_MASK_SIGN)
			emit_mask_slot(e, s, at);
		else if (s->kind == X86_SLOT_VECTOR)
			xlt_emit_vector(e->out, s, at);
		else if (s->kind == X86_SLOT_X87)
			xlt_emit_x87_slot(e->out, s, at);
		else if (s->kind == X86_SLOT_X87_CONTROL)
			xlt_emit_control_slot(e->out, at);
		else if (s->kind == X86_SLOT_MMX)
			xlt_emit_mmx_slot(e->out, s, at);
		else if (s->kind == X86_SLOT_MEMORY || s->kind == X86_SLOT_MEMORY_AFTER)
			emit_memory_slot(e, &e->b->dec[e->insn], s->reg, at);
		else if (s->kind > X86_SLOT_REG_AFTER)
			xlt_emit_assist_slot(e->x, s, at);
		else
			emit_store(e->out, X86_R15, at, host_reg(e, s->reg));
		e->slots_done++;
	}
}
