/* time_reading.h -- what an RDPMC does not see (time_reading.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_READING_H
#define SOFTPMU_MODEL_P6_TIME_READING_H

#include "model/p6/p6.h"

/* The first RDPMC, of n_uop micro-ops, was met: from now on states say what one asks of them. */
void p6_reading_begin(struct p6 *m, unsigned n_uop);

/* At read_clk, n_own micro-ops of the RDPMC before the present one: time.unread. */
void p6_reading_note(struct p6 *m, unsigned n_own);

/* As mdl_unseen(). */
uint64_t p6_unseen(struct p6 *m, uint32_t id, unsigned wire);

#endif
