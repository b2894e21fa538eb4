/* direct.c -- building a direct-mapped cache of tags. */
#include "model/parts/direct.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int direct_open(struct direct *d, uint32_t size_bytes, unsigned line_bytes)
{
	struct cache c;
	const int rc = cache_open(&c, size_bytes, 1, line_bytes, false);

	memset(d, 0, sizeof(*d));
	if (rc)
		return rc;
	cache_close(&c); /* its shape is what is wanted */
	d->tag = malloc(c.n_sets * sizeof(*d->tag));
	if (!d->tag)
		return -SPMU_ENOMEM;
	for (uint32_t set = 0; set < c.n_sets; set++)
		d->tag[set] = CACHE_EMPTY;
	d->shape = c;
	return 0;
}

void direct_close(struct direct *d)
{
	free(d->tag);
	memset(d, 0, sizeof(*d));
}

void direct_keep_pages(const struct direct *d, struct pages *p)
{
	for (uint32_t set = 0; set < d->shape.n_sets; set++)
		if (d->tag[set] != CACHE_EMPTY)
			pages_keep_one(p, cache_page_of(&d->shape, d->tag[set]));
}
