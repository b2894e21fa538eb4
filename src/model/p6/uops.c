/* uops.c -- micro-ops per instruction: part of unit retire.
 *
 * COUNTING RULES   the row of catalog/p6/uops.tsv for the mnemonic and its operands; for instructions
 *                  that the P6 never had, the nearest row as catalog/p6/nearest.tsv says.
 */
#include "model/p6/p6.h"

#include <string.h>

void p6_uops_find(struct p6_mnemonic *row)
{
	row->first_uops = row->n_uops = 0;
}

unsigned p6_uops(struct p6 *m, const struct x86_block *b, unsigned i, unsigned *p0123)
{
	unsigned loads = 0, stores = 0;

	if (b->insn[i].flags & X86_I_REP) {
		*p0123 = 0;
		return 0;
	}
	for (unsigned k = 0; k < b->n_ref; k++) {
		if (b->ref[k].insn != i)
			continue;
		if (b->ref[k].flags & X86_REF_READ)
			loads += p6_pieces(b->ref[k].bytes);
		if (b->ref[k].flags & X86_REF_WRITE)
			stores += p6_pieces(b->ref[k].bytes);
	}
	*p0123 = 1 + loads + stores;
	return 1 + loads + 2 * stores;
}

uint64_t p6_uops_rep(struct p6 *m, const char *name, uint64_t n, unsigned bytes, bool is_fast)
{
	uint64_t uops = 6 * n;

	if (!strncmp(name, "movs", 4)) {
		uops = is_fast ? 215 + 2 * (n * bytes / 4) : 6 * n;
	} else if (!strncmp(name, "stos", 4)) {
		uops = is_fast ? 185 + 3 * (n * bytes / 4) / 2 : 5 * n;
	} else if (!strncmp(name, "lods", 4)) {
		uops = 10 + 6 * n;
	} else if (!strncmp(name, "scas", 4)) {
		uops = 12 + 7 * n;
	} else if (!strncmp(name, "cmps", 4)) {
		uops = 12 + 9 * n;
	}
	return uops ? uops : 1;
}
