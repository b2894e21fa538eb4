/* host_page.h -- the pages of a block's code lines. */
#ifndef SOFTPMU_MODEL_P6_HOST_PAGE_H
#define SOFTPMU_MODEL_P6_HOST_PAGE_H

#include "model/p6/p6.h"

#define P6_HOST_PAGE_LINES (1u << (PAGE_LOG2 - P6_FAST_LINE_LOG2))

/* Is code line i of b on its second page? */
static inline bool p6_host_is_second_page(const struct p6_blk *b, uint64_t i)
{
	return ((b->pc >> P6_FAST_LINE_LOG2) + i) >> (PAGE_LOG2 - P6_FAST_LINE_LOG2) !=
	       b->pc >> PAGE_LOG2;
}

/* Is it the first line there? */
static inline bool p6_host_is_page_start(const struct p6_blk *b, uint64_t i)
{
	return p6_host_is_second_page(b, i) && !p6_host_is_second_page(b, i - 1);
}

#endif
