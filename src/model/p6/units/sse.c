/* sse.c -- unit sse: the Pentium III's single-precision instructions, prefetches, weak stores.
 *
 * COUNTING RULES   D8H: computation, moves, shuffles, compares, conversions, logic; prefetches,
 *                  fences and state instructions not. D9H: add sub mul div sqrt rcp rsqrt min max,
 *                  compares and conversions. Scalar forms are those that write or compare one
 *                  element. Prefetches (07H) by their hint; weak stores: every weakly ordered store
 *                  instruction.
 * NOT MODELLED     SSE2 and later are foreign instructions and count in none of these.
 * SOURCES          Intel 245127-001; seed reading of 07H; choices in docs/MODELS.md "sse".
 */
#include "model/p6/p6.h"
#include "model/p6/units/sse.h"

void p6_sse_count(const struct x86_insn *n, uint32_t kinds, struct tally *t)
{
	tally_add(t, WIRE_P6_SSE_PRE_NTA, (kinds & P6_K_PRE_NTA) != 0);
	tally_add(t, WIRE_P6_SSE_PRE_T0, (kinds & P6_K_PRE_T0) != 0);
	tally_add(t, WIRE_P6_SSE_PRE_T1, (kinds & P6_K_PRE_T1) != 0);
	tally_add(t, WIRE_P6_SSE_PRE_T2, (kinds & P6_K_PRE_T2) != 0);
	tally_add(t, WIRE_P6_SSE_NT_STORE, (kinds & P6_K_NT_STORE) != 0);
	if (n->group != X86_GRP_SSE)
		return;
	if (kinds & P6_K_SSE_SCALAR) {
		tally_add(t, WIRE_P6_SSE_SCALAR, 1);
		tally_add(t, WIRE_P6_SSE_COMP_SCALAR, (kinds & P6_K_SSE_COMP) != 0);
	} else if (kinds & P6_K_SSE_PACKED) {
		tally_add(t, WIRE_P6_SSE_PACKED, 1);
		tally_add(t, WIRE_P6_SSE_COMP_PACKED, (kinds & P6_K_SSE_COMP) != 0);
	}
}
