/* fpu.c -- unit fpu: floating-point operations, and the x87 pipe.
 *
 * COUNTING RULES   22H: x87 add, subtract, multiply, divide, remainder, square root, whatever their
 *                  operands and whether they pop, and integer MUL and IMUL. Compares, loads,
 *                  stores, sign changes and roundings are none. A transcendental instruction counts
 *                  as one operation (chosen). SSE and MMX arithmetic is none. 32H: clocks in which
 *                  EX waits for the x87 unit: an operand, the unit itself, the status word, an
 *                  integer multiply behind an operation, an integer instruction behind an FXCH in
 *                  V, the change from MMX. Clocks in which it waits for data are none.
 * MODELLED         results of 8 stack registers, one multiply every other clock, operations that
 *                  overlap integer instructions (all but FST and the like), the last clocks of one
 *                  that overlap the next; FST wants its operand a clock early; FNSTSW waits for the
 *                  status of what came before; FDIV by precision control; FXCH in V exchanges
 *                  without a clock of its own. An addition, subtraction, multiply or division is
 *                  safe when inexact results are masked and both exponents are in range, or an
 *                  operand is zero and no divisor; after another one the next x87 instruction waits
 *                  until it is over. Operand values and the control word come with the record.
 * NOT MODELLED     the operations inside transcendental microcode beyond the one; that an operation
 *                  which ends in a stack fault, an invalid operation or a division by zero does not
 *                  count; data-dependent clocks are the table's.
 * SOURCES          Intel 241428 (1997) 2.3, 16.4.6; Intel 242816-003 (1997) chapter 5; Agner Fog;
 *                  D. Alpert and D. Avnon, "Architecture of the Pentium Microprocessor", IEEE Micro
 *                  13(3), 1993 (which cases are found by operands and which by exponents).
 */
#include "model/p5/p5.h"

#include "x86/facts.h"

#define CONTROL_PM 0x20u /* control word: inexact results raise no exception */

void p5_fpu_count(const struct x86_insn *n, uint32_t kinds, struct tally *t)
{
	const bool is_flop = n->group == X86_GRP_X87 && kinds & P5_K_FLOP;
	const bool is_mul = n->group == X86_GRP_INT && kinds & P5_K_INT_MUL;

	tally_add(t, WIRE_P5_FPU_FLOP, is_flop || is_mul);
}

/* An instruction with EX at *ex_clk waits until clk, if that is later: *ex_clk becomes clk, and the
 * clocks between are counted as 32H and for reason `why`. */
static void wait_until(struct p5 *m, uint64_t *ex_clk, uint64_t clk, unsigned why)
{
	if (clk <= *ex_clk)
		return;
	m->time.wait[why] += clk - *ex_clk;
	P5_RAISE(m, FPU_STALL, clk - *ex_clk);
	*ex_clk = clk;
}

/* Returns the clock from which all stack registers that u reads are there; 0: it reads none. */
static uint64_t operands(const struct p5_fpu_time *f, const struct p5_op *u)
{
	uint64_t clk = 0;

	for (unsigned i = 0; i < 8; i++) {
		const uint64_t ready = f->ready_clk[(f->top + i) & 7];

		if (u->st_read >> i & 1 && ready > clk)
			clk = ready;
	}
	return clk;
}

uint64_t p5_fpu_wait(struct p5 *m, const struct p5_op *u, uint64_t ex_clk)
{
	const struct p5_fpu_time *f = &m->time.fpu;
	const unsigned wait =
	    f->is_exchange_unsafe ? P5_PAR_FPU_UNSAFE_CLK : P5_PAR_FPU_EXCHANGE_CLK;

	if (!(u->flags & P5_OP_X87)) {
		if (f->exchanged_clk && f->exchanged_clk == ex_clk)
			wait_until(m, &ex_clk, ex_clk + m->par[wait], P5_WHY_FP_EXCHANGE);
		if (u->flags & P5_OP_INT_MUL)
			wait_until(m, &ex_clk, f->done_clk, P5_WHY_FP_MULTIPLY);
		return ex_clk;
	}
	if (m->mmx.last == P5_FPMMX_MMX)
		wait_until(m, &ex_clk, ex_clk + m->par[P5_PAR_FPU_FROM_MMX_CLK], P5_WHY_FP_SWITCH);
	wait_until(m, &ex_clk, f->free_clk, P5_WHY_FP_BUSY);
	wait_until(m, &ex_clk, f->unsafe_clk, P5_WHY_FP_UNSAFE);
	if (u->flags & P5_OP_FMUL)
		wait_until(m, &ex_clk, f->mul_clk, P5_WHY_FP_BUSY);
	if (u->flags & P5_OP_SYNC)
		wait_until(m, &ex_clk, f->done_clk, P5_WHY_FP_BUSY);
	if (u->flags & P5_OP_STATUS)
		wait_until(m, &ex_clk, f->status_clk, P5_WHY_FP_STATUS);
	if (u->x87 == X86_X87_EXCHANGE || !u->st_read)
		return ex_clk;
	wait_until(m, &ex_clk, operands(f, u), P5_WHY_FP_OPERAND);
	if (u->x87 == X86_X87_STORE)
		wait_until(m, &ex_clk, operands(f, u) + m->par[P5_PAR_FPU_STORE_EARLY_CLK],
			   P5_WHY_FP_STORE);
	return ex_clk;
}

