/* call.h -- a system call of the program while it is executed: its number, its width, how it
 * reaches the kernel, and the answers that are none of the kernel's.
 *
 * Every wing may need this. What each call does is in calls/: a row of calls/syscalls.def or
 * calls/syscalls32.def, and a function for each call that is not just passed on.
 *
 * A call gets its arguments a[0..5]; a[-1] is its number. That is the number of the x86-64 call
 * wherever a 32-bit program's call is equal to one (SAME32), so that code for both widths finds
 * the numbers that it knows; else it is the i386 number, NR32_*.
 */
#ifndef SOFTPMU_GUEST_CALL_H
#define SOFTPMU_GUEST_CALL_H

#include <stdint.h>

#include "guest/gst.h"

/* Special answers, outside the range of errors. */
#define GST_NOT_STARTED	    (-10000l) /* a signal came first: deliver it, then do the call */
#define GST_RESTARTS	    (-10001l) /* interrupted; SA_RESTART decides between EINTR and again */
#define GST_NO_ANSWER	    (-10002l) /* the program's registers are already right (rt_sigreturn) */
#define GST_RESTARTS_ANYWAY (-10003l) /* interrupted, and made again after every handler */

/* Numbers of the i386 calls. */
enum {
#define SAME32(number, name, like)				NR32_##name = number,
#define CALL32(number, name, how, scalars, descriptors, digest) NR32_##name = number,
#include "guest/calls/syscalls32.def"
#undef SAME32
#undef CALL32
};

/* The functions that the rows of both tables name, wherever they are. Each does one call. */
#define CALL(name, how, scalars, descriptors, digest)                                              \
	long gst_call_##how(struct gst *g, const uint64_t *a);
#include "guest/calls/syscalls.def"
#undef CALL
#define SAME32(number, name, like)
#define CALL32(number, name, how, scalars, descriptors, digest)                                    \
	long gst_call_##how(struct gst *g, const uint64_t *a);
#include "guest/calls/syscalls32.def"
#undef SAME32
#undef CALL32

#define GST_NO_LIKE TRC_NO_CALL /* no x86-64 call */

/* Returns the x86-64 call whose arguments call `number` (a[-1]), which is being executed, has,
 * if not their widths: number itself, or that of a 32-bit program's own call as syscall32.c says
 * it; GST_NO_LIKE when there is none. */
static inline uint32_t gst_call_acts_like(const struct gst *g, uint64_t number)
{
	return g->t->call_like != GST_NO_LIKE ? (uint32_t)number : g->t->call_acts_like;
}

/* Returns the bytes of a long or a pointer in the structures of the call being executed: 4 or 8. */
static inline unsigned gst_call_word(const struct gst *g)
{
	return g->t->is_call32 ? 4 : g->layout.word;
}

/* start.S: make a call, natively and by INT 80h. words[0] = number, words[1..6] = arguments.
 * When *stop is not 0 a signal came, and the call does not begin. Returns the kernel's answer or
 * GST_NOT_STARTED. */
long gst_call(const uint64_t *words, const int *stop);
long gst_call32(const uint64_t *words, const int *stop);

/* memory/pass.c: returns 1 if the host's kernel answers INT 80h; some have no IA-32 emulation. */
int gst_has_int80(struct gst *g);

/* Returns 1 when there is nothing to wait for in call `number` (of x86-64), so that it is done at
 * once; 0 when it may take long, or the runtime knows nothing about it. */
int gst_call_is_quick(const struct gst *g, uint64_t number, const uint64_t *a);

/* Returns 1 if the call in words[7], its number first, may wait in the kernel now; 0 if it waits
 * for nothing. The call is the one that the thread is making. */
int gst_call_may_wait(const struct gst *g, const uint64_t *words);

/* 64 bytes below 4 GiB, of this thread: for what the kernel's 32-bit calls shall read. */
#define GST_LOW_BYTES 64u
/* Bytes below 4 GiB for a path; of the thread that has the baton. */
#define GST_LOW_PATH_BYTES 4096u

static inline uint64_t gst_low_at(const struct gst *g)
{
	const uint64_t n = (SHR_LOW_BYTES - GST_LOW_PATH_BYTES) / GST_LOW_BYTES;

	return SHR_LOW_BASE + g->t->number % n * GST_LOW_BYTES;
}

static inline uint64_t gst_low_path(const struct gst *g)
{
	return SHR_LOW_BASE + SHR_LOW_BYTES - GST_LOW_PATH_BYTES;
}

#endif
