/* calls.h -- system calls that the runtime does itself, by family.
 *
 * A call gets its arguments a[0..5] and returns what the program sees in rax, or one of the special
 * answers. a[-1] is the number of the call.
 */
#ifndef SOFTPMU_GUEST_CALLS_H
#define SOFTPMU_GUEST_CALLS_H

#include <stdint.h>

struct gst;
struct gst_thread;

/* Special answers, outside the range of errors. */
#define GST_NOT_STARTED (-10000l) /* a signal came first: deliver it, then do the call */
#define GST_RESTARTS    (-10001l) /* interrupted; SA_RESTART decides between EINTR and again */
#define GST_RESTARTS_ANYWAY (-10003l) /* interrupted, and made again after every handler */
#define GST_NO_ANSWER   (-10002l) /* the program's registers are already right (rt_sigreturn) */

/* What enters the input digest besides arguments and result. */
enum gst_digest {
	GST_DIGEST_value,
	GST_DIGEST_bytes_a,
	GST_DIGEST_bytes_b,
	GST_DIGEST_time_a,
	GST_DIGEST_clock,
	GST_DIGEST_none,
	GST_DIGEST_time_a32,
	GST_DIGEST_clock32,
};

/* One row of a table of calls. */
struct gst_call_row {
	long (*run)(struct gst *g, const uint64_t *a);
	uint8_t scalars, descriptors; /* bit n: argument n */
	uint8_t digest;               /* enum gst_digest */
};

/* Rows by number; run is NULL in rows of calls that do not exist. syscall.c; syscall32.c, where those
 * that equal an x86-64 call have none either (gst_call32_like) */
const struct gst_call_row *gst_call_row(uint32_t number);
const struct gst_call_row *gst_call32_row(uint32_t number);

/* start.S: words[0] = number, words[1..6] = arguments. *stop not 0: a signal came, do not begin. */
long gst_call(const uint64_t *words, const int *stop);

/* Hand a call of the program to the kernel in the way of its width: gst_call, or int 80h. */
long gst_call_kernel(struct gst *g, const struct gst_thread *t, const uint64_t *words);

/* The kernel does the call, with the program's memory opened where it must write. */
long gst_call_pass(struct gst *g, const uint64_t *a);

/* Is there nothing to wait for in call `number` (of x86-64)? 1: it is done at once. 0: it may take long, or is none of
 * those that are known. */
int gst_call_is_quick(const struct gst *g, uint64_t number, const uint64_t *a);

/* The processors, a bit each, that thread or process `pid` (0: the calling thread) may run on. Returns 0 or -errno. */
long gst_affinity(struct gst *g, uint64_t pid, uint64_t *cpus);

/* A limit as the program sees it: now, most. set (may be NULL) is what it shall become, *old (may be
 * NULL) receives what it was. Returns 0 or -errno. */
long gst_limit(struct gst *g, uint64_t which, const uint64_t *set, uint64_t *old);

#define CALL(name, how, scalars, descriptors, digest) long gst_call_##how(struct gst *g, const uint64_t *a);
#include "guest/calls/syscalls.def"
#undef CALL

#endif
