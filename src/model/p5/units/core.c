/* core.c -- unit core: instructions and branches.
 *
 * COUNTING RULES   16H: one per instruction executed; a REP instruction is one, one that faulted is
 *                  none. 12H: every transfer of control, taken or not, near or far, INT n and IRET
 *                  among them, and serialising instructions, VERR and VERW as if they were one. 32H
 *                  (counter 1): transfers that were taken; those that 12H adds without being one
 *                  are not in it. 39H (counter 0): RET near and far; IRET is none.
 * MODELLED         instructions, branches, taken branches, returns. SYSCALL and SYSENTER, which the
 *                  P5 did not have, count as the INT n that they stand for.
 * NOT MODELLED     deliveries of exceptions and interrupts (16H and 12H would count each: they lead
 *                  into the kernel), INTO; pipes, prediction, flushes, interlocks, clocks: they
 *                  need time.
 * SOURCES          Intel 241428 (1997) 16.4.6; Intel 243006 6.1.1.
 */
#include "model/p5/p5.h"

/* Count an instruction that the processor never had, and of which kind it is. */
static void count_foreign(const struct p5 *m, const struct x86_insn *n, uint32_t kinds,
			  struct tally *t)
{
	const bool is_sse_mmx = n->group == X86_GRP_MMX && kinds & P5_K_SSE_MMX,
		   is_mmx = n->group == X86_GRP_MMX && !is_sse_mmx && !m->cpu->has_mmx,
		   is_sse = n->group == X86_GRP_SSE || is_sse_mmx,
		   is_later = n->group == X86_GRP_LATER,
		   is_new = !is_mmx && !is_sse && !is_later && kinds & P5_K_LATER,
		   is_long = !is_mmx && !is_sse && !is_later && !is_new &&
			     n->group != X86_GRP_MMX && n->flags & X86_I_LONG_MODE;

	tally_add(t, WIRE_P5_CORE_FOREIGN, is_mmx || is_sse || is_later || is_new || is_long);
	tally_add(t, WIRE_P5_CORE_FOREIGN_NEW, is_new);
	tally_add(t, WIRE_P5_CORE_FOREIGN_MMX, is_mmx);
	tally_add(t, WIRE_P5_CORE_FOREIGN_SSE, is_sse);
	tally_add(t, WIRE_P5_CORE_FOREIGN_LONG, is_long);
}

void p5_core_count(const struct p5 *m, const struct x86_insn *n, uint32_t kinds, struct tally *t)
{
	const bool is_transfer = kinds & P5_K_TRANSFER;

	tally_add(t, WIRE_P5_CORE_INST, 1);
	tally_add(t, WIRE_P5_CORE_BRANCH,
		  is_transfer || n->flags & X86_I_COND || kinds & P5_K_SERIAL);
	tally_add(t, WIRE_P5_CORE_TAKEN, is_transfer);
	tally_add(t, WIRE_P5_CORE_RET, (kinds & P5_K_RET) != 0);
	tally_add(t, WIRE_P5_CORE_HOST_DEPENDENT, (kinds & P5_K_HOST) != 0);
	count_foreign(m, n, kinds, t);
}
