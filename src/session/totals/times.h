/* times.h -- what a run took: wall time, and processor time of this process and its children. */
#ifndef SOFTPMU_SESSION_TIMES_H
#define SOFTPMU_SESSION_TIMES_H

#include <sys/resource.h>
#include <time.h>

#include "session/session.h"

struct ses_times {
	struct timespec begun;
	struct rusage self, children;
};

void ses_times_begin(struct ses_times *t);

/* Set out->elapsed_s, user_s and sys_s, in seconds since ses_times_begin(t). Children count once
 * they were waited for. */
void ses_times_end(const struct ses_times *t, struct ses_result *out);

/* Set what this machine's kernel did since ses_times_begin(t): out->minor_faults, major_faults and
 * switches. */
void ses_times_faults(const struct ses_times *t, struct ses_result *out);

#endif
