/* copy.h -- one guest instruction into translated code, changed as little as possible.
 *
 * Verbatim unless it names r15 (a stand-in takes its place), is rip-relative (the displacement is
 * recomputed, or the address goes through a register when it is out of reach) or uses GS (the
 * program's own GS base is added explicitly).
 */
#ifndef SOFTPMU_TRANSLATE_COPY_H
#define SOFTPMU_TRANSLATE_COPY_H

#include "x86/emit.h"
#include "x86/insn.h"

/* Registers in play while one instruction is copied. */
struct xlt_regs {
	uint8_t x; /* stands in for r15 in this block; 15 = r15 is not used */
	uint8_t y; /* free for this instruction (not used by it, not x); spilled by the caller */
};

/* Does the instruction need y (its address cannot be encoded in place, wherever in the code area
 * that is)? */
bool xlt_copy_needs_y(const struct x86_out *o, const struct x86_decoded *d);

/* Copy d. When xlt_copy_needs_y() said so, y has been spilled and holds nothing. Not for control
 * transfers. Returns the code offset of a displacement relative to rip, 0 = there is none. */
uint32_t xlt_copy(struct x86_out *o, const struct x86_decoded *d, const struct xlt_regs *r);

/* Emit an instruction of our own with the memory operand of d: REX.W `opcode` /reg. Used for mov
 * reg, [operand] (8B) and lea reg, [operand] (8D, segment ignored). y and what is returned as for
 * xlt_copy. */
uint32_t xlt_memory_op(struct x86_out *o, const struct x86_decoded *d, const struct xlt_regs *r,
		       unsigned opcode, unsigned reg);

#endif
