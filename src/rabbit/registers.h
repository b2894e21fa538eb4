/* registers.h -- what the counter registers hold for a pair. */
#ifndef SOFTPMU_RABBIT_REGISTERS_H
#define SOFTPMU_RABBIT_REGISTERS_H

#include <stdint.h>
#include <stdio.h>

#include "rabbit/pairs.h"

/* What selects event e: the bits of PerfEvtSel but EN; of a Pentium those of counter 0's half of
 * CESR. */
uint32_t rbt_select(const struct cat_cpu *cpu, const struct evt_event *e);

/* The event that these bits select on counter n. A code alone stands for the event as the
 * switches s set it; more than a code is taken as it is. Returns 0 or -SPMU_EINVAL with the
 * reason. */
int rbt_event_of_select(const struct cat_cpu *cpu, uint32_t bits, int n,
			const struct rbt_switches *s, struct evt_event *out,
			struct spmu_error *err);

/* The select register of counter n: PerfEvtSel n of a P6, with EN in that of counter 0; CESR of a
 * Pentium, the same for both counters. */
uint32_t rbt_register(const struct rbt_pairs *list, const struct rbt_pair *p, int n);

/* Its name: "PerfEvtSel0", "CESR". */
const char *rbt_register_name(const struct rbt_pairs *list, int n);

/* rabbit -I: the registers of all pairs, field by field. */
void rbt_registers_print(const struct rbt_pairs *list, FILE *out);

#endif
