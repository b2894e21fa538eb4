/* columns.h -- the same run seen by more processors: models beside the first one, fed with the
 * same stream.
 *
 * COUNTING RULES   the program sees the first processor's CPUID; a column's counts are those of
 *                  a run of its own under that CPUID, because a model sees nothing but the
 *                  stream.
 */
#ifndef SOFTPMU_SESSION_COLUMNS_H
#define SOFTPMU_SESSION_COLUMNS_H

#include "session/session.h"
#include "session/totals/totals.h"

struct ses_columns {
	struct wires *wires[SES_MORE_COLUMNS]; /* of each column's model; owned */
	size_t n;
};

/* Open a model for each of cfg->column, beside `first`; base: settings of the first one (store,
 * tier). *out may be half filled on failure. Returns as mdl_open, with a sentence.
 * ses_columns_close() in every case, after mdl_close(). */
int ses_columns_open(const struct ses_config *cfg, const struct mdl_config *base, struct mdl *first,
                     struct ses_columns *out, struct spmu_error *err);
void ses_columns_close(struct ses_columns *c);

/* What the columns' wires show goes into *t. The models are finished. */
void ses_columns_tally(const struct ses_columns *c, struct ses_totals *t);

/* result->column from the sums over all processes. Returns 0 or -SPMU_ENOMEM. */
int ses_columns_fill(const struct ses_config *cfg, const struct ses_columns *c,
		     const struct ses_totals *sum, struct ses_result *result);

#endif
