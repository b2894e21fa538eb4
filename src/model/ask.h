/* ask.h -- questions to a model that goes on running: totals before the end, and bounds of what
 * comes.
 *
 * Samples, RDPMC and intervals need a count in the middle of a run. mdl_finish() would answer,
 * but it walks over all blocks, and in a machine with clocks it lets everything finish that is
 * under way, which moves the clocks. The functions here answer without either. The bounds say
 * how far a count can grow at most, so that the caller knows which part of the stream it must
 * look at one instruction at a time to find an overflow.
 *
 * Only perfev, and those of session that read while a program or a machine runs, use this header;
 * who feeds a model and reads it once needs model.h alone.
 */
#ifndef SOFTPMU_MODEL_ASK_H
#define SOFTPMU_MODEL_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/block.h"

struct cat_cpu;
struct cat_event;
struct mdl;

/* --- totals before the end --- */

/* Set total[WIRE_N] to what blocks have counted by being executed, up to now. Cost: a walk over
 * all blocks. */
void mdl_executions(struct mdl *m, uint64_t *total);

/* Add to total[WIRE_N] what `times` more executions of block `id` count by being executed. Adds
 * nothing for a block that the model counts in another way. Cost: a few dozen additions. */
void mdl_add_once(struct mdl *m, uint32_t id, uint64_t times, uint64_t *total);

/* Set times[0..n) to how often blocks 0 to n - 1 were executed, as far as mdl_executions() counts
 * them. Cost: a walk over all blocks. */
void mdl_times(struct mdl *m, uint64_t *times, uint32_t n);

/* Bring the totals of m onto its wires, given what executions count: total[WIRE_N], as the two
 * functions mdl_executions() and mdl_add_once() keep it. Models added by mdl_add() are left out.
 * Cost: WIRE_N additions. */
void mdl_finish_with(struct mdl *m, const uint64_t *total);

/* As mdl_finish_with(), but what is under way in a model with clocks stays under way, so that
 * looking moves no clock. Micro-ops that share a group with instructions that were not fed yet
 * are counted as if none came; a total may therefore be a little smaller at the next look. What
 * depends on where execution continues is left out, unless a TRC_AHEAD record said it. */
void mdl_peek(struct mdl *m, const uint64_t *total);

/* As mdl_peek(), for m and all that were added to it, with what executions count now. Cost: as
 * mdl_executions() for each. */
void mdl_peek_all(struct mdl *m);

/* Returns how much of the total of `wire` an RDPMC does not see. The record fed last is that of
 * the RDPMC, which is alone in block `id`, and the totals are on the wires. It does not see what
 * it counts itself, nor, in a machine that executes out of order with clocks, what has not
 * retired when it executes. Cost: a few dozen steps at most. */
uint64_t mdl_unseen(struct mdl *m, uint32_t id, unsigned wire);

/* Returns the clocks, beyond those counted at the last mdl_peek(), for which what was executed
 * until then keeps buses, buffers and units busy. MDL_NO_LIMIT: the model cannot say. */
uint64_t mdl_backlog(const struct mdl *m);

/* --- bounds of what comes --- */

#define MDL_NO_LIMIT (1ull << 40) /* a bound that is not known */

/* How much counts can grow at most, by what they count. */
struct mdl_bounds {
	uint64_t clk;	/* clocks, after those of mdl_backlog() */
	uint64_t data;	/* occurrences at data references */
	uint64_t core;	/* occurrences of operations that are executed and retire */
	uint64_t lines; /* occurrences at lines and page walks outside the first-level caches */
	uint64_t any;	/* occurrences of any one kind */
};

/* Set *out to the bound for instruction `insn` of b, whatever state the machine is in; for a REP
 * instruction with `items` iterations. It follows from static facts and the model's parameters
 * and is ten to a thousand times what is usual. What several instructions count is at most the
 * sum of their bounds. Cost: a look at the block's references. */
void mdl_bounds(struct mdl *m, const struct x86_block *b, unsigned insn, uint64_t items,
		struct mdl_bounds *out);

/* Set *out to the bound for instructions [from, to) of b together, provided that each finds all
 * that it touches in the first-level caches and TLBs, and the lines that it writes modified.
 * MDL_NO_LIMIT where that condition bounds nothing: with REP, locked and serializing
 * instructions, prefetches, and accesses in parts. Cost: as mdl_bounds() for each instruction. */
void mdl_bounds_of_hits(struct mdl *m, const struct x86_block *b, unsigned from, unsigned to,
			struct mdl_bounds *out);

/* Returns true if m can say whether instructions would hit; else mdl_hits() is always false. */
bool mdl_tells_hits(const struct mdl *m);

/* Returns true if instructions [from, to) of b, with the values at `slots`, would find all that
 * they touch in the first-level caches and TLBs, were they executed next: after all that m was
 * fed and after the instructions that a TRC_AHEAD record announced. Changes nothing in m. Cost:
 * a look-up for each line of code and each reference. */
bool mdl_hits(struct mdl *m, const struct x86_block *b, unsigned from, unsigned to,
	      const uint8_t *slots);

/* Which member of struct mdl_bounds bounds an event. MDL_BY_NONE: none does, because what an
 * instruction waited while older ones missed is counted when it continues. */
enum mdl_bound_by { MDL_BY_CLK, MDL_BY_DATA, MDL_BY_CORE, MDL_BY_LINES, MDL_BY_ANY, MDL_BY_NONE };

/* The bound of one event: it counts at most `times` for each unit of that member. */
struct mdl_bound {
	enum mdl_bound_by by;	   /* of mdl_bounds() */
	enum mdl_bound_by by_hits; /* of mdl_bounds_of_hits() */
	unsigned times;
};

/* Returns the bound of event e of processor cpu. is_masked: e has a counter mask or counts
 * edges, so that it counts clocks. It follows from the event's kind and from the column `bound`
 * of its wires (catalog/README.md). Cost: a search by name. */
struct mdl_bound mdl_bound_of(const struct cat_cpu *cpu, const struct cat_event *e, bool is_masked);

#endif
