/* compare.c -- which command of softpmu bench wins, by which functions and for which reasons; and
 * whether the others stay within their limits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/diagram.h"
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/stat/against.h"
#include "report/report.h"

#define LEAST_REASON 100 /* a part of so many of the difference is shown */

/* ---- who wins -------------------------------------------------------------------------------- */

size_t cli_bench_rank(const struct cli_bench *b, size_t *order)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n_side; i++) {
		const struct evt_count *c = &b->side[i].count[b->sort];
		size_t at = n;

		if (c->status != EVT_COUNTED)
			continue;
		for (; at && b->side[order[at - 1]].count[b->sort].value > c->value; at--)
			order[at] = order[at - 1];
		order[at] = i;
		n++;
	}
	return n;
}

bool cli_bench_is_apart(const struct evt_count *a, const struct evt_count *b)
{
	const double apart = fabs((double)a->value - (double)b->value);

	return apart > rpt_against_half(a, b);
}

double cli_bench_times(const struct cli_bench *b, size_t side, size_t event)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < b->n_side; i++) {
		const struct evt_count *c = &b->side[i].count[event];

		if (c->status == EVT_COUNTED && c->value < least)
			least = c->value;
	}
	return least ? (double)b->side[side].count[event].value / (double)least : 0;
}

/* ---- why ------------------------------------------------------------------------------------- */

int cli_bench_pair(const struct cli_bench *b, size_t winner, size_t other, struct cli_diff *d)
{
	*d = (struct cli_diff){
	    .rec = {b->side[winner].rec, b->side[other].rec},
	    .function = {b->side[winner].function, b->side[other].function},
	    .sort = b->placed_sort,
	    .most = b->is_verbose ? SIZE_MAX : CLI_BENCH_ROWS,
	};
	if (whr_pair_up(&d->functions, &d->function[0], &d->function[1], NULL))
		return cli_fail("out of memory for the difference");
	whr_pairs_sort(&d->functions, d->sort);
	return 0;
}

const char *cli_bench_reason_text(const struct cli_bench_reason *r)
{
	const char *text = r->metric ? r->metric->text : NULL;
	const char *colon = text ? strstr(text, ": ") : NULL;

	if (r->stall)
		return r->stall->meaning;
	if (!text)
		return "all other reasons together";
	return colon ? colon + 2 : text;
}

const char *cli_bench_reason_name(const struct cli_bench_reason *r, char out[80])
{
	*out = 0;
	if (r->stall)
		snprintf(out, 80, "%s: ", r->stall->name);
	return out;
}

static struct cli_bench_reason reason_of(const struct cli_bench *b, const struct evt_metric *m,
					 size_t winner, size_t other)
{
	const struct evt_value was = evt_formula_value(&m->formula, &b->why,
						       b->side[winner].reasons.count),
			       is = evt_formula_value(&m->formula, &b->why,
						      b->side[other].reasons.count);

	if (!*m->row->stack || was.status != EVT_COUNTED || is.status != EVT_COUNTED)
		return (struct cli_bench_reason){.metric = NULL};
	return (struct cli_bench_reason){.metric = m->row,
					 .clocks = llroundl(is.value - was.value),
					 .half = (double)hypotl(was.half, is.half)};
}

/* How much longer was this stall? */
static struct cli_bench_reason stall_of(const struct cli_bench *b, const struct cat_event *e,
					size_t winner, size_t other)
{
	const int at = e ? evt_events_find(&b->why, e, e->default_umask) : -1;
	const struct evt_count *was = b->side[winner].reasons.count + at,
			       *is = b->side[other].reasons.count + at;

	if (at < 0 || was->status != EVT_COUNTED || is->status != EVT_COUNTED)
		return (struct cli_bench_reason){.metric = NULL};
	return (struct cli_bench_reason){.stall = e, .clocks = (int64_t)(is->value - was->value)};
}

