/* seg.c -- unit seg: writes of segment registers.
 *
 * COUNTING RULES   0FH: one per instruction that writes a segment register: MOV, POP, LDS to LGS,
 *                  far transfers (CS). What INT n and system calls load is the kernel's.
 * NOT MODELLED     loads by system instructions (LGDT, LIDT, LLDT, LTR) and the second load of a
 *                  transfer that changes privilege: none completes in user mode.
 * SOURCES          Intel 241428 (1997) 16.4.6.
 */
#include "model/p5/p5.h"

void p5_seg_count(const struct x86_insn *n, uint32_t kinds, struct tally *t)
{
	tally_add(t, WIRE_P5_SEG_LOAD, n->flags & X86_I_SEG_LOAD && !(kinds & P5_K_TRAP));
}
