/* fpu.c -- unit fpu: x87 and integer multiply and divide operations.
 *
 * COUNTING RULES   FLOPS (C1H): x87 add, sub, mul, div, rem, sqrt, compare, memory and pop forms
 *                  alike; a transcendental counts as one operation. 10H: the same and MUL, IMUL,
 *                  DIV, IDIV. 12H: MUL, IMUL, FMUL; 13H: DIV, IDIV, FDIV. SSE and MMX never count
 *                  here.
 * MODELLED         in time: FDIV and FIDIV take as long as the precision control of the control
 *                  word says that is valid then, which comes with the record.
 * NOT MODELLED     operations on the wrong path; operations inside transcendental microcode beyond
 *                  the one; that a divisor which is a power of two makes FDIV shorter, FSQRT by
 *                  precision; assists (11H) are counted in fpu_assist.c, divider occupancy (14H) in
 *                  ports.c.
 * SOURCES          Intel 242816-003 table 7-2; choices in docs/MODELS.md "fpu".
 */
#include "model/p6/p6.h"
#include "model/p6/units/fpu.h"

#include "model/parts/reader.h"

void p6_fpu_count(const struct x86_insn *n, uint32_t kinds, struct tally *t)
{
	if (n->group == X86_GRP_X87) {
		if (kinds & P6_K_FP_OP) {
			tally_add(t, WIRE_P6_FPU_OP_RETIRED, 1);
			tally_add(t, WIRE_P6_FPU_OP_EXEC, 1);
		}
	} else if (n->group != X86_GRP_INT || !(kinds & P6_K_INT_MULDIV)) {
		return;
	} else {
		tally_add(t, WIRE_P6_FPU_OP_EXEC, 1);
	}
	if (kinds & P6_K_MUL)
		tally_add(t, WIRE_P6_FPU_MUL, 1);
	if (kinds & P6_K_DIV)
		tally_add(t, WIRE_P6_FPU_DIV, 1);
}

/* ---- in time --------------------------------------------------------------------------------- */

void p6_fpu_open(struct p6_time *t)
{
	t->divide[P6_PC_64] = cat_p6_timing_of("fdiv", "", "");
	t->divide[P6_PC_53] = cat_p6_timing_of("fdiv_pc53", "", "");
	t->divide[P6_PC_24] = cat_p6_timing_of("fdiv_pc24", "", "");
}

/* Control word   15..12  11..10  9..8  7..0
 *                        RC      PC    masks     (PC 0: 24 bits, 2: 53, 3: 64; 1 is reserved) */
unsigned p6_fpu_precision(const struct p6_code *c, const uint8_t *slots)
{
	static const uint8_t precision[] = {P6_PC_24, P6_PC_64, P6_PC_53, P6_PC_64};

	if (c->control_slot == 0xff)
		return P6_PC_64;
	return precision[reader_slot(slots, c->control_slot) >> X86_X87_CONTROL_AT >> 8 & 3];
}

unsigned p6_fpu_precisions(const struct p6_tblk *t, const uint8_t *slots, unsigned n)
{
	unsigned all = P6_N_PRECISION;

	for (unsigned i = 0; t->has_divide && i < n; i++) {
		const unsigned own = p6_fpu_precision(&t->code[i], slots);

		if (t->code[i].control_slot == 0xff)
			continue;
		if (all != P6_N_PRECISION && all != own)
			return P6_N_PRECISION;
		all = own;
	}
	return all == P6_N_PRECISION ? P6_PC_64 : all;
}
