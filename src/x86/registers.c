/* registers.c -- parts of registers, from the bytes of an instruction. */
#include "x86/registers.h"

#include <string.h>

#include "x86/insn.h"

static void add_part(struct x86_registers *r, struct x86_reg_part p)
{
	for (unsigned k = 0; k < r->n_part; k++) {
		struct x86_reg_part *old = &r->part[k];

		if (old->reg == p.reg && old->bytes == p.bytes && old->is_high == p.is_high &&
		    old->is_address == p.is_address) {
			old->is_read |= p.is_read;
			old->is_written |= p.is_written;
			return;
		}
	}
	if (r->n_part < X86_MAX_REG_PARTS)
		r->part[r->n_part++] = p;
}

static void note_gpr(struct x86_registers *r, ZydisRegister reg, uint8_t actions, bool is_address)
{
	const int n = x86_gpr_number(reg);

	if (n < 0)
		return;
	add_part(r,
		 (struct x86_reg_part){
		     .reg = (uint8_t)n,
		     .bytes = (uint8_t)(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8),
		     .is_high = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH,
		     .is_read = is_address || actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		     .is_written = !is_address && actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		     .is_address = is_address,
		 });
}

static void note_vector(struct x86_registers *r, const ZydisDecodedOperand *op)
{
	const uint8_t bytes =
	    (uint8_t)(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value) / 8);
	const uint16_t bit = (uint16_t)(1u << (ZydisRegisterGetId(op->reg.value) & 15));

	switch (ZydisRegisterGetClass(op->reg.value)) {
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM: break;
	default: return;
	}
	if (bytes > r->vector_bytes)
		r->vector_bytes = bytes;
	r->vector_read |= op->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? bit : 0;
	r->vector_written |= op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? bit : 0;
}

void x86_insn_registers(const struct x86_block *b, unsigned i, struct x86_registers *r)
{
	const struct x86_insn *in = &b->insn[i];
	ZydisDecoder decoder;
	struct x86_decoded d;

	memset(r, 0, sizeof(*r));
	x86_decoder_init(&decoder, (enum x86_mode)b->mode);
	if (x86_decode(&decoder, &d, b->pc + in->pc_off, b->code + in->pc_off, in->bytes) ||
	    d.is_unknown)
		return;
	for (unsigned k = 0; k < d.z.operand_count; k++) {
		const ZydisDecodedOperand *op = &d.op[k];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			note_gpr(r, op->mem.base, 0, true);
			note_gpr(r, op->mem.index, 0, true);
		} else if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			note_gpr(r, op->reg.value, op->actions, false);
			note_vector(r, op);
		}
	}
	r->is_same_source =
	    d.z.operand_count_visible >= 2 && d.op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    d.op[1].type == ZYDIS_OPERAND_TYPE_REGISTER && d.op[0].reg.value == d.op[1].reg.value;
}
