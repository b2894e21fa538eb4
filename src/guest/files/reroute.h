/* reroute.h -- paths of files that show the PMU lead to softpmu's own (src/perfev/files.h).
 *
 * MODELLED       absolute paths that begin with one of the places below, in every call that
 *                opens, looks at or lists files. What softpmu has nothing for does not exist
 *                there.
 * NOT MODELLED   paths that lead there through links, "..", or a directory that was opened
 *                above.
 */
#ifndef SOFTPMU_GUEST_REROUTE_H
#define SOFTPMU_GUEST_REROUTE_H

#include <stdint.h>

struct gst;

/* words: number and arguments of a call of the program as the runtime knows them (a[-1]...); a
 * path among them that is to go elsewhere is replaced. Cost: a look at the path's beginning, in
 * runs that have events. */
void gst_reroute(struct gst *g, uint64_t *words);

/* Which argument (0 = the first) of call `number` is a path that is followed or looked at; -1:
 * none that matters. */
int gst_path_argument(const struct gst *g, uint64_t number);

#endif
