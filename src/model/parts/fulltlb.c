/* fulltlb.c -- looking up and filling a fully associative TLB. */
#include "model/parts/fulltlb.h"

#include <string.h>

#include "base/error.h"

int fulltlb_open(struct fulltlb *t, uint32_t entries)
{
	if (!entries || entries > FULLTLB_MAX)
		return -SPMU_EINVAL;
	t->n = entries;
	fulltlb_empty(t);
	return 0;
}

void fulltlb_empty(struct fulltlb *t)
{
	memset(t->used, 0, sizeof(t->used));
	memset(t->hint, 0, sizeof(t->hint));
	t->now = 0;
	for (uint32_t i = 0; i < FULLTLB_MAX; i++)
		t->entry[i].key = PAGE_NONE;
}

const struct page *fulltlb_find(struct fulltlb *t, uint64_t vpn)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->entry[i].key != vpn)
			continue;
		t->hint[vpn & (FULLTLB_HINTS - 1)] = (uint8_t)i;
		t->used[i] = ++t->now;
		return &t->entry[i];
	}
	return NULL;
}

void fulltlb_fill(struct fulltlb *t, struct page page)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < t->n; i++) /* never used is oldest */
		if (t->used[i] < t->used[oldest])
			oldest = i;
	t->entry[oldest] = page;
	t->used[oldest] = ++t->now;
	t->hint[page.key & (FULLTLB_HINTS - 1)] = (uint8_t)oldest;
}
