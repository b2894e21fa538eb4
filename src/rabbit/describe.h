/* describe.h -- rabbit -l, -d, -p and -mhz 0: the events and the processor. */
#ifndef SOFTPMU_RABBIT_DESCRIBE_H
#define SOFTPMU_RABBIT_DESCRIBE_H

#include "rabbit/pairs.h"

/* -l: a line for each event of cpu: code, counters, name. */
void rbt_list_events(const struct cat_cpu *cpu, FILE *out);

/* -d: what events count, and which switches reach them: those of the pairs, or every one of cpu
 * when pairs is NULL. */
void rbt_describe_events(const struct cat_cpu *cpu, const struct rbt_pairs *pairs, FILE *out);

/* -d: one event. */
void rbt_describe_event(const struct cat_cpu *cpu, const struct cat_event *e, FILE *out);

/* -p, and -mhz 0; mhz: of the seconds. */
void rbt_print_processor(const struct cat_cpu *cpu, FILE *out);
void rbt_print_clocks(const struct cat_cpu *cpu, uint32_t mhz, FILE *out);

#endif
