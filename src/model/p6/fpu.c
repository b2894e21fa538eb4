/* fpu.c -- unit fpu: x87 and integer multiply and divide operations.
 *
 * COUNTING RULES   FLOPS (C1H): x87 add, sub, mul, div, rem, sqrt, compare, memory and pop forms
 *                  alike; a transcendental counts as one operation. 10H: the same and MUL, IMUL,
 *                  DIV, IDIV. 12H: MUL, IMUL, FMUL; 13H: DIV, IDIV, FDIV. SSE and MMX never count
 *                  here.
 * NOT MODELLED     operations on the wrong path; operations inside transcendental microcode beyond
 *                  the one; divider occupancy (14H, time); assists (11H) are counted in assist.c.
 * SOURCES          Intel 242816-003 table 7-2; choices in docs/MODELS.md "fpu".
 */
#include "model/p6/p6.h"

void p6_fpu_count(const struct x86_insn *n, uint32_t kinds, struct p6_tally *t)
{
	if (n->group == X86_GRP_X87) {
		if (kinds & P6_K_FP_OP) {
			p6_tally_add(t, WIRE_P6_FPU_OP_RETIRED, 1);
			p6_tally_add(t, WIRE_P6_FPU_OP_EXEC, 1);
		}
	} else if (n->group != X86_GRP_INT || !(kinds & P6_K_INT_MULDIV)) {
		return;
	} else {
		p6_tally_add(t, WIRE_P6_FPU_OP_EXEC, 1);
	}
	if (kinds & P6_K_MUL)
		p6_tally_add(t, WIRE_P6_FPU_MUL, 1);
	if (kinds & P6_K_DIV)
		p6_tally_add(t, WIRE_P6_FPU_DIV, 1);
}
