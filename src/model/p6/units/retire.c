/* retire.c -- unit retire: what each instruction counts whenever it retires.
 *
 * COUNTING RULES   a REP instruction is one instruction; one that faulted is none. Branches: every
 *                  control transfer, far ones, INT n and system calls among them; exceptions and
 *                  signals are none. Unconditional transfers are taken.
 * MODELLED         instructions, branches, micro-ops, data references, operation kinds.
 * NOT MODELLED     micro-ops of microcode assists. What an RDPMC sees: time_reading.c.
 * SOURCES          Intel 243192 appendix A.
 */
#include "model/p6/p6.h"
#include "model/p6/units/fpu.h"
#include "model/p6/units/mmx.h"
#include "model/p6/units/retire.h"
#include "model/p6/units/seg.h"
#include "model/p6/units/sse.h"

/* Count an instruction that the processor never had, and of which kind it is. */
static void count_foreign(const struct p6 *m, const struct x86_insn *n, uint32_t kinds,
			  struct tally *t)
{
	const bool is_sse_mmx = n->group == X86_GRP_MMX && kinds & P6_K_SSE_MMX,
		   is_mmx = n->group == X86_GRP_MMX && !is_sse_mmx && !m->cpu->has_mmx,
		   is_sse = (n->group == X86_GRP_SSE || is_sse_mmx) && !m->cpu->has_sse,
		   is_later = n->group == X86_GRP_LATER,
		   is_long = !is_later && n->group != X86_GRP_MMX && n->group != X86_GRP_SSE &&
			     n->flags & X86_I_LONG_MODE;

	tally_add(t, WIRE_P6_RETIRE_FOREIGN, is_mmx || is_sse || is_later || is_long);
	tally_add(t, WIRE_P6_RETIRE_FOREIGN_MMX, is_mmx);
	tally_add(t, WIRE_P6_RETIRE_FOREIGN_SSE, is_sse);
	tally_add(t, WIRE_P6_RETIRE_FOREIGN_LONG, is_long);
}

static void count_references(const struct x86_block *b, unsigned i, struct tally *t)
{
	for (unsigned k = 0; k < b->n_ref; k++) {
		const struct x86_ref *r = &b->ref[k];
		unsigned pieces = p6_pieces(r->bytes);

		if (r->insn != i || r->flags & (X86_REF_REP | X86_REF_PARTS))
			continue;
		if ((r->flags & X86_REF_READ) && (r->flags & X86_REF_WRITE))
			pieces *= 2;
		tally_add(t, WIRE_P6_DCU_REF, r->flags & X86_REF_PREFETCH ? 1 : pieces);
	}
}

bool p6_is_transfer(const struct x86_insn *n, uint32_t kinds)
{
	return n->flags & X86_I_BRANCH || kinds & P6_K_TRAP_CALL;
}

void p6_retire_count(struct p6 *m, const struct x86_block *b, unsigned i, struct tally *t)
{
	const struct x86_insn *n = &b->insn[i];
	const struct p6_mnemonic *mn = p6_mnemonic(m, n->mnemonic);
	unsigned uops, uops_p0123 = 0;

	if (!mn)
		return;
	tally_add(t, WIRE_P6_RETIRE_INST, 1);
	uops = p6_uops(m, n, &uops_p0123);
	tally_add(t, WIRE_P6_RETIRE_UOP, uops);
	if (p6_is_transfer(n, mn->kinds)) {
		tally_add(t, WIRE_P6_RETIRE_BRANCH, 1);
		if (!(n->flags & X86_I_COND))
			tally_add(t, WIRE_P6_RETIRE_TAKEN, 1);
	}
	count_foreign(m, n, mn->kinds, t);
	if (mn->kinds & P6_K_HOST)
		tally_add(t, WIRE_P6_RETIRE_HOST_DEPENDENT, 1);
	count_references(b, i, t);
	p6_fpu_count(n, mn->kinds, t);
	p6_mmx_count(n, mn->kinds, uops_p0123, t);
	p6_sse_count(n, mn->kinds, t);
	p6_seg_count(m, n, mn->kinds, t);
	tally_add(t, WIRE_P6_BUS_IO, (mn->kinds & P6_K_PORT) != 0);
}

bool p6_is_of_execution(unsigned wire)
{
	switch (wire) {
	case WIRE_P6_FPU_OP_EXEC:
	case WIRE_P6_FPU_MUL:
	case WIRE_P6_FPU_DIV:
	case WIRE_P6_MMX_EXEC:
	case WIRE_P6_MMX_SAT_EXEC:
	case WIRE_P6_MMX_TYPE_MUL:
	case WIRE_P6_MMX_TYPE_SHIFT:
	case WIRE_P6_MMX_TYPE_PACK:
	case WIRE_P6_MMX_TYPE_UNPACK:
	case WIRE_P6_MMX_TYPE_LOGICAL:
	case WIRE_P6_MMX_TYPE_ARITH:
	case WIRE_P6_MMX_EMMS:
	case WIRE_P6_SSE_PRE_NTA:
	case WIRE_P6_SSE_PRE_T0:
	case WIRE_P6_SSE_PRE_T1:
	case WIRE_P6_SSE_PRE_T2:
	case WIRE_P6_SSE_NT_STORE: return true;
	default: return false;
	}
}
