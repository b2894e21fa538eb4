/* term32.c -- how blocks of 32-bit code end; see term32.h.
 *
 * SOURCES          Intel SDM vol. 2; the exits' fields: src/trace/share.h.
 */
#include "translate/term32.h"

#include "translate/encode32.h"

static bool is_16(const struct x86_decoded *d)
{
	return d->z.operand_width == 16;
}

void xlt32_push_return(struct x86_out *o, const struct x86_decoded *d, uint64_t fall)
{
	int32_t bytes = is_16(d) ? 2 : 4;

	xlt32_on_base(o, is_16(d) ? 0x66 : 0, 0xc7, 0, X86_RSP, -bytes);
	if (is_16(d))
		emit_bytes(o, &fall, 2);
	else
		emit32(o, (uint32_t)fall);
	xlt32_move_stack(o, -bytes);
}

void xlt32_load_target(struct x86_out *o, const struct x86_decoded *d)
{
	if (d->mem >= 0) {
		xlt32_load(o, d, is_16(d) ? XLT32_LOAD_16 : XLT32_LOAD_32, XLT32_SCRATCH, 0);
		return;
	}
	if (is_16(d))
		xlt32_move_16(o, XLT32_SCRATCH, (unsigned)x86_gpr_number(d->op[0].reg.value));
	else
		xlt32_move(o, XLT32_SCRATCH, (unsigned)x86_gpr_number(d->op[0].reg.value));
}

void xlt32_return(struct x86_out *o, const struct x86_decoded *d)
{
	int32_t extra = d->z.operand_count_visible ? (int32_t)(d->op[0].imm.value.u & 0xffff) : 0;

	xlt32_load_base(o, is_16(d) ? XLT32_LOAD_16 : XLT32_LOAD_32, XLT32_SCRATCH, X86_RSP, 0);
	xlt32_move_stack(o, (is_16(d) ? 2 : 4) + extra);
}

void xlt32_jump_by_table(struct x86_out *o)
{
	xlt32_move(o, XLT32_VALUE, X86_RCX);
	xlt32_move(o, X86_RCX, XLT32_SCRATCH);
	xlt32_move_16(o, XLT32_SCRATCH, X86_RCX);
	emit_bytes(o, "\x65\x42\xff\x24\xc5", 5); /* jmp gs:[r8*8 + disp32] */
	emit32(o, SHR_GS_IB);
}

/* lea ecx, [rcx + n] */
static void add_to_ecx(struct x86_out *o, uint32_t n)
{
	emit_bytes(o, "\x8d\x89", 2);
	emit32(o, n);
}

uint32_t xlt32_indirect_entry(struct x86_out *o, uint64_t pc, uint32_t common)
{
	uint32_t jump, to_common;

	add_to_ecx(o, (uint32_t)(0 - pc));
	emit8(o, 0xe3); /* jrcxz */
	jump = o->off;
	emit8(o, 0);
	add_to_ecx(o, (uint32_t)pc);
	emit_jump(o, common);
	to_common = o->off - 4;
	o->base[jump] = (uint8_t)(o->off - jump - 1);
	xlt32_move(o, X86_RCX, XLT32_VALUE);
	return to_common;
}

