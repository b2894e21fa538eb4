/* debug.c -- unit debug: breakpoint registers, which count and do not trap.
 *
 * COUNTING RULES   23H to 26H: one per instruction at the address of an execution breakpoint, and
 *                  one per operand that overlaps the bytes of a data breakpoint and is of its type
 *                  (a read-modify-write is one operand, each iteration of a repeated string
 *                  instruction has its own). With all breakpoints disabled in DR7, as here, matches
 *                  of instructions in the V pipe are not seen.
 * MODELLED         DR0 to DR3 as --breakpoint sets them, in time only, because pipes matter.
 * NOT MODELLED     traps, breakpoints on ports, DR registers that the program writes (it cannot),
 *                  errata.
 * SOURCES          Intel 241428 (1997) 16.4.6.
 */
#include "model/p5/p5.h"

_Static_assert(WIRE_P5_DEBUG_DR3 == WIRE_P5_DEBUG_DR0 + 3, "registers in order");

void p5_debug_open(struct p5 *m, const struct mdl_breakpoint *b)
{
	struct p5_debug *d = &m->debug;

	for (unsigned i = 0; i < 4; i++) {
		d->b[i] = b[i];
		d->has_execute |= b[i].bytes && b[i].type == MDL_BREAK_EXECUTE;
		d->has_data |= b[i].bytes && b[i].type != MDL_BREAK_EXECUTE;
	}
}

void p5_debug_execute(struct p5 *m, uint64_t pc)
{
	const struct mdl_breakpoint *b = m->debug.b;

	for (unsigned i = 0; i < 4 && !m->time.is_in_v; i++)
		if (b[i].bytes && b[i].type == MDL_BREAK_EXECUTE && b[i].lin == pc)
			m->dyn[WIRE_P5_DEBUG_DR0 + i]++;
}

void p5_debug_data(struct p5 *m, uint64_t lin, const struct p5_operand *op)
{
	const struct mdl_breakpoint *b = m->debug.b;

	for (unsigned i = 0; i < 4; i++) {
		if (!b[i].bytes || b[i].type == MDL_BREAK_EXECUTE ||
		    (b[i].type == MDL_BREAK_WRITE && !(op->access & P5_WRITE)))
			continue;
		if (lin < b[i].lin + b[i].bytes && b[i].lin < lin + op->bytes)
			m->dyn[WIRE_P5_DEBUG_DR0 + i]++;
	}
}
