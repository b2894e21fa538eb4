/* strings.c -- REP string instructions: their references.
 *
 * Part of unit dcache. A REP instruction is one instruction; how much it reads and writes depends
 * on count, addresses and direction, so it is worked out per execution.
 *
 * COUNTING RULES   each iteration is a read and, or, a write of one element.
 * MODELLED         in time an iteration is rep_clk clocks behind the one before, and what that
 *                  waited. Iterations in the same lines as the one before, which moved nothing, do
 *                  what that one did: they are counted without being done.
 * NOT MODELLED     iterations before a fault or signal that stopped the instruction: it is counted
 *                  when it completes, with the rest of its count. More than 16 GiB at once
 *                  (P5_MOST_STRING_BYTES): a damaged record should not keep the model busy for
 *                  minutes.
 */
#include "model/p5/p5.h"
#include "model/p5/blocks/plain.h"
#include "model/p5/blocks/address.h"

#include "base/error.h"

/* No REP instruction can pass over more than user space has: such a record is malformed. */
#define SPACE_BYTES (1ull << 47)

struct operand {
	uint64_t lin;
	struct p5_operand op;
};

/* Elements from `lin` on that are aligned and lie in one line, itself included. */
static uint64_t same_line(const struct p5 *m, uint64_t lin, unsigned bytes)
{
	const unsigned line = 1u << m->dcache.cache.line_log2, off = (unsigned)lin & (line - 1);

	if (lin & (bytes - 1))
		return 1;
	return m->strings.df ? off / bytes + 1 : (line - off) / bytes;
}

/* Changes whenever a line or page moves. A write that misses moves nothing. */
static uint64_t moves(const struct p5 *m)
{
	return m->seen[WIRE_P5_DCACHE_READ_MISS] + m->seen[WIRE_P5_DTLB_MISS];
}

static void run_all(struct p5 *m, struct operand *o, unsigned n_op, uint64_t n, unsigned bytes)
{
	const uint64_t step = m->strings.df ? 0 - (uint64_t)bytes : bytes;
	const uint64_t all = n;
	const bool is_each = m->is_plain || m->has_bus || m->dcache.n_uncached;
	uint32_t turns = 0;

	while (n) {
		const uint64_t before = moves(m), write_misses = m->seen[WIRE_P5_DCACHE_WRITE_MISS];
		const uint64_t mmx_misses = m->seen[WIRE_P5_MMX_WRITE_MISS];
		uint64_t same = n;

		for (unsigned k = 0; k < n_op; k++) {
			const uint64_t in_line = same_line(m, o[k].lin, bytes);

			same = in_line < same ? in_line : same;
			p5_dcache_ref(m, o[k].lin & P5_LIN_MASK, &o[k].op);
		}
		m->time.data_clk += m->time.rep_clk; /* part of what the instruction takes */
		if (is_each || moves(m) != before)
			same = 1;
		P5_SEE(m, DCACHE_WRITE_MISS,
		       (same - 1) * (m->seen[WIRE_P5_DCACHE_WRITE_MISS] - write_misses));
		P5_SEE(m, MMX_WRITE_MISS,
		       (same - 1) * (m->seen[WIRE_P5_MMX_WRITE_MISS] - mmx_misses));
		for (unsigned k = 0; k < n_op; k++) {
			p5_dcache_count_parts(m, &o[k].op, same);
			o[k].lin += same * step;
		}
		n -= same;
		if (++turns % MDL_LOOK_TURNS == 0 && m->strings.is_over &&
		    m->strings.is_over(m->strings.over_ctx))
			break;
	}
	if (m->time.is_on)
		m->time.data_clk -= (all - n) * m->time.rep_clk;
}

int p5_string_items(const struct p5 *m, const struct x86_block *b, unsigned i, const uint8_t *slots,
		    uint64_t *items)
{
	const struct x86_rep *rep;
	unsigned bytes;
	uint64_t n;

	if (b->insn[i].rep >= b->n_rep)
		return -SPMU_EPROTO;
	rep = &b->rep[b->insn[i].rep];
	bytes = rep->element_bytes;
	if (rep->slot_count >= b->n_slot || !bytes || bytes > 8 || bytes & (bytes - 1))
		return -SPMU_EPROTO;
	n = reader_slot(slots, rep->slot_count);
	if (rep->slot_after < b->n_slot)
		n -= reader_slot(slots, rep->slot_after);
	if (rep->is_address32)
		n = (uint32_t)n;
	else if (rep->is_address16)
		n = (uint16_t)n;
	if (n > SPACE_BYTES / bytes)
		return -SPMU_EPROTO;
	if (n > m->strings.most_bytes / bytes)
		return -SPMU_ENOTSUP;
	*items = n;
	return 0;
}

int p5_string_run(struct p5 *m, const struct x86_block *b, unsigned i, const uint8_t *slots)
{
	struct operand o[2];
	unsigned n_op = 0, bytes;
	uint64_t n;
	int rc;

	if (!b->n_rep)
		return 0; /* the block was made for counts: its stream holds no slots */
	rc = p5_string_items(m, b, i, slots, &n);
	if (rc)
		return rc;
	bytes = b->rep[b->insn[i].rep].element_bytes;
	for (unsigned k = 0; k < b->n_ref && n_op < 2; k++) {
		const struct x86_ref *r = &b->ref[k];

		if (r->insn != i || !(r->flags & X86_REF_REP))
			continue;
		o[n_op].lin = p5_address(m, b, k, slots);
		o[n_op++].op = (struct p5_operand){
		    .bytes = bytes,
		    .access = r->flags & X86_REF_WRITE ? P5_WRITE : P5_READ,
		};
	}
	if (n_op && m->has_mem)
		run_all(m, o, n_op, n, bytes);
	return 0;
}
