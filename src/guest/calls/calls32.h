/* calls32.h -- system calls of 32-bit programs that the runtime does itself. Arguments and
 * answers are those of calls.h; gst_call_kernel gives the kernel the i386 number by INT 80h.
 */
#ifndef SOFTPMU_GUEST_CALLS32_H
#define SOFTPMU_GUEST_CALLS32_H

#include <stdint.h>

#include "guest/calls/calls.h"
#include "trace/record.h"

struct gst;

/* Returns 1 if a 64-bit program with these registers may make this 32-bit call by INT 80h. Calls
 * about handlers, descriptors of segments and shared memory are not allowed, because the runtime
 * would answer them as for a 32-bit program. */
int gst_call32_is_common(uint32_t number, const uint64_t *gpr);

/* Returns the x86-64 call that an i386 number is equal to, or GST_NO_LIKE. */
uint32_t gst_call32_like(uint32_t number);

/* Returns the x86-64 call whose arguments i386 call `number`, which is equal to none, has, if
 * not their widths; or GST_NO_LIKE. */
uint32_t gst_call32_acts_like(uint32_t number);

#endif
