/* seg.c -- unit seg: writes of segment registers.
 *
 * COUNTING RULES   one per instruction that writes a segment register (06H); a rename (D5H, D6H)
 *                  when it is ES, DS, FS or GS.
 * NOT MODELLED     rename stalls (D4H: they need time); writes on the wrong path.
 * SOURCES          Intel 243192 appendix A.
 */
#include "model/p6/p6.h"

static unsigned register_of(const struct x86_insn *n, uint32_t kinds)
{
	if (kinds & P6_K_SEG_FS)
		return 4;
	if (kinds & P6_K_SEG_GS)
		return 5;
	return n->n_op && n->op[0].kind == X86_OP_SEG ? n->op[0].reg : 1;
}

void p6_seg_count(const struct x86_insn *n, uint32_t kinds, struct p6_tally *t)
{
	unsigned wire;

	if (!(n->flags & X86_I_SEG_LOAD))
		return;
	p6_tally_add(t, WIRE_P6_SEG_LOAD, 1);
	switch (register_of(n, kinds)) {
	case 0:
		wire = WIRE_P6_SEG_RENAME_ES;
		break;
	case 3:
		wire = WIRE_P6_SEG_RENAME_DS;
		break;
	case 4:
		wire = WIRE_P6_SEG_RENAME_FS;
		break;
	case 5:
		wire = WIRE_P6_SEG_RENAME_GS;
		break;
	default:
		return;
	}
	p6_tally_add(t, wire, 1);
	p6_tally_add(t, WIRE_P6_SEG_RENAME_RETIRED, 1);
}
