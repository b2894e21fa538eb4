/* procfs.h -- files of /proc and /sys that show the machine or the process. */
#ifndef SOFTPMU_GUEST_PROCFS_H
#define SOFTPMU_GUEST_PROCFS_H

struct gst;

void gst_proc_start(struct gst *g);

#endif
