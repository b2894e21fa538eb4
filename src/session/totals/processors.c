/* processors.c -- fills in the counts of each of several processors. Rules: processors.h. */
#include "session/totals/processors.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/count.h"
#include "session/totals/counting.h"

int ses_processors_fill(const struct ses_config *cfg, struct mdl *m, const struct wires *w,
			const uint64_t *off, struct ses_result *result)
{
	const uint32_t n = cfg->model.n_cpus;
	struct wires *own;

	if (n < 2 || result->tier < 2)
		return 0;
	own = calloc(1, sizeof(*own));
	result->cpu_count = calloc(n * cfg->n_event + 1, sizeof(*result->cpu_count));
	if (!own || !result->cpu_count) {
		free(own);
		return -SPMU_ENOMEM;
	}
	memcpy(own->driven, w->driven, sizeof(own->driven));
	for (uint32_t cpu = 0; cpu < n; cpu++) {
		struct evt_count *count = result->cpu_count + cpu * cfg->n_event;

		memset(own->total, 0, sizeof(own->total));
		mdl_cpu_totals(m, cpu, own->total);
		for (unsigned i = 0; off && i < WIRE_N; i++)
			own->total[i] -= off[cpu * WIRE_N + i];
		ses_count_events(cfg->model.cpu, cfg->event, cfg->n_event, own, count);
		for (size_t i = 0; i < cfg->n_event; i++)
			if (pmu_is_of_all_agents(cfg->event[i].event, cfg->event[i].umask))
				ses_count_events(cfg->model.cpu, &cfg->event[i], 1, w, &count[i]);
	}
	result->n_cpu = n;
	free(own);
	return 0;
}
