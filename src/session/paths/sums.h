/* sums.h -- the counts of one process, by calling context. */
#ifndef SOFTPMU_SESSION_SUMS_H
#define SOFTPMU_SESSION_SUMS_H

#include <stdint.h>

struct ses_sums {
	uint32_t n_column; /* events, and behind them the calls */
	uint32_t *row;	   /* by context, [0, n_context): 0, or 1 + a row; owned */
	uint32_t n_context;
	int64_t *count; /* n_column of each row; owned */
	uint32_t n, room;
};

/* The counts of a context, n_column numbers, which are 0 when it is new; valid until the next call.
 * NULL without memory. */
int64_t *ses_sums_at(struct ses_sums *s, uint32_t context);

/* As ses_sums_at(), but returns NULL for a context without counts, and adds none. */
const int64_t *ses_sums_look(const struct ses_sums *s, uint32_t context);

/* Forget all counts, and keep the memory. */
void ses_sums_clear(struct ses_sums *s);
void ses_sums_free(struct ses_sums *s);

#endif