void xlt32_emit_common(struct x86_out *o, uint32_t exit_id)
{
	uint32_t jump;

	/* the second table (exits.c does the same in 64-bit code), r8 and r10 being free */
	emit_store_gs(o, SHR_GS_TARGET, X86_RCX);
	emit_bytes(o, "\x65\x44\x0f\xb7\x04\x25", 6); /* movzx r8d, word gs:[target + 2] */
	emit32(o, SHR_GS_TARGET + 2);
	emit_bytes(o, "\x47\x8d\x04\xc0", 4); /* lea r8d, [r8 + r8*8] */
	emit_bytes(o, "\x46\x8d\x04\xc1", 4); /* lea r8d, [rcx + r8*8] */
	xlt32_move_16(o, XLT32_SCRATCH, XLT32_SCRATCH);
	emit_bytes(o, "\x47\x8d\x04\x00", 4);	  /* lea r8d, [r8 + r8] */
	emit_bytes(o, "\x65\x4e\x8b\x14\xc5", 5); /* mov r10, gs:[r8*8 + minus_pc] */
	emit32(o, SHR_GS_IB2);
	emit_bytes(o, "\x4a\x8d\x0c\x11", 4); /* lea rcx, [rcx + r10] */
	emit8(o, 0xe3);			      /* jrcxz */
	jump = o->off;
	emit8(o, 0);
	xlt32_move(o, X86_RCX, XLT32_VALUE);
	emit_store_gs_imm(o, SHR_GS_EXIT_ID, exit_id);
	emit_jump_gs(o, SHR_GS_RUNTIME);
	o->base[jump] = (uint8_t)(o->off - jump - 1);
	emit_bytes(o, "\x65\x46\x8b\x14\xc5", 5); /* mov r10d, gs:[r8*8 + indirect] */
	emit32(o, SHR_GS_IB2 + 12);
	emit_bytes(o, "\x65\x0f\xb7\x0c\x25", 5); /* movzx ecx, word gs:[target] */
	emit32(o, SHR_GS_TARGET);
	emit_bytes(o, "\x65\x4c\x89\x14\xcd", 5); /* mov gs:[rcx*8 + ib], r10 */
	emit32(o, SHR_GS_IB);
	emit_bytes(o, "\x65\x46\x8b\x04\xc5", 5); /* mov r8d, gs:[r8*8 + code] */
	emit32(o, SHR_GS_IB2 + 8);
	xlt32_move(o, X86_RCX, XLT32_VALUE);
	emit_bytes(o, "\x41\xff\xe0", 3); /* jmp r8 */
}

void xlt32_count_16(struct x86_out *o, const struct x86_decoded *d)
{
	if (d->z.mnemonic != ZYDIS_MNEMONIC_JCXZ) {
		xlt32_move(o, XLT32_SCRATCH, X86_RCX);
		emit_bytes(o, "\x45\x8d\x40\xff", 4); /* lea r8d, [r8 - 1] */
		emit_bytes(o, "\x66\x44\x89\xc1", 4); /* mov cx, r8w */
	}
	xlt32_move(o, XLT32_VALUE, X86_RCX);
	xlt32_move_16(o, X86_RCX, X86_RCX);
}

static void load_segment(struct x86_out *o, const struct x86_decoded *d)
{
	if (d->z.mnemonic == ZYDIS_MNEMONIC_POP) {
		/* all of the operand is read, the selector is its lower half */
		xlt32_load_base(o, is_16(d) ? XLT32_LOAD_16 : XLT32_LOAD_32, XLT32_VALUE, X86_RSP,
				0);
		xlt32_move_16(o, XLT32_VALUE, XLT32_VALUE);
	} else if (d->mem >= 0) {
		xlt32_load(o, d, XLT32_LOAD_16, XLT32_VALUE, 0);
	} else {
		xlt32_move_16(o, XLT32_VALUE, (unsigned)x86_gpr_number(d->op[1].reg.value));
	}
	emit_store_gs(o, SHR_GS_TARGET, XLT32_VALUE);
}

