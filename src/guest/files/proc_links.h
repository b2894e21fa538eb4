/* proc_links.h -- links of /proc that lead to the runtime, and where they lead for the program.
 *
 * MODELLED       /proc/PID/exe of this process and of others under softpmu, followed by every
 *                call that follows links, and what it says; /proc/self/fd/N, fdinfo/N and
 *                /dev/fd/N of the runtime's own descriptors, which are not there; nor are those
 *                of other processes under softpmu in the list of theirs, and the engine in their
 *                maps.
 * NOT MODELLED   relative ways there, and names in a directory of /proc that was opened before;
 *                the program of another process is the file that lies lowest in its memory,
 *                which an unusual linker script may change; its memory is shown without the
 *                right to execute.
 */
#ifndef SOFTPMU_GUEST_PROC_LINKS_H
#define SOFTPMU_GUEST_PROC_LINKS_H

#include <stddef.h>
#include <stdint.h>

struct gst;

/* words: as for gst_reroute(). A path among them that goes through such a link is replaced by one
 * that leads where it would without softpmu. Cost: a look at the path's beginning. */
void gst_proc_follow(struct gst *g, uint64_t *words);

/* The path of the program of another process under softpmu, when `path` is its /proc/PID/exe.
 * Returns its length, or 0. */
size_t gst_proc_other_exe(const struct gst *g, const char *path, char *to, size_t room);

/* Append the maps of another process under softpmu, when `path` is its /proc/PID/maps. Returns 0
 * when not. */
struct gst_text;
int gst_proc_other_maps(const char *path, struct gst_text *t);

/* Returns 1 if n is a descriptor of the runtime in the directory `path`, /proc/PID/fd or fdinfo of
 * another process under softpmu. */
int gst_proc_other_hides(const char *path, uint64_t n);

#endif
