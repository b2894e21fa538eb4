/* sample.h -- clocks by samples: which units of the program a team works out, and what the whole
 * run took by them.
 *
 * All that needs no clock is the scout's and stays exact. A unit is SAMPLE_UNIT instructions. The
 * first SAMPLE_FULL are worked out unit by unit; then units are taken at a distance that doubles
 * with the length of the run, up to the one that the caller set. Before a unit its worker does
 * SAMPLE_WARM instructions that are not counted, so that the pipeline is as full as it would be.
 * The totals are a regression estimate (model/parts/estimate.h) on what units counted without
 * clocks.
 *
 * COUNTING RULES   a unit ends behind the first branch after its last instruction, as a stretch
 *                  does (kept/time_stretch.c). Where units lie follows from instruction counts.
 * MODELLED         one processor, as a team does it.
 * NOT MODELLED     what looks at single clocks: a team does not, either.
 */
#ifndef SOFTPMU_MODEL_P6_SAMPLE_H
#define SOFTPMU_MODEL_P6_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/parts/estimate.h"

#define SAMPLE_UNIT 4096u      /* instructions */
#define SAMPLE_WARM 2048u      /* instructions before a unit */
#define SAMPLE_FULL (1u << 18) /* instructions until units have a distance */

struct p6;

enum sample_phase {
	SAMPLE_IN_FULL, /* unit after unit */
	SAMPLE_SKIP,
	SAMPLE_WARM_UP,
	SAMPLE_MEASURE,
};

/* A unit: what it counted. */
struct sample_row {
	uint64_t begin; /* where, in instructions of the scout */
	struct estimate_unit unit;
	double y[]; /* n_wire */
};

/* What a machine counted up to a place: a unit is the difference of two. */
struct sample_mark {
	double x[ESTIMATE_X];
	uint64_t *y; /* n_wire; NULL before the first use */
};

/* How totals of a machine are read while it goes on: p6_sum_now and p6_sum_ahead. */
struct p6_sums {
	void (*now)(struct p6 *m, uint64_t *total), (*ahead)(struct p6 *m, uint64_t *total);
};

struct team_sample {
	struct p6_sums sum;
	unsigned every;		  /* the largest distance, in units; 1: all units */
	uint16_t *wire;		  /* the wires that only clocks count */
	unsigned n_wire, clock;	  /* wire[clock] counts clocks */
	/* Since the last fork, or the beginning: */
	uint64_t from;		  /* instructions of the scout then */
	double start[ESTIMATE_X]; /* and its covariates */
	uint64_t begin;		  /* instructions where the part under way began */
	enum sample_phase phase;
	unsigned distance;	  /* units for which the next one stands */
	/* The units that were done, in the order in which workers end them. */
	unsigned char *row;
	size_t n_row, room;
	/* Estimates before that, and half of their intervals: */
	uint64_t *base, *base_half; /* n_wire */
};

/* *out, for distance `every`, is owned by the caller (p6_sample_close, which takes NULL). wire, n:
 * those that are estimated, copied; so is *sum. Returns 0 or -SPMU_ENOMEM. */
int p6_sample_open(const struct p6_sums *sum, unsigned every, const uint16_t *wire, unsigned n,
		   struct team_sample **out);
void p6_sample_close(struct team_sample *s);

/* --- where units lie --- */

/* The first unit, or the first one behind a fork, begins where the scout is. */
void p6_sample_begin(struct team_sample *s, struct p6 *scout);

/* Returns where the part under way ends, in instructions of the scout. */
uint64_t p6_sample_end(const struct team_sample *s);

/* The part under way ended behind n_insn instructions of the scout: the next one begins. */
void p6_sample_next(struct team_sample *s, uint64_t n_insn);

/* --- what they counted --- */

/* Set *out to what m, a machine with clocks, counted so far; `sum` as for p6_team_sum(). Returns 0
 * or -SPMU_ENOMEM. Free out->y. */
int p6_sample_mark(const struct team_sample *s, struct p6 *m,
		   void sum(struct p6 *m, uint64_t *total), struct sample_mark *out);

/* Keep the unit between two marks, which began behind `begin` instructions of the scout and stands
 * for `distance` units. Returns 0 or -SPMU_ENOMEM. */
int p6_sample_keep(struct team_sample *s, uint64_t begin, const struct sample_mark *from,
		   const struct sample_mark *to, unsigned distance);

/* Forget the unit that was kept last. */
void p6_sample_drop(struct team_sample *s);

/* Set total[] and half[] of the wires that are estimated. total[WIRE_N] has what the scout counted;
 * half[] is half of an interval at 95 %, 0 where the total is exact, and at least the total where
 * there are too few units to say. All units are done. Returns 0 or -SPMU_ENOMEM. Cost: some hundred
 * additions for each unit and wire. */
int p6_sample_sum(struct team_sample *s, const struct p6 *scout, uint64_t *total, uint64_t *half);

/* total[] and half[] of the wires, as just summed, stay: p6_sample_begin() follows. */
void p6_sample_settle(struct team_sample *s, const uint64_t *total, const uint64_t *half);

#endif
