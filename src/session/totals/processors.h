/* processors.h -- what each of several modelled processors counts by itself. */
#ifndef SOFTPMU_SESSION_PROCESSORS_H
#define SOFTPMU_SESSION_PROCESSORS_H

#include "model/model.h"
#include "session/session.h"

/* Fill result->cpu_count for the events of cfg from the finished model m, whose totals stand on
 * w: what the counters of each processor would show. An event over all agents on the bus is the
 * same for each of them. Nothing happens with one processor or without a record stream. off: of
 * each processor WIRE_N counts that are left out, or NULL. Returns 0 or -SPMU_ENOMEM. */
int ses_processors_fill(const struct ses_config *cfg, struct mdl *m, const struct wires *w,
                        const uint64_t *off, struct ses_result *result);

#endif
