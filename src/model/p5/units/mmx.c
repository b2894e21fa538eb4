/* mmx.c -- unit mmx: MMX instructions of the Pentium with MMX.
 *
 * COUNTING RULES   2DH (counter 0): EMMS. 2FH (counter 0): adds, subtracts and packs with
 *                  saturation; (counter 1): those of them in which an element was clipped, by the
 *                  operands in the record. 2DH (counter 1): the first x87 instruction after MMX and
 *                  the first MMX instruction after x87; EMMS is MMX; the program starts as after
 *                  x87. Data references of MMX instructions are counted beside all others
 *                  (dcache.c). 38H (counter 0): clocks that an operand waits for a multiply. 38H
 *                  (counter 1): clocks that a store, to memory or to a general register, waits
 *                  because its register was written in the clock before. 2BH: pipe.c.
 * MODELLED         kinds and changes; multiplies of 3 clocks, one of which can begin in each clock;
 *                  stores that want their register a clock early; the clocks of the first
 *                  instruction after x87.
 * NOT MODELLED     saturation in XMM registers, which the processor had not.
 * SOURCES          Intel 243006 6.1.1; Intel 241428 (1997) 16.4.6; Intel 242816-003 (1997) chapter
 *                  4.
 */
#include "model/p5/p5.h"

void p5_mmx_count(const struct x86_insn *n, uint32_t kinds, struct tally *t)
{
	if (n->group != X86_GRP_MMX)
		return;
	tally_add(t, WIRE_P5_MMX_EMMS, (kinds & P5_K_EMMS) != 0);
	tally_add(t, WIRE_P5_MMX_SATURATING, (kinds & P5_K_MMX_SAT) != 0);
}

struct clip_row {
	uint8_t from_bits; /* of an element of the operands */
	int32_t low, high;
	int8_t sign; /* of the source: +1 added, -1 subtracted, 0 packed */
};

static const struct clip_row clip_rows[] = {
    [X86_CLIP_ADD_S8] = {8, INT8_MIN, INT8_MAX, 1},
    [X86_CLIP_ADD_S16] = {16, INT16_MIN, INT16_MAX, 1},
    [X86_CLIP_ADD_U8] = {8, 0, UINT8_MAX, 1},
    [X86_CLIP_ADD_U16] = {16, 0, UINT16_MAX, 1},
    [X86_CLIP_SUB_S8] = {8, INT8_MIN, INT8_MAX, -1},
    [X86_CLIP_SUB_S16] = {16, INT16_MIN, INT16_MAX, -1},
    [X86_CLIP_SUB_U8] = {8, 0, UINT8_MAX, -1},
    [X86_CLIP_SUB_U16] = {16, 0, UINT16_MAX, -1},
    [X86_CLIP_PACK_S16_S8] = {16, INT8_MIN, INT8_MAX, 0},
    [X86_CLIP_PACK_S32_S16] = {32, INT16_MIN, INT16_MAX, 0},
    [X86_CLIP_PACK_S16_U8] = {16, 0, UINT8_MAX, 0},
};

/* Element of `bits` bits at bit `at`, with its sign unless is_unsigned. */
static int64_t element(uint64_t v, unsigned at, unsigned bits, bool is_unsigned)
{
	v = v >> at << (64 - bits);
	return is_unsigned ? (int64_t)(v >> (64 - bits)) : (int64_t)v >> (64 - bits);
}

static bool is_outside(const struct clip_row *r, int64_t v)
{
	return v < r->low || v > r->high;
}

static bool is_clipped(unsigned clip, uint64_t dst, uint64_t src)
{
	const struct clip_row *r = &clip_rows[clip];
	const bool is_unsigned = r->sign && !r->low;

	for (unsigned at = 0; at < 64; at += r->from_bits) {
		const int64_t a = element(dst, at, r->from_bits, is_unsigned);
		const int64_t b = element(src, at, r->from_bits, is_unsigned);

		if (is_outside(r, a + r->sign * b) || (!r->sign && is_outside(r, b)))
			return true;
	}
	return false;
}

