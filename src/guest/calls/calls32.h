/* calls32.h -- system calls of 32-bit programs that the runtime does itself.
 *
 * Arguments and answers as in calls.h. a[-1] is the number of the x86-64 call where the row is one of
 * SAME32, so that what both widths share finds the numbers that it knows; else the i386 number.
 * gst_call_kernel sees to it that the kernel gets the i386 number by int 80h.
 */
#ifndef SOFTPMU_GUEST_CALLS32_H
#define SOFTPMU_GUEST_CALLS32_H

#include <stdint.h>

#include "guest/calls/calls.h"
#include "trace/record.h"

struct gst;

#define SAME32(number, name, like)
#define CALL32(number, name, how, scalars, descriptors, digest) long gst_call_##how(struct gst *g, const uint64_t *a);
#include "guest/calls/syscalls32.def"
#undef SAME32
#undef CALL32

/* Numbers of the rows that are no SAME32. */
enum {
#define SAME32(number, name, like)
#define CALL32(number, name, how, scalars, descriptors, digest) NR32_##name = number,
#include "guest/calls/syscalls32.def"
#undef SAME32
#undef CALL32
};

/* May a 64-bit program with these registers make this 32-bit call by INT 80h? Not those about handlers, descriptors of segments
 * and shared memory, whose answer would be that of a 32-bit program. */
int gst_call32_is_common(uint32_t number, const uint64_t *gpr);

/* Bytes of a long or a pointer in the structures of the call being executed: 4 or 8. */
unsigned gst_call_word(const struct gst *g);

/* The nth pointer or size of a structure at `at` that holds nothing else before it; 0 where nothing can be read. */
uint64_t gst_call_word_at(const struct gst *g, uint64_t at, uint64_t n);

/* The x86-64 call that an i386 number is the same as, or GST_NO_LIKE. */
#define GST_NO_LIKE TRC_NO_CALL
uint32_t gst_call32_like(uint32_t number);

/* start.S: as gst_call, by int 80h. */
long gst_call32(const uint64_t *words, const int *stop);

/* The x86-64 call whose arguments `number` (a[-1]) of the call being executed has, if not their widths:
 * itself, or of a 32-bit program's own one what is said in syscall32.c; GST_NO_LIKE when there is none. */
uint32_t gst_call_acts_like(const struct gst *g, uint64_t number);

/* The x86-64 call that call `number` of a 32-bit program waits like, when it is none of SAME32; else
 * GST_NO_LIKE. */
uint32_t gst_call32_waits_like(uint32_t number);

/* 64 bytes below 4 GiB, of this thread: for what the kernel's 32-bit calls shall read. */
#define GST_LOW_BYTES 64u
uint64_t gst_low_at(const struct gst *g);

/* GST_LOW_PATH_BYTES below 4 GiB for a path (reroute.c); of whoever has the baton. */
#define GST_LOW_PATH_BYTES 4096u
uint64_t gst_low_path(const struct gst *g);

/* Copy bytes <= GST_LOW_BYTES there; returns the address. */
uint64_t gst_low_copy(struct gst *g, const void *from, uint64_t bytes);

#endif
