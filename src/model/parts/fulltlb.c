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
	memset(t->held, 0, sizeof(t->held));
	t->now = t->sorted_at = 0;
	t->next = 0;
	for (uint32_t i = 0; i < FULLTLB_MAX; i++) {
		t->entry[i].key = PAGE_NONE;
		t->order[i] = (uint8_t)i;
	}
}

/* Entry i is the first of its list from now on. */
static void put_first(struct fulltlb *t, uint32_t low, uint32_t i)
{
	t->behind[i] = t->hint[low];
	t->hint[low] = (uint8_t)i;
}

const struct page *fulltlb_find(struct fulltlb *t, uint64_t vpn)
{
	const uint32_t low = vpn & (FULLTLB_HINTS - 1);
	uint32_t i = t->hint[low], before = i;

	for (uint32_t left = t->held[low]; left; left--) {
		if (t->entry[i].key == vpn) {
			if (i != before) {
				t->behind[before] = t->behind[i];
				put_first(t, low, i);
			}
			t->used[i] = ++t->now;
			return &t->entry[i];
		}
		before = i;
		i = t->behind[i];
	}
	return NULL;
}

/* order[] again says which was used before which. What has its place mostly keeps it, so that this
 * is one pass. */
static void sort(struct fulltlb *t)
{
	for (uint32_t i = 1; i < t->n; i++) {
		const uint8_t which = t->order[i];
		uint32_t at = i;

		for (; at && t->used[t->order[at - 1]] > t->used[which]; at--)
			t->order[at] = t->order[at - 1];
		t->order[at] = which;
	}
	t->sorted_at = t->now;
	t->next = 0;
}

/* The entry that was not used for the longest time: the first in order[] that was not used since.
 * Never used is oldest. */
static uint32_t oldest(struct fulltlb *t)
{
	for (;;) {
		while (t->next < t->n) {
			const uint32_t i = t->order[t->next++];

			if (t->used[i] <= t->sorted_at)
				return i;
		}
		sort(t);
	}
}

/* Entry i leaves its list. */
static void unlink_entry(struct fulltlb *t, uint32_t i)
{
	const uint32_t low = t->entry[i].key & (FULLTLB_HINTS - 1);
	uint32_t before = t->hint[low];

	t->held[low]--;
	if (before == i) {
		t->hint[low] = t->behind[i];
		return;
	}
	while (t->behind[before] != i)
		before = t->behind[before];
	t->behind[before] = t->behind[i];
}

void fulltlb_fill(struct fulltlb *t, struct page page)
{
	const uint32_t low = page.key & (FULLTLB_HINTS - 1), i = oldest(t);

	if (t->entry[i].key != PAGE_NONE)
		unlink_entry(t, i);
	t->entry[i] = page;
	t->used[i] = ++t->now;
	put_first(t, low, i);
	t->held[low]++;
}

void fulltlb_drop(struct fulltlb *t, uint64_t vpn)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->entry[i].key != vpn)
			continue;
		unlink_entry(t, i);
		t->entry[i].key = PAGE_NONE;
		t->used[i] = 0;
		t->next = t->n; /* order[] is made anew, with this entry as the oldest */
	}
}
