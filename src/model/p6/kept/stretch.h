/* stretch.h -- stretches of the program whose clocks depend on nothing before them
 * (stretch.c). */
#ifndef SOFTPMU_MODEL_P6_STRETCH_H
#define SOFTPMU_MODEL_P6_STRETCH_H

#include "model/p6/p6.h"

/* The first stretch begins. Parameters are known; nothing has happened yet. Returns false when
 * the empty machine cannot be said. */
bool p6_stretch_open(struct p6 *m);

/* It is not the program's first one: the machine begins later than at clock 0, after so many
 * times two bus clocks. */
#define P6_STRETCH_LATER 1024u
void p6_stretch_later(struct p6 *m);

/* A block whose last instruction ends in `term` (enum x86_term) is done, or waits, and the next
 * record is a block's: does the stretch end between them? */
static inline bool p6_stretch_is_over(const struct p6_time *t, uint64_t n_insn, unsigned term)
{
	return __builtin_expect(n_insn >= t->stretch_end, 0) && term != X86_TERM_FALL &&
	       term < X86_TERM_SYSCALL;
}

/* The same of the record that follows, if it is a block's. */
bool p6_stretch_is_due(const struct p6 *m);

/* It does, and what was before is done: the machine is empty. */
void p6_stretch_end(struct p6 *m);

/* The record behind which host code must stop: it begins at `next`, and not so many blocks lie
 * before the result that the stretch could end among them. NULL: it is too near. */
const uint8_t *p6_stretch_limit(const struct p6 *m, const uint8_t *next, const uint8_t *limit);

#endif
