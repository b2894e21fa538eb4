/* limits.h -- resource limits that may be too low for a run, each with the figure that it needs.
 *
 * softpmu doctor and the sentences of failed runs use one table. While softpmu runs it raises each
 * limit: to the figure with CAP_SYS_RESOURCE, else to the hard limit. The program keeps the
 * user's limits. */
#ifndef SOFTPMU_SESSION_LIMITS_H
#define SOFTPMU_SESSION_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/error.h"

enum {
	SES_LIMIT_FILES,
	SES_LIMIT_FILE_SIZE,
	SES_LIMIT_SPACE,
	SES_LIMIT_DATA,
	SES_LIMIT_TIME,
	SES_N_LIMITS
};

struct ses_limit {
	int resource;
	const char *unit, *option; /* "bytes", "ulimit -v" */
	uint64_t least;		   /* no run works with less */
	uint64_t most;		   /* a run with clocks of the P6 needs so much */
};

/* limit: SES_LIMIT_FILES ... */
const struct ses_limit *ses_limit(int limit);

/* ses_limits_raise: raise all limits; was[SES_N_LIMITS] receives the user's limits.
 * ses_limits_restore: set them again. */
void ses_limits_raise(struct rlimit *was);
void ses_limits_restore(const struct rlimit *was);

/* ses_limits_watch_time: the kernel ends a process at its hard limit of processor time without a
 * word. Where there is one, ask for SIGPROF, which the caller has blocked, a second of processor
 * time before (of one second: half a second before). Call it after ses_limits_raise(), and in each
 * process that is forked. Returns whether there is such a limit.
 * ses_limits_leave_time: SIGPROF comes no more, and none waits. */
bool ses_limits_watch_time(void);
void ses_limits_leave_time(void);

/* Returns the value that `limit` would have after ses_limits_raise(); RLIM_INFINITY: no limit.
 * Changes nothing. */
uint64_t ses_limit_room(int limit);

/* Returns 0, or -SPMU_ESYS with a sentence if there is no processor time: the kernel then ends
 * this process after some milliseconds. */
int ses_limits_check_time(struct spmu_error *err);

/* Returns 0, or -SPMU_ESYS with a sentence if files or their size, which are needed before a
 * program starts, are too few for any run. Call it after ses_limits_raise(). */
int ses_limits_check(struct spmu_error *err);

/* Returns true if this user may start n threads more; RLIMIT_NPROC counts threads and processes.
 * Cost: the threads start and end, 30 us each. */
bool ses_can_start_threads(unsigned n);

/* The run failed without memory: if a limit may be the reason, add that to the sentence in *err.
 * Call it after ses_limits_raise(). */
void ses_limits_blame(struct spmu_error *err);

#endif
