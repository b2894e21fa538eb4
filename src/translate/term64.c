/* term64.c -- instructions of 64-bit code that the runtime executes or completes: what it has to
 * know of their operands.
 *
 * The runtime reads and writes memory operands itself; translated code works out the address,
 * because registers that stand in for others are known here alone.
 */
#include "translate/term64.h"

#include "translate/terminator.h"

/* What the operand's address is relative to; a base of GS is in the address already. */
static uint32_t relative_to(const struct x86_decoded *d)
{
	if (d->mem < 0)
		return SHR_RELATIVE_NONE;
	switch (d->op[d->mem].mem.segment) {
	case ZYDIS_REGISTER_FS: return SHR_RELATIVE_FS;
	case ZYDIS_REGISTER_SS: return SHR_RELATIVE_STACK;
	default: return SHR_RELATIVE_NONE;
	}
}

static void address_to_target(struct xlt_emitter *e, const struct x86_decoded *d)
{
	xlt_save_y(e);
	xlt_note_rip(e->x, xlt_memory_op(e->out, d, &e->regs, 0x8d, e->regs.y));
	emit_store_gs(e->out, SHR_GS_TARGET, e->regs.y);
	xlt_restore_y(e);
}

void xlt64_emulate_operands(struct xlt_emitter *e, const struct x86_decoded *d)
{
	switch (d->emulate) {
	case X86_EMU_LOAD_SEG:
		if (d->mem < 0 && d->z.mnemonic == ZYDIS_MNEMONIC_MOV) {
			unsigned from = (unsigned)x86_gpr_number(d->op[1].reg.value);

			emit_store_gs(e->out, SHR_GS_TARGET, from == X86_R15 ? e->regs.x : from);
		}
		break;
	case X86_EMU_LOAD_FAR:
	case X86_EMU_STORE_SEG:
	case X86_EMU_FAR:
	case X86_EMU_X87_PC: break;
	default: return;
	}
	if (d->mem >= 0)
		address_to_target(e, d);
}

/* ES CS SS DS FS GS = 0..5 */
static uint16_t segment_number(const ZydisDecodedOperand *op)
{
	return (uint16_t)(uint8_t)ZydisRegisterGetId(op->reg.value);
}

static uint8_t gpr(const ZydisDecodedOperand *op)
{
	int r = op->type == ZYDIS_OPERAND_TYPE_REGISTER ? x86_gpr_number(op->reg.value) : -1;

	return (uint8_t)(r < 0 ? 0 : r);
}

void xlt64_describe_exit(struct shr_exit *x, const struct x86_decoded *d)
{
	const uint16_t bytes = d->z.operand_width / 8;
	const bool is_64 = (d->z.attributes & ZYDIS_ATTRIB_HAS_REX) && d->z.raw.rex.W;

	switch (d->emulate) {
	case X86_EMU_LOAD_SEG:
		x->reg = (uint8_t)segment_number(&d->op[0]);
		x->operand = d->z.mnemonic == ZYDIS_MNEMONIC_POP ? (uint16_t)(SHR_SEG_STACK + bytes)
			     : d->mem >= 0			 ? SHR_SEG_MEMORY
								 : 0;
		break;
	case X86_EMU_LOAD_FAR:
		x->reg = gpr(&d->op[0]);
		x->operand =
		    (uint16_t)((d->z.mnemonic == ZYDIS_MNEMONIC_LFS ? 4u : 5u) | bytes << 8);
		break;
	case X86_EMU_STORE_SEG:
		if (d->z.mnemonic == ZYDIS_MNEMONIC_PUSH) {
			x->operand =
			    (uint16_t)(segment_number(&d->op[0]) | (SHR_SEG_STACK + bytes) << 8);
			break;
		}
		x->reg = gpr(&d->op[0]);
		x->operand =
		    (uint16_t)(segment_number(&d->op[1]) | (d->mem >= 0 ? 0u : bytes) << 8);
		break;
	case X86_EMU_X87_PC:
		x->reg = is_64 ? 8 : 4;
		x->operand = d->z.mnemonic == ZYDIS_MNEMONIC_FNSTENV ||
				     d->z.mnemonic == ZYDIS_MNEMONIC_FNSAVE
				 ? 12
				 : 8;
		break;
	case X86_EMU_FAR: x->operand = bytes; break;
	default: return;
	}
	x->resume = relative_to(d);
}
