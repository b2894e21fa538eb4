/* samples.c -- sums, least, largest and deviation of the samples of each pair. Rules are in
 * samples.h.
 */
#include "rabbit/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int rbt_samples_open(struct rbt_samples *s, const struct rbt_pairs *pairs, uint64_t rotate,
		     uint32_t trim)
{
	*s = (struct rbt_samples){.pairs = pairs, .rotate = rotate, .trim = trim};
	s->of = calloc(pairs->n + 1, sizeof(*s->of));
	s->own = calloc(pairs->events.n + 1, sizeof(*s->own));
	if (!s->of || !s->own)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < pairs->n && trim; i++) {
		s->of[i].held = calloc(trim, sizeof(*s->of[i].held));
		if (!s->of[i].held)
			return -SPMU_ENOMEM;
	}
	return 0;
}

void rbt_samples_free(struct rbt_samples *s)
{
	for (size_t i = 0; s->of && i < s->pairs->n; i++)
		free(s->of[i].held);
	free(s->of);
	free(s->own);
	*s = (struct rbt_samples){0};
}

size_t rbt_samples_pair(const struct rbt_samples *s, uint64_t number)
{
	return (size_t)(number / s->rotate % s->pairs->n);
}

/* Mean and squares by Welford's recurrence: no large numbers are taken from each other. */
static void add_value(struct rbt_spread *x, uint64_t value, bool is_whole)
{
	double d;

	x->sum += value;
	if (!is_whole)
		return;
	if (!x->n || value < x->least)
		x->least = value;
	if (!x->n || value > x->most)
		x->most = value;
	x->n++;
	d = (double)value - x->mean;
	x->mean += d / (double)x->n;
	x->squares += d * ((double)value - x->mean);
}

static void keep_sample(struct rbt_pair_sums *p, const struct rbt_held *h)
{
	p->n++;
	p->n_partial += h->is_partial;
	p->clk += h->clk;
	for (int i = 0; i < 2; i++)
		add_value(&p->spread[i], h->count[i], !h->is_partial);
}

/* With trim the first samples are left out, and each of the others waits until so many more have
 * come. */
static void pass(struct rbt_samples *s, struct rbt_pair_sums *p, const struct rbt_held *h)
{
	const uint64_t seen = p->n_seen++;

	if (!s->trim) {
		keep_sample(p, h);
	} else if (seen >= s->trim) {
		struct rbt_held *place = &p->held[seen % s->trim];

		if (seen >= 2ull * s->trim)
			keep_sample(p, place);
		*place = *h;
	}
}

static uint64_t counted(const struct evt_count *c)
{
	return c->status == EVT_COUNTED ? c->value : 0;
}

void rbt_samples_take(struct rbt_samples *s, const struct rbt_sample *sample)
{
	const size_t at = rbt_samples_pair(s, sample->number);
	const struct rbt_pair *pair = &s->pairs->pair[at];
	struct rbt_held h = {.clk = counted(&sample->count[RBT_CLOCK]),
			     .is_partial = sample->is_partial};

	for (int i = 0; i < 2; i++)
		h.count[i] = pair->has[i] ? counted(&sample->count[pair->at[i]]) : 0;
	for (size_t i = 0; i < s->pairs->events.n; i++)
		s->own[i] += counted(&sample->count[i]);
	pass(s, &s->of[at], &h);
	s->n++;
}

double rbt_deviation(const struct rbt_spread *x)
{
	return x->n > 1 ? sqrt(x->squares / (double)(x->n - 1)) : 0;
}
