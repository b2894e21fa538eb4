/* sampling.h -- events that overflow: periods, refreshes, where samples go.
 *
 * NOT MODELLED     samples: an event with a period is refused with EOPNOTSUPP, as on a PMU without interrupts.
 */
#ifndef SOFTPMU_PERFEV_SAMPLING_H
#define SOFTPMU_PERFEV_SAMPLING_H

#include "perfev/local.h"

/* The sampling side of a new event; `other`: the event named with it, or PEV_NONE. Returns 0 or an error. */
int pev_sampling_open(struct pev_event *e, uint32_t other, uint32_t flags);

/* PERF_EVENT_IOC_REFRESH, _PERIOD, _SET_OUTPUT (key of the other event, 0: none). Under the lock. */
int pev_sampling_refresh(struct pev_event *e, int64_t n);
int pev_sampling_period(struct pev_event *e, uint64_t period);
int pev_sampling_output(struct pev_local *l, uint32_t index, uint64_t key);

#endif
