/* own.h -- checks that a process is the guest's before it gets a signal. The guest writes the
 * numbers in shared memory; a wrong one would end a process that does not belong to the run. */
#ifndef SOFTPMU_SESSION_OWN_H
#define SOFTPMU_SESSION_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "session/serve/areas.h"

/* Returns true if thread or process `tid` has the memory file of `a` mapped at a guest's address.
 * Returns false if /proc cannot be read (there is none, or the process has rights that softpmu has
 * not). COST: reads /proc/TID/maps, up to a millisecond. */
bool ses_is_own(const struct ses_areas *a, uint32_t tid);

#endif
