/* copy.h -- reading and writing the program's memory, which may not be there.
 *
 * A fault inside is caught by the runtime's signal handler and becomes -EFAULT.
 */
#ifndef SOFTPMU_GUEST_COPY_H
#define SOFTPMU_GUEST_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Copy between the program's memory and the runtime's. Returns 0 or -EFAULT (part may be
 * copied). */
long gst_copy_in(void *to, uint64_t from, size_t bytes);
long gst_copy_out(uint64_t to, const void *from, size_t bytes);

/* Copy a text of the program, at most room - 1 bytes. Returns its length, -EFAULT, or
 * -ENAMETOOLONG. */
long gst_copy_text(char *to, uint64_t from, size_t room);

struct gst;

/* Returns the nth pointer or size of a structure at `at` that holds nothing else before it, in
 * the width of the call being executed; 0 where nothing can be read. */
uint64_t gst_call_word_at(const struct gst *g, uint64_t at, uint64_t n);

/* Copy bytes <= GST_LOW_BYTES to the thread's room below 4 GiB (call.h). Returns its address. */
uint64_t gst_low_copy(struct gst *g, const void *from, uint64_t bytes);

/* Returns 1 if the program may have the `bytes` at `at`: none of them is the runtime's or the
 * kernel's, and all are addresses. */
int gst_is_program(uint64_t at, size_t bytes);

/* Returns 1 for an address of 48 bits, sign-extended; others are not canonical. */
static inline int gst_is_canonical(uint64_t at)
{
	return (uint64_t)((int64_t)(at << 16) >> 16) == at;
}

/* Jump to `at`, where the program may not execute anything. Returns -EFAULT; the thread's
 * sig.access has the fault as the processor and the kernel reported it. */
long gst_fetch_raw(const void *at);

/* start.S: the copy itself, and where its faults are sent to. */
long gst_copy_raw(void *to, const void *from, size_t bytes);
long gst_compare_raw(const void *a, const void *b, size_t bytes); /* 0 equal, 1 not, or -EFAULT */
extern const char gst_compare_first[], gst_compare_last[];
extern const char gst_copy_first[], gst_copy_last[], gst_copy_failed[];

#endif
