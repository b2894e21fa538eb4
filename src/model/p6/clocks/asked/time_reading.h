/* time_reading.h -- what an RDPMC does not see (time_reading.c).
 *
 * The model counts in program order; the hardware has not done all of it when an RDPMC reads. What
 * is too much is p6_unseen().
 *
 * ORDER   p6_reading_begin() in front of the first RDPMC of the program; p6_reading_note() when one
 *         reads, which fills time.unread; then p6_unseen(), before another block is done.
 */
#ifndef SOFTPMU_MODEL_P6_TIME_READING_H
#define SOFTPMU_MODEL_P6_TIME_READING_H

#include "model/p6/p6.h"

/* An RDPMC of n_uop micro-ops was met. The first time, all kept states are forgotten: from now on a
 * state has what an RDPMC asks of it (time.n_readable). Further calls do nothing. */
void p6_reading_begin(struct p6 *m, unsigned n_uop);

/* An RDPMC reads at time.read_clk by its present micro-op, behind n_own others of its own: note in
 * time.unread which micro-ops before it were not dispatched, and which lines are on their way. */
void p6_reading_note(struct p6 *m, unsigned n_own);

/* As mdl_unseen(): returns how much of the count of `wire` the last RDPMC, in block `id`, did not
 * see. Without clocks: what the block counts of the wire once. */
uint64_t p6_unseen(struct p6 *m, uint32_t id, unsigned wire);

#endif
