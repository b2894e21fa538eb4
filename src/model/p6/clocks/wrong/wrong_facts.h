/* wrong_facts.h -- what executing a block on a wrong path needs to know of it (--wrong-path loads).
 */
#ifndef SOFTPMU_MODEL_P6_WRONG_FACTS_H
#define SOFTPMU_MODEL_P6_WRONG_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/block.h"

#define P6_NO_REG 0xff

/* One load of a block. Its address is disp + reg + reg2 * scale, and FS's base with is_fs. */
struct p6_wrong_load {
	uint64_t disp;
	uint16_t bytes;
	uint8_t insn;	   /* its instruction in the block */
	uint8_t reg, reg2; /* general registers by number; P6_NO_REG: 0 */
	uint8_t scale;	   /* of reg2 */
	bool is_fs;
};

/* One piece of memory; load and insn point into it. */
struct p6_wrong_more {
	unsigned n_load;
	const struct p6_wrong_load *load; /* in program order */
	const struct x86_insn *insn;	  /* copies, by number in the block */
	uint16_t written[];		  /* bit per general register, by instruction */
};

/* Returns the facts of b, NULL without memory. The caller owns them and frees them with one free().
 * They do not need b any more. */
struct p6_wrong_more *p6_wrong_facts(const struct x86_block *b);

#endif