void xlt32_emulate_operands(struct x86_out *o, const struct x86_decoded *d)
{
	int32_t bytes = is_16(d) ? 2 : 4;

	switch (d->emulate) {
	case X86_EMU_LOAD_SEG: load_segment(o, d); break;
	case X86_EMU_LOAD_FAR:
		xlt32_load(o, d, bytes == 2 ? XLT32_LOAD_16 : XLT32_LOAD_32, XLT32_VALUE, 0);
		emit_store_gs(o, SHR_GS_SPILL_Y, XLT32_VALUE);
		xlt32_load(o, d, XLT32_LOAD_16, XLT32_VALUE, bytes);
		emit_store_gs(o, SHR_GS_TARGET, XLT32_VALUE);
		break;
	case X86_EMU_FAR:
		if (d->mem < 0)
			break;
		xlt32_load(o, d, bytes == 2 ? XLT32_LOAD_16 : XLT32_LOAD_32, XLT32_VALUE, 0);
		emit_store_gs(o, SHR_GS_SPILL_Y, XLT32_VALUE);
		xlt32_load(o, d, XLT32_LOAD_16, XLT32_VALUE, bytes);
		emit_store_gs(o, SHR_GS_TARGET, XLT32_VALUE);
		break;
	case X86_EMU_STORE_TABLE:
	case X86_EMU_XSAVE:
		xlt32_address(o, d, 0);
		emit_store_gs(o, SHR_GS_TARGET, XLT32_SCRATCH);
		break;
	case X86_EMU_X87_PC:
		xlt32_address(o, d, 0);
		emit_store_gs(o, SHR_GS_TARGET, XLT32_SCRATCH);
		break;
	case X86_EMU_BOUND:
		xlt32_load(o, d, bytes == 2 ? XLT32_LOAD_16 : XLT32_LOAD_32, XLT32_VALUE, 0);
		emit_store_gs(o, SHR_GS_TARGET, XLT32_VALUE);
		xlt32_load(o, d, bytes == 2 ? XLT32_LOAD_16 : XLT32_LOAD_32, XLT32_VALUE, bytes);
		emit_store_gs(o, SHR_GS_SPILL_Y, XLT32_VALUE);
		break;
	case X86_EMU_ARPL:
		if (d->mem < 0)
			break;
		xlt32_address(o, d, 0);
		emit_store_gs(o, SHR_GS_TARGET, XLT32_SCRATCH);
		break;
	default: break;
	}
}

/* ES CS SS DS FS GS = 0..5 */
static uint8_t segment_number(const ZydisDecodedOperand *op)
{
	return (uint8_t)ZydisRegisterGetId(op->reg.value);
}

static uint8_t gpr(const ZydisDecodedOperand *op)
{
	int r = x86_gpr_number(op->reg.value);

	return (uint8_t)(r < 0 ? 0 : r);
}

void xlt32_describe_exit(struct shr_exit *x, const struct x86_decoded *d)
{
	uint16_t bytes = d->z.operand_width / 8;

	switch (d->emulate) {
	case X86_EMU_LOAD_SEG:
		x->reg = segment_number(&d->op[0]);
		x->operand = d->z.mnemonic == ZYDIS_MNEMONIC_POP ? bytes : 0;
		break;
	case X86_EMU_LOAD_FAR:
		x->reg = gpr(&d->op[0]);
		x->operand = (uint16_t)(segment_number(&d->op[2]) | bytes << 8);
		break;
	case X86_EMU_BCD:
		x->operand = d->z.opcode;
		x->reg = d->z.operand_count_visible ? (uint8_t)d->op[0].imm.value.u : 0;
		break;
	case X86_EMU_STORE_TABLE: x->operand = d->z.mnemonic == ZYDIS_MNEMONIC_SIDT; break;
	case X86_EMU_XSAVE:
		x->operand = d->z.mnemonic == ZYDIS_MNEMONIC_XSAVE	? SHR_XSAVE_PLAIN
			     : d->z.mnemonic == ZYDIS_MNEMONIC_XSAVEOPT ? SHR_XSAVE_OPT
			     : d->z.mnemonic == ZYDIS_MNEMONIC_XSAVEC	? SHR_XSAVE_C
									: SHR_XSAVE_RSTOR;
		break;
	case X86_EMU_X87_PC:
		x->reg = 4;
		x->operand = d->z.mnemonic == ZYDIS_MNEMONIC_FXSAVE ? 8 : 12;
		break;
	case X86_EMU_BOUND:
		x->reg = gpr(&d->op[0]);
		x->operand = bytes;
		break;
	case X86_EMU_ARPL:
		x->reg = gpr(&d->op[1]);
		x->operand = d->mem < 0 ? (uint16_t)(256 + gpr(&d->op[0])) : 0;
		break;
	default: break;
	}
}
