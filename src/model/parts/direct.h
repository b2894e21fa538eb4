/* direct.h -- a direct-mapped cache of which only the tags matter: 4 bytes of the host per line.
 *
 * Used by p5/bus for the cache of the board, which is large: the smaller its tags, the less they
 * displace in the caches of the host.
 *
 * COUNTING RULES   an access is to one line.
 * MODELLED         which line is where.
 * NOT MODELLED     states: whoever writes lines back does not ask.
 */
#ifndef SOFTPMU_MODEL_PARTS_DIRECT_H
#define SOFTPMU_MODEL_PARTS_DIRECT_H

#include "model/parts/cache.h"
#include "model/parts/pages.h"

struct direct {
	struct cache shape; /* without memory: n_sets 0: there is no cache */
	uint32_t *tag;	    /* by set; CACHE_EMPTY: none */
};

/* Make an empty one. Returns as cache_open(); direct_close() may be called in any case. */
int direct_open(struct direct *d, uint32_t size_bytes, unsigned line_bytes);
void direct_close(struct direct *d);

/* Frames of which d holds lines: as pages_keep(). Cost: all tags. */
void direct_keep_pages(const struct direct *d, struct pages *p);

/* Is line l there? If not, and is_brought, it is now, and the line that was in its set is gone.
 * Only of a cache with sets: tag is NULL when there is none. */
static inline bool direct_see(struct direct *d, struct cache_line l, bool is_brought)
{
	const uint32_t tag = cache_tag_of(&d->shape, l);
	uint32_t *has = &d->tag[cache_set_of(&d->shape, l)];

	if (*has == tag)
		return true;
	*has = is_brought ? tag : *has;
	return false;
}

#endif
