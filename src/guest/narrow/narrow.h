/* narrow.h -- i386 calls on a kernel that answers no INT 80h: each as a call of x86-64.
 *
 * PURPOSE     A kernel without IA-32 emulation runs 32-bit programs here all the same: translated
 *             code is 64-bit code, so only the layouts of i386's structures are missing.
 * RULES
 *   level     Below everything that the runtime does for a call (syscall.c), so results, digest and
 *             counts are those of a kernel with INT 80h.
 *   equal     Calls of SAME32 are made as they are, but for a few (narrow_old.c).
 *   unequal   Structures are converted in the runtime's memory; a bad pointer gives EFAULT.
 *   missing   What has no conversion answers ENOSYS, and the run says so.
 * SOURCES     the kernel's compat calls as documented by their man pages; asm/unistd_32.h; System V
 *             ABI i386 for alignment (8-byte members at multiples of 4).
 */
#ifndef SOFTPMU_GUEST_NARROW_H
#define SOFTPMU_GUEST_NARROW_H

#include <stdint.h>

#include "guest/call.h"

/* Make the i386 call words[0] of thread t, whose arguments are behind it. Returns as gst_call32().
 */
long gst_call_narrow(struct gst *g, const struct gst_thread *t, const uint64_t *words);

/* A call that is being made. */
struct gst_narrow {
	struct gst *g;
	const struct gst_thread *t; /* that makes it */
	const uint64_t *a;	    /* a[0..5]: arguments, zero-extended */
	uint32_t number;	    /* of i386 */
};

/* Make call `number` of x86-64. Returns as gst_call(). */
long gst_narrow_make(const struct gst_narrow *n, uint64_t number, uint64_t a, uint64_t b,
		     uint64_t c, uint64_t d, uint64_t e, uint64_t f);

/* Sign-extended argument. */
static inline uint64_t gst_narrow_signed(uint64_t a)
{
	return (uint64_t)(int64_t)(int32_t)a;
}

/* A number of 64 bits in two arguments, the lower half first. */
static inline uint64_t gst_narrow_pair(const uint64_t *a)
{
	return (a[0] & 0xffffffff) | a[1] << 32;
}

/* Read `number` signed words of 4 bytes at address `from` of the program into `to`. Returns 0 or
 * -EFAULT. */
long gst_narrow_take_words(int64_t *to, uint64_t from, unsigned number);

/* Write the lower 4 bytes of `number` words at address `to` of the program; to 0: nowhere. Returns
 * 0 or -EFAULT. */
long gst_narrow_put_words(uint64_t to, const int64_t *from, unsigned number);

/* A number of a user or group in 16 bits: 65534 where it has no room, as the kernel says it. */
static inline uint16_t gst_narrow_id(uint32_t id)
{
	return id > 0xffff ? 65534 : (uint16_t)id;
}

/* A timespec or timeval: seconds and a part of a second. */
#define GST_NARROW_TIME_WORDS 2u

/* No answer: arguments and answer of the call are those of x86-64. */
#define GST_NARROW_EQUAL (-20000l)

/* Calls whose row says SAME32: returns the answer, or GST_NARROW_EQUAL. */
long gst_narrow_old(const struct gst_narrow *n); /* narrow_old.c */

/* Each group of calls: returns the answer, or -ENOSYS where the call is none of the group. */
long gst_narrow_file(const struct gst_narrow *n);    /* narrow_file.c */
long gst_narrow_time(const struct gst_narrow *n);    /* narrow_time.c */
long gst_narrow_timer(const struct gst_narrow *n);   /* narrow_timer.c: and message queues */
long gst_narrow_request(const struct gst_narrow *n); /* narrow_request.c: ioctl */
long gst_narrow_vector(const struct gst_narrow *n);  /* narrow_vector.c: iovec, messages, sockets */
long gst_narrow_ipc(const struct gst_narrow *n);     /* narrow_ipc.c: System V objects, ipc(2) */

#endif
