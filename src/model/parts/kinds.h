/* kinds.h -- lists of mnemonics by what they are to a model's events.
 *
 * Used by p5/units/core_kinds.c and p6/units/retire_kinds.c.
 */
#ifndef SOFTPMU_MODEL_PARTS_KINDS_H
#define SOFTPMU_MODEL_PARTS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kind_row {
	uint32_t kinds;
	/* blank-separated, as x86_mnemonic_name() spells them; one * in a name stands for any
	 * text */
	const char *names;
};

/* The kinds of a mnemonic: those of every row that names it, 0 when none does. A row of which
 * another one gave a kind already adds nothing. */
uint32_t kinds_of(const struct kind_row *row, size_t n, const char *name);

/* Is `name` one of `names` (as in a row)? */
bool kinds_is_among(const char *names, const char *name);

#endif
