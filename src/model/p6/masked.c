/* masked.c -- references of masked moves, gathers and scatters.
 *
 * Part of unit dcu. What is touched depends on a mask and, for gathers, on a vector of indices; both are
 * in the record (struct x86_parts).
 *
 * COUNTING RULES   a masked access is one access from its first to its last byte that counts; one whose
 *                  mask is empty is none. An element of a gather or scatter is an access of its own,
 *                  lowest element first.
 * NOT MODELLED     elements done before a fault stopped the instruction: it counts when it completes,
 *                  with the elements that were left.
 */
#include "model/p6/p6.h"

#include <string.h>

static uint64_t slot_value(const uint8_t *slots, unsigned slot)
{
	uint64_t v;

	memcpy(&v, slots + 8 * slot, 8);
	return v;
}

static void access_part(struct p6 *m, const struct x86_ref *r, uint64_t lin, unsigned bytes)
{
	unsigned pieces = p6_pieces(bytes);

	lin &= P6_LIN_MASK;
	if ((r->flags & X86_REF_READ) && (r->flags & X86_REF_WRITE))
		pieces *= 2;
	P6_RAISE(m, DCU_REF, pieces);
	if ((r->flags & X86_REF_NONTEMPORAL) && !(r->flags & X86_REF_READ))
		p6_dcu_store_weak(m, lin, bytes);
	else
		p6_dcu_ref(m, lin, bytes, r->flags & (X86_REF_READ | X86_REF_WRITE), false);
}

/* Element i of a gather or scatter whose operand without index is at `lin`. */
static uint64_t element(const struct x86_parts *p, const uint8_t *slots, uint64_t lin, unsigned i)
{
	int32_t index32;
	uint64_t index;

	if (p->index_bytes == 4) {
		memcpy(&index32, slots + 8 * p->slot_index + 4 * i, 4);
		index = (uint64_t)(int64_t)index32;
	} else {
		index = slot_value(slots, p->slot_index + i);
	}
	lin += index * p->scale;
	return p->is_address32 ? (uint32_t)lin : lin;
}

void p6_masked_run(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots)
{
	const struct x86_ref *r = &b->ref[k];
	const struct x86_parts *p = &b->parts[r->hint];
	uint64_t lin, mask;
	unsigned first;

	if (r->hint >= b->n_parts || p->slot_mask >= b->n_slot || !p->n || p->n > 64)
		return;
	lin = p6_address(m, b, k, slots);
	mask = slot_value(slots, p->slot_mask) & (~0ull >> (64 - p->n));
	if (!mask)
		return;
	switch (p->kind) {
	case X86_PARTS_RANGE:
		first = (unsigned)__builtin_ctzll(mask);
		access_part(m, r, lin + first * p->element_bytes,
			    (64 - (unsigned)__builtin_clzll(mask) - first) * p->element_bytes);
		break;
	case X86_PARTS_ANY:
		access_part(m, r, lin, r->bytes);
		break;
	case X86_PARTS_PACKED:
		access_part(m, r, lin, (unsigned)__builtin_popcountll(mask) * p->element_bytes);
		break;
	default:
		if (p->slot_index + (unsigned)p->n * p->index_bytes / 8 > b->n_slot)
			return;
		for (; mask; mask &= mask - 1)
			access_part(m, r, element(p, slots, lin, (unsigned)__builtin_ctzll(mask)),
				    p->element_bytes);
	}
}
