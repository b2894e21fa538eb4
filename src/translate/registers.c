/* registers.c -- which registers stand in for r15 and serve as scratch in a block. */
#include "translate/term32.h"
#include "translate/terminator.h"

/* 32-bit code leaves r8 to r14 free; a scratch register is taken from the program only where the
 * encoding wants one of the low eight. */
static bool choose_registers_32(struct xlt_emitter *e)
{
	const struct x86_builder *b = e->b;
	uint16_t free_regs = 0xff & ~(b->gpr_used | 1u << X86_RSP | 1u << X86_RAX);

	e->regs.x = e->regs.y = X86_R15;
	for (unsigned i = 0; i < b->block.n_insn; i++) {
		if (!xlt32_needs_low_scratch(&b->dec[i]))
			continue;
		if (!free_regs)
			return false;
		e->regs.y = (uint8_t)__builtin_ctz(free_regs);
	}
	return true;
}

bool xlt_choose_registers(struct xlt_emitter *e)
{
	const struct x86_builder *b = e->b;
	uint8_t term = b->block.term;
	bool is_indirect =
	    term == X86_TERM_RET || term == X86_TERM_JMP_IND || term == X86_TERM_CALL_IND;
	uint16_t taken = b->gpr_used | 1u << X86_RSP | 1u << X86_R15;
	bool needs_y = false;

	if (b->mode == X86_MODE_32)
		return choose_registers_32(e);
	if (is_indirect)
		taken |= 1u << X86_RAX | 1u << X86_RCX;
	e->regs.x = X86_R15;
	if (b->uses_r15) {
		uint16_t free_regs = X86_STAND_IN & ~taken;

		if (!free_regs)
			return false;
		e->regs.x = (uint8_t)__builtin_ctz(free_regs);
		taken |= (uint16_t)(1u << e->regs.x);
	}
	for (unsigned i = 0; i < b->block.n_insn && !needs_y; i++)
		needs_y = xlt_copy_needs_y(e->out, &b->dec[i]) || b->insn[i].flags & X86_I_REP;
	for (unsigned i = 0; i < b->block.n_slot && !needs_y; i++)
		needs_y = b->slot[i].kind == X86_SLOT_ADDRESS ||
			  b->slot[i].kind == X86_SLOT_MEMORY_AFTER ||
			  b->slot[i].kind == X86_SLOT_MEMORY ||
			  b->slot[i].kind == X86_SLOT_MASK_K ||
			  b->slot[i].kind == X86_SLOT_MASK_SIGN;
	e->regs.y = X86_R15;
	if (needs_y) {
		uint16_t free_regs = (uint16_t) ~(taken | 1u << X86_RAX);

		if (!free_regs)
			return false;
		if (free_regs &
		    ~(1u
		      << X86_RBP)) /* addresses on RBP are those of SS, which fault differently */
			free_regs &= (uint16_t) ~(1u << X86_RBP);
		e->regs.y = (uint8_t)__builtin_ctz(free_regs);
	}
	return true;
}
