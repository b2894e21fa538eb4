/* blank_pages.h -- memory of large tables of which little is touched: it is 0, and pages come as
 * they are written. calloc clears what it has had before. */
#ifndef SOFTPMU_BASE_BLANK_PAGES_H
#define SOFTPMU_BASE_BLANK_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* n bytes of 0, given back by blank_pages_free(). NULL without memory. */
static inline void *blank_pages(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* p: of blank_pages(n), or NULL. */
static inline void blank_pages_free(void *p, size_t n)
{
	if (p)
		munmap(p, n);
}

#endif
