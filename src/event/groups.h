/* groups.h -- the catalog's named sets of events. */
#ifndef SOFTPMU_EVENT_GROUPS_H
#define SOFTPMU_EVENT_GROUPS_H

#include "event/events.h"

/* Group of cpu's family by name, any case; NULL when there is none. */
const struct cat_group *evt_find_group(const struct cat_cpu *cpu, const char *name);

/* Append the events of the named group; those that cpu does not have are left out.
 * Returns 0; -SPMU_EINVAL with the nearest name, or when cpu has none of its events;
 * -SPMU_ENOMEM. */
int evt_events_of_group(const struct cat_cpu *cpu, const char *name, struct evt_events *list,
			struct spmu_error *err);

/* Append what `stat` counts when nothing is asked for: the group "default", or everything. */
int evt_events_default(const struct cat_cpu *cpu, struct evt_events *list, struct spmu_error *err);

#endif
