/* human.c -- softpmu bench as tables for people. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/where/top.h"
#include "report/report.h"

#define EVENTS_BESIDE 4u /* in one table */
#define EXACT	      16 /* columns of a count */
#define ESTIMATE      25
#define TIMES	      9 /* columns of a blank, and of how many times the least count it is */
#define COMMAND_LEAST 12

const char *cli_bench_count(const struct evt_count *c, char out[64])
{
	char plain[40];

	if (c->status != EVT_COUNTED)
		snprintf(out, 64, "%s", rpt_status_text(c->status));
	else if (c->half)
		snprintf(out, 64, "%s +-%.2f%%", cli_top_number((int64_t)c->value, plain),
			 c->value ? 100.0 * (double)c->half / (double)c->value : 0);
	else
		cli_top_number((int64_t)c->value, out);
	return out;
}

static int width_of(const struct cli_bench *b, size_t e)
{
	for (size_t k = 0; k < b->n_side; k++)
		if (b->side[k].count[e].half || b->side[k].count[e].status != EVT_COUNTED)
			return ESTIMATE;
	return EXACT;
}

/* The event behind the last that fits beside `first`, which does in any case. */
static size_t end_of_table(const struct cli_bench *b, size_t first, const struct rpt_screen *screen)
{
	const int most = screen->columns - COMMAND_LEAST;
	int at = 0;
	size_t e = first;

	while (e < b->events.n && e < first + EVENTS_BESIDE) {
		at += width_of(b, e) + TIMES;
		if (screen->columns && e > first && at > most)
			break;
		e++;
	}
	return e;
}

/* The events from `first` to `end`, a line per command. */
static void put_counts(const struct cli_bench *b, size_t first, size_t end,
		       const struct rpt_screen *screen, FILE *out)
{
	char text[128];

	for (size_t e = first; e < end; e++)
		fprintf(out, " %*s", width_of(b, e) + TIMES - 1,
			rpt_fold(b->events.event[e].name,
				 screen->columns ? width_of(b, e) + TIMES - 1 : 0, text));
	fputs("  command\n", out);
	for (size_t k = 0; k < b->n_side; k++) {
		const struct cli_bench_side *s = &b->side[k];
		int at = 0;

		for (size_t e = first; e < end; e++) {
			const double times = cli_bench_times(b, k, e);

			at += fprintf(out, " %*s", width_of(b, e),
				      cli_bench_count(&s->count[e], text));
			if (s->count[e].status == EVT_COUNTED && times > 0)
				at += fprintf(out, " %7.2f", times);
			else
				at += fprintf(out, " %7s", "");
		}
		at = screen->columns - at - 2;
		at = at > COMMAND_LEAST ? at : COMMAND_LEAST;
		fprintf(out, "  %s\n", rpt_fold(s->command.name, screen->columns ? at : 0, text));
	}
	fputc('\n', out);
}

/* A sentence in lines of the screen. */
__attribute__((format(printf, 4, 5))) static void
put_sentence(const struct rpt_screen *screen, int indent, FILE *out, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		rpt_wrap(screen, text, indent, out);
		free(text);
	}
	va_end(args);
}

/* A command's name in a sentence. Buffer is the caller's. */
static const char *name_in(const struct rpt_screen *screen, const struct cli_bench_side *s,
			   char out[128])
{
	return rpt_fold(s->command.name, screen->columns / 2, out);
}

#define SMALL 1.01 /* a ratio below it is printed as a percentage */

/* "3.96 times its cycles", "0.07% more cycles". */
static const char *more_of(double times, const char *event, char out[160])
{
	if (times < SMALL)
		snprintf(out, 160, "%.2g%% more %s", 100 * (times - 1), event);
	else
		snprintf(out, 160, "%.2f times its %s", times, event);
	return out;
}

/* The winner in a sentence for each of the others. */
static void put_winner(const struct cli_bench *b, const size_t *order, size_t n,
		       const struct rpt_screen *screen, FILE *out)
{
	const char *event = b->events.event[b->sort].name;
	const struct cli_bench_side *best = &b->side[order[0]];
	char cut[2][128], more[160];

	for (size_t i = 1; i < n; i++) {
		const struct cli_bench_side *s = &b->side[order[i]];
		const struct evt_count *was = &best->count[b->sort], *is = &s->count[b->sort];
		const char *first = name_in(screen, best, cut[0]),
			   *other = name_in(screen, s, cut[1]);

		if (was->value == is->value)
			put_sentence(screen, 1, out, " %s and %s take the same %s.", first, other,
				     event);
		else if (!cli_bench_is_apart(was, is))
			put_sentence(
			    screen, 1, out,
			    " %s and %s: the intervals of their %s meet, and neither wins.", first,
			    other, event);
		else
			put_sentence(screen, 1, out, " %s wins: %s takes %s.", first, other,
				     more_of(cli_bench_times(b, order[i], b->sort), event, more));
	}
	fputc('\n', out);
}

