/* rotate.c -- adds up the turns of --rotate and estimates whole counts from them. Rules are in
 * rotate.h.
 */
#include "cli/stat/rotate.h"

#include <stdlib.h>
#include <string.h>

#define CLK_PER_MS_MHZ 1000u
#define NS_PER_CLK_MHZ 1000.0

static uint64_t value_of(const struct evt_count *c)
{
	return c->status == EVT_COUNTED ? c->value : 0;
}

static void take_turn(void *ctx, const struct ses_interval *i)
{
	struct cli_rotate *r = ctx;
	const size_t n = r->n_event - 1; /* the last one is the clock */
	const uint64_t clk = value_of(&i->count[n]);
	int turn;

	if (i->is_so_far)
		return;
	turn = (int)(r->n_turn++ % (uint64_t)r->plan->n_run);
	r->own[n] += clk;
	for (size_t k = 0; k < n; k++) {
		r->own[k] += value_of(&i->count[k]);
		if (r->plan->run[k] >= 0 && r->plan->run[k] != turn)
			continue;
		r->sampled[k] += value_of(&i->count[k]);
		r->clk[k] += clk;
	}
}

int cli_rotate_open(struct cli_rotate *r, const struct cli_column *column, unsigned ms,
		    struct spmu_error *err)
{
	const size_t n = column->events.n;
	int rc;

	*r = (struct cli_rotate){
	    .n_event = n + 1, .plan = &column->plan, .mhz = column->cpu->core_mhz};
	r->event = calloc(n + 1, sizeof(*r->event));
	r->sampled = calloc(n + 1, sizeof(*r->sampled));
	r->clk = calloc(n + 1, sizeof(*r->clk));
	r->own = calloc(n + 1, sizeof(*r->own));
	if (!r->event || !r->sampled || !r->clk || !r->own)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (n)
		memcpy(r->event, column->events.event, n * sizeof(*r->event));
	rc = evt_parse_event(column->cpu, "cycles", false, &r->event[n], err);
	if (rc || !r->event[n].event)
		return spmu_fail(err, SPMU_ENOTSUP,
				 "--rotate: %s has no event that counts its clocks",
				 column->cpu->name);
	r->intervals =
	    (struct ses_intervals_config){.every_clk = (uint64_t)ms * r->mhz * CLK_PER_MS_MHZ,
					  .clock = &r->event[n],
					  .tell = take_turn,
					  .ctx = r};
	return 0;
}

/* Replaces the count of event k: scales what its turns counted in the first process to all clocks
 * of that process, and adds what the other processes counted. */
static void estimate(const struct cli_rotate *r, size_t k, struct evt_count *count)
{
	const uint64_t all = r->own[r->n_event - 1], others = count->value - r->own[k];

	if (count->status != EVT_COUNTED || r->plan->run[k] < 0)
		return;
	if (!r->clk[k]) {
		*count = (struct evt_count){
		    .status = EVT_NOT_COUNTED,
		    .why = "the run was over before its set had a turn; a shorter "
			   "--rotate gives it one"};
		return;
	}
	count->value =
	    others + (uint64_t)((double)r->sampled[k] / (double)r->clk[k] * (double)all + 0.5);
}

int cli_rotate_end(struct cli_rotate *r, struct ses_result *run)
{
	const size_t n = r->n_event - 1;

	run->share = calloc(n + 1, sizeof(*run->share));
	if (!run->share)
		return -SPMU_ENOMEM;
	for (size_t k = 0; k < n; k++) {
		const uint64_t of = r->plan->run[k] < 0 ? r->own[n] : r->clk[k];

		run->share[k].enabled_ns = (uint64_t)((double)r->own[n] / r->mhz * NS_PER_CLK_MHZ);
		run->share[k].running_ns = (uint64_t)((double)of / r->mhz * NS_PER_CLK_MHZ);
		estimate(r, k, &run->count[k]);
	}
	return 0;
}

void cli_rotate_close(struct cli_rotate *r)
{
	free(r->event);
	free(r->sampled);
	free(r->clk);
	free(r->own);
	*r = (struct cli_rotate){0};
}
