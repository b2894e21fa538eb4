/* sample.h -- clocks by samples: which units of the program a team works out, and what it estimates
 * for the whole run.
 *
 * PURPOSE          The scout counts all that needs no clock, and that stays exact. Workers work out
 *                  the clocks of a sample of the run. The totals of wires that need clocks are a
 *                  regression estimate (model/parts/estimate.h) on what the units of the sample
 *                  counted without clocks.
 * COUNTING RULES   A unit is SAMPLE_UNIT instructions, and ends behind the first branch after them,
 *                  as a stretch does (kept/stretch.c). Where units lie follows from instruction
 *                  counts alone.
 *                  The first SAMPLE_FULL instructions are worked out unit by unit. From there on
 *                  the run is cut into windows, and one unit of each window is worked out. A window
 *                  is as many units long as the distance says. The distance doubles with the length
 *                  of the run, up to the largest one, which the caller sets. With is_open the
 *                  largest one doubles at SAMPLE_LONG instructions, and again at each fourfold
 *                  length, because there are enough units then.
 *                  A hash of the window's number chooses the unit: at a fixed distance a loop whose
 *                  period divides it would always show the same units.
 *                  Before a unit its worker does SAMPLE_WARM instructions that are not counted, so
 *                  that the pipeline is as full as it would be.
 *                  The unit in which the run ends counts as far as it went.
 * MODELLED         one processor, as a team does it.
 * NOT MODELLED     comparisons of single clocks (struct mdl_watch): no team does them.
 * LIMITS           Each unit that was worked out stays in memory until the estimate.
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
struct sample_parts;
struct sample_places;

/* Returns 32 random bits, always the same ones of a seed and a window. */
static inline uint32_t p6_sample_random(uint32_t seed, uint64_t window)
{
	uint64_t h = (window + 1) * 0x9e3779b97f4a7c15u ^ seed;

	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(h >> 32);
}

/* What happens to the part of the run that is under way. */
enum sample_phase {
	SAMPLE_IN_FULL, /* it is a unit, and the next unit follows at once */
	SAMPLE_SKIP,	/* no worker does it */
	SAMPLE_WARM_UP, /* a worker does it and counts nothing */
	SAMPLE_MEASURE, /* it is a unit of the sample */
};

/* What a unit counted. */
struct sample_row {
	uint64_t window; /* the number of the window that it stands for */
	struct estimate_unit unit;
	double y[]; /* n_wire */
};

/* What a machine has counted up to a place in the run: a unit is the difference of two marks. */
struct sample_mark {
	double x[ESTIMATE_X];
	uint64_t *y; /* n_wire; NULL before the first use */
};

/* How the estimate follows for one instruction from what it counted in units (sample_places.h).
 * Each unit's count is multiplied by the units for which it stands, and by each covariate, and
 * summed over units. */
struct sample_fit {
	double coefficient[ESTIMATE_X]; /* added to the plain sum it is the estimate */
	double off[ESTIMATE_REPLICATES]
		  [ESTIMATE_X]; /* what the regression makes of each replicate */
};

/* How totals of a machine are read while it goes on: p6_sum_now, p6_sum_ahead and p6_sum_rest. */
struct p6_sums {
	void (*now)(struct p6 *m, uint64_t *total), (*ahead)(struct p6 *m, uint64_t *total),
	    (*rest)(struct p6 *m, uint64_t *total);
};

