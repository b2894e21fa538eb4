/* calls.h -- system calls that the runtime does itself, by family.
 *
 * A call gets its arguments a[0..5], with its number in a[-1], and returns what the program sees
 * in rax or one of the special answers (call.h).
 */
#ifndef SOFTPMU_GUEST_CALLS_H
#define SOFTPMU_GUEST_CALLS_H

#include <stdint.h>

#include "guest/call.h"
#include "guest/memory/pass.h"

struct gst;
struct gst_thread;

/* Which memory of the program enters the input digest besides arguments and result. */
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
	uint8_t digest;		      /* enum gst_digest */
};

/* Rows by number; run is NULL for a call that does not exist. gst_call_row() is in syscall.c, for
 * x86-64. gst_call32_row() is in syscall32.c, for i386; there run is NULL also for a call that is
 * equal to an x86-64 call (gst_call32_like). */
const struct gst_call_row *gst_call_row(uint32_t number);
const struct gst_call_row *gst_call32_row(uint32_t number);

/* The processors, a bit each, that thread or process `pid` (0: the calling thread) may run on.
 * Returns 0 or -errno. */
long gst_affinity(struct gst *g, uint64_t pid, uint64_t *cpus);

/* A limit as the program sees it: now, most. set (may be NULL) is what it shall become, *old
 * (may be NULL) receives what it was. Returns 0 or -errno. */
long gst_limit(struct gst *g, uint64_t which, const uint64_t *set, uint64_t *old);

#endif
