/* metrics.h -- derived numbers: the catalog's metrics over the counts of a run. */
#ifndef SOFTPMU_SESSION_METRICS_H
#define SOFTPMU_SESSION_METRICS_H

#include "session/formula.h"

/* One metric that a run reports. */
struct ses_metric {
	const struct cat_metric *row;
	struct ses_formula formula;
};

/* Metrics of a run; start with all zero. */
struct ses_metrics {
	struct ses_metric *metric; /* owned */
	size_t n;
};

/* Metric of cpu's family by name, any case; NULL when there is none. */
const struct cat_metric *ses_find_metric(const struct cat_cpu *cpu, const char *name);

/* Has cpu all events of the metric, or of one of the family of metrics, named `word` (as ses_metrics_named takes it)? */
bool ses_has_metrics(const struct cat_cpu *cpu, const char *word);

/* Take the metrics named in the comma list `names` ("all": every one of the family; cpi-stack: each cpi_stack_NAME), and append the
 * events that they need to `list`. Returns 0 or -SPMU_EINVAL with the nearest name,
 * -SPMU_ENOMEM. */
int ses_metrics_named(const struct cat_cpu *cpu, const char *names, struct ses_metrics *out,
                      struct ses_events *list, struct spmu_error *err);

/* Take every metric all of whose events are in `list` already. */
int ses_metrics_of(const struct cat_cpu *cpu, const struct ses_events *list,
                   struct ses_metrics *out, struct spmu_error *err);

/* The event of `list` beside which the metric is shown: the first of its formula. -1 when none. */
int ses_metric_row(const struct ses_metric *m, const struct ses_events *list);

void ses_metrics_free(struct ses_metrics *m);

#endif