struct team_sample {
	struct p6_sums sum;
	unsigned every; /* the largest distance, in units; 1: all units */
	bool is_open;	/* very long runs may have a larger distance than `every` */
	/* instructions before there are windows; from there on the distance is the largest. 0: the
	 * distance grows from 1 */
	uint64_t full;
	const char *log;	/* receives all units, when all were worked out; or NULL */
	uint32_t seed;		/* of the places in windows */
	uint16_t *wire;		/* the wires that only clocks count */
	unsigned n_wire, clock; /* wire[clock] counts clocks */
	/* Where the run began, or where it stood at the last fork: */
	uint64_t from;		  /* instructions of the scout there */
	double start[ESTIMATE_X]; /* covariates of the scout there */
	/* The part of the run that is under way: */
	uint64_t begin; /* instructions of the scout where it began */
	enum sample_phase phase;
	/* The window of the unit that is under way or comes next: */
	unsigned distance; /* its units */
	unsigned place;	   /* number of the unit in it */
	unsigned skip;	   /* units in front of that unit which no worker does */
	uint64_t window;   /* its number */
	/* The units that were done, in the order in which workers end them: struct sample_row. */
	unsigned char *row;
	size_t n_row, room;
	/* Estimates of what was counted up to the last fork, and half of their intervals: */
	uint64_t *base, *base_half;   /* n_wire */
	struct sample_fit fit;	      /* of the last estimate */
	struct sample_places *places; /* what instructions counted; NULL: it is not wanted */
	struct sample_parts *parts;   /* what is known of parts of the run; NULL: not wanted */
	bool has_pieces;	      /* some units are several rows, one behind the other */
};

/* Returns the sign of unit *r in replicate m, or 0. It is half of the difference between a random
 * sign of its window and that of the window before, so that in a sum of squares each unit is
 * compared with its neighbours. A unit that stands for itself alone has 0: its window is known. */
static inline int64_t p6_sample_sign(const struct sample_row *r, unsigned m)
{
	const uint64_t now = p6_sample_random(1, r->window) >> m & 1,
		       was = p6_sample_random(1, r->window - 1) >> m & 1;

	return r->unit.d > 1 ? (int64_t)now - (int64_t)was : 0;
}

/* Make *out, which the caller owns (p6_sample_close(), which takes NULL). every, is_open, seed and
 * full are the members of struct team_sample with these names. wire, n: the wires that are
 * estimated, copied; so is *sum. Returns 0 or -SPMU_ENOMEM; *out must be closed in either case. */
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

/* Returns which of the units of a window is worked out. distance: its units, a power of two. */
static inline unsigned p6_sample_place(uint32_t seed, uint64_t window, unsigned distance)
{
	return (unsigned)p6_sample_random(seed, window) & (distance - 1);
}

/* Begin the first unit, or the first one behind a fork, where the scout is. */
void p6_sample_begin(struct team_sample *s, struct p6 *scout);

/* Returns where the part that is under way ends, in instructions of the scout. */
uint64_t p6_sample_end(const struct team_sample *s);

/* The part that was under way has ended behind n_insn instructions of the scout: begin the next. */
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

/* The row that was kept last counts for parts of the run, too: it will not be dropped. */
void p6_sample_count(struct team_sample *s);

/* The piece of the unit under way between two marks is a row of its own; *to becomes *from, where
 * the unit goes on. Returns 0 or -SPMU_ENOMEM. */
int p6_sample_cut(struct team_sample *s, struct sample_mark *from, struct sample_mark *to);

/* Set part[] (model/part.h) to what is known of the run until now. total[WIRE_N] has what the scout
 * counted. All units are done, and the one under way was cut. */
void p6_sample_part(const struct team_sample *s, const struct p6 *scout, const uint64_t *total,
		    uint64_t *part);

/* In place of total[] and half[] of the wires that are estimated set those of a part, by the last
 * p6_sample_sum(). */
void p6_sample_part_totals(const struct team_sample *s, const uint64_t *part, uint64_t *total,
			   uint64_t *half);

/* Forget the unit that was kept last. */
void p6_sample_drop(struct team_sample *s);

/* Set total[] and half[] of the wires that are estimated. total[WIRE_N] has what the scout counted;
 * half[] is half of an interval at 95 %, 0 where the total is exact, and more than the total where
 * there are too few units to say. All units are done. Returns 0 or -SPMU_ENOMEM. Cost: some hundred
 * additions for each unit and wire. */
int p6_sample_sum(struct team_sample *s, const struct p6 *scout, uint64_t *total, uint64_t *half);

/* Keep total[] and half[] of the wires, as p6_sample_sum() has just set them: they are what was
 * counted up to here. Call p6_sample_begin() next. */
void p6_sample_settle(struct team_sample *s, const uint64_t *total, const uint64_t *half);

#endif
