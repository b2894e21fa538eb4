/* masked.c -- references of masked moves, gathers and scatters.
 *
 * Part of unit dcu. What is touched is parts/masked.h's matter.
 *
 * COUNTING RULES   each part is an access of its own.
 * NOT MODELLED     elements done before a fault stopped the instruction: it counts when it
 *                  completes, with the elements that were left.
 */

#include "model/p6/blocks/plain.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/retire.h"
#include "model/p6/blocks/address.h"
#include "model/parts/masked.h"

static void access_part(struct p6 *m, const struct x86_ref *r, const struct masked_part *part)
{
	unsigned pieces = p6_pieces(part->bytes);

	if ((r->flags & X86_REF_READ) && (r->flags & X86_REF_WRITE))
		pieces *= 2;
	P6_RAISE(m, DCU_REF, pieces);
	if ((r->flags & X86_REF_NONTEMPORAL) && !(r->flags & X86_REF_READ))
		p6_dcu_store_weak(m, part->lin, part->bytes);
	else
		p6_dcu_ref(m, part->lin, part->bytes, r->flags & (X86_REF_READ | X86_REF_WRITE),
			   false);
}

void p6_masked_run(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots)
{
	struct masked_part part[MASKED_MOST_PARTS];
	const unsigned n = masked_parts(b, k, slots, p6_address(m, b, k, slots), part);

	for (unsigned i = 0; i < n; i++)
		access_part(m, &b->ref[k], &part[i]);
}
