/* decode.c -- Zydis' view of an instruction reduced to what translator and builder ask. */
#include "x86/insn.h"

#include <string.h>

#include "base/error.h"
#include "x86/block.h"

int x86_gpr_number(ZydisRegister reg)
{
	if (reg >= ZYDIS_REGISTER_AL && reg <= ZYDIS_REGISTER_BL)
		return reg - ZYDIS_REGISTER_AL;
	if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
		return reg - ZYDIS_REGISTER_AH;
	if (reg >= ZYDIS_REGISTER_SPL && reg <= ZYDIS_REGISTER_R15B)
		return reg - ZYDIS_REGISTER_SPL + 4;
	if (reg >= ZYDIS_REGISTER_AX && reg <= ZYDIS_REGISTER_R15W)
		return reg - ZYDIS_REGISTER_AX;
	if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D)
		return reg - ZYDIS_REGISTER_EAX;
	if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15)
		return reg - ZYDIS_REGISTER_RAX;
	return -1;
}

static void note_register(struct x86_decoded *d, const ZydisDecodedOperand *op)
{
	int r = x86_gpr_number(op->reg.value);

	if (r < 0)
		return;
	d->gpr_used |= (uint16_t)(1u << r);
	if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		d->gpr_written |= (uint16_t)(1u << r);
	if (op->encoding != ZYDIS_OPERAND_ENCODING_NONE)
		d->gpr_explicit |= (uint16_t)(1u << r);
}

static void note_memory(struct x86_decoded *d, unsigned i)
{
	const ZydisDecodedOperand *op = &d->op[i];
	int base = x86_gpr_number(op->mem.base), index = x86_gpr_number(op->mem.index);
	bool is_modrm = op->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;

	if (base >= 0) {
		d->gpr_used |= (uint16_t)(1u << base);
		if (is_modrm)
			d->gpr_explicit |= (uint16_t)(1u << base);
	}
	if (index >= 0) {
		d->gpr_used |= (uint16_t)(1u << index);
		if (is_modrm)
			d->gpr_explicit |= (uint16_t)(1u << index);
	}
	if (is_modrm)
		d->mem = (int8_t)i;
	if (op->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
	    (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		d->writes_memory = true;
}

static uint8_t branch_term(const struct x86_decoded *d)
{
	bool is_direct = d->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (d->z.meta.category) {
	case ZYDIS_CATEGORY_COND_BR: return X86_TERM_JCC;
	case ZYDIS_CATEGORY_UNCOND_BR: return is_direct ? X86_TERM_JMP : X86_TERM_JMP_IND;
	case ZYDIS_CATEGORY_CALL: return is_direct ? X86_TERM_CALL : X86_TERM_CALL_IND;
	case ZYDIS_CATEGORY_RET: return X86_TERM_RET;
	default: return X86_TERM_FALL;
	}
}

void x86_decoder_init(ZydisDecoder *decoder, enum x86_mode mode)
{
	if (mode == X86_MODE_32)
		ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
	else if (mode == X86_MODE_16)
		ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16);
	else
		ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

int x86_decode(const ZydisDecoder *decoder, struct x86_decoded *d, uint64_t pc,
	       const uint8_t *bytes, unsigned n)
{
	ZydisDecoderContext context;
	ZyanStatus st;

	if (n > 15)
		n = 15;
	st = ZydisDecoderDecodeInstruction(decoder, &context, bytes, n, &d->z);
	if (ZYAN_SUCCESS(st))
		st =
		    ZydisDecoderDecodeOperands(decoder, &context, &d->z, d->op, d->z.operand_count);
	d->pc = pc;
	d->gpr_used = d->gpr_written = d->gpr_explicit = 0;
	d->flags_read = d->flags_killed = 0;
	d->term = X86_TERM_FALL;
	d->emulate = 0;
	d->mem = -1;
	d->is_unknown = d->writes_memory = d->is_bulky = d->is_null = false;
	d->is_32 = decoder->machine_mode != ZYDIS_MACHINE_MODE_LONG_64;
	if (st == ZYDIS_STATUS_NO_MORE_DATA)
		return -SPMU_ENOENT;
	if (!ZYAN_SUCCESS(st)) {
		d->is_unknown = true;
		d->z.length = 1;
		d->z.operand_count = d->z.operand_count_visible = 0;
		d->z.mnemonic = ZYDIS_MNEMONIC_INVALID;
		d->byte[0] = bytes[0];
		x86_fixup(d);
		/* more than 15 bytes: #GP, whatever it would be */
		if (st == ZYDIS_STATUS_INSTRUCTION_TOO_LONG)
			x86_set_emulate(d, X86_EMU_PRIVILEGED);
		return 0;
	}
	memcpy(d->byte, bytes, d->z.length);
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		if (d->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
			note_register(d, &d->op[i]);
		else if (d->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			note_memory(d, i);
	}
	if (d->z.cpu_flags) {
		d->flags_read = d->z.cpu_flags->tested & X86_FLAGS_ALL;
		d->flags_killed = (d->z.cpu_flags->modified | d->z.cpu_flags->set_0 |
				   d->z.cpu_flags->set_1 | d->z.cpu_flags->undefined) &
				  X86_FLAGS_ALL;
	}
	d->term = branch_term(d);
	x86_fixup(d);
	return 0;
}
