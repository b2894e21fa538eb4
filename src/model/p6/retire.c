/* retire.c -- unit retire: what each instruction counts whenever it retires.
 *
 * COUNTING RULES   a REP instruction is one instruction; one that faulted is none. Branches: every
 *                  control transfer, far ones, INT n and system calls among them; exceptions and
 *                  signals are none. Unconditional transfers are taken.
 *                  What an RDPMC sees of these, with clocks: instructions, micro-ops, branches, and operations of x87, MMX and
 *                  SSE that have retired when it reads.
 * MODELLED         instructions, branches, micro-ops, data references, operation kinds.
 * NOT MODELLED     micro-ops of microcode assists; an RDPMC sees everything else as far as the program has come.
 * SOURCES          Intel 243192 appendix A.
 */
#include "model/p6/p6.h"

/* Count an instruction that the processor never had, and of which kind it is. */
static void count_foreign(const struct p6 *m, const struct x86_insn *n, struct p6_tally *t)
{
	const bool is_mmx = n->group == X86_GRP_MMX && !m->cpu->has_mmx, is_sse = n->group == X86_GRP_SSE && !m->cpu->has_sse,
		   is_later = n->group == X86_GRP_LATER,
		   is_long = !is_later && n->group != X86_GRP_MMX && n->group != X86_GRP_SSE && n->flags & X86_I_LONG_MODE;

	p6_tally_add(t, WIRE_P6_RETIRE_FOREIGN, is_mmx || is_sse || is_later || is_long);
	p6_tally_add(t, WIRE_P6_RETIRE_FOREIGN_MMX, is_mmx);
	p6_tally_add(t, WIRE_P6_RETIRE_FOREIGN_SSE, is_sse);
	p6_tally_add(t, WIRE_P6_RETIRE_FOREIGN_LONG, is_long);
}

static void count_references(const struct x86_block *b, unsigned i, struct p6_tally *t)
{
	for (unsigned k = 0; k < b->n_ref; k++) {
		const struct x86_ref *r = &b->ref[k];
		unsigned pieces = p6_pieces(r->bytes);

		if (r->insn != i || r->flags & (X86_REF_REP | X86_REF_PARTS))
			continue;
		if ((r->flags & X86_REF_READ) && (r->flags & X86_REF_WRITE))
			pieces *= 2;
		p6_tally_add(t, WIRE_P6_DCU_REF, r->flags & X86_REF_PREFETCH ? 1 : pieces);
	}
}

void p6_retire_count(struct p6 *m, const struct x86_block *b, unsigned i, struct p6_tally *t)
{
	const struct x86_insn *n = &b->insn[i];
	const struct p6_mnemonic *mn = p6_mnemonic(m, n->mnemonic);
	unsigned uops, uops_p0123 = 0;

	if (!mn)
		return;
	p6_tally_add(t, WIRE_P6_RETIRE_INST, 1);
	uops = p6_uops(m, n, &uops_p0123);
	p6_tally_add(t, WIRE_P6_RETIRE_UOP, uops);
	if (n->flags & X86_I_BRANCH || mn->kinds & P6_K_TRAP_CALL) {
		p6_tally_add(t, WIRE_P6_RETIRE_BRANCH, 1);
		if (!(n->flags & X86_I_COND))
			p6_tally_add(t, WIRE_P6_RETIRE_TAKEN, 1);
	}
	count_foreign(m, n, t);
	if (mn->kinds & P6_K_HOST)
		p6_tally_add(t, WIRE_P6_RETIRE_HOST_DEPENDENT, 1);
	count_references(b, i, t);
	p6_fpu_count(n, mn->kinds, t);
	p6_mmx_count(n, mn->kinds, uops_p0123, t);
	p6_sse_count(n, mn->kinds, t);
	p6_seg_count(n, mn->kinds, t);
}

/* What instruction i of b, which was followed by block `next`, counted of `wire`. */
static uint64_t counted(struct p6 *m, const struct x86_block *b, unsigned i, const struct x86_block *next, unsigned wire)
{
	struct p6_tally *t = &m->tally;
	uint64_t n;

	p6_retire_count(m, b, i, t);
	n = t->n[wire];
	while (t->n_touched)
		t->n[t->touched[--t->n_touched]] = 0;
	if (wire == WIRE_P6_RETIRE_TAKEN && b->insn[i].flags & X86_I_COND)
		n += next && next->pc != b->fall;
	return n;
}

/* Block number `at` of those executed; NULL: nothing before it is in flight. */
static const struct x86_block *recent(const struct p6 *m, unsigned at)
{
	const uint32_t id = m->time.recent[at % P6_MAX_RECENT];

	return id ? x86_store_get(m->store, id - 1) : NULL;
}

/* What the micro-ops in flight when an RDPMC read have counted of `wire`: whole instructions, an instruction retires with
 * its last one. */
static uint64_t unretired(struct p6 *m, unsigned wire)
{
	struct p6_time *t = &m->time;
	const unsigned at = t->recent_at - 1; /* of the RDPMC */
	unsigned left = t->read_unretired;
	const struct x86_block *next = recent(m, at);
	uint64_t n = 0;

	for (unsigned k = 1; left && k < P6_MAX_RECENT; k++) {
		const struct x86_block *b = recent(m, at - k);
		const struct p6_tblk *steps = b ? p6_template(m, b) : NULL;

		if (!steps)
			break;
		for (unsigned i = b->n_insn; i && left; i--) {
			const unsigned uops = steps->step[i - 1].n_uop;

			n += counted(m, b, i - 1, next, wire);
			left -= uops < left ? uops : left;
		}
		next = b;
	}
	return n;
}

uint64_t p6_retire_unseen(struct p6 *m, uint32_t id, unsigned wire)
{
	const struct p6_time *t = &m->time;

	if (!t->is_on)
		return p6_once(m, id, wire);
	switch (wire) {
	case WIRE_P6_CORE_CLK:
		return t->retire_clk - t->read_clk;
	case WIRE_P6_RETIRE_UOP:
		return p6_once(m, id, wire) + t->read_unretired - t->read_own;
	case WIRE_P6_RETIRE_INST:
	case WIRE_P6_RETIRE_BRANCH:
	case WIRE_P6_RETIRE_TAKEN:
	case WIRE_P6_FPU_OP_RETIRED:
	case WIRE_P6_MMX_RETIRED:
	case WIRE_P6_MMX_SAT_RETIRED:
	case WIRE_P6_SSE_PACKED:
	case WIRE_P6_SSE_SCALAR:
	case WIRE_P6_SSE_COMP_PACKED:
	case WIRE_P6_SSE_COMP_SCALAR:
		return p6_once(m, id, wire) + unretired(m, wire);
	default:
		return p6_once(m, id, wire);
	}
}
