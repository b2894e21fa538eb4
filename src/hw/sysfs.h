/* sysfs.h -- events as pmu/term,term/: what the kernel says of its PMUs.
 *
 * SOURCES          Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events.
 */
#ifndef SOFTPMU_HW_SYSFS_H
#define SOFTPMU_HW_SYSFS_H

#include "hw/events.h"

#define HW_SYSFS "/sys/bus/event_source/devices"

/* Fill type and config of e from the PMU named `pmu` below `root` (HW_SYSFS) and its terms:
 * "event=0xc0,umask=1", "config=0x1c2", or the name of one of its events. terms is taken apart.
 * Returns 0; -SPMU_ENOENT when there is no such PMU; -SPMU_EINVAL with a sentence for a term that
 * it does not have or a value that does not fit. */
int hw_sysfs_event(const char *root, const char *pmu, char *terms, struct hw_event *e,
		   struct spmu_error *err);

#endif
