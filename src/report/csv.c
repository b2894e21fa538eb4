/* csv.c -- perf's -x lines: value, unit, event, [spread], run time in ns, share of it, metric
 * value, metric unit; with --per-process before all of them "total" or the process, with several
 * processors the processor, with intervals where each one ends. Fields that hold the separator, a
 * quote or a newline are quoted (perf does not). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

static void put_field(const struct rpt_report *r, const char *s, FILE *out)
{
	if (!strstr(s, r->separator) && !strpbrk(s, "\"\n\r")) {
		fputs(s, out);
		return;
	}
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

/* perf's field for the spread: with several runs, and where counts may be estimates. */
static bool has_spread(const struct rpt_report *r)
{
	return r->n_run > 1 || r->sample_every;
}

static void put_metric(const struct rpt_report *r, int k, double value, FILE *out)
{
	char label[96];

	fprintf(out, "%s%.6g%s", r->separator, value, r->separator);
	put_field(r, rpt_metric_label(r->metrics->metric[k].row, label, sizeof(label)), out);
	fputc('\n', out);
}

/* With --per-process, --per-thread, --per-region or several processors each line begins with whose
 * count it is. */
static void put_owner(const struct rpt_report *r, const char *owner, FILE *out)
{
	if (r->interval) {
		put_field(r, r->interval, out);
		fputs(r->separator, out);
	}
	if (r->column) {
		put_field(r, r->column, out);
		fputs(r->separator, out);
	}
	if (!rpt_has_processes(r) && !r->run[0].n_thread && !r->run[0].region)
		return;
	put_field(r, owner, out);
	fputs(r->separator, out);
}

static void put_value(const struct rpt_report *r, const struct evt_count *c, FILE *out)
{
	if (c->status == EVT_COUNTED)
		fprintf(out, "%" PRIu64, c->value);
	else
		put_field(r, rpt_status_text(c->status), out);
}

/* The field of the spread of a part of the run, where there is one. */
static void put_part_spread(const struct rpt_report *r, const struct evt_count *c, FILE *out)
{
	if (has_spread(r))
		fprintf(out, "%s%.2f%%", r->separator, rpt_half_percent(c));
}

/* Counts of one process: of the first run, without metrics. */
static void put_process(const struct rpt_report *r, const struct ses_process *p, FILE *out)
{
	const char *sep = r->separator;
	char name[176];

	for (size_t i = 0; i < r->events->n; i++) {
		put_owner(r, rpt_process_name(p, name, sizeof(name)), out);
		put_value(r, &p->count[i], out);
		fprintf(out, "%s%s", sep, sep);
		put_field(r, r->events->event[i].name, out);
		put_part_spread(r, &p->count[i], out);
		fprintf(out, "%s%.0f%s100.00%s%s\n", sep,
			p->count[i].status == EVT_COUNTED ? 1e9 * rpt_elapsed(&r->run[0]) : 0.0,
			sep, sep, sep);
	}
}

static void put_event(const struct rpt_report *r, size_t i, FILE *out)
{
	const struct evt_count *c = &r->count[i];
	const char *sep = r->separator;
	char digits[40];
	double value;
	int k = rpt_next_metric(r, i, -1, &value);

	put_owner(r, "total", out);
	if (c->status == EVT_COUNTED)
		fputs(rpt_value(r, i, c, false, digits), out);
	else
		put_field(r, rpt_status_text(c->status), out);
	fprintf(out, "%s%s%s", sep, c->status == EVT_COUNTED ? rpt_unit(r, i) : "", sep);
	put_field(r, r->events->event[i].name, out);
	if (has_spread(r))
		fprintf(out, "%s%.2f%%", sep,
			c->status == EVT_COUNTED ? rpt_interval_percent(r, i) : 0.0);
	fprintf(out, "%s%.0f%s%.2f", sep, rpt_counted_ns(r, i), sep, rpt_counted_percent(r, i));
	if (k < 0)
		fprintf(out, "%s%s\n", sep, sep);
	else
		put_metric(r, k, value, out);
	while (k >= 0 && (k = rpt_next_metric(r, i, k, &value)) >= 0) {
		put_owner(r, "total", out);
		for (int n = has_spread(r) ? 5 : 4; n > 0; n--)
			fputs(sep, out);
		put_metric(r, k, value, out);
	}
}

/* With threads every line begins with what it counts: total, thread-0, thread-1 ..., thread-1.2:0
 * of process 1.2. */
static void put_threads(const struct rpt_report *r, FILE *out)
{
	const struct ses_result *run = &r->run[0];
	const char *sep = r->separator;
	char name[128];

	for (size_t t = 0; t < run->n_thread; t++) {
		rpt_thread_name(&run->thread[t], name, sizeof(name));
		for (size_t i = 0; i < r->events->n; i++) {
			const struct evt_count *c = &run->thread[t].count[i];

			fprintf(out, "thread-%s%s", name, sep);
			if (c->status == EVT_COUNTED)
				fprintf(out, "%" PRIu64, c->value);
			else
				put_field(r, rpt_status_text(c->status), out);
			fprintf(out, "%s%s", sep, sep);
			put_field(r, r->events->event[i].name, out);
			put_part_spread(r, c, out);
			fprintf(out, "%s%.0f%s100.00%s%s\n", sep,
				c->status == EVT_COUNTED
				    ? 1e9 * rpt_mean_seconds(r, rpt_elapsed, NULL)
				    : 0.0,
				sep, sep, sep);
		}
	}
}

/* Lines of regions begin with region-NAME. */
static void put_regions(const struct rpt_report *r, FILE *out)
{
	const struct ses_result *run = &r->run[0];
	const char *sep = r->separator;
	char owner[SES_REGION_NAME + 8];

	for (size_t k = 0; k < run->n_region; k++) {
		snprintf(owner, sizeof(owner), "region-%s", run->region[k].name);
		for (size_t i = 0; i < r->events->n; i++) {
			const struct evt_count *c = &run->region[k].count[i];

			put_owner(r, owner, out);
			put_value(r, c, out);
			fprintf(out, "%s%s", sep, sep);
			put_field(r, r->events->event[i].name, out);
			put_part_spread(r, c, out);
			fprintf(out, "%s%.0f%s100.00%s%s\n", sep,
				c->status == EVT_COUNTED
				    ? 1e9 * rpt_mean_seconds(r, rpt_elapsed, NULL)
				    : 0.0,
				sep, sep, sep);
		}
	}
}

int rpt_csv(const struct rpt_report *r, FILE *out)
{
	if (r->wrong_path && !r->is_next_interval)
		fprintf(out, "# --wrong-path %s\n", r->wrong_path);
	for (size_t i = 0; i < r->events->n; i++)
		put_event(r, i, out);
	put_threads(r, out);
	put_regions(r, out);
	for (size_t i = 0; rpt_has_processes(r) && i < r->run[0].n_process; i++)
		put_process(r, &r->run[0].process[i], out);
	return 0;
}
