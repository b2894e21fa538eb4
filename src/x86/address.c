/* address.c -- the address of a memory operand that the processor computes, from register values.
 */
#include "x86/insn.h"

static uint64_t part(const uint64_t *reg, ZydisRegister r)
{
	const int number = x86_gpr_number(r);

	return number < 0 ? 0 : reg[number];
}

bool x86_operand_address(const struct x86_block *b, const struct x86_slot *s, const uint64_t *reg,
			 uint64_t *address)
{
	const struct x86_insn *n = &b->insn[s->insn];
	const ZydisDecodedOperand *op;
	struct x86_decoded d;
	ZydisDecoder decoder;
	int number;

	x86_decoder_init(&decoder, b->mode);
	if (x86_decode(&decoder, &d, b->pc + n->pc_off, b->code + n->pc_off, n->bytes) ||
	    d.is_unknown)
		return false;
	number = s->reg ? s->reg - 1 : d.mem;
	if (number < 0 || number >= d.z.operand_count ||
	    d.op[number].type != ZYDIS_OPERAND_TYPE_MEMORY)
		return false;
	op = &d.op[number];
	if (x86_is_bit_string(&d) || d.z.mnemonic == ZYDIS_MNEMONIC_XLAT ||
	    op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_EIP ||
	    (d.is_32 && x86_is_fs_gs(op)))
		return false;
	*address = (uint64_t)op->mem.disp.value + part(reg, op->mem.base) +
		   part(reg, op->mem.index) * (op->mem.scale ? op->mem.scale : 1);
	if (d.z.address_width < 64)
		*address &= (1ull << d.z.address_width) - 1;
	return true;
}
