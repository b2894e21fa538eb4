/* output.h -- memory that a system call fills for the program.
 *
 * A page is read-only for the kernel too while translated code stems from it. A call that cannot
 * be made twice (a datagram is gone, a child is reaped) must find its buffers writable the first
 * time; the others are tried again when the kernel answers EFAULT (syscall.c).
 */
#ifndef SOFTPMU_GUEST_OUTPUT_H
#define SOFTPMU_GUEST_OUTPUT_H

#include <stdint.h>

struct gst;

/* Open the guarded pages that the call a[-1] with arguments a[0..5] will write, if it is one
 * that cannot be made twice. Cost: nothing while no page is guarded. */
void gst_output_open(struct gst *g, const uint64_t *a);

#endif
