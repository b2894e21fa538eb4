/* diff_human.c -- softpmu diff as tables for people. */
#include <string.h>

#include "cli/where/diff.h"
#include "cli/where/top.h"

#define NAME_LEAST   16
#define MOST_PERCENT 1000 /* more is said as a multiple */

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

const char *cli_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_total(const struct cli_diff *d, bool is_main, uint32_t e, FILE *out)
{
	const uint64_t was = cli_diff_count(d, 0, is_main, e),
		       is = cli_diff_count(d, 1, is_main, e);
	const int64_t more = (int64_t)(is - was);
	char name[160], old[40], new[40], change[41], part[16];

	snprintf(name, sizeof(name), "%s%s", is_main ? "main:" : "", d->rec[0]->event[e].name);
	fprintf(out, " %-28s %16s %16s %15s %s%s\n", name, cli_top_number((int64_t)was, old),
		cli_top_number((int64_t)is, new), cli_diff_number(more, change),
		cli_diff_percent(was, more, part), cli_diff_broken(d, is_main, e) ? " !" : "");
}

static void print_totals(const struct cli_diff *d, FILE *out)
{
	fprintf(out, " %-28s %16s %16s %15s\n", "event", "old", "new", "change");
	for (uint32_t e = 0; e < d->rec[0]->n_event; e++) {
		if (*d->rec[0]->event[e].status)
			continue;
		print_total(d, false, e, out);
		if (cli_diff_has_main(d, e))
			print_total(d, true, e, out);
	}
}

/* Pairs by the change of one event: those that changed. */
static void print_pairs(const struct cli_diff *d, const struct whr_pairs *p,
			const struct whr_table *t, const struct rpt_screen *screen, FILE *out)
{
	for (size_t i = 0; i < p->n && i < d->most; i++) {
		const struct whr_pair *pair = &p->pair[i];
		const struct whr_row *row = pair->new ? pair->new : pair->old;
		const int64_t change = whr_change(pair, d->sort);
		const uint64_t was = pair->old ? (uint64_t)pair->old->count[d->sort] : 0;
		char number[41], part[16], line[256], cut[128];
		const char *name = whr_name(t, row, line, sizeof(line));
		const char *in = t->by == WHR_LINE ? row->function : cli_last_part(row->object);
		int at, room;

		if (!change)
			return;
		at = fprintf(out, " %15s %9s", cli_diff_number(change, number),
			     !pair->new ? "gone" : cli_diff_percent(was, change, part));
		room = screen->columns ? screen->columns - at - 2 : 0;
		name = rpt_fold(name, room && room < NAME_LEAST ? NAME_LEAST : room, cut);
		at += fprintf(out, "  %s", name);
		room = screen->columns ? screen->columns - at - 2 : 0;
		if (*in && (!screen->columns || room >= NAME_LEAST / 2) && strcmp(in, name))
			fprintf(out, "  %s", rpt_fold(in, room, cut));
		fputc('\n', out);
	}
}

void cli_diff_human(const struct cli_diff *d, const struct rpt_screen *screen, FILE *out)
{
	const char *event = d->rec[0]->event[d->sort].name;

	print_totals(d, out);
	if (d->functions.n && whr_change(&d->functions.pair[0], d->sort)) {
		fprintf(out, "\n Functions, by change of %s:\n\n", event);
		print_pairs(d, &d->functions, &d->function[1], screen, out);
	}
	if (d->lines.n && whr_change(&d->lines.pair[0], d->sort)) {
		fprintf(out, "\n Lines, by change of %s:\n\n", event);
		print_pairs(d, &d->lines, &d->line[1], screen, out);
	}
	fputc('\n', out);
	for (unsigned i = 0; i < d->n_note; i++)
		fprintf(out, " Note: %s.\n", d->note[i]);
}