/* Is the event that decides the number of clocks, and no other count of clocks? */
static bool sorts_by_clocks(const struct cli_bench *b)
{
	const struct evt_event *e = &b->events.event[b->sort];

	return !e->cmask && !e->inv && !e->edge && !strcmp(e->event->name, "CPU_CLK_UNHALTED");
}

/* Append what the n rows leave of `all`, so that they sum to it. Returns how many there are then.
 */
static size_t add_rest(struct cli_bench_reason *out, size_t n, int64_t all)
{
	double square = 0;

	for (size_t i = 0; i < n; i++) {
		all -= out[i].clocks;
		square += out[i].half * out[i].half;
	}
	if (n && all)
		out[n++] = (struct cli_bench_reason){.clocks = all, .half = sqrt(square)};
	return n;
}

/* Put one in its place among the n largest, when it is one of them and of some weight in `whole`.
 * Returns how many there are then. */
static size_t add_reason(struct cli_bench_reason *out, size_t n, struct cli_bench_reason one,
			 double whole)
{
	const double clocks = fabs((double)one.clocks);
	size_t at = n;

	if ((!one.metric && !one.stall) || clocks <= one.half || clocks * LEAST_REASON < whole)
		return n;
	for (; at && fabs((double)out[at - 1].clocks) < clocks; at--)
		if (at < CLI_BENCH_ROWS)
			out[at] = out[at - 1];
	if (at < CLI_BENCH_ROWS)
		out[at] = one;
	return n + (n < CLI_BENCH_ROWS);
}

size_t cli_bench_reasons(const struct cli_bench *b, size_t winner, size_t other,
			 struct cli_bench_reason *out)
{
	const int64_t whole =
	    (int64_t)(b->side[other].count[b->sort].value - b->side[winner].count[b->sort].value);
	const struct cat_diagram *d = cat_diagram_of(b->run.cfg.model.cpu);
	const double weight = fabs((double)whole);
	int64_t all = 0;
	size_t n = 0;

	for (size_t i = 0; b->has_stalls && i < d->n_part; i++)
		n = add_reason(out, n, stall_of(b, d->part[i].event, winner, other), weight);
	for (size_t i = 0; i < b->parts.n; i++) {
		const struct cli_bench_reason one =
		    reason_of(b, &b->parts.metric[i], winner, other);

		all += one.clocks;
		n = add_reason(out, n, one, weight);
	}
	if (b->has_stalls)
		return n;
	return add_rest(out, n, sorts_by_clocks(b) ? whole : all);
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* Sentence about a side, or NULL: there is nothing to say. */
static const char *note_on_side(const struct cli_bench *b, const struct cli_bench_side *s,
				char *out, size_t room)
{
	if (s->repeats)
		return NULL;
	if (s->n_run > 1)
		snprintf(out, room, "%s: %s; its counts are means of %u runs", s->command.name,
			 s->unlike, s->n_run);
	else
		snprintf(out, room,
			 "%s: %s; its counts are those of one run, -r N shows how far they spread",
			 s->command.name, s->unlike);
	return out;
}

const char *cli_bench_note(const struct cli_bench *b, unsigned i, char *out, size_t room)
{
	unsigned n = 0, n_repeat = 0;

	for (size_t k = 0; k < b->n_side; k++) {
		n_repeat += b->side[k].repeats;
		if (note_on_side(b, &b->side[k], out, room) && n++ == i)
			return out;
	}
	if (n_repeat == b->n_side && n++ == i) {
		snprintf(out, room, "one run of each is enough: a second one had the same input%s",
			 b->n_wanted > 1 ? ", and -r would show the same" : "");
		return out;
	}
	if (b->has_shell && n++ == i)
		return "a command needs a shell, so that all are run by sh -c, which is counted";
	return NULL;
}

/* ---- limits ---------------------------------------------------------------------------------- */

int cli_bench_check_limits(const struct cli_bench *b)
{
	for (unsigned i = 0; i < b->limits.n; i++) {
		const struct cli_limit *m = &b->limits.limit[i];
		const struct evt_events *list = m->is_main ? &b->placed : &b->events;
		bool is_there = false;

		for (size_t e = 0; e < list->n; e++)
			is_there |= cli_limit_means(m, b->run.cfg.model.cpu, &list->event[e]);
		if (!is_there)
			return cli_fail("--limit %s: %s; name it with -e, too", m->text,
					m->is_main && b->is_sampled
					    ? "with sampled clocks no such event is known without "
					      "start-up"
					    : "no event of that name is counted");
	}
	if (b->limits.is_both_ways && !b->limits.n)
		return cli_fail("--both-ways goes with --limit EVENT=1%%");
	if (b->limits.n && b->n_side < 2)
		return cli_fail("--limit: the second command is judged by the first one; name two");
	return 0;
}

/* Count e of a side without start-up. */
static struct evt_count main_count(const struct cli_bench_side *s, size_t e)
{
	struct evt_count c = s->placed.count[e];

