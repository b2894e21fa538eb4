/* retire.h -- unit retire: what instructions count whenever they retire, and their micro-ops.
 *
 * All of it depends on the instruction alone, not on the state of the machine.
 *
 * COUNTING RULES   as in retire.c and retire_uops.c.
 */
#ifndef SOFTPMU_MODEL_P6_RETIRE_H
#define SOFTPMU_MODEL_P6_RETIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "model/parts/tally.h"
#include "x86/block.h"

struct p6;
struct p6_mnemonic;

/* Facts about a mnemonic, looked up by name on its first use. The machine owns them: they stay
 * until p6_close(), but a later call may move them. Returns NULL only when memory is out. */
const struct p6_mnemonic *p6_mnemonic(struct p6 *m, uint16_t number);

/* Is n, of `kinds`, a control transfer for C4H and E0H? INT n, IRET and system calls are; the BTB
 * knows nothing of these. */
bool p6_is_transfer(const struct x86_insn *n, uint32_t kinds);

/* Add to t what instruction i of b counts whenever it retires, its references included; of a REP
 * form without its micro-ops and references, which depend on the count. Nothing is raised: blocks
 * sum this up once, when they are compiled, and multiply it by their executions. So nothing that
 * depends on the state of the machine may be added here. Adds nothing when memory is out. */
void p6_retire_count(struct p6 *m, const struct x86_block *b, unsigned i, struct tally *t);

/* Is this wire of p6_retire_count() one that the hardware counts when the instruction is executed,
 * not when it retires? An RDPMC sees the two at different times (time_reading.c). */
bool p6_is_of_execution(unsigned wire);

/* Micro-ops of an instruction. Returns 0 for REP forms, whose number depends on the count: see
 * p6_uops_rep(). Returns 1 when memory is out. *p0123 receives those that are not on port 4; 0 in
 * both of these cases. */
unsigned p6_uops(struct p6 *m, const struct x86_insn *n, unsigned *p0123);

/* Micro-ops of an instruction by ports. When is_known, the ports add up to uops, less what LOCK and
 * the second halves of compound classes add; else the sources give no ports, and only uops is
 * set. */
struct p6_split {
	uint16_t uops;
	uint16_t p0, p1, p01, p2, p3, p4;
	bool is_known;
};

/* *s: the micro-ops of n by ports; *timing: the row of the table, with the latency of what it
 * computes. A REP form gets one micro-op without ports here. The names in *timing are static. */
void p6_uops_split(struct p6 *m, const struct x86_insn *n, struct p6_split *s,
		   struct cat_p6_timing *timing);

/* Micro-ops of a REP string instruction of n iterations of `bytes` each; name: its mnemonic, as
 * movsb. is_fast: its fast form applies. Returns 1 at least, also when the table has no row. */
uint64_t p6_uops_rep(const struct p6 *m, const char *name, uint64_t n, unsigned bytes,
		     bool is_fast);

/* Those of the fast form that do the copying: all but its beginning. */
uint64_t p6_uops_copied(const struct p6 *m, const char *name, uint64_t n, unsigned bytes);

/* Data references (load and store micro-ops) of one access of `bytes`: 8 bytes each, m80 two. */
static inline unsigned p6_pieces(unsigned bytes)
{
	return bytes <= 8 ? 1 : (bytes + 7) / 8;
}

#endif
