/* seg.h -- copies of segment registers in time (seg.c). */
#ifndef SOFTPMU_MODEL_P6_SEG_H
#define SOFTPMU_MODEL_P6_SEG_H

#include "model/p6/p6.h"

/* The first clock from clk on in which step s, which writes a segment register, finds a free
 * copy of it. Counts the stall. */
uint64_t p6_seg_room(struct p6 *m, const struct p6_step *s, uint64_t clk);
void p6_seg_retire(struct p6 *m, const struct p6_step *s, uint64_t retire_clk);

#endif
