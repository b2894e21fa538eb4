/* bounds.h -- what the limits of both families (p5/bounds.c, p6/bounds.c) ask of a block's static
 * facts. */
#ifndef SOFTPMU_MODEL_PARTS_BOUNDS_H
#define SOFTPMU_MODEL_PARTS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/block.h"

/* What a reference asks for: n times `bytes`. */
struct bound_pieces {
	uint64_t n, bytes;
};

static inline struct bound_pieces bound_pieces_of(const struct x86_block *b,
						  const struct x86_ref *r)
{
	const bool is_each = r->flags & X86_REF_PARTS && r->hint < b->n_parts &&
			     b->parts[r->hint].kind == X86_PARTS_EACH;

	if (!is_each)
		return (struct bound_pieces){1, r->bytes};
	return (struct bound_pieces){b->parts[r->hint].n, b->parts[r->hint].element_bytes};
}

/* Lines or pages of 2^log2 bytes that instruction `insn` is the first of its block to have bytes
 * in; `first` for the one in which it begins, when it is that of no instruction before. */
static inline uint64_t bound_code_units(const struct x86_block *b, unsigned insn, unsigned log2,
					unsigned first)
{
	const uint64_t from = b->pc + b->insn[insn].pc_off, to = from + b->insn[insn].bytes - 1u;
	const uint64_t before = insn ? from - 1 : ~from;

	return (to >> log2) - (from >> log2) + (before >> log2 != from >> log2 ? first : 0);
}

#endif
