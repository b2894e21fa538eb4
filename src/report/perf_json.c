/* perf_json.c -- perf stat -j: one object per line, the counter value as a string.
 *
 * Written by hand because perf's readers expect its spacing and its order of keys. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

static void put_string(const char *s, FILE *out)
{
	fputc('"', out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

/* Writes the members with which every line of a report on several processors, or of an interval,
 * begins. */
static void put_head(const struct rpt_report *r, FILE *out)
{
	fputc('{', out);
	if (r->interval)
		fprintf(out, "\"interval\" : %s, ", r->interval + strspn(r->interval, " "));
	if (!r->column)
		return;
	fprintf(out, "\"processor\" : ");
	put_string(r->column, out);
	fprintf(out, ", ");
}

/* The rest of a line whose head says of what it is a count. */
static void put_count(const struct rpt_report *r, const char *event, const struct evt_count *c,
		      FILE *out)
{
	if (c->status == EVT_COUNTED)
		fprintf(out, ", \"counter-value\" : \"%" PRIu64 ".000000\"", c->value);
	else
		fprintf(out, ", \"counter-value\" : \"%s\"", rpt_status_text(c->status));
	fprintf(out, ", \"unit\" : \"\", \"event\" : ");
	put_string(event, out);
	if (r->n_run > 1 || r->sample_every)
		fprintf(out, ", \"variance\" : %.2f", rpt_half_percent(c));
	fprintf(out, "}\n");
}

/* Counts of one process: of the first run. */
static void put_process(const struct rpt_report *r, const struct ses_process *p, FILE *out)
{
	for (size_t i = 0; i < r->events->n; i++) {
		fprintf(out, "{\"process\" : \"%s\", \"program\" : ", p->birth);
		put_string(p->program, out);
		put_count(r, r->events->event[i].name, &p->count[i], out);
	}
}

static void put_event(const struct rpt_report *r, size_t i, FILE *out)
{
	const struct evt_count *c = &r->count[i];
	bool is_counted = c->status == EVT_COUNTED;
	char label[96] = "", digits[40];
	double value = 0;
	int k = rpt_next_metric(r, i, -1, &value);

	if (k >= 0)
		rpt_metric_label(r->metrics->metric[k].row, label, sizeof(label));
	put_head(r, out);
	if (is_counted)
		fprintf(out, "\"counter-value\" : \"%s%s\"", rpt_value(r, i, c, false, digits),
			r->events->event[i].is_time ? "0000" : ".000000");
	else
		fprintf(out, "\"counter-value\" : \"%s\"", rpt_status_text(c->status));
	fprintf(out, ", \"unit\" : \"%s\", \"event\" : ", is_counted ? rpt_unit(r, i) : "");
	put_string(r->events->event[i].name, out);
	if (r->n_run > 1 || r->sample_every)
		fprintf(out, ", \"variance\" : %.2f",
			is_counted ? rpt_interval_percent(r, i) : 0.0);
	fprintf(out, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f", rpt_counted_ns(r, i),
		rpt_counted_percent(r, i));
	fprintf(out, ", \"metric-value\" : %.6f, \"metric-unit\" : ", value);
	put_string(label, out);
	if (r->wrong_path)
		fprintf(out, ", \"wrong-path\" : \"%s\"", r->wrong_path);
	fprintf(out, "}\n");
	while (k >= 0 && (k = rpt_next_metric(r, i, k, &value)) >= 0) {
		rpt_metric_label(r->metrics->metric[k].row, label, sizeof(label));
		put_head(r, out);
		fprintf(out, "\"metric-value\" : %.6f, \"metric-unit\" : ", value);
		put_string(label, out);
		fprintf(out, "}\n");
	}
}

static void put_thread(const struct rpt_report *r, size_t t, FILE *out)
{
	char name[128];

	rpt_thread_name(&r->run[0].thread[t], name, sizeof(name));
	for (size_t i = 0; i < r->events->n; i++) {
		fprintf(out, "{\"thread\" : \"%s\"", name);
		put_count(r, r->events->event[i].name, &r->run[0].thread[t].count[i], out);
	}
}

/* Counts of one region: of the first run. */
static void put_region(const struct rpt_report *r, const struct ses_region *one, FILE *out)
{
	for (size_t i = 0; i < r->events->n; i++) {
		fprintf(out, "{\"region\" : ");
		put_string(one->name, out);
		put_count(r, r->events->event[i].name, &one->count[i], out);
	}
}

int rpt_perf_json(const struct rpt_report *r, FILE *out)
{
	for (size_t i = 0; i < r->events->n; i++)
		put_event(r, i, out);
	for (size_t t = 0; t < r->run[0].n_thread; t++)
		put_thread(r, t, out);
	for (size_t k = 0; k < r->run[0].n_region; k++)
		put_region(r, &r->run[0].region[k], out);
	for (size_t i = 0; rpt_has_processes(r) && i < r->run[0].n_process; i++)
		put_process(r, &r->run[0].process[i], out);
	return 0;
}
