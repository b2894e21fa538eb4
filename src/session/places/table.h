/* table.h -- the counts of one process, by place. */
#ifndef SOFTPMU_SESSION_TABLE_H
#define SOFTPMU_SESSION_TABLE_H

#include "record/process.h"
#include "session/totals/totals.h"

/* All zero but n_event at the beginning. */
struct ses_table {
	uint32_t n_event;
	struct rec_place *place; /* owned; in the order in which they came */
	int64_t *count;		 /* n_event of each; owned */
	uint32_t n, room;
	uint32_t *index;	/* by hash: 1 + a place, or 0; owned */
	uint32_t n_index;	/* a power of two */
	struct ses_totals *sum; /* of a region by function: what it counted, or NULL; owned */
};

/* The counts of a place, n_event numbers, which are 0 when it is new; valid until the next call.
 * NULL without memory. */
int64_t *ses_table_at(struct ses_table *t, struct rec_place p);

/* What a region counted, all 0 at the beginning; NULL without memory. */
struct ses_totals *ses_table_sum(struct ses_table *t);

/* Forget all places and counts, and keep the memory. */
void ses_table_clear(struct ses_table *t);
void ses_table_free(struct ses_table *t);

#endif
