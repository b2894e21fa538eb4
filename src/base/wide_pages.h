/* wide_pages.h -- memory of tables that are looked into all over. */
#ifndef SOFTPMU_BASE_WIDE_PAGES_H
#define SOFTPMU_BASE_WIDE_PAGES_H

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define WIDE_PAGE_BYTES ((size_t)2 << 20)

/* n bytes in pages as large as the host gives, not zeroed; the caller frees them with free(). NULL
 * without memory. */
static inline void *wide_pages(size_t n)
{
	void *p;

	n = (n + WIDE_PAGE_BYTES - 1) & ~(WIDE_PAGE_BYTES - 1);
	p = aligned_alloc(WIDE_PAGE_BYTES, n);
	if (p)
		madvise(p, n, MADV_HUGEPAGE); /* if not, it is slower */
	return p;
}

/* What lies in [from, to) of such memory is not needed until it is written again: whole pages of it
 * go back. */
static inline void wide_pages_drop(void *base, size_t from, size_t to)
{
	from = (from + WIDE_PAGE_BYTES - 1) & ~(WIDE_PAGE_BYTES - 1);
	to &= ~(WIDE_PAGE_BYTES - 1);
	if (from < to)
		madvise((char *)base + from, to - from, MADV_DONTNEED);
}

#endif
