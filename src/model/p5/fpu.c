/* fpu.c -- unit fpu: floating-point operations.
 *
 * COUNTING RULES   22H: x87 add, subtract, multiply, divide, remainder, square root, whatever their operands
 *                  and whether they pop, and integer MUL and IMUL. Compares, loads, stores, sign changes
 *                  and roundings are none. A transcendental instruction counts as one operation (chosen).
 *                  SSE and MMX arithmetic is none.
 * NOT MODELLED     the operations inside transcendental microcode beyond the one; that an operation which
 *                  ends in a stack fault, an invalid operation or a division by zero does not count; stalls
 *                  (32H), which need time.
 * SOURCES          Intel 241428 (1997) 16.4.6.
 */
#include "model/p5/p5.h"

void p5_fpu_count(const struct x86_insn *n, uint32_t kinds, struct p5_tally *t)
{
	const bool is_flop = n->group == X86_GRP_X87 && kinds & P5_K_FLOP;
	const bool is_mul = n->group == X86_GRP_INT && kinds & P5_K_INT_MUL;

	p5_tally_add(t, WIRE_P5_FPU_FLOP, is_flop || is_mul);
}
