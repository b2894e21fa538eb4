/* procfs.h -- files of /proc and /sys that show the machine or the process.
 *
 * MODELLED       /proc/self (and the program's own number) exe, maps, cmdline, environ, auxv;
 *                /proc/cpuinfo, meminfo, stat; /sys/devices/system/cpu/{online,possible,present}:
 *                text made for the machine that softpmu presents, in an anonymous file.
 * NOT MODELLED   writing to them; paths that lead there through links or ".."; smaps, status, stat
 *                of the process (the kernel's own, about the process with the runtime in it).
 */
#ifndef SOFTPMU_GUEST_PROCFS_H
#define SOFTPMU_GUEST_PROCFS_H

#include <stdint.h>

struct gst;

#define GST_PROC_NOT_OURS (-20000l)

/* Learn the absolute path of the program and name the process after it. */
void gst_proc_start(struct gst *g);

/* Open `path` with open(2) flags: a descriptor, -errno, or GST_PROC_NOT_OURS. */
long gst_proc_open(struct gst *g, const char *path, uint64_t flags);

/* The part of `path` behind /proc/self/ or /proc/<own number>/, or NULL. */
const char *gst_proc_own_part(const struct gst *g, const char *path);

/* True for the link that names the program. */
int gst_proc_is_exe(const struct gst *g, const char *path);

/* Write one line per mapping, as /proc/PID/maps shows them. */
struct gst_text;
void gst_proc_maps(const struct gst *g, struct gst_text *t);

#endif
