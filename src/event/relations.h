/* relations.h -- the catalog's relations between events, tested on the counts of a run.
 *
 * COUNTING RULES   an identity holds on every run: a violation is a bug of softpmu. A tendency is a
 *                  claim that programs can break: it is reported with both numbers. Estimates
 *                  break a relation only where their intervals do.
 */
#ifndef SOFTPMU_EVENT_RELATIONS_H
#define SOFTPMU_EVENT_RELATIONS_H

#include "event/formula.h"

struct evt_relation {
	const struct cat_relation *row;
	struct evt_formula left, right;
};

/* Relations of a run; start with all zero. */
struct evt_relations {
	struct evt_relation *relation; /* owned */
	size_t n;
};

/* Take every relation of cpu's family whose events cpu has, and append their events to `list`.
 * Returns 0 or, with err set, -SPMU_ENOMEM; evt_relations_free() in both cases. */
int evt_relations_all(const struct cat_cpu *cpu, struct evt_relations *out, struct evt_events *list,
		      struct spmu_error *err);

enum evt_verdict { EVT_HOLDS, EVT_BROKEN, EVT_NOT_TESTED };

struct evt_test {
	enum evt_verdict verdict;
	/* of both formulas; with EVT_NOT_TESTED the status of one says why it has no value */
	struct evt_value left, right;
};

/* Does r hold on these counts? count: one for each event of list, in its order. EVT_NOT_TESTED when
 * a side has no number. */
struct evt_test evt_relation_test(const struct evt_relation *r, const struct evt_events *list,
				  const struct evt_count *count);

void evt_relations_free(struct evt_relations *r);

#endif
