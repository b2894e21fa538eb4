/* faults.h -- page faults of a guest process, as the host's kernel has counted them.
 *
 * The models know no faults: which pages are there is the host's business. So these counts depend on it, and they
 * include the pages of softpmu's own areas in the process.
 */
#ifndef SOFTPMU_PERFEV_FAULTS_H
#define SOFTPMU_PERFEV_FAULTS_H

#include <stdint.h>
#include <sys/types.h>

/* Faults of process pid so far; which: PEV_FAULTS_MINOR | PEV_FAULTS_MAJOR. 0 when the kernel does not say (no /proc, or
 * the process is gone). Cost: a file is read. */
uint64_t pev_faults(pid_t pid, unsigned which);

#endif
