/* flags.c -- where in a block the status flags may be overwritten. */
#include "translate/internal.h"

unsigned xlt_dead_flags_at(const struct x86_builder *b, uint32_t mask)
{
	unsigned n = b->block.n_insn;
	uint32_t live = X86_FLAGS_ALL; /* at the end of a block every flag may be wanted */
	unsigned found = n;

	for (unsigned i = n; i-- > 0;) {
		const struct x86_decoded *d = &b->dec[i];

		live = (live & ~d->flags_killed) | d->flags_read;
		if (!(live & mask))
			found = i;
	}
	return found;
}
