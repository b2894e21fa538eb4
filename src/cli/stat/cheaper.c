/* cheaper.c -- the note that a run with clocks counted events that need none. Rules are in
 * cheaper.h.
 */
#include "cli/stat/cheaper.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "session/totals/counting.h"

#define LONG_S	    3.0
#define LEAST_INSNS 20000000u /* below them samples are dense, and spare little */

/* Measured (decision 033): samples take a quarter of the time of all clocks, and half of the
 * interval of clocks is 0.9 % at 10^8 instructions, less with the root of their number. */
static void say_samples(const struct ses_result *run, char *text, size_t room)
{
	const double half = 0.9 * sqrt(1e8 / ((double)run->instructions + 1));

	snprintf(text, room,
		 "%.0f s of processor time: --clocks sampled takes about %.0f s, and gives clocks "
		 "within %.*f %%",
		 run->user_s + run->sys_s, (run->user_s + run->sys_s) / 4, half < 0.95 ? 1 : 0,
		 half < 0.1 ? 0.1 : half);
}

/* Would samples do: clocks of one processor, of a program that is not too short? */
static bool can_sample(const struct cli_column *c, const struct ses_config *cfg,
		       const struct ses_result *run)
{
	return c->cpu->family == CAT_P6 && cfg->model.n_cpus <= 1 && !cfg->has_model_clock &&
	       !cfg->keeps_threads && !cfg->keeps_regions && !cfg->gate &&
	       run->instructions > LEAST_INSNS;
}

const char *cli_cheaper(const struct cli_column *c, const struct ses_config *cfg,
			const struct ses_result *run, char *text, size_t room)
{
	const char *first = NULL;
	size_t more = 0;

	if (run->tier < 3 || run->user_s + run->sys_s <= LONG_S)
		return NULL;
	for (size_t i = 0; i < c->events.n; i++) {
		if (ses_tier_of(c->cpu, &c->events.event[i], 1) < 3)
			continue;
		more += first != NULL;
		first = first ? first : c->events.event[i].name;
	}
	if (!first || cfg->model.p6.sample_every)
		return NULL;
	if (can_sample(c, cfg, run)) {
		say_samples(run, text, room);
		return text;
	}
	snprintf(text, room,
		 more
		     ? "%.0f s of processor time: %.40s and %zu more %s need clocks; a run without "
		       "them takes much less"
		     : "%.0f s of processor time: %.40s needs clocks; a run without it takes much "
		       "less",
		 run->user_s + run->sys_s, first, more, text_noun(more, "event", "events"));
	return text;
}
