/* met.h -- how often something was met lately, told by its hash: what deserves to be kept, before
 * anything of it is kept.
 *
 * Used by p5 and p6 for states and steps, of which most never come again. A place holds one hash's
 * upper bits and how often it was asked for; another that falls on the same place forgets it.
 *
 * COUNTING RULES   none: being wrong costs room or time.
 */
#ifndef SOFTPMU_MODEL_PARTS_MET_H
#define SOFTPMU_MODEL_PARTS_MET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"

#define MET_TIMES_BITS 8u /* of a place: how often; the rest is of the hash */

struct met {
	uint32_t *place;
	uint32_t mask;
};

/* Nothing was met; places: how many are remembered at most, a power of two. 0 or -SPMU_ENOMEM;
 * met_close() may be called in any case. */
static inline int met_open(struct met *m, uint32_t places)
{
	m->place = calloc(places, sizeof(*m->place));
	m->mask = places - 1;
	return m->place ? 0 : -SPMU_ENOMEM;
}

/* Free it; it can be opened again. */
static inline void met_close(struct met *m)
{
	free(m->place);
	m->place = NULL;
}

/* This hash will be asked for soon. */
static inline void met_prefetch(const struct met *m, uint64_t hash)
{
	__builtin_prefetch(&m->place[hash & m->mask]);
}

/* One time more: is it the enough-th (1 to 255) at least? Cost: a line of the host's memory. */
static inline bool met_again(struct met *m, uint64_t hash, uint32_t enough)
{
	const uint32_t times_mask = (1u << MET_TIMES_BITS) - 1,
		       tag = (uint32_t)(hash >> 32) & ~times_mask;
	uint32_t *place = &m->place[hash & m->mask];

	if ((*place & ~times_mask) != tag)
		*place = tag;
	if ((*place & times_mask) + 1 >= enough)
		return true;
	++*place;
	return false;
}

#endif