/* The two registers of an FXCH change places. */
static void exchange(struct p5_fpu_time *f, const struct p5_op *op)
{
	const unsigned i = op->st_read > 1 ? 31u - (unsigned)__builtin_clz(op->st_read) : 0;
	uint64_t *a = &f->ready_clk[f->top & 7], *b = &f->ready_clk[(f->top + i) & 7];
	const uint64_t x = *a;

	*a = *b;
	*b = x;
}

/* An operand as the unit sees it; exponent: biased as in 80 bits. */
struct value {
	unsigned exponent;
	bool is_zero, is_denormal;
};

/* A stack register, as the record describes it. */
static struct value of_register(unsigned exponent, bool has_significand)
{
	exponent &= 0x7fff;
	return (struct value){exponent, !exponent && !has_significand,
			      !exponent && has_significand};
}

/* An integer in memory: no exponent of it is out of range. */
static struct value of_integer(uint64_t v)
{
	return (struct value){.exponent = v ? 0x3fff : 0, .is_zero = !v};
}

/* A single (4 bytes, sign-extended) or double in memory. */
static struct value of_real(unsigned bytes, uint64_t v)
{
	const unsigned digits = bytes == 4 ? 23 : 52, most = bytes == 4 ? 0xff : 0x7ff;
	const unsigned exponent = (unsigned)(v >> digits) & most;
	const bool has_significand = v << (bytes == 4 ? 41 : 12) != 0;

	if (exponent == most)
		return (struct value){.exponent = 0x7fff};
	return (struct value){0x3fff + exponent - most / 2, !exponent && !has_significand,
			      !exponent && has_significand};
}

/* Can an operation with this operand be known early to raise no exception? */
static bool is_safe(const struct p5 *m, const struct value *v, bool is_divisor)
{
	if (v->is_zero)
		return !is_divisor && m->par[P5_PAR_FPU_ZERO_IS_SAFE];
	return !v->is_denormal && v->exponent >= m->par[P5_PAR_FPU_SAFE_FROM] &&
	       v->exponent <= m->par[P5_PAR_FPU_SAFE_TO];
}

unsigned p5_fpu_facts(const struct p5 *m, const struct p5_op *op, const struct x86_block *b,
		      const uint8_t *slots)
{
	static const uint8_t precision[] = {0, 2, 1, 2}; /* 1 is reserved */
	const struct x86_slot *memory = &b->slot[op->fact + 1u];
	struct value first, second;
	uint64_t v;
	unsigned facts;
	bool is_safe_op;

	if (op->fact == P5_NO_SLOT)
		return 2;
	v = reader_slot(slots, op->fact);
	first = of_register((unsigned)(v >> X86_X87_FIRST_AT), v >> X86_X87_FIRST_HAS & 1);
	second = of_register((unsigned)(v >> X86_X87_SECOND_AT), v >> X86_X87_SECOND_HAS & 1);
	if (op->fact + 1u < b->n_slot && memory[-1].insn == memory->insn &&
	    memory->kind == X86_SLOT_MEMORY) {
		const uint64_t there = reader_slot(slots, op->fact + 1u);

		second = memory->element ? of_integer(there) : of_real(memory->reg, there);
	}
	facts = precision[v >> 8 & 3];
	is_safe_op = v & CONTROL_PM && is_safe(m, &first, op->divisor == P5_DIVISOR_FIRST) &&
		     is_safe(m, &second, op->divisor == P5_DIVISOR_SECOND);
	return is_safe_op ? facts : facts | P5_FACT_UNSAFE;
}

unsigned p5_fpu_execute(struct p5 *m, const struct p5_op *u, const struct p5_op *v, unsigned facts,
			uint64_t ex_clk)
{
	struct p5_fpu_time *f = &m->time.fpu;
	unsigned clk = u->clk, over_int = u->over_int;
	uint64_t done, status;

	if (u->flags & P5_OP_DIV) {
		const unsigned is_int = u->pair != CAT_PAIR_FX;

		clk = m->time.divide[is_int][facts & P5_FACT_PRECISION].clk;
		over_int = m->time.divide[is_int][facts & P5_FACT_PRECISION].over_int;
	}
	done = ex_clk + clk;
	f->top = (uint8_t)((f->top - u->push) & 7);
	if (u->x87 == X86_X87_EXCHANGE)
		exchange(f, u);
	else
		for (unsigned i = 0; i < 8; i++)
			if (u->st_written >> i & 1)
				f->ready_clk[(f->top + i) & 7] = done;
	f->free_clk = done - u->over_fp;
	if (facts & P5_FACT_UNSAFE)
		f->unsafe_clk = f->free_clk + m->par[P5_PAR_FPU_UNSAFE_CLK];
	if (u->flags & P5_OP_FMUL)
		f->mul_clk = ex_clk + m->par[P5_PAR_FPU_MULTIPLY_STEP_CLK];
	if (done > f->done_clk)
		f->done_clk = done;
	if (u->x87 != X86_X87_CONTROL) {
		status = (clk < 3 ? ex_clk + 3 : done) + m->par[P5_PAR_FPU_STATUS_CLK];
		f->status_clk = status > f->status_clk ? status : f->status_clk;
	}
	clk -= over_int;
	if (v) {
		exchange(f, v);
		f->exchanged_clk = ex_clk + clk;
		f->is_exchange_unsafe = facts & P5_FACT_UNSAFE;
	}
	return clk;
}
