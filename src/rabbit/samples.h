/* samples.h -- what the samples of a run saw, pair by pair in rotation.
 *
 * COUNTING RULES   sample k belongs to pair (k / rotate) mod n. All events are counted
 *                  throughout; a pair keeps what its own samples saw of its two events, and the
 *                  clocks of these samples. A sample that the end of the program cut short is
 *                  partial: it is in the sums, and not in mean, least, largest and deviation.
 *                  With trim the first and the last samples of each pair are in none of them.
 * NOT MODELLED     the cost of an interrupt per sample, which rabbit had: taking a sample costs
 *                  the program nothing.
 */
#ifndef SOFTPMU_RABBIT_SAMPLES_H
#define SOFTPMU_RABBIT_SAMPLES_H

#include "rabbit/pairs.h"

struct rbt_sample {
	uint64_t number; /* 0.. */
	uint64_t to_clk; /* of the processor's clock, where it ends */
	bool is_partial;
	const struct evt_count *count; /* one per event of the list of pairs */
};

/* Of one event in the samples of its pair. */
struct rbt_spread {
	uint64_t sum;
	uint64_t least, most; /* of whole samples; valid with n */
	uint64_t n;	      /* whole samples */
	double mean, squares; /* of them; sum of squared distances from the mean */
};

struct rbt_pair_sums {
	uint64_t n, n_partial; /* samples; of these */
	uint64_t clk;
	struct rbt_spread spread[2];
	/* trim: samples that may still turn out to be the last ones; a ring */
	struct rbt_held {
		uint64_t clk, count[2];
		bool is_partial;
	} * held; /* owned, trim of them; NULL: no trim */
	uint64_t n_seen;
};

struct rbt_samples {
	const struct rbt_pairs *pairs; /* borrowed */
	struct rbt_pair_sums *of;      /* owned; one per pair */
	uint64_t *own;		       /* owned; one per event: all samples together */
	uint64_t rotate, n;	       /* samples so far */
	uint32_t trim;
};

/* Returns 0 or -SPMU_ENOMEM. rbt_samples_free() in every case. */
int rbt_samples_open(struct rbt_samples *s, const struct rbt_pairs *pairs, uint64_t rotate,
		     uint32_t trim);
void rbt_samples_free(struct rbt_samples *s);

/* Whose turn is sample `number`? */
size_t rbt_samples_pair(const struct rbt_samples *s, uint64_t number);

/* Take the next sample. */
void rbt_samples_take(struct rbt_samples *s, const struct rbt_sample *sample);

/* Standard deviation of the whole samples; 0 with less than two. */
double rbt_deviation(const struct rbt_spread *x);

#endif
