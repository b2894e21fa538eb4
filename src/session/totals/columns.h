/* columns.h -- more machines in one run: their models are fed with the stream of the first one.
 *
 * COUNTING RULES   the program sees the first processor's CPUID; a column's counts are those of
 *                  a run of its own under that CPUID, because a model sees nothing but the
 *                  stream. A column has a processor, a geometry and events of its own; all
 *                  other settings are those of the first machine.
 */
#ifndef SOFTPMU_SESSION_COLUMNS_H
#define SOFTPMU_SESSION_COLUMNS_H

#include "session/session.h"
#include "session/totals/totals.h"

struct ses_columns {
	struct wires *wires[SES_LIVE_COLUMNS]; /* of each column's model; owned */
	size_t n;
};

/* Set in *model what column i of cfg has of its own. */
void ses_column_settings(const struct ses_config *cfg, size_t i, struct mdl_config *model);

/* Open a model for each of cfg->column, at most SES_LIVE_COLUMNS, and attach it to `first`. base:
 * the settings of the first one (store, tier). Returns as mdl_open(), with a sentence. The caller
 * calls ses_columns_close() in either case, after mdl_close(). */
int ses_columns_open(const struct ses_config *cfg, const struct mdl_config *base, struct mdl *first,
		     struct ses_columns *out, struct spmu_error *err);
void ses_columns_close(struct ses_columns *c);

/* Copy the totals of the columns' wires into *t. Call it after mdl_finish(). */
void ses_columns_tally(const struct ses_columns *c, struct ses_totals *t);

/* Fill result->column. wires: of each column, what its model drives; sum: its totals over all
 * processes. Returns 0 or -SPMU_ENOMEM. */
int ses_columns_fill(const struct ses_config *cfg, struct wires *const *wires,
		     const uint64_t (*sum)[WIRE_N], struct ses_result *result);

#endif
