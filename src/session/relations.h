/* relations.h -- the catalog's relations between events, tested on the counts of a run.
 *
 * COUNTING RULES   an identity holds on every run: a violation is a bug of softpmu. A tendency is a
 *                  claim that programs can break: it is reported with both numbers.
 */
#ifndef SOFTPMU_SESSION_RELATIONS_H
#define SOFTPMU_SESSION_RELATIONS_H

#include "session/formula.h"

struct ses_relation {
	const struct cat_relation *row;
	struct ses_formula left, right;
};

/* Relations of a run; start with all zero. */
struct ses_relations {
	struct ses_relation *relation; /* owned */
	size_t n;
};

/* Take every relation of cpu's family whose events cpu has, and append their events to `list`.
 * Returns 0, -SPMU_ENOMEM. */
int ses_relations_all(const struct cat_cpu *cpu, struct ses_relations *out, struct ses_events *list,
                      struct spmu_error *err);

enum ses_verdict { SES_HOLDS, SES_BROKEN, SES_NOT_TESTED };

struct ses_test {
	enum ses_verdict verdict;
	struct ses_value left, right;
};

/* Does r hold on these counts? */
struct ses_test ses_relation_test(const struct ses_relation *r, const struct ses_events *list,
                                  const struct ses_count *count);

void ses_relations_free(struct ses_relations *r);

#endif
