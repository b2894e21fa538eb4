/* fault.c -- finds the block and its state for an address of translated code at which it was
 * stopped. How the program goes on is in loop/arrive.c.
 */
#include "guest/gst.h"
#include "guest/signals/signal.h"

/* Blocks come in the order of their code, so a binary search over ids finds the last one that
 * starts at or before the address. The end of the list: the first entry without code. */
static uint32_t n_blocks(const struct gst *g)
{
	uint32_t lo = 0, hi = SHR_MAX_BLOCKS;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (g->tab->block[mid].code_bytes)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct shr_block *gst_block_at(const struct gst *g, uint64_t rip, uint32_t *offset)
{
	uint32_t off = (uint32_t)(rip - g->code);
	uint32_t lo = 0, hi = n_blocks(g);
	const struct shr_block *b;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (g->tab->block[mid].code_off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	b = &g->tab->block[lo - 1];
	if (off - b->code_off >= b->code_bytes)
		return NULL;
	*offset = off - b->code_off;
	return b;
}

const struct shr_recover *gst_recover_at(const struct gst *g, const struct shr_block *b,
					 uint32_t off)
{
	const struct shr_recover *r = NULL;

	for (uint32_t i = 0; i < b->n_recover; i++) {
		const struct shr_recover *e = &g->tab->recover[b->recover_off + i];

		if (e->code > off)
			break;
		r = e;
	}
	return r;
}
