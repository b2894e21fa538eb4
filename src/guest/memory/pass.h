/* pass.h -- handing a system call of the program to the kernel. */
#ifndef SOFTPMU_GUEST_PASS_H
#define SOFTPMU_GUEST_PASS_H

#include <stdint.h>

struct gst;
struct gst_thread;

/* Hand a call to the kernel in the way of its width, by gst_call or gst_call32 (call.h): words[0] =
 * number, words[1..6] = arguments. Returns as these. */
long gst_call_kernel(struct gst *g, const struct gst_thread *t, const uint64_t *words);

#endif
