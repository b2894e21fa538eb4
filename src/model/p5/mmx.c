/* mmx.c -- unit mmx: MMX instructions of the Pentium with MMX.
 *
 * COUNTING RULES   2DH (counter 0): EMMS. 2FH (counter 0): adds, subtracts and packs with saturation. 2DH
 *                  (counter 1): the first x87 instruction after MMX and the first MMX instruction after x87;
 *                  EMMS is MMX; the program starts as after x87. Data references of MMX instructions are
 *                  counted beside all others (dcache.c).
 * MODELLED         kinds and changes.
 * NOT MODELLED     which elements were clipped (2FH, counter 1: needs the operands); pipes (2BH) and
 *                  interlocks, which need time.
 * SOURCES          Intel 243006 6.1.1; Intel 241428 (1997) 16.4.6.
 */
#include "model/p5/p5.h"

void p5_mmx_count(const struct x86_insn *n, uint32_t kinds, struct p5_tally *t)
{
	if (n->group != X86_GRP_MMX)
		return;
	p5_tally_add(t, WIRE_P5_MMX_EMMS, (kinds & P5_K_EMMS) != 0);
	p5_tally_add(t, WIRE_P5_MMX_SATURATING, (kinds & P5_K_MMX_SAT) != 0);
}

void p5_mmx_switch(struct p5 *m, enum p5_fpmmx now)
{
	P5_RAISE(m, MMX_SWITCH, m->fpmmx != now);
	m->fpmmx = (uint8_t)now;
}

uint8_t p5_mmx_ends(struct p5 *m, const struct x86_block *b, struct p5_tally *t)
{
	uint8_t first = 0, last = 0;

	for (unsigned i = 0; i < b->n_insn; i++) {
		const unsigned g = b->insn[i].group;
		const uint8_t now = g == X86_GRP_X87 ? P5_FPMMX_X87 : g == X86_GRP_MMX ? P5_FPMMX_MMX : 0;

		if (!now)
			continue;
		if (!first)
			first = now;
		else
			p5_tally_add(t, WIRE_P5_MMX_SWITCH, now != last);
		last = now;
	}
	return (uint8_t)(first | last << 4);
}
