/* what.h -- what an event of perf_event_open counts: from type and config to an event of the
 * modelled processor.
 *
 * COUNTING RULES   a raw config is EVENT, UMASK, EDGE, INV and CMASK of a P6's PerfEvtSel; other
 *                  bits are ignored, as the kernel's driver masks them. Generic and cache events
 *                  are those of the kernel's P6 driver. User mode alone is counted, also when
 *                  kernel mode is not excluded.
 * MODELLED         PERF_TYPE_HARDWARE, HW_CACHE, RAW (also as type of the PMU "cpu"), and of
 *                  PERF_TYPE_SOFTWARE cpu-clock, task-clock, context switches and page faults
 *                  (software.h; counted whatever mode is asked for), migrations, alignment and
 *                  emulation faults (0 on such a machine), cgroup switches, bpf output, dummy.
 *                  The P5, for which there never was a driver: generic events by the catalog's
 *                  list, raw config bits 0 to 5 the event, 8 and 9 the counters that may count
 *                  it (0: any), 16 occurrences, 17 clocks.
 * NOT MODELLED     tracepoints, breakpoints, other PMUs: ENOENT, as on a machine without them.
 *                  What the running model does not count: ENOENT, too.
 * SOURCES          perf_event_open(2); the driver of the P6: Linux, arch/x86/events/intel/p6.c (LX
 *                  in catalog/sources.tsv).
 */
#ifndef SOFTPMU_PERFEV_WHAT_H
#define SOFTPMU_PERFEV_WHAT_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "session/session.h"

enum pev_kind {
	PEV_HARDWARE, /* .event, in a counter */
	PEV_CLOCK,    /* time that the task ran, in ns */
	PEV_SWITCHES, /* context switches: software.h */
	PEV_FAULTS,   /* page faults, .faults: software.h */
	PEV_NOTHING,  /* always 0 */
};

/* Page faults by what the kernel had to do: nothing but memory, or wait for a disk. */
#define PEV_FAULTS_MINOR 1u
#define PEV_FAULTS_MAJOR 2u

struct pev_what {
	enum pev_kind kind;
	uint8_t faults;		/* PEV_FAULTS: PEV_FAULTS_MINOR, _MAJOR or both */
	struct evt_event event; /* PEV_HARDWARE */
	uint8_t counters;	/* that may count it: bit 0 and 1 */
};

/* Set *out to what `a` asks for on cpu, whether the model counts it or not. Returns 0; -ENOENT,
 * -EINVAL or -EOPNOTSUPP, and *out is unchanged. */
int pev_what(const struct cat_cpu *cpu, const struct perf_event_attr *a, struct pev_what *out);

/* The PMU's own number in type fields, for all that is no generic event. */
#define PEV_PMU_TYPE PERF_TYPE_RAW

#define PEV_NAME_BYTES 48u

/* Write what perf calls the event: "cycles", "LLC-load-misses", "r0079". "" when it is none of the
 * processor's. Returns out. */
const char *pev_name(const struct perf_event_attr *a, char out[PEV_NAME_BYTES]);

#endif
