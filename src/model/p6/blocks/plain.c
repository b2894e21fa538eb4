/* plain.c -- the machine in program order, instruction by instruction, without short cuts.
 *
 * Does what must be done in plain order anyway (partly executed blocks, REP, weak stores,
 * prefetches), and is the reference that the fast loop of feed.c is tested against
 * (mdl_config.is_plain).
 */

#include "model/p6/blocks/ledger.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/fpu.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/retire.h"
#include "model/p6/blocks/address.h"
#include "base/error.h"

/* The code lines of one instruction. */
void p6_plain_fetch(struct p6 *m, uint64_t pc, unsigned bytes)
{
	uint64_t line = (pc & P6_LIN_MASK) >> m->line_log2;
	const uint64_t last = ((pc + bytes - 1) & P6_LIN_MASK) >> m->line_log2;
	bool is_miss = false;

	if (m->bus.uncached.n && p6_ranges_have(m, &m->bus.uncached, pc)) {
		p6_uncached_fetch(m, pc, bytes);
		return;
	}
	for (;;) {
		if (p6_ifu_line(m, line))
			is_miss = true;
		if (line == last)
			break;
		line = (line + 1) & (P6_LIN_MASK >> m->line_log2);
	}
	P6_RAISE(m, IFU_MISS_REF, is_miss);
}

void p6_plain_reference(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots)
{
	const struct x86_ref *r = &b->ref[k];
	const uint64_t lin = p6_address(m, b, k, slots);
	const bool is_locked = b->insn[r->insn].flags & X86_I_LOCK;

	if (r->flags & X86_REF_PARTS)
		p6_masked_run(m, b, k, slots);
	else if (r->flags & X86_REF_PREFETCH)
		p6_dcu_prefetch(m, lin, r->hint);
	else if ((r->flags & X86_REF_NONTEMPORAL) && !(r->flags & X86_REF_READ))
		p6_dcu_store_weak(m, lin, r->bytes);
	else
		p6_dcu_ref(m, lin, r->bytes, r->flags, is_locked);
}

void p6_plain_fpmmx(struct p6 *m, unsigned group)
{
	if (group == X86_GRP_X87) {
		P6_RAISE(m, MMX_TO_FP, m->mmx.last == P6_FPMMX_MMX);
		m->mmx.last = P6_FPMMX_X87;
	} else if (group == X86_GRP_MMX) {
		P6_RAISE(m, MMX_FROM_FP, m->mmx.last == P6_FPMMX_X87);
		m->mmx.last = P6_FPMMX_MMX;
	}
}

int p6_plain_before(struct p6 *m, const struct x86_insn *in)
{
	if (m->has_mem && m->dcu.wc.n) {
		const struct p6_mnemonic *mn = p6_mnemonic(m, in->mnemonic);

		if (!mn)
			return -SPMU_ENOMEM;
		if (mn->kinds & P6_K_FENCE || in->flags & (X86_I_LOCK | X86_I_SERIALIZE))
			p6_dcu_flush_weak(m);
	}
	return 0;
}

void p6_plain_after(struct p6 *m, const struct x86_insn *in)
{
	if (in->flags & X86_I_SETS_DF)
		m->strings.df = true;
	if (in->flags & X86_I_CLEARS_DF)
		m->strings.df = false;
}

/* The code of instruction i of b. */
static void fetch(struct p6 *m, const struct x86_block *b, unsigned i)
{
	if (m->log.is_on)
		p6_log_write_plain_fetch(m, b, i);
	else
		p6_plain_fetch(m, b->pc + b->insn[i].pc_off, b->insn[i].bytes);
}

/* And its reference k. */
static void reference(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots)
{
	if (m->log.is_on)
		p6_log_write_plain_reference(m, b, k, slots);
	else
		p6_plain_reference(m, b, k, slots);
}

int p6_run_some(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		unsigned to, bool has_fpmmx)
{
	unsigned k = 0;

	while (k < b->n_ref && b->ref[k].insn < from)
		k++;
	for (unsigned i = from; i < to; i++) {
		const struct x86_insn *in = &b->insn[i];
		int rc;

		if (has_fpmmx)
			p6_assist_count(m, b, slots, i, i + 1);
		if (m->has_mem)
			fetch(m, b, i);
		rc = p6_plain_before(m, in);
		if (has_fpmmx)
			p6_plain_fpmmx(m, in->group);
		if (!rc && in->flags & X86_I_REP)
			rc = m->log.is_on ? p6_log_write_string(m, b, i, slots)
					  : p6_string_run(m, b, i, slots);
		if (rc) {
			p6_ledger_insn(m, b, i);
			return rc;
		}
		for (; k < b->n_ref && b->ref[k].insn <= i; k++)
			if (m->has_mem && !(b->ref[k].flags & X86_REF_REP))
				reference(m, b, k, slots);
		p6_plain_after(m, in);
		p6_ledger_insn(m, b, i);
	}
	return 0;
}

int p6_run_plain(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned n,
		 bool has_fpmmx)
{
	return p6_run_some(m, b, slots, 0, n, has_fpmmx);
}

void p6_run_rest(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from)
{
	unsigned k = from;

	for (unsigned i = b->ref[from - 1].insn; i < b->n_insn; i++) {
		if (i != b->ref[from - 1].insn)
			fetch(m, b, i);
		for (; k < b->n_ref && b->ref[k].insn <= i; k++)
			reference(m, b, k, slots);
		p6_ledger_insn(m, b, i);
	}
}

/* What the tally has is counted, and it is empty again. */
static void count_tally(struct p6 *m)
{
	struct tally *t = &m->blocks.tally;

	for (unsigned k = 0; k < t->n_touched; k++) {
		m->dyn[t->touched[k]] += t->n[t->touched[k]];
		t->n[t->touched[k]] = 0;
	}
	t->n_touched = 0;
}

void p6_count_now(struct p6 *m, const struct x86_block *b, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		p6_retire_count(m, b, i, &m->blocks.tally);
		if (m->ledger) {
			count_tally(m);
			p6_ledger_insn(m, b, i);
		}
	}
	count_tally(m);
}
