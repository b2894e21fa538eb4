/* sample_places.h -- what single instructions count by samples (softpmu record --clocks sampled).
 *
 * The estimate of a total has one weight a unit (model/parts/estimate.h), and the weight is linear
 * in the covariates of the unit. So it is enough to add up, for each instruction and wire, what
 * units counted there times the units for which each stands, and the same times each covariate:
 * whatever the weights turn out to be, estimates of instructions sum to that of the total.
 *
 * How far clocks of a function may be off depends on which of its instructions count in the same
 * unit, and nobody knows functions here. So each instruction has ESTIMATE_REPLICATES numbers that
 * add up, too: what units were off from the regression, each with a sign or 0. Signs of neighbours
 * are such that twice the mean of the squares of a sum is the variance of its estimate.
 *
 * COUNTING RULES   an instruction has what the ledger booked to it in units. What a unit counted
 *                  and booked to nobody, because it waited at its end, is no instruction's.
 * SOURCES          Fay and Train: Aspects of Survey and Model-Based Postcensal Estimation, 1995
 *                  (successive difference replication).
 */
#ifndef SOFTPMU_MODEL_P6_SAMPLE_PLACES_H
#define SOFTPMU_MODEL_P6_SAMPLE_PLACES_H

#include "model/model.h"
#include "model/p6/team/sample.h"

struct ledger;
struct sample_places;

/* *out is owned by the caller (p6_sample_places_close(), which takes NULL). s: borrowed. Returns 0
 * or -SPMU_ENOMEM. */
int p6_sample_places_open(const struct team_sample *s, struct sample_places **out);
void p6_sample_places_close(struct sample_places *p);

/* Add what the ledger of a worker noted in unit *r, and empty its notes. Returns 0 or -SPMU_ENOMEM.
 */
int p6_sample_places_add(struct sample_places *p, struct ledger *l, const struct sample_row *r);

/* The estimate of all units is what p6_sample_sum() found last: instructions have theirs, and the
 * next unit is the first of another one. */
void p6_sample_places_settle(struct sample_places *p);

/* Hand out what was settled, in the order of blocks, and forget it. Returns 0 or -SPMU_ENOMEM. */
int p6_sample_places_take(struct sample_places *p, const struct x86_store *store,
			  mdl_take_posting *take, void *ctx);

#endif
