/* own.h -- is it one of the guest's? Numbers of processes in shared memory are the guest's word,
 * and a signal to a wrong one would end a stranger. */
#ifndef SOFTPMU_SESSION_OWN_H
#define SOFTPMU_SESSION_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "session/serve/areas.h"

/* Has the thread or process `tid` the memory file of `a` mapped where a guest has it? Also false
 * when /proc does not tell (no /proc, or a process with rights that softpmu has not). COST:
 * reads /proc/TID/maps, up to a millisecond. */
bool ses_is_own(const struct ses_areas *a, uint32_t tid);

#endif
