/* diff_interval.c -- intervals of what softpmu diff compares: of records whose clocks are estimates
 * (record --clocks sampled), or one of them.
 *
 * RULE   the halves of old and new add up as independent errors do. Two runs of one program at the
 *        same places err alike, so that theirs is wider than need be. A change that is smaller is
 *        none: a row like that is left out of tables. Of rows only clocks have intervals; of other
 *        estimates nobody knows how far a row is off, and no change of it is shown as one.
 */
#include <math.h>

#include "cli/where/diff.h"

/* Half of the interval of one count of a row, or of no row. */
static double half_of(const struct whr_intervals *w, const struct whr_row *row, uint32_t e)
{
	return w->rec ? whr_half_of(w, row, e, row ? row->count[e] : 0) : 0;
}

/* As half_of(), of a total. */
static double half_of_total(const struct cli_diff *d, unsigned which, bool is_main, uint32_t e)
{
	const struct whr_row startup = {.function = WHR_STARTUP,
					.file = "",
					.object = "",
					.process = "",
					.count = d->startup[which]};
	const uint64_t half = d->rec[which]->event[e].half;

	if (half >= WHR_NO_INTERVAL)
		return (double)INFINITY;
	if (!is_main || !half || !startup.count)
		return (double)half;
	return hypot((double)half, half_of(&d->function_interval[which], &startup, e));
}

double cli_diff_half(const struct cli_diff *d, bool is_main, uint32_t e)
{
	return hypot(half_of_total(d, 0, is_main, e), half_of_total(d, 1, is_main, e));
}

double cli_diff_row_half(const struct cli_diff *d, const struct whr_pairs *p,
			 const struct whr_pair *pair, uint32_t e)
{
	const struct whr_intervals *w = p == &d->functions   ? d->function_interval
					: p == &d->own_lines ? d->own_interval
							     : d->line_interval;

	return hypot(half_of(&w[0], pair->old, e), half_of(&w[1], pair->new, e));
}

bool cli_diff_has_changed(const struct cli_diff *d, const struct whr_pairs *p,
			  const struct whr_pair *pair, uint32_t e)
{
	const int64_t change = whr_change(pair, e);

	return change && fabs((double)change) > cli_diff_row_half(d, p, pair, e);
}

bool cli_diff_is_shown(const struct cli_diff *d, const struct whr_pairs *p,
		       const struct whr_pair *pair)
{
	if (p == &d->own_lines && !cli_diff_is_named(pair, d->sort, cli_diff_all(d)) &&
	    !cli_diff_is_contrary(pair, d->sort, cli_diff_all(d)))
		return false;
	if (p != &d->functions && cli_diff_is_one_sided(d, pair))
		return false;
	return d->shows_unchanged ? whr_change(pair, d->sort) != 0
				  : cli_diff_has_changed(d, p, pair, d->sort);
}

bool cli_diff_has_shown(const struct cli_diff *d, const struct whr_pairs *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (cli_diff_is_shown(d, p, &p->pair[i]))
			return true;
	return false;
}

int cli_diff_intervals(struct cli_diff *d)
{
	int rc = 0;

	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = whr_intervals_build(&d->function_interval[i], d->rec[i], d->names[i],
					 WHR_FUNCTION);
		rc = rc ? rc
			: whr_intervals_build(&d->line_interval[i], d->rec[i], d->names[i],
					      WHR_LINE);
	}
	return rc;
}

/* Has an estimate of event e an interval of the whole, and none of rows? */
static bool has_whole_alone(const struct cli_diff *d, uint32_t e)
{
	const struct rec_event *old = &d->rec[0]->event[e], *new = &d->rec[1]->event[e];

	return (old->half && !old->has_replicates) || (new->half && !new->has_replicates);
}

void cli_diff_note_unchanged(struct cli_diff *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->functions.n; i++)
		n += whr_change(&d->functions.pair[i], d->sort) &&
		     !cli_diff_has_changed(d, &d->functions, &d->functions.pair[i], d->sort);
	if (!n || d->n_note == CLI_DIFF_NOTES)
		return;
	if (has_whole_alone(d, d->sort))
		snprintf(d->note[d->n_note++], sizeof(d->note[0]),
			 "of %s, an estimate, nobody knows how far a function may be off; "
			 "records with --clocks exact tell which changed",
			 d->rec[0]->event[d->sort].name);
	else
		snprintf(d->note[d->n_note++], sizeof(d->note[0]),
			 "the intervals of estimates explain the change of %zu function%s%s; "
			 "records with --clocks exact tell what changed there",
			 n, n > 1 ? "s" : "", d->shows_unchanged ? "" : ", which -v shows");
}

const char *cli_diff_part(uint64_t old, int64_t change, double half, char out[CLI_DIFF_PART])
{
	const double share = old ? 100 * half / (double)old : 0;
	const bool has_changed = fabs((double)change) > half;
	char part[16], interval[24] = "+->100%";

	if (half <= 0) {
		snprintf(out, CLI_DIFF_PART, "%s", cli_diff_percent(old, change, part));
		return out;
	}
	if (old && share < 99.995)
		snprintf(interval, sizeof(interval), "+-%.2f%%", share);
	snprintf(out, CLI_DIFF_PART, "%s %s",
		 has_changed ? cli_diff_percent(old, change, part) : "as before", interval);
	return out;
}
