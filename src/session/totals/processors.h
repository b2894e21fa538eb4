/* processors.h -- the counts of each of several modelled processors. */
#ifndef SOFTPMU_SESSION_PROCESSORS_H
#define SOFTPMU_SESSION_PROCESSORS_H

#include "model/model.h"
#include "session/session.h"

/* Fill result->cpu_count for the events of cfg with what the counters of each processor would show.
 * m: the finished model, whose totals are on w. An event of all agents on the bus is equal on all
 * processors. off: WIRE_N counts of each processor that are left out, or NULL. With one processor,
 * or without a record stream, it does nothing. Returns 0 or -SPMU_ENOMEM. */
int ses_processors_fill(const struct ses_config *cfg, struct mdl *m, const struct wires *w,
			const uint64_t *off, struct ses_result *result);

#endif
