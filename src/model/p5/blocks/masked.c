/* masked.c -- references of masked moves, gathers and scatters.
 *
 * Part of unit dcache. What is touched is parts/masked.h's matter. Only MASKMOVQ comes close to the
 * P5; the others never ran there.
 *
 * COUNTING RULES   each part is an operand of its own.
 */
#include "model/p5/p5.h"
#include "model/p5/blocks/plain.h"
#include "model/p5/blocks/address.h"

#include "model/parts/masked.h"

void p5_masked_run(struct p5 *m, const struct x86_block *b, unsigned k, const uint8_t *slots)
{
	const struct x86_ref *r = &b->ref[k];
	struct masked_part part[MASKED_MOST_PARTS];
	const unsigned n = masked_parts(b, k, slots, p5_address(m, b, k, slots), part);
	struct p5_operand op = {
	    .access = (uint8_t)((r->flags & X86_REF_READ ? P5_READ : 0) |
				(r->flags & X86_REF_WRITE ? P5_WRITE : 0)),
	    .is_mmx = b->insn[r->insn].group == X86_GRP_MMX,
	};

	for (unsigned i = 0; i < n; i++) {
		op.bytes = part[i].bytes;
		p5_dcache_count_parts(m, &op, 1);
		p5_dcache_ref(m, part[i].lin, &op);
	}
}
