/* open.h -- perf_event_open(2): a new event of the guest's. */
#ifndef SOFTPMU_PERFEV_OPEN_H
#define SOFTPMU_PERFEV_OPEN_H

#include "perfev/local.h"
#include "trace/request.h"

/* REQ_PERF_OPEN: b->pages[0] is struct req_perf_open, pages[1] the attributes. Returns 0, and
 * the guest has the descriptor's other end; or a negative error number of perf_event_open(2).
 * Without the lock. Cost: for a task of another process up to ADOPT_MS. */
int64_t pev_open_event(struct pev_local *l, struct ses_server *s, struct req_box *b);

#endif
