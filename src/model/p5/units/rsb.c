/* rsb.c -- unit rsb: the return stack of the Pentium with MMX.
 *
 * COUNTING RULES   37H counter 0: one per RET whose target the return stack did not give: unknown
 *                  to the BTB, no entry, or a wrong one. 37H counter 1: one per RET known to the
 *                  BTB for which there was an entry, right or wrong. 39H counter 1: one per CALL
 *                  that overwrites a live entry.
 * MODELLED         4 entries; CALL pushes and RET pops when they are executed; a far or interrupted
 *                  return leaves it as it is.
 * NOT MODELLED     entries that answer again after the stack ran empty; what the kernel's own calls
 *                  leave.
 * SOURCES          Intel 243006 6.1.1; Agner Fog, microarchitecture, 3.4; that an unknown RET is
 *                  not predicted although there is an entry is chosen (the BTB tells its type).
 */
#include "model/p5/p5.h"

void p5_rsb_call(struct p5 *m, uint64_t fall)
{
	if (!m->rsb.size)
		return;
	P5_SEE(m, RSB_OVERFLOW, m->rsb.depth == m->rsb.size);
	rsb_push(&m->rsb, fall);
}

uint64_t p5_rsb_ret(struct p5 *m, bool is_known)
{
	const uint64_t to = m->rsb.size ? rsb_pop(&m->rsb) : 0;

	if (!is_known)
		return 0;
	P5_SEE(m, RSB_PREDICTED, to != 0);
	return to;
}
