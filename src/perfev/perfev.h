/* perfev.h -- perf_event_open for the program: the modelled PMU as Linux presents it.
 *
 * One service for the whole tree of processes. The guest runtime makes the system calls'
 * descriptors and asks (REQ_PERF, trace/request.h); everything that is counted is kept here, on
 * the softpmu side.
 */
#ifndef SOFTPMU_PERFEV_PERFEV_H
#define SOFTPMU_PERFEV_PERFEV_H

#include "base/error.h"
#include "catalog/catalog.h"
#include "session/serve/service.h"

#define PEV_COUNTERS 2u /* of a P5 or P6 */

/* Open the service for one run on cpu, for ses_config.service. n_counters: 1, 2, or 0 for any
 * number at once; when there are more events than fit, they take turns. The caller closes it
 * when the run has ended. Returns NULL with a sentence in *err. */
struct ses_service *pev_open(const struct cat_cpu *cpu, unsigned n_counters,
			     struct spmu_error *err);
/* Set how many clocks of the model after an overflow its interrupt comes, between two
 * instructions; 0, the default: at the instruction that overflowed. Call it before the run. */
void pev_set_skid(struct ses_service *service, unsigned clk);
void pev_close(struct ses_service *service);

#endif
