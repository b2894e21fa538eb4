/* host_counters.h -- does this machine offer hardware counters? Tried out by opening one and
 * closing it. */
#ifndef SOFTPMU_SESSION_HOST_COUNTERS_H
#define SOFTPMU_SESSION_HOST_COUNTERS_H

/* Returns 0 when a counter of user-mode instructions can be opened, else -errno of
 * perf_event_open: -EACCES or -EPERM not allowed, -ENOSYS no such call, anything else none
 * there. Cost: two system calls. */
int ses_host_counters(void);

#endif
