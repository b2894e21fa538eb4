/* moves.c -- which registers a loop changes by constants. Rules: moves.h. */
#include "asm/moves.h"

#include <string.h>

#define MOST_MOVE 63 /* bytes */
#define LINE	  32 /* bytes */

static int64_t constant_of(const struct x86_decoded *d)
{
	const ZydisDecodedOperand *op = &d->op[1];

	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_INC: return 1;
	case ZYDIS_MNEMONIC_DEC: return -1;
	case ZYDIS_MNEMONIC_ADD:
		return op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? op->imm.value.s : 0;
	case ZYDIS_MNEMONIC_SUB:
		return op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? -op->imm.value.s : 0;
	case ZYDIS_MNEMONIC_LEA:
		return op->mem.index == ZYDIS_REGISTER_NONE &&
			       x86_gpr_number(op->mem.base) == x86_gpr_number(d->op[0].reg.value)
			   ? op->mem.disp.value
			   : 0;
	default: return 0;
	}
}

bool asm_moves_step(struct asm_moves *m, const struct x86_decoded *d, struct asm_step *out)
{
	const bool has_register =
	    d->z.operand_count && d->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER && d->op[0].size > 8;
	const int reg = has_register ? x86_gpr_number(d->op[0].reg.value) : -1;

	out->by = reg >= 0 && reg != X86_RSP ? constant_of(d) : 0;
	if (!out->by) {
		m->unsteady |= d->gpr_written;
		return false;
	}
	out->reg = (uint8_t)reg;
	return true;
}

void asm_moves_begin(struct asm_moves *m)
{
	memcpy(m->value, m->start, sizeof(m->value));
	memcpy(m->last, m->start, sizeof(m->last));
}

void asm_moves_turn(struct asm_moves *m)
{
	for (unsigned r = 0; r < 16; r++) {
		const int64_t by = (int64_t)(m->value[r] - m->last[r]);
		const bool is_long = by > MOST_MOVE || by < -MOST_MOVE;
		int64_t used = is_long ? by % LINE + (by < 0 ? -LINE : LINE) : by;

		if (r == X86_RSP)
			continue;
		if (m->unsteady >> r & 1)
			used = 0;
		m->move[r] = (struct asm_move){m->unsteady >> r & 1 ? 0 : by, used};
		m->value[r] = m->last[r] = m->last[r] + (uint64_t)used;
	}
}
