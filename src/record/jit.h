/* jit.h -- names of code that lies in no file, as a JIT compiler told them: a section of a record.
 *
 * LAYOUT   JSON: for each process by its birth a list of [address, bytes, name], ascending, which
 *          do not overlap.
 * TRUST    files come from strangers: what is not like that is refused.
 */
#ifndef SOFTPMU_RECORD_JIT_H
#define SOFTPMU_RECORD_JIT_H

#include "record/file.h"

struct rec_jit {
	uint64_t addr, bytes;
	const char *name; /* borrowed of the section */
};

struct rec_jits {
	struct rec_jit *range; /* by address; owned */
	uint32_t n;
};

/* Take the section r->jit_names, when there is one, apart into r->jit. Returns NULL, or why not: a
 * static text behind "the record". */
const char *rec_jit_take(struct rec *r);
void rec_jit_free(struct rec *r);

/* The name of what lies at the address in the memory of process i; NULL: none is known. */
const char *rec_jit_name(const struct rec *r, uint32_t i, uint64_t addr);

#endif