static void put_reasons(const struct cli_bench *b, size_t winner, size_t other,
			const struct rpt_screen *screen, FILE *out)
{
	struct cli_bench_reason reason[CLI_BENCH_ROWS + 1];
	const size_t n = cli_bench_reasons(b, winner, other, reason);
	char number[41], half[48], name[80], line[512];
	bool has_half = false;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		has_half |= reason[i].half > 0;
	fprintf(out, "\n   by %s, in clocks%s:\n\n", reason[0].stall ? "stall" : "reason",
		reason[0].stall ? " (stalls overlap, and are a part of the clocks)"
		: has_half	? " (+- half of an interval at 95 %)"
				: "");
	for (size_t i = 0; i < n; i++) {
		cli_diff_number(reason[i].clocks, number);
		*half = 0;
		if (reason[i].half > 0)
			snprintf(half, sizeof(half), " +-%s",
				 cli_top_number((int64_t)llround(reason[i].half), line));
		snprintf(line, sizeof(line), " %15s%s  %s%s", number, half,
			 cli_bench_reason_name(&reason[i], name),
			 cli_bench_reason_text(&reason[i]));
		rpt_wrap(screen, line, 18, out);
	}
}

static int put_why(const struct cli_bench *b, size_t winner, size_t other,
		   const struct rpt_screen *screen, FILE *out)
{
	struct cli_diff d;
	const int code = cli_bench_pair(b, winner, other, &d);
	char cut[2][128];

	if (!code) {
		put_sentence(screen, 1, out, " Why: %s takes more than %s",
			     name_in(screen, &b->side[other], cut[0]),
			     name_in(screen, &b->side[winner], cut[1]));
		if (d.functions.n && whr_change(&d.functions.pair[0], d.sort)) {
			fprintf(out, "\n   by function, in %s:\n\n", b->placed.event[d.sort].name);
			cli_diff_rows(&d, &d.functions, &d.function[1], screen, out);
		}
		put_reasons(b, winner, other, screen, out);
		fputc('\n', out);
	}
	whr_pairs_free(&d.functions);
	return code;
}

/* The processor, and the digest of each command's input. */
static void put_machine(const struct cli_bench *b, const struct rpt_screen *screen, FILE *out)
{
	char text[128 + 24 * CLI_MOST_COMMANDS];
	size_t n = (size_t)snprintf(text, sizeof(text), " %.80s", b->run.cfg.model.cpu->text);

	for (size_t k = 0; k < b->n_side; k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %016llx",
				      k		      ? ","
				      : b->n_side > 1 ? "; input digests"
						      : "; input digest",
				      (unsigned long long)b->side[k].placed.input_digest);
	rpt_wrap(screen, text, 1, out);
}

int cli_bench_human(const struct cli_bench *b, FILE *out)
{
	struct rpt_screen screen = cli_log_screen(out, b->color);
	size_t order[CLI_MOST_COMMANDS];
	const size_t n = cli_bench_rank(b, order);
	char text[640];
	int code = 0;

	if (b->is_verbose)
		screen.columns = 0;
	fputc('\n', out);
	for (size_t e = 0, end; e < b->events.n; e = end) {
		end = end_of_table(b, e, &screen);
		put_counts(b, e, end, &screen, out);
	}
	if (n > 1)
		put_winner(b, order, n, &screen, out);
	for (size_t i = 1; i < n && !code; i++)
		if (cli_bench_is_apart(&b->side[order[0]].count[b->sort],
				       &b->side[order[i]].count[b->sort]))
			code = put_why(b, order[0], order[i], &screen, out);
	if (b->run.is_quiet)
		return code;
	put_machine(b, &screen, out);
	for (unsigned i = 0; cli_bench_note(b, i, text, sizeof(text)); i++) {
		put_sentence(&screen, 7, out, " Note: %s",
			     cli_bench_note(b, i, text, sizeof(text)));
	}
	return code;
}
