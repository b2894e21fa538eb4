/* host_counters.h -- finds out if this machine offers hardware counters, by opening one. */
#ifndef SOFTPMU_SESSION_HOST_COUNTERS_H
#define SOFTPMU_SESSION_HOST_COUNTERS_H

/* Returns 0 if a counter of user-mode instructions can be opened, else -errno of
 * perf_event_open: -EACCES or -EPERM: not allowed; -ENOSYS: the kernel does not have the call;
 * others: there is no counter. Cost: two system calls. */
int ses_host_counters(void);

#endif
