/* seg.c -- unit seg: writes of segment registers.
 *
 * COUNTING RULES   0FH: one per instruction that writes a segment register: MOV, POP, LDS to LGS,
 *                  far transfers (CS), or a system-table register: LGDT, LIDT, LLDT, LTR. What INT
 * n and system calls of a program load is the kernel's; a whole machine counts it, deliveries of
 * interrupts and exceptions too, and one more where privilege changes (int.c, loops/events.c).
 * SOURCES          Intel 241428 (1997) 16.4.6.
 */
#include "model/p5/p5.h"

void p5_seg_count(const struct p5 *m, const struct x86_insn *n, uint32_t kinds, struct tally *t)
{
	const bool is_load = n->flags & X86_I_SEG_LOAD;

	tally_add(t, WIRE_P5_SEG_LOAD,
		  kinds & P5_K_TRAP ? m->intr.is_told : is_load || kinds & P5_K_TABLE);
}
