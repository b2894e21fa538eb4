/* fpu.h -- what x87 divides take (fpu.c). */
#ifndef SOFTPMU_MODEL_P6_FPU_H
#define SOFTPMU_MODEL_P6_FPU_H

#include "model/p6/p6.h"

/* Read what x87 divides take. */
void p6_fpu_open(struct p6_time *t);

/* The precision of instruction c (enum p6_precision); slots: of its block. Without a slot 64
 * bits. */
unsigned p6_fpu_precision(const struct p6_code *c, const uint8_t *slots);

/* The same of all divides of the first n instructions of t; P6_N_PRECISION: they differ. */
unsigned p6_fpu_precisions(const struct p6_tblk *t, const uint8_t *slots, unsigned n);

#endif
