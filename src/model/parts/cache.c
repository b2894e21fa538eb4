/* cache.c -- building a cache and choosing its victims. */
#include "model/parts/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/parts/pages.h"

static bool is_pow2(uint64_t x)
{
	return x && !(x & (x - 1));
}

static unsigned log2_of(uint64_t x)
{
	return (unsigned)__builtin_ctzll(x);
}

int cache_open(struct cache *c, uint32_t size_bytes, unsigned ways, unsigned line_bytes,
	       bool is_lru)
{
	uint64_t way_bytes;
	size_t bytes;

	memset(c, 0, sizeof(*c));
	if (ways < 1 || ways > REPL_MAX_WAYS || line_bytes < 16 || line_bytes > 128 ||
	    !is_pow2(line_bytes))
		return -SPMU_EINVAL;
	way_bytes = size_bytes / ways;
	if (way_bytes * ways != size_bytes || !is_pow2(way_bytes) || way_bytes < line_bytes ||
	    way_bytes < 128 || way_bytes > 1u << 28)
		return -SPMU_EINVAL;
	c->ways = (uint8_t)ways;
	c->lanes = (uint8_t)((ways + 3) & ~3u);
	c->line_log2 = (uint8_t)log2_of(line_bytes);
	c->page_lines_log2 = (uint8_t)(PAGE_LOG2 - c->line_log2);
	c->n_sets = (uint32_t)(way_bytes / line_bytes);
	c->set_log2 = (uint8_t)log2_of(c->n_sets);
	c->stride_bytes = (c->lanes * 4u + (uint32_t)sizeof(struct cache_meta) + 31) & ~31u;
	repl_init(&c->repl, ways, is_lru);
	bytes = (size_t)c->n_sets * c->stride_bytes;
	c->memory = malloc(bytes + 64);
	if (!c->memory)
		return -SPMU_ENOMEM;
	c->sets = (uint8_t *)(((uintptr_t)c->memory + 63) & ~(uintptr_t)63);
	memset(c->sets, 0, bytes);
	for (uint32_t set = 0; set < c->n_sets; set++) {
		for (unsigned w = 0; w < c->lanes; w++)
			cache_tags(c, set)[w] = CACHE_EMPTY;
		cache_meta(c, set)->order = c->repl.start;
		cache_meta(c, set)->n_empty = (uint16_t)ways;
	}
	return 0;
}

void cache_close(struct cache *c)
{
	free(c->memory);
	c->memory = NULL;
	c->sets = NULL;
}
