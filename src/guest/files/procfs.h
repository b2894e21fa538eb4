/* procfs.h -- files of /proc that show the process; those that show the machine are in
 * machine_files.h.
 *
 * MODELLED       /proc/self (and the program's own number) exe, maps, cmdline, environ, auxv,
 *                the processors in status: text in an anonymous file, whichever path leads there.
 *                Other processes see the program's own arguments, if the kernel has PR_SET_MM_MAP.
 * NOT MODELLED   writing to them; smaps, stat and the sizes in status (the kernel's own, about
 *                the process with the runtime in it). The links exe and fd/N: proc_links.h.
 */
#ifndef SOFTPMU_GUEST_PROCFS_H
#define SOFTPMU_GUEST_PROCFS_H

#include <stddef.h>
#include <stdint.h>

struct gst;

#define GST_PROC_NOT_OURS (-20000l)

/* Learn the absolute path of the program and name the process after it. */
void gst_proc_start(struct gst *g);

/* Open `path` with open(2) flags: a descriptor, -errno, or GST_PROC_NOT_OURS. */
long gst_proc_open(struct gst *g, const char *path, uint64_t flags);

/* The program opened fd on a way that gst_proc_open() does not know, by a relative path or a
 * link: should it be one of our files, put ours in its place. Returns fd or -errno. Cost: a
 * system call, three when it lies in /proc or /sys. */
long gst_proc_replace(struct gst *g, long fd, uint64_t flags);

/* The absolute path of fd when it lies in /proc or /sys: its length; else 0 and an empty text. */
long gst_proc_path(int fd, char *path, size_t room);

/* The stack is built: show other processes the program's arguments and environment (ps). */
void gst_proc_arguments(const struct gst *g);

/* The part of `path` behind /proc/self/ or /proc/<own number>/, or NULL. */
const char *gst_proc_own_part(const struct gst *g, const char *path);

/* True for the link that names the program. */
int gst_proc_is_exe(const struct gst *g, const char *path);

/* Write one line per mapping, as /proc/PID/maps shows them; names: the pool of their names. */
struct gst_text;
struct gst_vmas;
void gst_proc_maps(const struct gst_vmas *l, const char *names, struct gst_text *t);

#endif
