/* symbols.c -- what is known of registers behind an instruction: a recorded value plus a constant,
 * or a constant.
 *
 * Followed are additions of constants, moves, LEA, PUSH, POP and CALL; everything else that writes
 * a register makes it unknown.
 */
#include "x86/plan.h"

/* A register of the full width of the code? */
static bool is_full_gpr(const struct x86_decoded *d, const ZydisDecodedOperand *op)
{
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	if (d->is_32)
		return op->reg.value >= ZYDIS_REGISTER_EAX && op->reg.value <= ZYDIS_REGISTER_EDI;
	return op->reg.value >= ZYDIS_REGISTER_RAX && op->reg.value <= ZYDIS_REGISTER_R15;
}

/* New value of the destination when it stays known. Returns true and fills *out, or false. */
static bool follow(struct planner *p, const struct x86_decoded *d, struct symbol *out)
{
	const ZydisDecodedOperand *dst = &d->op[0], *src = &d->op[1];
	int r = dst->type == ZYDIS_OPERAND_TYPE_REGISTER ? x86_gpr_number(dst->reg.value) : -1;
	bool is_imm = src->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	if (r < 0)
		return false;
	*out = p->sym[r];
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (!is_full_gpr(d, dst) || !is_imm || out->kind == SYM_UNKNOWN)
			return false;
		out->delta +=
		    d->z.mnemonic == ZYDIS_MNEMONIC_ADD ? src->imm.value.u : 0 - src->imm.value.u;
		return true;
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		if (!is_full_gpr(d, dst) || out->kind == SYM_UNKNOWN)
			return false;
		out->delta += d->z.mnemonic == ZYDIS_MNEMONIC_INC ? 1 : (uint64_t)-1;
		return true;
	case ZYDIS_MNEMONIC_MOV:
		if (is_imm && d->z.operand_width >= 32) {
			out->kind = SYM_CONST;
			out->delta = d->z.operand_width == 32 ? (uint32_t)src->imm.value.u
							      : src->imm.value.u;
			return true;
		}
		if (!is_full_gpr(d, dst) || !is_full_gpr(d, src))
			return false;
		*out = p->sym[x86_gpr_number(src->reg.value)];
		return out->kind != SYM_UNKNOWN;
	case ZYDIS_MNEMONIC_LEA:
		if (!is_full_gpr(d, dst) || d->z.address_width != (d->is_32 ? 32 : 64) ||
		    src->mem.index != ZYDIS_REGISTER_NONE)
			return false;
		if (src->mem.base == ZYDIS_REGISTER_RIP) {
			out->kind = SYM_CONST;
			out->delta = d->pc + d->z.length + (uint64_t)src->mem.disp.value;
			return true;
		}
		if (d->is_32 && src->mem.base == ZYDIS_REGISTER_NONE) {
			out->kind = SYM_CONST;
			out->delta = (uint64_t)src->mem.disp.value;
			return true;
		}
		if (x86_gpr_number(src->mem.base) < 0)
			return false;
		*out = p->sym[x86_gpr_number(src->mem.base)];
		out->delta += (uint64_t)src->mem.disp.value;
		return out->kind != SYM_UNKNOWN;
	default: return false;
	}
}

/* Change of RSP by PUSH and POP. Returns true when the instruction moves RSP by a known constant.
 */
static bool stack_step(const struct x86_decoded *d, uint64_t *step)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFQ:
	case ZYDIS_MNEMONIC_PUSHFD:
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_CALL: break;
	default: return false;
	}
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    op->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			continue;
		*step = op->size / 8;
		if (d->z.mnemonic != ZYDIS_MNEMONIC_POP)
			*step = 0 - *step;
		return true;
	}
	return false;
}

void x86_plan_follow(struct planner *p, const struct x86_decoded *d)
{
	struct symbol kept;
	uint64_t step;
	bool is_known = d->mem != 0 && follow(p, d, &kept);
	struct symbol rsp = p->sym[X86_RSP];

	p->written |= d->gpr_written;
	for (unsigned r = 0; r < 16; r++)
		if (d->gpr_written & 1u << r)
			p->sym[r].kind = SYM_UNKNOWN;
	if (is_known)
		p->sym[x86_gpr_number(d->op[0].reg.value)] = kept;
	if (rsp.kind != SYM_UNKNOWN && stack_step(d, &step) &&
	    !(d->z.mnemonic == ZYDIS_MNEMONIC_POP &&
	      x86_gpr_number(d->op[0].reg.value) == X86_RSP &&
	      d->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER)) {
		rsp.delta += step;
		p->sym[X86_RSP] = rsp;
	}
}
