/* areas.h -- the memory shared with softpmu, on the runtime's side. */
#ifndef SOFTPMU_GUEST_AREAS_H
#define SOFTPMU_GUEST_AREAS_H

#include <stdint.h>

/* Map the areas of memory file fd where they belong (trace/share.h), code and counters shifted. is_over: in place of what
 * is there, as after fork. Ends the process with a sentence when it cannot. */
void gst_areas_map(int fd, uint64_t shift, int is_over);

/* Say one sentence without softpmu's help and end the process. */
__attribute__((noreturn)) void gst_fail(const char *text);

#endif
