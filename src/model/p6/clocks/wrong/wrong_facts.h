/* wrong_facts.h -- what executing a block on a wrong path needs to know of it (--wrong-path loads).
 */
#ifndef SOFTPMU_MODEL_P6_WRONG_FACTS_H
#define SOFTPMU_MODEL_P6_WRONG_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/block.h"

#define P6_NO_REG 0xff

/* One load of a block: as struct x86_ref, but from registers. */
struct p6_wrong_load {
	uint64_t disp;
	uint16_t bytes;
	uint8_t insn, reg, reg2, scale;
	bool is_fs;
};

struct p6_wrong_more {
	unsigned n_load;
	const struct p6_wrong_load *load;
	const struct x86_insn *insn;
	uint16_t written[]; /* registers, by instruction */
};

/* That of b, NULL when memory is out. The caller owns it and frees it with free(). */
struct p6_wrong_more *p6_wrong_facts(const struct x86_block *b);

#endif
