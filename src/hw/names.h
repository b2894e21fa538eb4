/* names.h -- perf's own names of events: generic, software, cache map. */
#ifndef SOFTPMU_HW_NAMES_H
#define SOFTPMU_HW_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/spelling.h"

struct hw_name {
	uint32_t type; /* PERF_TYPE_ */
	uint64_t config;
	bool is_clock; /* counts nanoseconds */
};

/* Look a name up, any case: those of names.def, and the cache map ("L1-dcache-load-misses",
 * "LLC-loads", "branch-loads"). Returns false when it is none. */
bool hw_find_name(const char *name, struct hw_name *out);

/* Offer all of them but the cache map to a search for the nearest. */
void hw_names_offer(struct spelling_search *s);

#endif
