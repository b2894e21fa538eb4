/* perfev.h -- perf_event_open for the program: the modelled PMU as Linux presents it.
 *
 * One service for the whole tree of processes. The guest runtime makes the system calls' descriptors and asks
 * (REQ_PERF, trace/request.h); everything that is counted is kept here, on the softpmu side.
 */
#ifndef SOFTPMU_PERFEV_PERFEV_H
#define SOFTPMU_PERFEV_PERFEV_H

#include "base/error.h"
#include "catalog/catalog.h"
#include "session/serve/service.h"

#define PEV_COUNTERS 2u /* of a P5 or P6 */

/* A service for one run on cpu, for ses_config.service. n_counters: 1, 2, or 0 for any number at once; events that
 * are more than fit take turns. The caller closes it when the run has ended. NULL with a sentence. */
struct ses_service *pev_open(const struct cat_cpu *cpu, unsigned n_counters, struct spmu_error *err);
/* Overflows find the program `clk` clocks of the model later, at the next boundary of instructions; 0 (so it begins): at the
 * instruction that brought them. Before the run. */
void pev_set_skid(struct ses_service *service, unsigned clk);
void pev_close(struct ses_service *service);

#endif
