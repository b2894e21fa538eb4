/* limits.h -- limits of the process that a run needs more of than a user may have set, each with
 * its figure.
 *
 * One table for softpmu doctor and for whoever fails. A limit is raised as far as it may be
 * while softpmu runs: to the figure with CAP_SYS_RESOURCE, else to the hard limit. The program
 * has the user's. */
#ifndef SOFTPMU_SESSION_LIMITS_H
#define SOFTPMU_SESSION_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/error.h"

enum { SES_LIMIT_FILES, SES_LIMIT_FILE_SIZE, SES_LIMIT_SPACE, SES_LIMIT_DATA, SES_LIMIT_TIME,
       SES_N_LIMITS };

struct ses_limit {
	int resource;
	const char *unit, *option; /* "bytes", "ulimit -v" */
	uint64_t least; /* no run can do with less */
	uint64_t most;  /* a run with clocks of the P6 needs so much */
};

/* limit: SES_LIMIT_FILES ... */
const struct ses_limit *ses_limit(int limit);

/* Raise all of them; was[SES_N_LIMITS] receives what the user had. */
void ses_limits_raise(struct rlimit *was);
void ses_limits_restore(const struct rlimit *was);

/* How much there would be of `limit` after that; RLIM_INFINITY: any amount. Changes nothing. */
uint64_t ses_limit_room(int limit);

/* Is there too little for any run of what is taken before a program starts (files and their
 * size)? Returns 0, or -SPMU_ESYS with a sentence. Limits are raised. */
int ses_limits_check(struct spmu_error *err);

/* The run failed for want of memory: if a limit may be why, the sentence in *err says so, too.
 * Limits are raised. */
void ses_limits_blame(struct spmu_error *err);

#endif
