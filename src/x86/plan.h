/* plan.h -- planning the slots of a block: what slots.c, masked.c, operands.c and assist.c share.
 */
#ifndef SOFTPMU_X86_PLAN_H
#define SOFTPMU_X86_PLAN_H

#include <string.h>

#include "x86/build.h"

enum symbol_kind { SYM_UNKNOWN = 0, SYM_SLOT, SYM_CONST };

/* What is known of one register: slot value + delta, or the constant delta. */
struct symbol {
	uint8_t kind, slot;
	uint64_t delta;
};

struct planner {
	struct x86_builder *b;
	struct symbol sym[16];
	unsigned n_slot, n_ref, n_rep, n_parts;
	unsigned insn;
	uint16_t written; /* bit per register that an instruction before this one writes */
	uint16_t xsave_bytes;
	bool has_addresses; /* x86_build_limits.has_addresses */
	bool has_overflow;
};

/* The next slot of the record; one to waste with has_overflow set when there is none left. */
static inline uint8_t new_slot(struct planner *p, uint8_t kind, uint8_t reg)
{
	struct x86_slot *s;

	if (p->n_slot == X86_MAX_SLOTS) {
		p->has_overflow = true;
		return X86_MAX_SLOTS;
	}
	s = &p->b->slot[p->n_slot];
	*s = (struct x86_slot){.kind = kind,
			       .insn = (uint8_t)p->insn,
			       .reg = reg,
			       .ref = (uint8_t)p->n_ref,
			       .is_entry = kind == X86_SLOT_REG && !(p->written >> reg & 1)};
	return (uint8_t)p->n_slot++;
}

/* symbols.c: what p->sym says of the registers once d has been executed. */
void x86_plan_follow(struct planner *p, const struct x86_decoded *d);

/* masked.c: when d touches only parts of its memory operand, say which: slots, struct x86_parts,
 * and X86_REF_PARTS in ref. */
void x86_plan_parts(struct planner *p, const struct x86_decoded *d, const ZydisDecodedOperand *mem,
		    struct x86_ref *ref);

/* assist.c: slots for the operand class of d, if it has one. */
void x86_plan_assist(struct planner *p, const struct x86_decoded *d);

/* operands.c: slots for the operand values of d, if it is of their kind. */
void x86_plan_x87_operands(struct planner *p, const struct x86_decoded *d);
void x86_plan_x87_control(struct planner *p, const struct x86_decoded *d);
void x86_plan_mmx_operands(struct planner *p, const struct x86_decoded *d);

#endif
