/* calls.h -- system calls that the runtime does itself, by family.
 *
 * A call gets its arguments a[0..5] and returns what the program sees in rax, or one of the special
 * answers. a[-1] is the number of the call.
 */
#ifndef SOFTPMU_GUEST_CALLS_H
#define SOFTPMU_GUEST_CALLS_H

#include <stdint.h>

struct gst;

/* Special answers, outside the range of errors. */
#define GST_NOT_STARTED (-10000l) /* a signal came first: deliver it, then do the call */
#define GST_RESTARTS    (-10001l) /* interrupted; SA_RESTART decides between EINTR and again */
#define GST_NO_ANSWER   (-10002l) /* the program's registers are already right (rt_sigreturn) */

/* start.S: words[0] = number, words[1..6] = arguments. *stop not 0: a signal came, do not begin. */
long gst_call(const uint64_t *words, const int *stop);

/* The kernel does the call, with the program's memory opened where it must write. */
long gst_call_pass(struct gst *g, const uint64_t *a);

#define CALL(name, how, scalars, digest) long gst_call_##how(struct gst *g, const uint64_t *a);
#include "guest/syscalls.def"
#undef CALL

#endif
