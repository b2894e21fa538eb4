/* wrong_facts.c -- what executing a block on a wrong path needs to know of it. */
#include "model/p6/clocks/wrong/wrong_facts.h"

#include <stdlib.h>
#include <string.h>

#include "x86/facts.h"

/* The register that slot k holds as it is before instruction insn; false: something else. */
static bool is_register(const struct x86_block *b, uint8_t slot, uint8_t *reg)
{
	*reg = P6_NO_REG;
	if (slot >= b->n_slot)
		return true;
	*reg = b->slot[slot].reg;
	return b->slot[slot].kind == X86_SLOT_REG;
}

static bool take(const struct x86_block *b, const struct x86_ref *r, struct p6_wrong_load *out)
{
	const unsigned no = X86_REF_REP | X86_REF_PARTS | X86_REF_PREFETCH | X86_REF_GS;

	if (!(r->flags & X86_REF_READ) || r->flags & no || !r->bytes)
		return false;
	*out = (struct p6_wrong_load){.disp = r->disp,
				      .bytes = r->bytes,
				      .insn = r->insn,
				      .scale = r->scale,
				      .is_fs = (r->flags & X86_REF_FS) != 0};
	return is_register(b, r->slot, &out->reg) && is_register(b, r->slot2, &out->reg2);
}

struct p6_wrong_more *p6_wrong_facts(const struct x86_block *b)
{
	const size_t written =
	    (sizeof(struct p6_wrong_more) + b->n_insn * sizeof(uint16_t) + 7) & ~(size_t)7;
	const size_t insns = b->n_insn * sizeof(struct x86_insn);
	uint8_t *p = malloc(written + b->n_ref * sizeof(struct p6_wrong_load) + insns);
	struct p6_wrong_more *w = (struct p6_wrong_more *)(void *)p;
	struct p6_wrong_load *load;

	if (!p)
		return NULL;
	load = (struct p6_wrong_load *)(void *)(p + written);
	w->load = load;
	w->insn = (struct x86_insn *)(void *)(p + written + b->n_ref * sizeof(*load));
	memcpy(p + written + b->n_ref * sizeof(*load), b->insn, insns);
	w->n_load = 0;
	for (unsigned i = 0; i < b->n_insn; i++) {
		struct x86_facts f;

		w->written[i] = x86_insn_facts(b, i, &f) ? f.gpr_written : 0xffff;
	}
	for (unsigned k = 0; k < b->n_ref; k++)
		w->n_load += take(b, &b->ref[k], &load[w->n_load]);
	return w;
}
