/* strings.c -- REP string instructions: their references and micro-ops.
 *
 * Part of units dcu and retire. A REP instruction is one instruction; what it does depends on
 * count, addresses and direction, so it is worked out per execution.
 *
 * COUNTING RULES   each iteration is one load and, or, one store micro-op (43H). Micro-ops: the
 *                  slow form unless MOVS or STOS of dwords or qwords has 8-byte aligned pointers,
 *                  DF = 0, a count of 64 or more, and for MOVS pointers at least 32 bytes apart; a
 *                  qword counts as two dwords in the fast form. At least one micro-op.
 * MODELLED         iterations inside one line touch it once: more touches in the same order change
 *                  nothing (replace.h).
 * NOT MODELLED     iterations before a fault or signal that stopped the instruction: it is counted
 *                  when it completes, with the rest of its count. More than 16 GiB at once
 *                  (P6_MOST_STRING_BYTES): a damaged record should not keep the model busy for
 *                  minutes.
 * SOURCES          Agner Fog 2000 ch. 26.3 and 29.
 */

#include "model/p6/blocks/plain.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/retire.h"
#include "model/p6/blocks/address.h"
#include "base/error.h"

/* No REP instruction can pass over more than user space has: such a record is malformed. */
#define SPACE_BYTES (1ull << 47)

struct operand {
	uint64_t lin;
	uint8_t flags;
};

static unsigned line_step(const struct p6 *m, uint64_t lin, unsigned bytes)
{
	const unsigned line = 1u << m->line_log2, off = (unsigned)lin & (line - 1);

	if (off + bytes > line)
		return 1;
	return m->strings.df ? off / bytes + 1 : (line - off) / bytes;
}

/* Two operands that push each other out must be taken one iteration at a time. */
static bool is_thrashing(const struct p6 *m, uint64_t a, uint64_t b)
{
	const struct cache *c = &m->dcu.cache;

	return c->ways == 1 || m->dtlb.tlb.ways == 1 || (a ^ b) >> m->line_log2 == 0;
}

/* n iterations that stay in the lines of their first one. */
static void run_in_lines(struct p6 *m, struct operand *op, unsigned n_op, unsigned n,
			 unsigned bytes)
{
	const uint64_t step = m->strings.df ? 0 - (uint64_t)bytes : bytes;

	for (unsigned k = 0; k < n_op; k++) {
		uint64_t lin = op[k].lin & P6_LIN_MASK;

		p6_dcu_ref(m, lin, bytes, op[k].flags, false);
		for (unsigned i = 1; i < n && lin & (bytes - 1); i++)
			p6_dcu_count_pieces(m, (lin + i * step) & P6_LIN_MASK, bytes);
		op[k].lin += n * step;
	}
	P6_RAISE(m, DCU_REF, (uint64_t)n * n_op);
}

/* Iterations from here on that touch the same lines. */
static unsigned same_lines(const struct p6 *m, const struct operand *op, unsigned n_op, uint64_t n,
			   unsigned bytes)
{
	unsigned step = line_step(m, op[0].lin, bytes);

	if (n_op == 2) {
		unsigned other = line_step(m, op[1].lin, bytes);

		step = other < step ? other : step;
		if (is_thrashing(m, op[0].lin, op[1].lin))
			step = 1;
	}
	return step < n ? step : (unsigned)n;
}

/* Changes whenever a line or page moves: one operand's miss may take the other's line away, by way
 * of L2. */
static uint64_t moves(const struct p6 *m)
{
	uint64_t n =
	    m->dyn[WIRE_P6_DCU_LINE_IN] + m->dyn[WIRE_P6_DTLB_MISS] + m->dyn[WIRE_P6_L2_ADS];

	for (unsigned i = 0; i < P6_N_FOUND; i++)
		n += m->l2.served[P6_SERVED_READ][i];
	return n;
}

static void run_all(struct p6 *m, struct operand *op, unsigned n_op, uint64_t n, unsigned bytes)
{
	bool is_still = n_op < 2; /* the iteration before was in the same lines and moved nothing */
	uint32_t turns = 0;

	while (n) {
		const uint64_t before = moves(m);
		unsigned step = m->is_plain ? 1 : same_lines(m, op, n_op, n, bytes);
		const unsigned rest = step;

		if (!is_still)
			step = 1;
		run_in_lines(m, op, n_op, step, bytes);
		is_still = n_op < 2 || (step < rest && moves(m) == before);
		n -= step;
		if (++turns % MDL_LOOK_TURNS == 0 && m->strings.is_over &&
		    m->strings.is_over(m->strings.over_ctx))
			return;
	}
}

/* Does the fast form of the microcode apply? */
static bool is_fast(const struct p6 *m, uint32_t kinds, const struct operand *op, unsigned n_op,
		    uint64_t n, unsigned bytes)
{
	uint64_t apart;

	if (bytes < 4 || m->strings.df || n < 64)
		return false;
	if (kinds & P6_K_STRING_STOS)
		return n_op == 1 && !(op[0].lin & 7);
	if (!(kinds & P6_K_STRING_MOVS) || n_op != 2 || (op[0].lin | op[1].lin) & 7)
		return false;
	apart = op[0].lin > op[1].lin ? op[0].lin - op[1].lin : op[1].lin - op[0].lin;
	return apart >= 32;
}

int p6_string_run(struct p6 *m, const struct x86_block *b, unsigned i, const uint8_t *slots)
{
	const struct x86_insn *in = &b->insn[i];
	const struct p6_mnemonic *mn = p6_mnemonic(m, in->mnemonic);
	const struct x86_rep *rep;
	struct operand op[2];
	unsigned n_op = 0, bytes;
	uint64_t n, after;
	bool is_quick;

	m->strings.copied = 0;
	if (!b->n_rep)
		return 0; /* the block was made for counts: its stream holds no slots */
	if (in->rep >= b->n_rep || !mn)
		return -SPMU_EPROTO;
	rep = &b->rep[in->rep];
	bytes = rep->element_bytes;
	if (rep->slot_count >= b->n_slot || !bytes || bytes > 8)
		return -SPMU_EPROTO;
	n = reader_slot(slots, rep->slot_count);
	if (rep->slot_after < b->n_slot) {
		after = reader_slot(slots, rep->slot_after);
		n -= after;
	}
	if (rep->is_address32)
		n = (uint32_t)n;
	else if (rep->is_address16)
		n = (uint16_t)n;
	if (n > SPACE_BYTES / bytes)
		return -SPMU_EPROTO;
	if (n > m->strings.most_bytes / bytes)
		return -SPMU_ENOTSUP;
	for (unsigned k = 0; k < b->n_ref && n_op < 2; k++)
		if (b->ref[k].insn == i && b->ref[k].flags & X86_REF_REP)
			op[n_op++] = (struct operand){p6_address(m, b, k, slots), b->ref[k].flags};
	is_quick = is_fast(m, mn->kinds, op, n_op, n, bytes);
	P6_RAISE(m, RETIRE_UOP_REP, p6_uops_rep(m, mn->name, n, bytes, is_quick));
	m->strings.copied = is_quick ? p6_uops_copied(m, mn->name, n, bytes) : 0;
	if (n_op && m->has_mem) {
		m->strings.n_moves -= moves(m);
		run_all(m, op, n_op, n, bytes);
		m->strings.n_moves += moves(m);
	}
	return 0;
}
