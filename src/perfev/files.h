/* files.h -- the files under /sys and /proc/sys by which programs find the PMU.
 *
 * MODELLED       /sys/bus/event_source/devices (cpu, software), /sys/devices/system/cpu with topology and caches,
 *                /sys/devices/system/node, /proc/sys/kernel/perf_* and nmi_watchdog.
 * They are ordinary files in a directory of their own, made when a program first looks and removed at the end of the
 * run; the guest runtime sends paths there (src/guest/files/reroute.c). Where the kernel tells of a process's end and closes
 * descriptors by range (pidfd_open, close_range: Linux 5.9), a process that does nothing else removes them when the run was killed (SIGKILL).
 */
#ifndef SOFTPMU_PERFEV_FILES_H
#define SOFTPMU_PERFEV_FILES_H

#include "catalog/catalog.h"
#include "perfev/board.h"

/* The directory, made for cpu with n_cpus processors and that much memory when it is not there yet. Returns 0, board->files has its path, or
 * -ENOENT. Under the lock. */
int pev_files_make(struct pev_board *b, const struct cat_cpu *cpu, unsigned n_cpus, uint64_t memory_bytes);

void pev_files_remove(struct pev_board *b);

#endif