	c.value -= s->startup ? (uint64_t)s->startup[e] : 0;
	return c;
}

/* Judge event e of side k by one limit. Returns what is to be the exit status, and a sentence in
 * `why` where that is not 0. */
static int judge(const struct cli_bench *b, size_t k, size_t e, const struct cli_limit *m,
		 char why[CLI_BENCH_SENTENCE])
{
	const struct evt_event *event = m->is_main ? &b->placed.event[e] : &b->events.event[e];
	const struct evt_count was = m->is_main ? main_count(&b->side[0], e) : b->side[0].count[e],
			       is = m->is_main ? main_count(&b->side[k], e) : b->side[k].count[e];
	const int64_t more = (int64_t)(is.value - was.value);
	const char *name = b->side[k].command.name;
	char number[41], part[16];
	double beyond;

	if (was.status != EVT_COUNTED || is.status != EVT_COUNTED) {
		if (m->name[0] == '@')
			return 0;
		snprintf(why, CLI_BENCH_SENTENCE,
			 "%s: %s has no number, so that --limit %s cannot be judged", name,
			 event->name, m->text);
		return CLI_NOT_COMPARABLE;
	}
	cli_diff_number(more, number);
	cli_diff_percent(was.value, more, part);
	switch (cli_limit_judge(m, b->limits.is_both_ways, was.value, is.value,
				rpt_against_half(&was, &is), &beyond)) {
	case CLI_LIMIT_IS_KEPT: return 0;
	case CLI_LIMIT_IS_OPEN:
		snprintf(why, CLI_BENCH_SENTENCE,
			 "%s: %s%s differs from that of %s by %s (%s), and its interval does not "
			 "decide --limit %s; --clocks exact does",
			 name, m->is_main ? "main:" : "", event->name, b->side[0].command.name,
			 number, part, m->text);
		return CLI_LIMIT_OPEN;
	case CLI_LIMIT_IS_BROKEN: break;
	}
	snprintf(why, CLI_BENCH_SENTENCE,
		 "%s: %s%s differs from that of %s by %s (%s): --limit %s is broken", name,
		 m->is_main ? "main:" : "", event->name, b->side[0].command.name, number, part,
		 m->text);
	return CLI_LIMIT_BROKEN;
}

/* A broken limit outweighs what cannot be judged, and that what is open. */
static int worse(int a, int b)
{
	static const int weight[] = {0, 0, 2, 3, 1};

	return weight[b] > weight[a] ? b : a;
}

int cli_bench_judge(const struct cli_bench *b, void (*take)(void *ctx, const char *sentence),
		    void *ctx)
{
	char why[CLI_BENCH_SENTENCE];
	int status = 0;

	for (size_t k = 1; k < b->n_side; k++)
		for (unsigned i = 0; i < b->limits.n; i++) {
			const struct cli_limit *m = &b->limits.limit[i];
			const struct evt_events *list = m->is_main ? &b->placed : &b->events;

			for (size_t e = 0; e < list->n; e++)
				if (cli_limit_means(m, b->run.cfg.model.cpu, &list->event[e])) {
					const int is = judge(b, k, e, m, why);

					if (is)
						take(ctx, why);
					status = worse(status, is);
				}
		}
	return status;
}
