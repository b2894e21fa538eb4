/* registers.h -- what the counter registers hold for a pair. */
#ifndef SOFTPMU_RABBIT_REGISTERS_H
#define SOFTPMU_RABBIT_REGISTERS_H

#include <stdint.h>
#include <stdio.h>

#include "rabbit/pairs.h"

/* The select register of counter n: PerfEvtSel n of a P6, with EN in that of counter 0; CESR of a
 * Pentium, the same for both counters. */
uint32_t rbt_register(const struct rbt_pairs *list, const struct rbt_pair *p, int n);

/* Its name: "PerfEvtSel0", "CESR". */
const char *rbt_register_name(const struct rbt_pairs *list, int n);

/* rabbit -I: the registers of all pairs, field by field. */
void rbt_registers_print(const struct rbt_pairs *list, FILE *out);

#endif
