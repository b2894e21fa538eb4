/* workers.h -- how many threads compute the clocks of one machine. */
#ifndef SOFTPMU_SESSION_WORKERS_H
#define SOFTPMU_SESSION_WORKERS_H

#include "session/session.h"

/* Returns the worker threads for cfg's machine at this tier: cfg's own number, else SES_WORKERS
 * where this process may use so many processors, else one for estimates and none for exact clocks.
 * 0 where there are no clocks of a P6, which alone has workers. */
uint8_t ses_workers(const struct ses_config *cfg, int tier);

#endif
