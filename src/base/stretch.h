/* stretch.h -- memory that is filled from its start on, made ready a stretch at a time.
 *
 * The first touch of each page is an exception, and in shared memory one more in every process that
 * follows. The kernel makes 16 pages ready at once for a third of that, and finds neighbours for
 * who comes later. A kernel that does not know the question (before Linux 5.14) is asked once in a
 * stretch in vain.
 */
#ifndef SOFTPMU_BASE_STRETCH_H
#define SOFTPMU_BASE_STRETCH_H

#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define STRETCH_BYTES	   65536ull
#define STRETCH_PAGE_BYTES 4096ull

/* Of the `room` bytes at base, `used` are in use: have the next ones in memory when less than half
 * a stretch is. *ready: bytes that are, 0 in the beginning. Cost: a comparison; once in a stretch a
 * call of the kernel. */
static inline void stretch_ahead(uint64_t *ready, const void *base, uint64_t used, uint64_t room)
{
	const uint64_t start = (uint64_t)(uintptr_t)base;
	uint64_t from, to;

	if (used + STRETCH_BYTES / 2 <= *ready || *ready == room)
		return;
	from = (start + (*ready > used ? *ready : used)) & ~(STRETCH_PAGE_BYTES - 1);
	*ready = used + STRETCH_BYTES < room ? used + STRETCH_BYTES : room;
	to = (start + *ready) & ~(STRETCH_PAGE_BYTES - 1);
	if (to > from)
		madvise((void *)(uintptr_t)from, to - from, MADV_POPULATE_WRITE);
}

#endif
