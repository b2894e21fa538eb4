/* later_calls.h -- numbers of system calls that came after Linux 6.1: the headers of the oldest
 * system that builds softpmu (Debian 12) do not have them. Since number 424 both widths share the
 * numbers.
 */
#ifndef SOFTPMU_GUEST_LATER_CALLS_H
#define SOFTPMU_GUEST_LATER_CALLS_H

#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif

#endif
