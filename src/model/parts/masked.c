/* masked.c -- masks and vectors of indices to addresses. */
#include "model/parts/masked.h"

#include "model/parts/reader.h"

/* Element i of a gather or scatter whose operand without index is at `lin`. */
static uint64_t element(const struct x86_parts *p, const uint8_t *slots, uint64_t lin, unsigned i)
{
	const uint64_t index =
	    p->index_bytes == 4
		? (uint64_t)(int64_t)(int32_t)reader_u32(slots + 8 * p->slot_index + 4 * i)
		: reader_slot(slots, p->slot_index + i);

	lin += index * p->scale;
	return p->is_address32 ? (uint32_t)lin : lin;
}

static unsigned one(struct masked_part *part, uint64_t lin, unsigned bytes)
{
	*part = (struct masked_part){lin & READER_LIN_MASK, bytes};
	return 1;
}

unsigned masked_parts(const struct x86_block *b, unsigned k, const uint8_t *slots, uint64_t lin,
		      struct masked_part part[MASKED_MOST_PARTS])
{
	const struct x86_ref *r = &b->ref[k];
	const struct x86_parts *p;
	unsigned first, n = 0;
	uint64_t mask;

	if (r->hint >= b->n_parts)
		return 0;
	p = &b->parts[r->hint];
	if (p->slot_mask >= b->n_slot || !p->n || p->n > MASKED_MOST_PARTS)
		return 0;
	mask = reader_slot(slots, p->slot_mask) & (~0ull >> (64 - p->n));
	if (!mask)
		return 0;
	switch (p->kind) {
	case X86_PARTS_RANGE:
		first = (unsigned)__builtin_ctzll(mask);
		return one(part, lin + first * p->element_bytes,
			   (64 - (unsigned)__builtin_clzll(mask) - first) * p->element_bytes);
	case X86_PARTS_ANY: return one(part, lin, r->bytes);
	case X86_PARTS_PACKED:
		return one(part, lin, (unsigned)__builtin_popcountll(mask) * p->element_bytes);
	default:
		if (p->slot_index + (unsigned)p->n * p->index_bytes / 8 > b->n_slot)
			return 0;
		for (; mask; mask &= mask - 1)
			n += one(&part[n], element(p, slots, lin, (unsigned)__builtin_ctzll(mask)),
				 p->element_bytes);
		return n;
	}
}
