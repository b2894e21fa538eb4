/* retire.c -- unit retire: what each instruction counts whenever it retires.
 *
 * COUNTING RULES   a REP instruction is one instruction; one that faulted is none. Branches: every
 *                  control transfer, far ones, INT n and system calls among them; exceptions and
 *                  signals are none. Unconditional transfers are taken.
 * MODELLED         instructions, branches, micro-ops, data references, operation kinds.
 * NOT MODELLED     micro-ops of microcode assists.
 * SOURCES          Intel 243192 appendix A.
 */
#include "model/p6/p6.h"

static bool is_foreign(const struct p6 *m, const struct x86_insn *n)
{
	switch (n->group) {
	case X86_GRP_LATER:
		return true;
	case X86_GRP_MMX:
		return !m->cpu->has_mmx;
	case X86_GRP_SSE:
		return !m->cpu->has_sse;
	default:
		return (n->flags & X86_I_LONG_MODE) != 0;
	}
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
	if (is_foreign(m, n))
		p6_tally_add(t, WIRE_P6_RETIRE_FOREIGN, 1);
	if (mn->kinds & P6_K_HOST)
		p6_tally_add(t, WIRE_P6_RETIRE_HOST_DEPENDENT, 1);
	count_references(b, i, t);
	p6_fpu_count(n, mn->kinds, t);
	p6_mmx_count(n, mn->kinds, uops_p0123, t);
	p6_sse_count(n, mn->kinds, t);
	p6_seg_count(n, mn->kinds, t);
}
