/* stretch.h -- stretches of the program whose clocks depend on nothing before them (stretch.c).
 *
 * A stretch is 2^par.stretch_log2 instructions and what follows up to the next branch. Where it
 * ends the pipeline is made empty, so that another machine can begin there (team.h). stretch_log2
 * 0: there is one stretch without an end.
 *
 * ORDER   per record: p6_stretch_is_due() in front of it; if it is true, what is held is done, then
 *         p6_stretch_end(), then the record. A team and one machine ask at the same places: else
 *         their counts differ.
 */
#ifndef SOFTPMU_MODEL_P6_STRETCH_H
#define SOFTPMU_MODEL_P6_STRETCH_H

#include "model/p6/p6.h"

/* Begin the first stretch. par and bus_ratio2 are set, and nothing has happened yet. Returns false
 * if the state of the empty machine does not fit time.empty (odd parameters): the machine cannot be
 * opened then. */
bool p6_stretch_open(struct p6 *m);

/* The stretch of this machine is not the program's first one: it begins at core clock
 * P6_STRETCH_LATER * time.bus_ratio2 instead of 0, because what is free at 0 was not free before.
 */
#define P6_STRETCH_LATER 1024u
void p6_stretch_later(struct p6 *m);

/* Returns true if the stretch ends behind a block that ends in `term` (enum x86_term), which is
 * done or held, if a block's record is next. n_insn: instructions of this processor up to there. */
static inline bool p6_stretch_is_over(const struct p6_time *t, uint64_t n_insn, unsigned term)
{
	return __builtin_expect(n_insn >= t->stretch_end, 0) && term != X86_TERM_FALL &&
	       term < X86_TERM_SYSCALL;
}

/* Returns true if the stretch ends in front of the next record, provided that it is a block's.
 * False without clocks, and behind a record that was no block's. */
bool p6_stretch_is_due(const struct p6 *m);

/* End the stretch: all collected micro-ops retire, and the pipeline, buffers and buses are empty
 * from the next multiple of two bus clocks on. Caches, TLBs, BTB and return stack stay. Nothing may
 * be held. */
void p6_stretch_end(struct p6 *m);

/* Returns how far host code that begins at record `next` may go, at most `limit`: so few records
 * lie before it that the stretch cannot end among them. NULL: the end is too near, and host code
 * must not be entered. */
const uint8_t *p6_stretch_limit(const struct p6 *m, const uint8_t *next, const uint8_t *limit);

#endif
