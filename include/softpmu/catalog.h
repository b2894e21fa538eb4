/* catalog.h -- ask what the events of the Pentium and P6 processors are.
 *
 * Constant tables; nothing here needs a session or a counter.
 */
#ifndef SOFTPMU_CATALOG_H
#define SOFTPMU_CATALOG_H

#include <softpmu/softpmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One event of one processor; texts are constant. */
struct spmu_event_info {
	const char *name;    /* Intel's: "L2_LD" */
	const char *unit;    /* of the hardware: "l2" */
	const char *meaning; /* one or two sentences */
	const char *source;
	unsigned code;		/* of the select register */
	unsigned default_umask; /* of the name without a unit mask */
	/* bit 0: counter 0 can count it; bit 1: counter 1; 0: a register of its own */
	unsigned counters;
	bool is_duration; /* counts clocks, not occurrences */
};

/* Name of processor number i ("pentium", "pentium3-coppermine" ...), NULL after the last. */
SPMU_API const char *spmu_cpu_name(size_t i);

/* Event number i of processor `cpu`. Returns 0; -SPMU_ENOENT after the last event, or if there is
 * no processor `cpu`. */
SPMU_API int spmu_nth_event(const char *cpu, size_t i, struct spmu_event_info *out);

/**
 * Find an event of processor `cpu` by name (Intel's, an alias, perf's) or code ("0xc0"), in upper
 * or lower case.
 *
 * counter  0 or 1: the event must count on this counter; -1: on any. A code of the Pentium can mean
 *          another event on each counter.
 * Returns 0 with *out filled; -SPMU_ENOENT if the processor or the event is not known.
 */
SPMU_API int spmu_find_event(const char *cpu, const char *name, int counter,
			     struct spmu_event_info *out);

#ifdef __cplusplus
}
#endif

#endif
