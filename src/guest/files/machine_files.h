/* machine_files.h -- files of /proc and /sys that show the machine: as many processors, as much
 * memory and such flags as softpmu presents.
 *
 * MODELLED       /proc/cpuinfo, meminfo, stat; in /sys/devices/system/cpu online, possible,
 *                present, offline, isolated, kernel_max and cpuN/topology, where each processor
 *                is a package of its own; one node of memory in /sys/devices/system/node. What
 *                the presented machine has not is not there: further processors and nodes,
 *                caches of the host, blocks of its memory.
 * NOT MODELLED   what remains of cpuN (frequencies, idle states) and of /proc (interrupts,
 *                loadavg, uptime): the host's.
 */
#ifndef SOFTPMU_GUEST_MACHINE_FILES_H
#define SOFTPMU_GUEST_MACHINE_FILES_H

#include <stdint.h>

struct gst;
struct gst_text;

/* Append the content of the file at the absolute `path`. Returns 0 when it is none of these. */
int gst_machine_file(const struct gst *g, struct gst_text *t, const char *path);

/* Has the presented machine no such file or directory, though the host may? */
int gst_machine_lacks(const struct gst *g, const char *path);

/* Append these processors, a bit each, as a mask, or as a list, and the end of the line. */
void gst_machine_mask(const struct gst *g, struct gst_text *t, uint64_t cpus);
void gst_machine_list(struct gst_text *t, uint64_t cpus);

#endif
