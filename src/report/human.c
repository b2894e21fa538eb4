/* human.c -- perf's table.
 *
 * LAYOUT   value right-aligned in 18 columns, unit column, event name in 32, "# metric", spread
 *          with several runs, (share of the time) of what was counted for a part of it; times; then
 *          softpmu's own notes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/against/against.h"
#include "report/diagram/picture.h"
#include "report/report.h"

#define METRIC_COLUMNS 35
#define NAME_AT	       24
#define NAME_COLUMNS   32

/* Decimal with a comma before each group of three digits, when wanted. */
static const char *number(uint64_t value, bool has_groups, char out[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, value), at = 0;

	for (int i = 0; i < n; i++) {
		if (has_groups && i && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
	return out;
}

#define SHARE_COLUMNS 12 /* of a share without its bar */
#define BAR_FINE      25 /* thousandths that a character of a bar stands for */
#define BAR_COARSE    50

/* The share of a whole that a part has, with a bar of a character for each `each` thousandths. */
static int print_share(int thousandths, int each, FILE *out)
{
	int n = fprintf(out, " # %5d.%d%%", thousandths / 10, thousandths % 10);

	for (int i = 0; i < (thousandths + each / 2) / each; i++)
		n += fprintf(out, i ? "#" : " #");
	return n;
}

/* The lines of an interval begin with its end. */
static void print_head(const struct rpt_report *r, FILE *out)
{
	if (r->interval)
		fprintf(out, "%s ", r->interval);
}

/* Returns true if the table keeps to the width of a terminal. */
static bool has_width(const struct rpt_report *r)
{
	return r->screen.columns && !r->is_verbose;
}

/* The column where names begin: behind the end of the interval, when it is one. */
static int name_at(const struct rpt_report *r)
{
	return NAME_AT + (r->interval ? (int)strlen(r->interval) + 1 : 0);
}

static bool is_share(const struct rpt_report *r, int k)
{
	return k >= 0 && !r->is_verbose && rpt_stack_share(r, k) >= 0;
}

/* The name of event i as the table shows it. At a terminal the parts of a stack repeat their
 * event's name in the first line alone. */
static const char *shown_name(const struct rpt_report *r, size_t i)
{
	const char *name = r->events->event[i].name, *mask = strchr(name, ':');
	double value;

	if (!has_width(r) || !i || !mask ||
	    strncmp(r->events->event[i - 1].name, name, (size_t)(mask - name + 1)) ||
	    !is_share(r, rpt_next_metric(r, i, -1, &value)))
		return name;
	return mask;
}

/* Columns for the names: 32, less on a terminal where nothing is that long. 80 columns take a
 * metric beside a name of 26. */
static int name_columns(const struct rpt_report *r)
{
	int most = 0;

	if (!has_width(r))
		return NAME_COLUMNS;
	for (size_t i = 0; i < r->events->n; i++) {
		const int n = (int)strlen(shown_name(r, i));

		most = n > most ? n : most;
	}
	return most < NAME_COLUMNS ? most : NAME_COLUMNS;
}

/* Returns how many per mille one character of a bar stands for: more where the terminal has no room
 * for a bar of full length beside the names. */
static int bar_each(const struct rpt_report *r)
{
	return has_width(r) && NAME_AT + name_columns(r) + SHARE_COLUMNS + 1000 / BAR_FINE >
				   r->screen.columns
		   ? BAR_COARSE
		   : BAR_FINE;
}

/* Returns the metric's value in the older report: ", was 1.351", or "". */
static const char *was_text(const struct rpt_report *r, const struct evt_metric *m, char out[48])
{
	double value;

	out[0] = 0;
	if (r->against && rpt_against_metric(r, m, &value))
		snprintf(out, 48, !strcmp(m->row->unit, "%") ? ", was %.2f%%" : ", was %.3f",
			 value);
	return out;
}

/* Half of the metric's interval: ", +-0.003", or "". */
static const char *half_text(const struct rpt_report *r, int k, char out[32])
{
	const double half = rpt_metric_half(r, k);

	out[0] = 0;
	if (half > 0)
		snprintf(out, 32,
			 !strcmp(r->metrics->metric[k].row->unit, "%") ? ", +-%.2f%%" : ", +-%.3f",
			 half);
	return out;
}

static void print_metric(const struct rpt_report *r, int k, double value, bool is_padded, FILE *out)
{
	const struct cat_metric *m = r->metrics->metric[k].row;
	const int share = rpt_stack_share(r, k);
	const bool is_bold = share >= 0 && rpt_is_largest_share(r, k);
	char label[96], was[48], half[32];
	int n;

	fputs(rpt_bold(&r->screen, is_bold), out);
	if (share >= 0 && !r->is_verbose)
		n = print_share(share, bar_each(r), out);
	else if (!strcmp(m->unit, "%"))
		n = fprintf(out, " # %8.2f%% %s", value, m->name);
	else
		n = fprintf(out, " # %8.3f %s", value, rpt_metric_label(m, label, sizeof(label)));
	if (share < 0 || r->is_verbose)
		n += fprintf(out, "%s", half_text(r, k, half));
	n += fprintf(out, "%s", was_text(r, &r->metrics->metric[k], was));
	fputs(rpt_plain(&r->screen, is_bold), out);
	if (is_padded && n < METRIC_COLUMNS)
		fprintf(out, "%*s", METRIC_COLUMNS - n, "");
}

/* A metric that goes beyond the terminal's last column stands in a line of its own, at the
 * names' column. Returns the columns before it, where a line of its own begins. */
static int metric_at(const struct rpt_report *r, int name)
{
	int most = 0;

	for (size_t k = 0; r->metrics && k < r->metrics->n; k++) {
		char label[96];
		const int n = is_share(r, (int)k)
				  ? 1000 / bar_each(r) - 1
				  : (int)strlen(rpt_metric_label(r->metrics->metric[k].row, label,
								 sizeof(label)));

		most = n > most ? n : most;
	}
	most += r->against && most ? (int)strlen(", was 999.999") : 0;
	most += r->sample_every && most ? (int)strlen(", +-9.999") : 0;
	if (!has_width(r) || name_at(r) + name + 12 + most <= r->screen.columns)
		return NAME_AT + name;
	return r->interval ? 2 : NAME_AT - 12;
}

#define AGAINST_COLUMNS 28 /* of what a count was, where a metric follows */

/* Returns true if the line has room for a metric after the event's older value. The metric's own
 * older value follows it. */
static bool has_room(const struct rpt_report *r, int k, int at)
{
	char label[96], was[48], half[32];

	if (!has_width(r))
		return true;
	return at + 13 +
		   (int)strlen(rpt_metric_label(r->metrics->metric[k].row, label, sizeof(label))) +
		   (int)strlen(was_text(r, &r->metrics->metric[k], was)) +
		   (int)strlen(half_text(r, k, half)) <=
	       r->screen.columns;
}

/* Beside a count what it was in the older report, when there is room there; else in a line
 * below. Returns its columns. */
static int print_against(const struct rpt_report *r, size_t i, int name, FILE *out)
{
	char text[80];
	const bool is_bold = rpt_against_text(r, i, text, sizeof(text));
	const char *event = shown_name(r, i);

	if (has_width(r) && NAME_AT + name + 3 + (int)strlen(text) > r->screen.columns)
		fprintf(out, "\n%*s", NAME_AT - 12, "");
	else
		fprintf(out, "%*s", name > (int)strlen(event) ? name - (int)strlen(event) : 0, "");
	fprintf(out, "%s # %s%s", rpt_bold(&r->screen, is_bold), text,
		rpt_plain(&r->screen, is_bold));
	return 3 + (int)strlen(text);
}

static void print_event(const struct rpt_report *r, size_t i, FILE *out)
{
	const struct evt_count *c = &r->count[i];
	bool is_counted = c->status == EVT_COUNTED,
	     has_spread = (r->n_run > 1 || c->half) && is_counted;
	char digits[40];
	double value, share = rpt_counted_percent(r, i);
	int k = rpt_next_metric(r, i, -1, &value);
	bool is_part = share < 99.995, has_more = k >= 0 || has_spread || is_part;
	const int name = name_columns(r), at = metric_at(r, name);
	int against = 0;
	char folded[128];

	print_head(r, out);
	fprintf(
	    out, "%s%18s%s %-4s %-*s", rpt_bold(&r->screen, !is_counted),
	    is_counted ? rpt_value(r, i, c, r->has_big_num, digits) : rpt_status_text(c->status),
	    rpt_plain(&r->screen, !is_counted), is_counted ? rpt_unit(r, i) : "",
	    has_more && at > NAME_AT && !r->against ? name : 0,
	    rpt_fold(shown_name(r, i), has_width(r) ? r->screen.columns - name_at(r) : 0, folded));
	if (r->against)
		against = print_against(r, i, name, out);
	if (k >= 0 && r->against && has_room(r, k, NAME_AT + name + AGAINST_COLUMNS)) {
		fprintf(out, "%*s", against < AGAINST_COLUMNS ? AGAINST_COLUMNS - against : 0, "");
	} else if (k >= 0 && (at < NAME_AT || r->against)) {
		fputc('\n', out);
		print_head(r, out);
		fprintf(out, "%*s", at, "");
	}
	if (k >= 0)
		print_metric(r, k, value, has_spread || is_part, out);
	else if (has_spread || is_part)
		fprintf(out, "%*s", METRIC_COLUMNS, "");
	if (has_spread)
		fprintf(out, "  ( +-%6.2f%% )", rpt_interval_percent(r, i));
	if (is_part)
		fprintf(out, "  (%.2f%%)", share);
	fputc('\n', out);
	while (k >= 0 && (k = rpt_next_metric(r, i, k, &value)) >= 0) {
		print_head(r, out);
		fprintf(out, "%*s", at, "");
		print_metric(r, k, value, false, out);
		fputc('\n', out);
	}
}

/* A count of a part of the run. */
static void print_part(const struct rpt_report *r, size_t i, const struct evt_count *c, FILE *out)
{
	const double half = rpt_half_percent(c);
	const char *name = r->events->event[i].name;
	char digits[32];

	fprintf(out, "%18s      ",
		c->status == EVT_COUNTED ? number(c->value, r->has_big_num, digits)
					 : rpt_status_text(c->status));
	if (half > 0)
		fprintf(out, "%-*s  ( +-%6.2f%% )\n", name_columns(r), name, half);
	else
		fprintf(out, "%s\n", name);
}

/* The counts of each process, of the first run. */
static void print_processes(const struct rpt_report *r, FILE *out)
{
	const struct ses_result *run = &r->run[0];
	char name[176];

	fprintf(out, "\n Processes, by order of birth:\n");
	for (size_t i = 0; i < run->n_process; i++) {
		fprintf(out, "\n %s\n", rpt_process_name(&run->process[i], name, sizeof(name)));
		for (size_t k = 0; k < r->events->n; k++)
			print_part(r, k, &run->process[i].count[k], out);
	}
}

/* Digits after the point so that three digits of the error are seen. */
static int precision(double error)
{
	int n = error > 0 ? 3 - (int)ceil(log10(error)) : 9;

	return n < 2 ? 2 : n > 9 ? 9 : n;
}

static void print_times(const struct rpt_report *r, FILE *out)
{
	double error, elapsed = rpt_mean_seconds(r, rpt_elapsed, &error);
	int digits = precision(error);

	if (r->n_run > 1) {
		fprintf(out, "\n %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n\n", digits,
			elapsed, digits, error, elapsed > 0 ? 100 * error / elapsed : 0);
		return;
	}
	fprintf(out, "\n %17.9f seconds time elapsed\n\n", elapsed);
	fprintf(out, " %17.9f seconds user\n", rpt_mean_seconds(r, rpt_user, NULL));
	fprintf(out, " %17.9f seconds sys\n\n", rpt_mean_seconds(r, rpt_sys, NULL));
}

static void print_note(const struct rpt_report *r, const char *text, FILE *out)
{
	char line[420];

	snprintf(line, sizeof(line), " Note: %s.", text);
	rpt_wrap(&r->screen, line, 3, out);
}

static void print_machine_notes(const struct rpt_report *r, FILE *out)
{
	char text[400];

	fprintf(out, " The counters of this machine (%s); user mode unless :k\n", r->machine);
	for (unsigned i = 0; rpt_note(r, i, !r->is_verbose, text, sizeof(text)); i++)
		print_note(r, text, out);
	fputc('\n', out);
}

static void print_notes(const struct rpt_report *r, FILE *out)
{
	const struct ses_result *run = &r->run[0];
	char text[400], isa[8], cpus[32] = "";

	if (r->n_cpus > 1)
		snprintf(cpus, sizeof(cpus), ", %u on one bus", r->n_cpus);
	if (r->is_bare)
		snprintf(text, sizeof(text), " %s; a whole machine; tier %d", r->cpu->text,
			 run->tier);
	else
		snprintf(text, sizeof(text),
			 " %s%s; user mode; tier %d; ISA level %s; input digest %016" PRIx64,
			 r->cpu->text, cpus, run->tier, rpt_isa(run->isa_level, isa),
			 run->input_digest);
	rpt_wrap(&r->screen, text, 3, out);
	for (unsigned i = 0; rpt_note(r, i, !r->is_verbose, text, sizeof(text)); i++)
		print_note(r, text, out);
	if (r->cheaper)
		print_note(r, r->cheaper, out);
	if (r->is_verbose)
		fprintf(out,
			" Engine: %" PRIu64 " instructions, %" PRIu64 " %s with %" PRIu64
			" instructions translated, %" PRIu64 " %s, %" PRIu64
			" bytes of trace, %" PRIu64 " system %s, %" PRIu64 " %s.\n",
			run->instructions, run->blocks, text_noun(run->blocks, "block", "blocks"),
			run->block_insns, run->misses, text_noun(run->misses, "miss", "misses"),
			run->trace_bytes, run->syscalls, text_noun(run->syscalls, "call", "calls"),
			run->signals, text_noun(run->signals, "signal", "signals"));
	fputc('\n', out);
}

static void print_threads(const struct rpt_report *r, FILE *out)
{
	const struct ses_result *run = &r->run[0];
	char digits[32], name[128];

	for (size_t t = 0; t < run->n_thread; t++) {
		fprintf(out, "\n Thread %s, %s instructions:\n",
			rpt_thread_name(&run->thread[t], name, sizeof(name)),
			number(run->thread[t].instructions, r->has_big_num, digits));
		for (size_t i = 0; i < r->events->n; i++)
			print_part(r, i, &run->thread[t].count[i], out);
	}
}

static void print_regions(const struct rpt_report *r, FILE *out)
{
	const struct ses_result *run = &r->run[0];
	char digits[32];

	for (size_t k = 0; k < run->n_region; k++) {
		const struct ses_region *one = &run->region[k];

		fprintf(out, "\n Region %s, %" PRIu64 " time%s, ", one->name, one->n_times,
			one->n_times == 1 ? "" : "s");
		fprintf(out, "%s instructions:\n",
			number(one->instructions, r->has_big_num, digits));
		for (size_t i = 0; i < r->events->n; i++)
			print_part(r, i, &one->count[i], out);
	}
}

static void print_title(const struct rpt_report *r, const char *what, FILE *out)
{
	fprintf(out, "\n %s for '", what);
	for (size_t i = 0; r->argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", r->argv[i]);
	fputc('\'', out);
}

int rpt_so_far(const struct rpt_report *r, FILE *out)
{
	print_title(r, "Counts so far", out);
	fprintf(out, ", after %.1f seconds:\n\n", rpt_elapsed(&r->run[0]));
	for (size_t i = 0; i < r->events->n; i++)
		print_event(r, i, out);
	fputc('\n', out);
	return 0;
}

/* The picture; below it what it does not show: events with masks and conditions of their own, and
 * metrics. */
static int print_diagram(const struct rpt_report *r, FILE *out)
{
	const char *before = "\n";
	int rc = rpt_diagram(r, out);

	for (size_t i = 0; i < r->events->n && !rc; i++) {
		if (dgm_shows(r, i))
			continue;
		fputs(before, out);
		before = "";
		print_event(r, i, out);
	}
	for (size_t k = 0; k < r->metrics->n && !rc; k++) {
		const struct evt_value v =
		    evt_formula_value(&r->metrics->metric[k].formula, r->events, r->count);

		if (v.status != EVT_COUNTED)
			continue;
		fprintf(out, "%s%*s", before, NAME_AT - 12, "");
		before = "";
		print_metric(r, (int)k, (double)v.value, false, out);
		fputc('\n', out);
	}
	return rc;
}

int rpt_human(const struct rpt_report *r, FILE *out)
{
	print_title(r, "Performance counter stats", out);
	if (r->n_run > 1)
		fprintf(out, " (%zu runs)", r->n_run);
	fprintf(out, ":\n\n");
	for (size_t i = 0; i < r->events->n && !r->has_diagram; i++)
		print_event(r, i, out);
	if (r->has_diagram && print_diagram(r, out))
		return -SPMU_ENOMEM;
	print_threads(r, out);
	print_regions(r, out);
	if (rpt_has_processes(r))
		print_processes(r, out);
	print_times(r, out);
	if (!r->is_quiet && r->machine)
		print_machine_notes(r, out);
	else if (!r->is_quiet)
		print_notes(r, out);
	if (r->trouble)
		fprintf(out, " %sThe run ended early: %s.%s\n\n", rpt_bold(&r->screen, true),
			r->trouble, rpt_plain(&r->screen, true));
	return 0;
}

int rpt_interval(const struct rpt_report *r, FILE *out)
{
	if (!r->is_next_interval)
		fprintf(out, "#   %12s             counts unit events\n",
			r->has_insn_intervals ? "instructions" : "time");
	for (size_t i = 0; i < r->events->n; i++)
		print_event(r, i, out);
	return 0;
}
