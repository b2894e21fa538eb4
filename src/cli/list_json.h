/* list_json.h -- softpmu list --json: the catalog's tables as JSON arrays on stdout. */
#ifndef SOFTPMU_CLI_LIST_JSON_H
#define SOFTPMU_CLI_LIST_JSON_H

#include "session/totals/counting.h"
#include "event/events.h"

/* state[i]: what would happen to list->event[i]. Each returns an exit code. */
int list_json_events(const struct cat_cpu *cpu, const struct evt_events *list,
		     const struct evt_count *state);
int list_json_cpus(void);
int list_json_groups(const struct cat_cpu *cpu);
int list_json_metrics(const struct cat_cpu *cpu);
int list_json_relations(const struct cat_cpu *cpu);
int list_json_params(const struct cat_cpu *cpu);
int list_json_names(const struct cat_cpu *cpu);
int list_json_explanations(void);

#endif
