/* pair.c -- part of unit core: may the second instruction go down V beside the first, and when does
 * it start?
 *
 * COUNTING RULES   17H: one per pair. 09H: one per pair in which both have a data operand in
 *                  memory, the stack's included, FXCH pairs never. 0AH: one per pair whose second
 *                  access had to slip.
 * MODELLED         the rules in the order of the manual: classes, register dependences (parts of a
 *                  register are the register; flags never matter), the exceptions of PUSH, CALL and
 *                  POP, displacement with immediate, prefixes, lengths. MMX: one shifter, one
 *                  multiplier, memory and general registers in U only and beside MMX only, the
 *                  first MMX instruction after x87 alone. x87: FXCH in V of the pairable group. A V
 *                  half starts with the last access of its U half, one clock later when both want
 *                  the same bank (bits 4..2 of the address). Each rule is a figure core.pair_* of
 *                  catalog/p5/params.tsv and can be turned off.
 * NOT MODELLED     single step and TR12.
 * SOURCES          Intel 242816-003 (1997) 3.6, 4.3, 5.1; Agner Fog.
 */
#include "model/p5/p5.h"

#include "x86/facts.h"

#define SP (1u << 4)

static bool is_mmx(const struct p5_op *op)
{
	return op->flags & P5_OP_MMX;
}

static unsigned mmx_refused(const struct p5 *m, const struct p5_op *u, const struct p5_op *v)
{
	const uint16_t *rule = m->par;

	if (!is_mmx(u))
		return m->mmx.last != P5_FPMMX_MMX && rule[P5_PAR_CORE_PAIR_MMX_FIRST]
			   ? P5_WHY_MMX_FIRST
			   : 0;
	if (!is_mmx(v))
		return u->flags & P5_OP_MMX_U && rule[P5_PAR_CORE_PAIR_MMX_MEMORY]
			   ? P5_WHY_MMX_MEMORY
			   : 0;
	if (u->pair != CAT_PAIR_MMX && u->pair == v->pair && rule[P5_PAR_CORE_PAIR_MMX_UNIT])
		return P5_WHY_MMX_ONE_UNIT;
	if (u->mm_written & v->mm_read && rule[P5_PAR_CORE_PAIR_RAW])
		return P5_WHY_RAW;
	return u->mm_written & v->mm_written && rule[P5_PAR_CORE_PAIR_WAW] ? P5_WHY_WAW : 0;
}

unsigned p5_pair_refused(const struct p5 *m, const struct p5_op *u, const struct p5_op *v)
{
	const uint16_t *rule = m->par;
	uint16_t writes = u->writes;
	unsigned why = 0;

	if (u->why_u || v->why_v)
		return u->why_u ? u->why_u : v->why_v;
	if ((u->pair == CAT_PAIR_FX) != (v->pair == CAT_PAIR_FXCH) && rule[P5_PAR_CORE_PAIR_FXCH])
		return P5_WHY_FP_ALONE;
	if (is_mmx(u) || is_mmx(v))
		why = mmx_refused(m, u, v);
	if (why)
		return why;
	if (rule[P5_PAR_CORE_PAIR_STACK] &&
	    ((u->stack == X86_STACK_PUSH &&
	      (v->stack == X86_STACK_PUSH || v->stack == X86_STACK_CALL)) ||
	     (u->stack == X86_STACK_POP && v->stack == X86_STACK_POP)))
		writes &= (uint16_t)~SP;
	if (writes & v->reads && rule[P5_PAR_CORE_PAIR_RAW])
		return P5_WHY_RAW;
	return writes & v->writes && rule[P5_PAR_CORE_PAIR_WAW] ? P5_WHY_WAW : 0;
}

unsigned p5_pair_v_clk(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v,
		       bool *has_conflict)
{
	*has_conflict = false;
	if (u->op->flags & v->op->flags & P5_OP_MEMORY)
		*has_conflict = p5_look_bank(m, u, v);
	return u->op->write_clk + *has_conflict;
}
