/* diff_count.c -- what the files of softpmu diff share: counts and limits of two runs, and how a
 * change is written. Uses none of them.
 *
 * RULE   an own line is named when it counts a thousandth of the change, in its direction; tables
 *        show it, too, when it counts a twentieth in the other one.
 */
#include <stdio.h>
#include <string.h>

#include "cli/where/diff.h"
#include "cli/where/top.h"

#define LEAST_SHARE    1000
#define LEAST_CONTRARY 20
#define MOST_PERCENT   1000 /* more is said as a multiple */

uint64_t cli_diff_count(const struct cli_diff *d, unsigned which, bool is_main, uint32_t e)
{
	const uint64_t startup = is_main && d->startup[which] ? (uint64_t)d->startup[which][e] : 0;

	return d->rec[which]->event[e].total - startup;
}

const struct cli_broken *cli_diff_broken(const struct cli_diff *d, bool is_main, uint32_t e)
{
	for (size_t i = 0; i < d->n_broken; i++)
		if (d->broken[i].event == e && d->broken[i].is_main == is_main)
			return &d->broken[i];
	return NULL;
}

bool cli_diff_has_main(const struct cli_diff *d, uint32_t e)
{
	for (unsigned i = 0; i < d->limits->n; i++)
		if (d->limits->limit[i].is_main &&
		    cli_limit_is_about(&d->limits->limit[i], d->rec[0]->event[e].name))
			return true;
	return false;
}

bool cli_diff_is_named(const struct whr_pair *p, uint32_t e, int64_t all)
{
	const int64_t change = whr_change(p, e);

	return all ? (double)change / (double)all * LEAST_SHARE >= 1 : change != 0;
}

bool cli_diff_is_contrary(const struct whr_pair *p, uint32_t e, int64_t all)
{
	return all && (double)whr_change(p, e) / (double)all * LEAST_CONTRARY <= -1;
}

int64_t cli_diff_all(const struct cli_diff *d)
{
	return (int64_t)(cli_diff_count(d, 1, false, d->sort) -
			 cli_diff_count(d, 0, false, d->sort));
}

const char *cli_diff_number(int64_t n, char out[41])
{
	char plain[40];

	snprintf(out, 41, "%s%s", n > 0 ? "+" : "", cli_top_number(n, plain));
	return out;
}

const char *cli_diff_percent(uint64_t old, int64_t change, char out[16])
{
	const double share = old ? 100.0 * (double)change / (double)old : 0;

	if (share >= MOST_PERCENT)
		snprintf(out, 16, "x%.0f", share / 100 + 1);
	else if (old)
		snprintf(out, 16, "%+.2f%%", share);
	else
		snprintf(out, 16, "%s", change ? "new" : "");
	return out;
}
