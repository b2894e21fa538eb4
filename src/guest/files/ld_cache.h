/* ld_cache.h -- the loader's list of libraries, /etc/ld.so.cache, if the program is shown a list of
 * its own, or none.
 *
 * MODELLED       opening it by its absolute path, for reading.
 * NOT MODELLED   other paths to it, and stat(2): they reach the host's file.
 */
#ifndef SOFTPMU_GUEST_LD_CACHE_H
#define SOFTPMU_GUEST_LD_CACHE_H

#include <stdint.h>

struct gst;

#define GST_LD_CACHE_PATH "/etc/ld.so.cache"

/* Open `path` with open(2) flags: a descriptor, -errno, or GST_PROC_NOT_OURS. */
long gst_ld_cache_open(struct gst *g, const char *path, uint64_t flags);

/* There is no file `path`: if it is a library that the loader looked for to the end, softpmu
 * takes note. */
void gst_ld_cache_lacks(struct gst *g, const char *path);

#endif
