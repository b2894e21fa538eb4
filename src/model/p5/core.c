/* core.c -- unit core: instructions and branches.
 *
 * COUNTING RULES   16H: one per instruction executed; a REP instruction is one, one that faulted is
 *                  none. 12H: every transfer of control, taken or not, near or far, INT n and IRET
 *                  among them, and serialising instructions, VERR and VERW as if they were one.
 *                  32H (counter 1): transfers that were taken; those that 12H adds without being one are not
 *                  in it. 39H (counter 0): RET near and far; IRET is none.
 * MODELLED         instructions, branches, taken branches, returns. SYSCALL and SYSENTER, which the P5 did
 *                  not have, count as the INT n that they stand for.
 * NOT MODELLED     deliveries of exceptions and interrupts (16H and 12H would count each: they lead into the
 *                  kernel), INTO; pipes, prediction, flushes, interlocks, clocks: they need time.
 * SOURCES          Intel 241428 (1997) 16.4.6; Intel 243006 6.1.1.
 */
#include "model/p5/p5.h"

static bool is_foreign(const struct p5 *m, const struct x86_insn *n, uint32_t kinds)
{
	switch (n->group) {
	case X86_GRP_LATER:
	case X86_GRP_SSE:
		return true;
	case X86_GRP_MMX:
		return !m->cpu->has_mmx || kinds & P5_K_LATER;
	default:
		return kinds & P5_K_LATER || n->flags & X86_I_LONG_MODE;
	}
}

void p5_core_count(const struct p5 *m, const struct x86_insn *n, uint32_t kinds, struct p5_tally *t)
{
	const bool is_transfer = kinds & P5_K_TRANSFER;

	p5_tally_add(t, WIRE_P5_CORE_INST, 1);
	p5_tally_add(t, WIRE_P5_CORE_BRANCH,
		     is_transfer || n->flags & X86_I_COND || kinds & P5_K_SERIAL);
	p5_tally_add(t, WIRE_P5_CORE_TAKEN, is_transfer);
	p5_tally_add(t, WIRE_P5_CORE_RET, (kinds & P5_K_RET) != 0);
	p5_tally_add(t, WIRE_P5_CORE_FOREIGN, is_foreign(m, n, kinds));
	p5_tally_add(t, WIRE_P5_CORE_HOST_DEPENDENT, (kinds & P5_K_HOST) != 0);
}