void p5_mmx_clip(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		 unsigned to)
{
	for (unsigned k = 0; k + 1u < b->n_slot && b->slot[k].insn < to; k++) {
		const struct x86_slot *s = &b->slot[k];

		if (s->insn < from || s->kind != X86_SLOT_MMX || s->element == X86_CLIP_NONE ||
		    s->element > X86_CLIP_PACK_S16_U8)
			continue;
		if (is_clipped(s->element, reader_slot(slots, k), reader_slot(slots, k + 1)))
			P5_RAISE(m, MMX_SATURATED, 1);
	}
}

/* When the registers that op reads are there; by_mul: those that a multiply writes, or the
 * others. */
static uint64_t operands(const struct p5_mmx_time *x, const struct p5_op *op, bool by_mul)
{
	const uint8_t read = op->mm_read & (by_mul ? x->by_mul : (uint8_t)~x->by_mul);
	uint64_t clk = 0;

	for (unsigned i = 0; i < 8; i++)
		if (read >> i & 1 && x->ready_clk[i] > clk)
			clk = x->ready_clk[i];
	return clk;
}

static uint64_t wait_until(struct p5 *m, uint64_t *ex_clk, uint64_t clk, unsigned why)
{
	const uint64_t waited = clk > *ex_clk ? clk - *ex_clk : 0;

	m->time.wait[why] += waited;
	*ex_clk += waited;
	return waited;
}

static void wait_for(struct p5 *m, const struct p5_op *op, uint64_t *ex_clk)
{
	const struct p5_mmx_time *x = &m->time.mmx;
	const uint64_t multiplied = operands(x, op, true);
	uint64_t ready = operands(x, op, false);

	P5_RAISE(m, MMX_MUL_STALL, wait_until(m, ex_clk, multiplied, P5_WHY_MMX_MUL));
	if (!(op->flags & P5_OP_MMX_STORE))
		return;
	ready = (ready > multiplied ? ready : multiplied) + m->par[P5_PAR_MMX_STORE_EARLY_CLK];
	P5_RAISE(m, MMX_STORE_STALL, wait_until(m, ex_clk, ready, P5_WHY_MMX_STORE));
}

uint64_t p5_mmx_wait(struct p5 *m, const struct p5_op *u, const struct p5_op *v, uint64_t ex_clk)
{
	const bool v_is_mmx = v && v->flags & P5_OP_MMX;

	if (!(u->flags & P5_OP_MMX) && !v_is_mmx)
		return ex_clk;
	if (m->mmx.last != P5_FPMMX_MMX)
		P5_RAISE(m, FPU_STALL,
			 wait_until(m, &ex_clk, ex_clk + m->par[P5_PAR_MMX_FROM_X87_CLK],
				    P5_WHY_FP_SWITCH));
	if (u->flags & P5_OP_MMX)
		wait_for(m, u, &ex_clk);
	if (v_is_mmx)
		wait_for(m, v, &ex_clk);
	return ex_clk;
}

void p5_mmx_execute(struct p5 *m, const struct p5_op *op, uint64_t ex_clk)
{
	struct p5_mmx_time *x = &m->time.mmx;
	const bool is_mul = op->flags & P5_OP_MMX_MUL;

	for (unsigned i = 0; i < 8; i++)
		if (op->mm_written >> i & 1)
			x->ready_clk[i] = ex_clk + (is_mul ? m->par[P5_PAR_MMX_MULTIPLY_CLK] : 1u);
	x->by_mul = (uint8_t)(is_mul ? x->by_mul | op->mm_written : x->by_mul & ~op->mm_written);
}

void p5_mmx_switch(struct p5 *m, enum p5_fpmmx now)
{
	P5_RAISE(m, MMX_SWITCH, m->mmx.last != now);
	m->mmx.last = (uint8_t)now;
}

uint8_t p5_mmx_ends(struct p5 *m, const struct x86_block *b, struct tally *t)
{
	uint8_t first = 0, last = 0;

	for (unsigned i = 0; i < b->n_insn; i++) {
		const unsigned g = b->insn[i].group;
		const uint8_t now = g == X86_GRP_X87   ? P5_FPMMX_X87
				    : g == X86_GRP_MMX ? P5_FPMMX_MMX
						       : 0;

		if (!now)
			continue;
		if (!first)
			first = now;
		else if (t)
			tally_add(t, WIRE_P5_MMX_SWITCH, now != last);
		last = now;
	}
	return (uint8_t)(first | last << 4);
}
