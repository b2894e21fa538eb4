/* machine_files.h -- files of /proc and /sys that show the machine: the processors, memory and
 * flags that softpmu presents.
 *
 * MODELLED       /proc/cpuinfo, meminfo, stat; in /sys/devices/system/cpu online, possible,
 *                present, offline, isolated, kernel_max and cpuN/topology, where each processor
 *                is a package of its own; one node of memory in /sys/devices/system/node. Entries
 *                for parts that the presented machine does not have are hidden: further processors
 *                and nodes, caches of the host, blocks of its memory.
 * NOT MODELLED   the rest of cpuN (frequencies, idle states) and of /proc (interrupts, loadavg,
 *                uptime) is the host's.
 */
#ifndef SOFTPMU_GUEST_MACHINE_FILES_H
#define SOFTPMU_GUEST_MACHINE_FILES_H

#include <stdint.h>

struct gst;
struct gst_text;

/* Append the content of the file at the absolute `path`. Returns 0 if the path is none of these
 * files. */
int gst_machine_file(const struct gst *g, struct gst_text *t, const char *path);

/* Returns 1 if the presented machine does not have this file or directory, though the host may. */
int gst_machine_lacks(const struct gst *g, const char *path);

/* Append these processors, a bit each, as a mask, or as a list, and the end of the line. */
void gst_machine_mask(const struct gst *g, struct gst_text *t, uint64_t cpus);
void gst_machine_list(struct gst_text *t, uint64_t cpus);

#endif
