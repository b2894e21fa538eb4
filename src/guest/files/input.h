/* input.h -- a TRC_INPUT record for each file that the program reads, with a digest of its content
 * (TRC_INPUT).
 *
 * COUNTING RULES   a regular file that is opened to be read, or loaded as a program, gets a record
 *                  at the first open of its name in this process or one of its ancestors. Its
 *                  digest is of all of it up to GST_INPUT_WHOLE bytes; of a larger one: its size, a
 *                  quarter of that much from its beginning, the same from its end, and pages spread
 *                  evenly over the rest.
 * NOT MODELLED     what the program writes into it later; files of /proc, /sys and others whose
 *                  content is made as it is read; files opened by openat2; descriptors that come
 *                  from other processes, but for standard input; pipes and sockets.
 */
#ifndef SOFTPMU_GUEST_INPUT_H
#define SOFTPMU_GUEST_INPUT_H

#include <stdint.h>

struct gst;

#define GST_INPUT_WHOLE 0x100000ull /* 1 MiB */

/* The file behind fd has been opened under the name `path`; kind: enum trc_input_kind. fd < 0, or
 * no regular file: nothing happens. Nothing happens either unless the run keeps inputs. Uses
 * scratch memory. Cost: two system calls and 1 ns per 4 bytes, 0.3 ms at most; a look at a table
 * when the name is known. */
void gst_input_file(struct gst *g, long fd, const char *path, uint32_t kind);

/* As gst_input_file(), for a file that the program itself has opened with open(2) flags, by the
 * path in its memory at path_at, in `directory` (negative: where the process stands). */
void gst_input_opened(struct gst *g, long fd, int directory, uint64_t path_at, uint64_t flags);

#endif
