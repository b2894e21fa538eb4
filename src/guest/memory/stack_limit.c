/* stack_limit.c -- the main stack follows RLIMIT_STACK when the program changes it (setrlimit).
 *
 * MODELLED   a higher limit maps more room below, as far as there is some; a lower one gives back
 *            the pages below that were never touched. Not in a child that borrows the memory, nor
 *            while several processes share it.
 */
#include "guest/gst.h"

#define GUARD_GAP 0x100000u /* as the kernel keeps below a stack that grows */

/* The lowest page in [lo, hi) that was touched, or hi. */
static uint64_t first_touched(uint64_t lo, uint64_t hi)
{
	uint8_t present[256];

	for (; lo < hi; lo += sizeof(present) * GST_PAGE) {
		const uint64_t n =
		    hi - lo < sizeof(present) * GST_PAGE ? (hi - lo) / GST_PAGE : sizeof(present);

		if (SYS3(mincore, lo, n * GST_PAGE, present))
			return lo;
		for (uint64_t i = 0; i < n; i++)
			if (present[i] & 1)
				return lo + i * GST_PAGE;
	}
	return hi;
}

/* Returns the lowest address, not below `low`, to which the stack can grow: it ends a gap above the
 * next mapping below it. */
static uint64_t room_below(const struct gst *g, uint64_t low)
{
	for (uint32_t i = gst_vma_at(&g->vmas, low);
	     i < g->vmas.n && g->vmas.v[i].lo < g->stack_low; i++)
		low = g->vmas.v[i].hi + GUARD_GAP;
	return low;
}

void gst_stack_follow(struct gst *g)
{
	const struct gst_vma *v = gst_vma_find(&g->vmas, g->stack_top - 1);
	const uint64_t most = g->layout.stack_most, now = g->stack_limit.now;
	uint64_t low = g->stack_top - (now < most ? GST_PAGE_UP(now) : most);

	if (!v || v->kind != GST_VMA_STACK || gst_is_vforked(g) || gst_has_mates(g))
		return;
	if (low < g->stack_low) {
		low = room_below(g, low);
		if (low < g->stack_low &&
		    !gst_is_error(
			gst_map(g, low, g->stack_low - low, v->prot,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
				-1, 0, GST_VMA_STACK)))
			g->stack_low = low;
	} else if (low > g->stack_low) {
		low = first_touched(g->stack_low, low);
		if (low > g->stack_low && !gst_unmap(g, g->stack_low, low - g->stack_low))
			g->stack_low = low;
	}
}
