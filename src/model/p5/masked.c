/* masked.c -- references of masked moves, gathers and scatters.
 *
 * Part of unit dcache. What is touched depends on a mask and, for gathers, on a vector of indices; both
 * are in the record (struct x86_parts). Only MASKMOVQ comes close to the P5; the others never ran there.
 *
 * COUNTING RULES   a masked access is one operand from its first to its last byte that counts; one whose
 *                  mask is empty is none. An element of a gather or scatter is an operand of its own,
 *                  lowest element first.
 */
#include "model/p5/p5.h"

#include <string.h>

static uint64_t slot_value(const uint8_t *slots, unsigned slot)
{
	uint64_t v;

	memcpy(&v, slots + 8 * slot, 8);
	return v;
}

static void access_part(struct p5 *m, struct p5_operand op, uint64_t lin, unsigned bytes)
{
	op.bytes = bytes;
	p5_dcache_count_parts(m, &op, 1);
	p5_dcache_ref(m, lin & P5_LIN_MASK, &op);
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

void p5_masked_run(struct p5 *m, const struct x86_block *b, unsigned k, const uint8_t *slots)
{
	const struct x86_ref *r = &b->ref[k];
	const struct x86_parts *p;
	const struct p5_operand op = {
	    .access = (uint8_t)((r->flags & X86_REF_READ ? P5_READ : 0) |
				(r->flags & X86_REF_WRITE ? P5_WRITE : 0)),
	    .is_mmx = b->insn[r->insn].group == X86_GRP_MMX,
	};
	uint64_t lin, mask;
	unsigned first;

	if (r->hint >= b->n_parts)
		return;
	p = &b->parts[r->hint];
	if (p->slot_mask >= b->n_slot || !p->n || p->n > 64)
		return;
	lin = p5_address(m, b, k, slots);
	mask = slot_value(slots, p->slot_mask) & (~0ull >> (64 - p->n));
	if (!mask)
		return;
	switch (p->kind) {
	case X86_PARTS_RANGE:
		first = (unsigned)__builtin_ctzll(mask);
		access_part(m, op, lin + first * p->element_bytes,
			    (64 - (unsigned)__builtin_clzll(mask) - first) * p->element_bytes);
		break;
	case X86_PARTS_ANY:
		access_part(m, op, lin, r->bytes);
		break;
	case X86_PARTS_PACKED:
		access_part(m, op, lin, (unsigned)__builtin_popcountll(mask) * p->element_bytes);
		break;
	default:
		if (p->slot_index + (unsigned)p->n * p->index_bytes / 8 > b->n_slot)
			return;
		for (; mask; mask &= mask - 1)
			access_part(m, op, element(p, slots, lin, (unsigned)__builtin_ctzll(mask)),
				    p->element_bytes);
	}
}
