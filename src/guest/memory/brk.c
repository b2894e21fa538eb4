/* brk.c -- the heap that brk(2) moves.
 *
 * MODELLED       start behind the program's bss (fixed programs) or at the layout's place;
 *                growth stops at the next mapping; shrinking gives pages back. RLIMIT_DATA as of
 *                all private memory (map.c).
 * NOT MODELLED   natively the executable parts of a program's own data, and those of its file, do
 *                not count towards brk's limit: here all of it does.
 */
#include "guest/gst.h"

void gst_brk_start(struct gst *g)
{
	g->brk.start = g->program.is_dyn ? g->layout.brk_base : GST_PAGE_UP(g->program.end);
	g->brk.now = g->brk.mapped = g->brk.start;
}

uint64_t gst_brk_move(struct gst *g, uint64_t want)
{
	struct gst_brk *b = &g->brk;
	uint64_t end = GST_PAGE_UP(want);

	if (want < b->start || want > g->layout.end)
		return b->now;
	if (end > b->mapped) {
		long ret =
		    gst_map(g, b->mapped, end - b->mapped, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0, GST_VMA_HEAP);

		if (gst_is_error(ret))
			return b->now;
	} else if (end < b->mapped) {
		gst_unmap(g, end, b->mapped - end);
	}
	b->mapped = end;
	b->now = want;
	return want;
}
