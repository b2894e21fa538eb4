/* areas.h -- the memory shared with softpmu, on the runtime's side. */
#ifndef SOFTPMU_GUEST_AREAS_H
#define SOFTPMU_GUEST_AREAS_H

#include <stdint.h>

/* Map the areas of memory file fd where they belong (trace/share.h), code and counters shifted.
 * is_over: in place of the areas mapped there, as after fork. Ends the process with a sentence if a
 * mapping fails. */
void gst_areas_map(int fd, uint64_t shift, int is_over);

/* System calls of the program find nothing where the areas lie: they answer EFAULT there, as the
 * kernel does. Called before a system call.
 *
 * words         number and arguments of the call. A pointer into [SHR_ENGINE_LOW, SHR_ENGINE_HIGH)
 *               is turned to a place where nothing is mapped, and so is the buffer of read and its
 *               like where it lies in the counters. Another word that can be a pointer into the
 *               counters can be a number, too: it stays, and the kernel reaches nothing there until
 *               gst_areas_open().
 * scalars       bit n: argument n is no pointer.
 * fills_second  the kernel writes to what argument 1 points at.
 *
 * gst_areas_open() comes before anybody counts: behind the call, or when the caller gives the baton
 * away.
 *
 * NOT MODELLED  counters in calls, but for read and its like, during which other threads run; what
 *               lies in memory, but for the pieces of readv, its like, and recvmsg. See also
 *               src/session/serve/tally.c. */
struct gst;
void gst_areas_shut(struct gst *g, unsigned scalars, int fills_second, uint64_t *words);
void gst_areas_open(struct gst *g);

/* Say one sentence without softpmu's help and end the process. */
__attribute__((noreturn)) void gst_fail(const char *text);

#endif
