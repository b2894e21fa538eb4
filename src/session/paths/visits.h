/* visits.h -- how often each block was executed in each calling context since the last question.
 *
 * Inline where it is part of the walk over records: nearly always the block was executed in the
 * same context before. */
#ifndef SOFTPMU_SESSION_VISITS_H
#define SOFTPMU_SESSION_VISITS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

struct ses_visits {
	struct mdl_visit *at; /* owned */
	uint32_t n, room;
	uint32_t *index; /* by hash: 1 + a visit, or 0; owned */
	uint32_t n_index;
	bool is_lost; /* memory was out */
};

/* Returns the number of the visit of `block` in `context`. A new visit begins with times 0. Numbers
 * hold until ses_visits_clear(). Visit 0 belongs to no context: it is returned without memory. */
uint32_t ses_visits_find(struct ses_visits *v, uint32_t context, uint32_t block);

/* Returns 0 or -SPMU_ENOMEM; ses_visits_close() may be called in any case. */
int ses_visits_open(struct ses_visits *v);
void ses_visits_close(struct ses_visits *v);
void ses_visits_clear(struct ses_visits *v);

/* Sort by context and block: numbers are void then. Returns the first of *n. */
const struct mdl_visit *ses_visits_sort(struct ses_visits *v, size_t *n);

#endif
