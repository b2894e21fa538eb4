/* int.h -- the timer (int.c). */
#ifndef SOFTPMU_MODEL_P6_INT_H
#define SOFTPMU_MODEL_P6_INT_H

#include "model/p6/p6.h"

void p6_int_open(struct p6 *m, uint32_t timer_hz);

/* Accept what the timer asked for since, if it did, in front of the next instruction. */
void p6_int_accept(struct p6 *m);

#endif
