/* mmx.c -- unit mmx: MMX instructions by kind.
 *
 * COUNTING RULES   executed (B0H): all but MOVD and MOVQ stores, EMMS included; saturating (B1H):
 *                  adds, subtracts and packs with saturation; micro-ops (B2H): those of ports 0 to
 *                  3; by port they need time (rat.c). Classes (B3H): transfers and EMMS are in
 *                  none; of the Pentium III's additions PAVGx, PMINx, PMAXx and PSADBW are
 *                  arithmetic, PMULHUW multiply, PSHUFW unpack, the rest none. Transitions (CCH):
 *                  the first x87 instruction after MMX, the first MMX instruction after x87; EMMS
 *                  is MMX; the program starts as after x87.
 * MODELLED         right path only.
 * SOURCES          Intel 243192 appendix A; choices in docs/MODELS.md "mmx".
 */
#include "model/p6/p6.h"
#include "model/p6/units/mmx.h"

void p6_mmx_count(const struct x86_insn *n, uint32_t kinds, unsigned uops_p0123, struct tally *t)
{
	bool is_store;

	if (n->group != X86_GRP_MMX)
		return;
	is_store = (kinds & P6_K_MMX_MOVE) && n->n_op && n->op[0].kind == X86_OP_MEM;
	tally_add(t, WIRE_P6_MMX_RETIRED, 1);
	tally_add(t, WIRE_P6_MMX_EXEC, !is_store);
	tally_add(t, WIRE_P6_MMX_UOP, uops_p0123);
	tally_add(t, WIRE_P6_MMX_EMMS, (kinds & P6_K_EMMS) != 0);
	if (kinds & P6_K_MMX_SAT) {
		tally_add(t, WIRE_P6_MMX_SAT_EXEC, 1);
		tally_add(t, WIRE_P6_MMX_SAT_RETIRED, 1);
	}
	if (kinds & P6_K_MMX_MUL)
		tally_add(t, WIRE_P6_MMX_TYPE_MUL, 1);
	else if (kinds & P6_K_MMX_SHIFT)
		tally_add(t, WIRE_P6_MMX_TYPE_SHIFT, 1);
	else if (kinds & P6_K_MMX_PACK)
		tally_add(t, WIRE_P6_MMX_TYPE_PACK, 1);
	else if (kinds & P6_K_MMX_UNPACK)
		tally_add(t, WIRE_P6_MMX_TYPE_UNPACK, 1);
	else if (kinds & P6_K_MMX_LOGICAL)
		tally_add(t, WIRE_P6_MMX_TYPE_LOGICAL, 1);
	else if (kinds & P6_K_MMX_ARITH)
		tally_add(t, WIRE_P6_MMX_TYPE_ARITH, 1);
}

void p6_feed_fpmmx(struct p6 *m, unsigned ends)
{
	if ((ends & 15) != m->mmx.last) {
		P6_RAISE(m, MMX_TO_FP, (ends & 15) == P6_FPMMX_X87);
		P6_RAISE(m, MMX_FROM_FP, (ends & 15) == P6_FPMMX_MMX);
	}
	m->mmx.last = (uint8_t)(ends >> 4);
}
