/* report.c -- prints the summary of a run, pair by pair, and the notes below it. Rules are in
 * report.h.
 */
#include "rabbit/report.h"

#include <inttypes.h>
#include <string.h>

#include "rabbit/print.h"
#include "rabbit/registers.h"
#include "report/report.h"

#define NAME_COLUMNS  36
#define DETAIL_COLUMN 22

static void print_program(const struct rbt_report *r, FILE *out)
{
	fprintf(out, " rabbit: '");
	for (char *const *a = r->argv; *a; a++)
		fprintf(out, "%s%s", a == r->argv ? "" : " ", *a);
	fprintf(out, "'\n %s\n", r->pairs->cpu->text);
}

/* "1 sample" */
static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_pair_line(const struct rbt_report *r, size_t i, FILE *out)
{
	const struct rbt_pair_sums *p = &r->samples->of[i];
	const char *label = r->pairs->pair[i].label;
	char clk[32];

	fprintf(out, "\n pair %zu: %" PRIu64 " sample%s%s; %s cycles, %.6f s", i + 1, p->n,
		plural(p->n),
		!p->n_partial ? ""
		: p->n == 1   ? " (partial)"
			      : " (the last one partial)",
		rbt_number(p->clk, clk), (double)p->clk / r->mhz / 1e6);
	fprintf(out, "%s%s\n", *label ? "\n   " : "", label);
}

static void print_spread(const struct rbt_spread *x, FILE *out)
{
	char least[32], most[32], mean[32], deviation[32];

	if (!x->n)
		return;
	fprintf(out, "        %-*smean %s, deviation %s,\n", DETAIL_COLUMN - 8, "per sample",
		rbt_number((uint64_t)(x->mean + 0.5), mean),
		rbt_number((uint64_t)(rbt_deviation(x) + 0.5), deviation));
	fprintf(out, "%*sleast %s, largest %s\n", DETAIL_COLUMN, "", rbt_number(x->least, least),
		rbt_number(x->most, most));
}

/* What the samples of the pair let one expect of the first process, beside what it counted. */
static void print_whole(const struct rbt_report *r, size_t pair, int n, FILE *out)
{
	const struct rbt_samples *s = r->samples;
	const struct rbt_pair_sums *p = &s->of[pair];
	const size_t at = r->pairs->pair[pair].at[n];
	const double own = (double)s->own[at];
	char number[32];

	fprintf(out, "        %-*s%s", DETAIL_COLUMN - 8, "whole run",
		rbt_number(r->run->count[at].value, number));
	if (r->run->n_process > 1 && r->rate > 0)
		fprintf(out, "; first process %s", rbt_number(s->own[at], number));
	fputc('\n', out);
	if (p->clk && own > 0) {
		const double expected =
		    (double)p->spread[n].sum / (double)p->clk * (double)s->own[RBT_CLOCK];

		fprintf(out, "        %-*s%s, an error of %+.2f %%\n", DETAIL_COLUMN - 8,
			"by samples", rbt_number((uint64_t)(expected + 0.5), number),
			100 * (expected - own) / own);
	}
}

static void print_details(const struct rbt_report *r, size_t pair, int n, FILE *out)
{
	const struct rbt_pair *p = &r->pairs->pair[pair];

	const bool is_counted = r->run->count[p->at[n]].status == EVT_COUNTED;

	if (is_counted)
		print_spread(&r->samples->of[pair].spread[n], out);
	fprintf(out, "        %-*s0x%08" PRIx32 "\n", DETAIL_COLUMN - 8,
		rbt_register_name(r->pairs, n), rbt_register(r->pairs, p, n));
	if (is_counted)
		print_whole(r, pair, n, out);
}

static void print_event(const struct rbt_report *r, size_t pair, int n, FILE *out)
{
	const struct rbt_pair *p = &r->pairs->pair[pair];
	const struct rbt_pair_sums *sums = &r->samples->of[pair];
	const struct evt_event *e = rbt_pair_event(r->pairs, p, n);
	const struct evt_count *whole = &r->run->count[p->at[n]];
	char number[32];

	fprintf(out, "  0x%02x  %-*s", e->code, NAME_COLUMNS, e->name);
	if (whole->status != EVT_COUNTED)
		fprintf(out, " %18s\n", rpt_status_text(whole->status));
	else if (!sums->n)
		fprintf(out, " %18s\n", "<not sampled>");
	else if (sums->clk)
		fprintf(out, " %18s %16.4f\n", rbt_number(sums->spread[n].sum, number),
			(double)sums->spread[n].sum / (double)sums->clk);
	else
		fprintf(out, " %18s\n", rbt_number(sums->spread[n].sum, number));
	if (r->level == 2)
		print_details(r, pair, n, out);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void print_note(FILE *out, const char *text)
{
	rbt_print_text(text, fprintf(out, " Note:"), 7, out);
}

static void note_kernel(const struct rbt_report *r, FILE *out)
{
	bool has_kernel = false;

	for (size_t i = RBT_CLOCK + 1; i < r->pairs->events.n; i++)
		has_kernel |= r->pairs->events.event[i].kernel;
	print_note(out, has_kernel
			    ? "the model runs no kernel code yet: counts and cycles are of user "
			      "mode, and --os 1 "
			      "adds nothing to them."
			    : "the model runs no kernel code yet: cycles are of user mode, too.");
}

static void note_samples(const struct rbt_report *r, FILE *out)
{
	size_t n_empty = 0;
	char text[200];

	for (size_t i = 0; i < r->pairs->n; i++)
		n_empty += !r->samples->of[i].n;
	if (n_empty) {
		snprintf(text, sizeof(text),
			 "%zu of %zu pairs got no sample: the run had %" PRIu64
			 ", and a round takes %" PRIu64 ".%s",
			 n_empty, r->pairs->n, r->samples->n, r->pairs->n * r->samples->rotate,
			 r->samples->trim ? " -trim leaves samples out, too." : "");
		print_note(out, text);
	}
	if (r->run->n_process > 1 && r->rate > 0) {
		snprintf(text, sizeof(text),
			 "samples are of the first process; the counts of the whole run are of all "
			 "%zu processes.",
			 r->run->n_process);
		print_note(out, text);
	}
}

/* Is a list of reasons told already by an event before number i? */
static bool is_told(const struct rbt_report *r, size_t i)
{
	for (size_t k = RBT_CLOCK + 1; k < i; k++)
		if (r->run->count[k].why == r->run->count[i].why)
			return true;
	return false;
}

static void note_uncounted(const struct rbt_report *r, FILE *out)
{
	for (size_t i = RBT_CLOCK + 1; i < r->pairs->events.n; i++) {
		const struct evt_count *c = &r->run->count[i];
		char text[400];

		if (c->status == EVT_COUNTED || !c->why || is_told(r, i))
			continue;
		snprintf(text, sizeof(text), "%s: %s.", r->pairs->events.event[i].name, c->why);
		print_note(out, text);
	}
}

void rbt_report_print(const struct rbt_report *r, FILE *out)
{
	print_program(r, out);
	fprintf(out, "\n  code  %-*s %18s events per cycle\n", NAME_COLUMNS, "event", "count");
	for (size_t i = 0; i < r->pairs->n; i++) {
		if (r->level)
			print_pair_line(r, i, out);
		for (int n = 0; n < 2; n++)
			if (r->pairs->pair[i].has[n])
				print_event(r, i, n, out);
	}
	fputc('\n', out);
	note_samples(r, out);
	note_uncounted(r, out);
	note_kernel(r, out);
}
