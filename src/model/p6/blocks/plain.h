/* plain.h -- the machine in program order, without any short cut.
 *
 * COUNTING RULES   as in plain.c.
 */
#ifndef SOFTPMU_MODEL_P6_PLAIN_H
#define SOFTPMU_MODEL_P6_PLAIN_H

#include "model/p6/p6.h"

/* Do what instructions [from, to) of b, or the first n, do to the state, in program order. slots:
 * 8-byte values. has_fpmmx: changes between x87 and MMX, and assists, too. Returns 0 or
 * -SPMU_EPROTO (a repeat count that cannot be). */
int p6_run_some(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		unsigned to, bool has_fpmmx);
int p6_run_plain(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned n,
		 bool has_fpmmx);

/* Parts of p6_run_plain(), for one instruction alone: its code lines; what it does to
 * write-combining buffers; a change between x87 and MMX; reference k of b; the direction flag. */
void p6_plain_fetch(struct p6 *m, uint64_t pc, unsigned bytes);
int p6_plain_before(struct p6 *m, const struct x86_insn *in);
void p6_plain_fpmmx(struct p6 *m, unsigned group);
void p6_plain_reference(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots);
void p6_plain_after(struct p6 *m, const struct x86_insn *in);

/* Code lines and references of b from reference `from` (> 0) on, in program order: the rest of a
 * block that stored into a line of L1I with reference from - 1. */
void p6_run_rest(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from);

/* Count what instructions [from, to) of b count statically, now. */
void p6_count_now(struct p6 *m, const struct x86_block *b, unsigned from, unsigned to);

/* ---- masked.c -------------------------------------------------------------------------------- */

/* Reference k of b, of which the mask says what is touched (X86_REF_PARTS). */
void p6_masked_run(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots);

#endif
