/* files.h -- the files under /sys and /proc/sys by which programs find the PMU.
 *
 * MODELLED       /sys/bus/event_source/devices (cpu, software), /sys/devices/system/cpu with
 *                topology and caches, /sys/devices/system/node, /proc/sys/kernel/perf_* and
 *                nmi_watchdog.
 *
 * They are ordinary files in a directory of their own. It is made when a program first looks and
 * removed at the end of the run; the guest runtime sends paths there
 * (src/guest/files/reroute.c). From Linux 5.9 on, which has pidfd_open and close_range, a
 * process that does nothing else removes it when the run is killed by SIGKILL.
 */
#ifndef SOFTPMU_PERFEV_FILES_H
#define SOFTPMU_PERFEV_FILES_H

#include "catalog/catalog.h"
#include "perfev/board.h"

/* Make the directory, unless it is there, for a machine of n_cpus processors like cpu and that
 * much memory. Returns 0, and its path is in board->files; or -ENOENT. Under the lock. */
int pev_files_make(struct pev_board *b, const struct cat_cpu *cpu, unsigned n_cpus,
		   uint64_t memory_bytes);

/* Remove the directory, if there is one. */
void pev_files_remove(struct pev_board *b);

#endif
