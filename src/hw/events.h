/* events.h -- from what people type to what perf_event_open(2) takes.
 *
 *   list   := item { "," item }
 *   item   := event | "{" list "}" [ ":" levels ]
 *   event  := name [ ":" levels ]           perf's names: cycles, task-clock, L1-dcache-loads ...
 *           | "r" hex [ ":" levels ]        raw code: the processor's event select, as perf's
 *           | pmu "/" terms "/" [ [":"] levels ]
 *                                           on a later processor: cpu/event=0xc0,umask=1/, as the
 *                                           kernel's /sys/bus/event_source/devices says (sysfs.h)
 *           | what event/events.h takes     on a processor of the catalog: any of its events;
 *                                           on others: those that perf has under a name
 *           | a name of libpfm4             the processor's own: RETIRED_UOPS, INST_RETIRED:ANY_P:u
 *   levels := { "u" | "k" | "h" }           default u
 *
 * Looked for in this order; the first that knows the name has it.
 */
#ifndef SOFTPMU_HW_EVENTS_H
#define SOFTPMU_HW_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/machine.h"

struct hw_event {
	char name[128]; /* as the user typed it */
	uint32_t type;	/* PERF_TYPE_ */
	uint64_t config, config1, config2;
	bool user, kernel, hypervisor;	 /* levels that are counted */
	bool is_clock;			 /* counts nanoseconds */
	int16_t group;			 /* number of its { } group, -1 none */
	const struct cat_event *meaning; /* event of the catalog that it is; NULL: none */
	uint8_t umask;			 /* of meaning */
};

/* A list of events; start with all zero. */
struct hw_events {
	struct hw_event *event; /* owned */
	size_t n, room;
	int n_group; /* groups used so far */
};

/* Append the events of `text`. is_raw: codes and masks that the catalog does not have are welcome.
 * Returns 0; -SPMU_EINVAL with a sentence that names the nearest events that there are;
 * -SPMU_ENOMEM. */
int hw_parse_events(struct hw_machine *m, const char *text, bool is_raw, struct hw_events *list,
		    struct spmu_error *err);

/* One event without commas and braces; out is written on success only. */
int hw_parse_event(struct hw_machine *m, const char *text, bool is_raw, struct hw_event *out,
		   struct spmu_error *err);

void hw_events_free(struct hw_events *list);

#endif
