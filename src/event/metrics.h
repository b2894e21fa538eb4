/* metrics.h -- derived numbers: the catalog's metrics over the counts of a run. */
#ifndef SOFTPMU_EVENT_METRICS_H
#define SOFTPMU_EVENT_METRICS_H

#include "event/formula.h"

/* One metric that a run reports. */
struct evt_metric {
	const struct cat_metric *row;
	struct evt_formula formula;
};

/* Metrics of a run; start with all zero. */
struct evt_metrics {
	struct evt_metric *metric; /* owned */
	size_t n;
};

/* Metric of cpu's family by name, any case; NULL when there is none. */
const struct cat_metric *evt_find_metric(const struct cat_cpu *cpu, const char *name);

/* Has cpu all events of the metric, or of one of the family of metrics, named `word` (as
 * evt_metrics_named takes it)? */
bool evt_has_metrics(const struct cat_cpu *cpu, const char *word);

/* Take the metrics named in the comma list `names` ("all": every one of the family; cpi-stack: each
 * cpi_stack_NAME), and append the events that they need to `list`. Returns 0 or -SPMU_EINVAL with
 * the nearest name, -SPMU_ENOMEM. */
int evt_metrics_named(const struct cat_cpu *cpu, const char *names, struct evt_metrics *out,
		      struct evt_events *list, struct spmu_error *err);

/* Take every metric all of whose events are in `list` already. */
int evt_metrics_of(const struct cat_cpu *cpu, const struct evt_events *list,
		   struct evt_metrics *out, struct spmu_error *err);

/* The event of `list` beside which the metric is shown: the first of its formula. -1 when none. */
int evt_metric_row(const struct evt_metric *m, const struct evt_events *list);

void evt_metrics_free(struct evt_metrics *m);

#endif
