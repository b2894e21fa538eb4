/* operands.c -- which instructions need their operand values recorded, and by which slots.
 *
 * COUNTING RULES   x87: add, subtract, multiply and divide, of registers, reals and integers. The
 *                  control word alone: divides. MMX: adds, subtracts and packs that saturate, on
 *                  MMX registers.
 * NOT MODELLED     the same on XMM registers.
 * SOURCES          Intel SDM vol. 2.
 */
#include "x86/plan.h"

static bool is_arithmetic(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_FADD:
	case ZYDIS_MNEMONIC_FADDP:
	case ZYDIS_MNEMONIC_FIADD:
	case ZYDIS_MNEMONIC_FSUB:
	case ZYDIS_MNEMONIC_FSUBP:
	case ZYDIS_MNEMONIC_FISUB:
	case ZYDIS_MNEMONIC_FSUBR:
	case ZYDIS_MNEMONIC_FSUBRP:
	case ZYDIS_MNEMONIC_FISUBR:
	case ZYDIS_MNEMONIC_FMUL:
	case ZYDIS_MNEMONIC_FMULP:
	case ZYDIS_MNEMONIC_FIMUL:
	case ZYDIS_MNEMONIC_FDIV:
	case ZYDIS_MNEMONIC_FDIVP:
	case ZYDIS_MNEMONIC_FIDIV:
	case ZYDIS_MNEMONIC_FDIVR:
	case ZYDIS_MNEMONIC_FDIVRP:
	case ZYDIS_MNEMONIC_FIDIVR: return true;
	default: return false;
	}
}

static bool is_divide(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_FDIV:
	case ZYDIS_MNEMONIC_FDIVP:
	case ZYDIS_MNEMONIC_FIDIV:
	case ZYDIS_MNEMONIC_FDIVR:
	case ZYDIS_MNEMONIC_FDIVRP:
	case ZYDIS_MNEMONIC_FIDIVR: return true;
	default: return false;
	}
}

void x86_plan_x87_control(struct planner *p, const struct x86_decoded *d)
{
	if (is_divide(d->z.mnemonic))
		new_slot(p, X86_SLOT_X87_CONTROL, 0);
}

/* Opcodes D8 and DC: the operand in memory is a real number. */
static bool is_real(const struct x86_decoded *d)
{
	return d->z.opcode == 0xd8 || d->z.opcode == 0xdc;
}

void x86_plan_x87_operands(struct planner *p, const struct x86_decoded *d)
{
	unsigned second = 0, memory;

	if (!is_arithmetic(d->z.mnemonic))
		return;
	for (unsigned i = 0; i < d->z.operand_count && d->mem < 0; i++)
		if (d->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    d->op[i].reg.value > ZYDIS_REGISTER_ST0 &&
		    d->op[i].reg.value <= ZYDIS_REGISTER_ST7)
			second = (unsigned)(d->op[i].reg.value - ZYDIS_REGISTER_ST0);
	new_slot(p, X86_SLOT_X87, (uint8_t)second);
	if (d->mem < 0)
		return;
	memory = new_slot(p, X86_SLOT_MEMORY, (uint8_t)(d->op[d->mem].size / 8));
	if (memory < X86_MAX_SLOTS)
		p->b->slot[memory].element = !is_real(d);
}

static enum x86_clip clip_of(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_PADDSB: return X86_CLIP_ADD_S8;
	case ZYDIS_MNEMONIC_PADDSW: return X86_CLIP_ADD_S16;
	case ZYDIS_MNEMONIC_PADDUSB: return X86_CLIP_ADD_U8;
	case ZYDIS_MNEMONIC_PADDUSW: return X86_CLIP_ADD_U16;
	case ZYDIS_MNEMONIC_PSUBSB: return X86_CLIP_SUB_S8;
	case ZYDIS_MNEMONIC_PSUBSW: return X86_CLIP_SUB_S16;
	case ZYDIS_MNEMONIC_PSUBUSB: return X86_CLIP_SUB_U8;
	case ZYDIS_MNEMONIC_PSUBUSW: return X86_CLIP_SUB_U16;
	case ZYDIS_MNEMONIC_PACKSSWB: return X86_CLIP_PACK_S16_S8;
	case ZYDIS_MNEMONIC_PACKSSDW: return X86_CLIP_PACK_S32_S16;
	case ZYDIS_MNEMONIC_PACKUSWB: return X86_CLIP_PACK_S16_U8;
	default: return X86_CLIP_NONE;
	}
}

static bool is_mmx(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value >= ZYDIS_REGISTER_MM0 &&
	       op->reg.value <= ZYDIS_REGISTER_MM7;
}

void x86_plan_mmx_operands(struct planner *p, const struct x86_decoded *d)
{
	const enum x86_clip clip = clip_of(d->z.mnemonic);
	uint8_t slot;

	if (clip == X86_CLIP_NONE || !is_mmx(&d->op[0]))
		return;
	slot = new_slot(p, X86_SLOT_MMX, (uint8_t)(d->op[0].reg.value - ZYDIS_REGISTER_MM0));
	p->b->slot[slot].element = (uint8_t)clip;
	if (d->mem >= 0)
		new_slot(p, X86_SLOT_MEMORY, 8);
	else
		new_slot(p, X86_SLOT_MMX, (uint8_t)(d->op[1].reg.value - ZYDIS_REGISTER_MM0));
}
