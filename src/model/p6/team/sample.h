/* sample.h -- clocks by samples: which units of the program a team works out, and what the whole
 * run took by them.
 *
 * All that needs no clock is the scout's and stays exact. A unit is SAMPLE_UNIT instructions. The
 * first SAMPLE_FULL are worked out unit by unit; then the run is cut into windows of as many units
 * as the distance says, and one unit of each is worked out. The distance doubles with the length of
 * the run, up to the one that the caller set; where the caller leaves it open it doubles once more
 * with each fourfold length from SAMPLE_LONG on, for there are enough units then. Which unit of a
 * window it is a hash says: at a fixed distance a loop whose period divides it would always show
 * the same of its units. Before a unit its worker does SAMPLE_WARM instructions that are not
 * counted, so that the pipeline is as full as it would be. The totals are a regression estimate
 * (model/parts/estimate.h) on what units counted without clocks.
 *
 * COUNTING RULES   a unit ends behind the first branch after its last instruction, as a stretch
 *                  does (kept/stretch.c). Where units lie follows from instruction counts.
 * MODELLED         one processor, as a team does it.
 * NOT MODELLED     what looks at single clocks: a team does not, either.
 */
#ifndef SOFTPMU_MODEL_P6_SAMPLE_H
#define SOFTPMU_MODEL_P6_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/parts/estimate.h"

#define SAMPLE_UNIT 1024u      /* instructions */
#define SAMPLE_WARM 512u       /* instructions before a unit */
#define SAMPLE_FULL (1u << 16) /* instructions until there are windows */
#define SAMPLE_LONG (1u << 28) /* instructions of a long run */

struct ledger;
struct p6;
struct sample_places;

/* Returns 32 random bits, always the same ones of a seed and a window. */
static inline uint32_t p6_sample_random(uint32_t seed, uint64_t window)
{
	uint64_t h = (window + 1) * 0x9e3779b97f4a7c15u ^ seed;

	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(h >> 32);
}

enum sample_phase {
	SAMPLE_IN_FULL, /* unit after unit */
	SAMPLE_SKIP,
	SAMPLE_WARM_UP,
	SAMPLE_MEASURE,
};

/* A unit: what it counted. */
struct sample_row {
	uint64_t window; /* which one it stands for */
	struct estimate_unit unit;
	double y[]; /* n_wire */
};

/* What a machine counted up to a place: a unit is the difference of two. */
struct sample_mark {
	double x[ESTIMATE_X];
	uint64_t *y; /* n_wire; NULL before the first use */
};

/* What the estimate makes of what an instruction counted (sample_places.h): of its sum over units,
 * times the units for which each stands and times each covariate. */
struct sample_fit {
	double coefficient[ESTIMATE_X]; /* added to the plain sum it is the estimate */
	double off[ESTIMATE_REPLICATES]
		  [ESTIMATE_X]; /* what the regression makes of each replicate */
};

/* How totals of a machine are read while it goes on: p6_sum_now and p6_sum_ahead. */
struct p6_sums {
	void (*now)(struct p6 *m, uint64_t *total), (*ahead)(struct p6 *m, uint64_t *total);
};

struct team_sample {
	struct p6_sums sum;
	unsigned every;		/* the largest distance, in units; 1: all units */
	bool is_open;		/* but of long runs */
	uint64_t full;		/* instructions before there are windows; 0: the distance grows */
	const char *log;	/* receives all units, when all were worked out; or NULL */
	uint32_t seed;		/* of the places in windows */
	uint16_t *wire;		/* the wires that only clocks count */
	unsigned n_wire, clock; /* wire[clock] counts clocks */
	/* Since the last fork, or the beginning: */
	uint64_t from;		  /* instructions of the scout then */
	double start[ESTIMATE_X]; /* and its covariates */
	uint64_t begin;		  /* instructions where the part under way began */
	enum sample_phase phase;
	unsigned distance; /* units of a window */
	unsigned place;	   /* of the next unit or the one under way in its window, */
	unsigned skip;	   /* and how many in front of it nobody works out */
	uint64_t window;   /* its number */
	/* The units that were done, in the order in which workers end them. */
	unsigned char *row;
	size_t n_row, room;
	/* Estimates before that, and half of their intervals: */
	uint64_t *base, *base_half;   /* n_wire */
	struct sample_fit fit;	      /* of the last estimate */
	struct sample_places *places; /* what instructions counted; NULL: nobody asks */
};

/* Returns the sign of unit *r in replicate m, or 0: half of the difference between a random sign
 * of its window and that of the one before, so that in a sum of squares each unit is compared
 * with its neighbours. A unit that stands for itself is not off. */
static inline int64_t p6_sample_sign(const struct sample_row *r, unsigned m)
{
	const uint64_t now = p6_sample_random(1, r->window) >> m & 1,
		       was = p6_sample_random(1, r->window - 1) >> m & 1;

	return r->unit.d > 1 ? (int64_t)now - (int64_t)was : 0;
}

/* *out, for distance `every` (is_open: at least, in long runs) and any `seed`, and where full is
 * not 0 without windows before so many instructions, is owned by the caller (p6_sample_close, which
 * takes NULL). wire, n: those that are estimated, copied; so is *sum. Returns 0 or -SPMU_ENOMEM. */
int p6_sample_open(const struct p6_sums *sum, unsigned every, bool is_open, uint32_t seed,
		   uint64_t full, const uint16_t *wire, unsigned n, struct team_sample **out);
void p6_sample_close(struct team_sample *s);

/* --- where units lie --- */

/* Returns the largest distance `length` instructions behind the first unit. */
static inline unsigned p6_sample_largest(unsigned every, bool is_open, uint64_t length)
{
	for (uint64_t l = SAMPLE_LONG; is_open && length >= l && every < 1u << 16; l *= 4)
		every *= 2;
	return every;
}

/* Returns which of its units a window of `distance`, a power of two, has worked out. */
static inline unsigned p6_sample_place(uint32_t seed, uint64_t window, unsigned distance)
{
	return (unsigned)p6_sample_random(seed, window) & (distance - 1);
}

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

/* Keep the unit between two marks, which stands for `distance` units of this window, and what the
 * ledger of its worker noted in it. Returns 0 or -SPMU_ENOMEM. */
int p6_sample_keep(struct team_sample *s, uint64_t window, unsigned distance,
		   const struct sample_mark *from, const struct sample_mark *to, struct ledger *l);

/* Forget the unit that was kept last. */
void p6_sample_drop(struct team_sample *s);

/* Set total[] and half[] of the wires that are estimated. total[WIRE_N] has what the scout counted;
 * half[] is half of an interval at 95 %, 0 where the total is exact, and more than the total where
 * there are too few units to say. All units are done. Returns 0 or -SPMU_ENOMEM. Cost: some hundred
 * additions for each unit and wire. */
int p6_sample_sum(struct team_sample *s, const struct p6 *scout, uint64_t *total, uint64_t *half);

/* total[] and half[] of the wires, as just summed, stay: p6_sample_begin() follows. */
void p6_sample_settle(struct team_sample *s, const uint64_t *total, const uint64_t *half);

#endif
