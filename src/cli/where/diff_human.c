/* diff_human.c -- softpmu diff as tables for people. */
#include <string.h>

#include "base/text.h"
#include "cli/where/diff.h"
#include "cli/where/top.h"

#define NAME_LEAST 16

/* One line of the totals, as text. */
struct total {
	char name[160], old[40], new[40], change[41], part[CLI_DIFF_PART];
	bool is_broken;
};

/* Columns of the totals but the last two, "+1.25%" and "!". */
struct widths {
	int name, old, new, change;
};

static const struct widths usual = {28, 16, 16, 15};

static struct total total_of(const struct cli_diff *d, bool is_main, uint32_t e)
{
	const uint64_t was = cli_diff_count(d, 0, is_main, e),
		       is = cli_diff_count(d, 1, is_main, e);
	const int64_t more = (int64_t)(is - was);
	struct total t = {.is_broken = cli_diff_broken(d, is_main, e)};

	snprintf(t.name, sizeof(t.name), "%s%s", is_main ? "main:" : "", d->rec[0]->event[e].name);
	cli_top_number((int64_t)was, t.old);
	cli_top_number((int64_t)is, t.new);
	cli_diff_number(more, t.change);
	cli_diff_part(was, more, cli_diff_half(d, is_main, e), t.part);
	return t;
}

/* The next line of the totals behind place *at (from 0), or false. */
static bool next_total(const struct cli_diff *d, uint32_t *at, struct total *t)
{
	for (; *at < 2 * d->rec[0]->n_event; ++*at) {
		const uint32_t e = *at / 2;
		const bool is_main = *at % 2;

		if (*d->rec[0]->event[e].status || (is_main && !cli_diff_has_main(d, e)))
			continue;
		*t = total_of(d, is_main, e);
		++*at;
		return true;
	}
	return false;
}

static int wider(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

/* The usual columns where they fit, else those that the numbers need, and for names what is left.
 */
static struct widths widths_for(const struct cli_diff *d, const struct rpt_screen *screen)
{
	struct widths w = {(int)strlen("event"), (int)strlen("old"), (int)strlen("new"),
			   (int)strlen("change")};
	int part = 0, left;
	struct total t;

	for (uint32_t at = 0; next_total(d, &at, &t);) {
		w = (struct widths){wider(w.name, t.name), wider(w.old, t.old), wider(w.new, t.new),
				    wider(w.change, t.change)};
		part = wider(part, t.part) + 2 * t.is_broken;
	}
	left = screen->columns - part - 5;
	if (!screen->columns || usual.name + usual.old + usual.new + usual.change <= left)
		return usual;
	left -= w.old + w.new + w.change;
	if (w.name > left)
		w.name = left > NAME_LEAST ? left : NAME_LEAST;
	return w;
}

static void print_totals(const struct cli_diff *d, const struct rpt_screen *screen, FILE *out)
{
	const struct widths w = widths_for(d, screen);
	struct total t;
	char cut[128];

	fprintf(out, " %-*s %*s %*s %*s\n", w.name, "event", w.old, "old", w.new, "new", w.change,
		"change");
	for (uint32_t at = 0; next_total(d, &at, &t);)
		fprintf(out, " %-*s %*s %*s %*s %s%s\n", w.name,
			rpt_fold(t.name, screen->columns ? w.name : 0, cut), w.old, t.old, w.new,
			t.new, w.change, t.change, t.part, t.is_broken ? " !" : "");
}

void cli_diff_rows(const struct cli_diff *d, const struct whr_pairs *p, const struct whr_table *t,
		   const struct rpt_screen *screen, FILE *out)
{
	const bool is_own = p == &d->own_lines;

	size_t n = 0;

	for (size_t i = 0; i < p->n && n < d->most; i++) {
		const struct whr_pair *pair = &p->pair[i];
		const struct whr_row *row = pair->new ? pair->new : pair->old;
		const int64_t change = whr_change(pair, d->sort);
		const uint64_t was = pair->old ? (uint64_t)pair->old->count[d->sort] : 0;
		const double half = cli_diff_row_half(d, p, pair, d->sort);
		char number[41], part[CLI_DIFF_PART], line[256], cut[128], folded[RPT_FOLDED];
		const char *name = is_own ? cli_diff_own_name(d, row, line, sizeof(line))
					  : whr_name(t, row, line, sizeof(line));
		const char *in = t->by == WHR_LINE ? row->function : text_last_part(row->object);
		const bool has_in = *in && strcmp(in, name);
		int at, room;

		if (!cli_diff_is_shown(d, p, pair))
			continue;
		n++;
		at = fprintf(out, " %15s %*s", cli_diff_number(change, number), half > 0 ? 18 : 9,
			     !pair->new ? "gone" : cli_diff_part(was, change, half, part));
		room = screen->columns ? screen->columns - at - 2 : 0;
		if (screen->columns)
			name = rpt_fold_arguments(name, folded);
		name = rpt_fold(name, room && room < NAME_LEAST ? NAME_LEAST : room, cut);
		at += fprintf(out, "  %s", name);
		room = screen->columns ? screen->columns - at - 2 : 0;
		if (has_in && (!screen->columns || room >= NAME_LEAST / 2))
			fprintf(out, "  %s",
				rpt_fold(screen->columns ? rpt_fold_arguments(in, folded) : in,
					 room, cut));
		fputc('\n', out);
	}
}

/* A heading, and the rows behind it. */
static void print_table(const struct cli_diff *d, const char *what, const struct whr_pairs *p,
			const struct whr_table *t, const struct rpt_screen *screen, FILE *out)
{
	char title[512];

	snprintf(title, sizeof(title), " %s, by change of %s:", what,
		 d->rec[0]->event[d->sort].name);
	fputc('\n', out);
	rpt_wrap(screen, title, 1, out);
	fputc('\n', out);
	cli_diff_rows(d, p, t, screen, out);
}

void cli_diff_human(const struct cli_diff *d, const struct rpt_screen *screen, FILE *out)
{
	print_totals(d, screen, out);
	if (cli_diff_has_own(d))
		print_table(d, cli_diff_own_title(d), &d->own_lines, &d->own[1], screen, out);
	if (cli_diff_has_shown(d, &d->functions))
		print_table(d, "Functions", &d->functions, &d->function[1], screen, out);
	if (cli_diff_has_shown(d, &d->lines))
		print_table(d, "Lines", &d->lines, &d->line[1], screen, out);
	fputc('\n', out);
	for (unsigned i = 0; i < d->n_note; i++) {
		char note[sizeof(d->note[0]) + 16];

		snprintf(note, sizeof(note), " Note: %s.", d->note[i]);
		rpt_wrap(screen, note, 7, out);
	}
}
