/* numbers.c -- means, spreads and metrics that several exporters show. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

static double standard_error(double sum, double sum_of_squares, size_t n)
{
	double mean = sum / (double)n, variance;

	if (n < 2)
		return 0;
	variance = (sum_of_squares - sum * mean) / (double)(n - 1);
	return variance > 0 ? sqrt(variance / (double)n) : 0;
}

double rpt_interval_percent(const struct rpt_report *r, size_t i)
{
	const struct evt_count *c = &r->count[i];

	return c->half && c->value ? 100.0 * (double)c->half / (double)c->value
				   : rpt_spread_percent(r, i);
}

double rpt_half_percent(const struct evt_count *c)
{
	if (!c->half || c->status != EVT_COUNTED)
		return 0;
	return c->value ? 100.0 * (double)c->half / (double)c->value : 100.0;
}

double rpt_spread_percent(const struct rpt_report *r, size_t i)
{
	double sum = 0, squares = 0, first;

	if (r->n_run < 2) /* intervals have no runs */
		return 0;
	first = (double)r->run[0].count[i].value;
	/* Differences from the first run: equal runs give exactly 0. */
	for (size_t k = 0; k < r->n_run; k++) {
		double d = (double)r->run[k].count[i].value - first;

		sum += d;
		squares += d * d;
	}
	if (first + sum / (double)r->n_run == 0)
		return 0;
	return 100 * standard_error(sum, squares, r->n_run) / (first + sum / (double)r->n_run);
}

double rpt_mean_seconds(const struct rpt_report *r, double (*seconds)(const struct ses_result *),
			double *error)
{
	double sum = 0, squares = 0;

	for (size_t k = 0; k < r->n_run; k++) {
		double s = seconds(&r->run[k]);

		sum += s;
		squares += s * s;
	}
	if (error)
		*error = standard_error(sum, squares, r->n_run);
	return sum / (double)r->n_run;
}

const char *rpt_process_name(const struct ses_process *p, char *out, size_t room)
{
	snprintf(out, room, "%s %s", p->birth, p->program);
	return out;
}

const char *rpt_thread_name(const struct ses_thread *t, char *out, size_t room)
{
	if (strcmp(t->birth, "1") == 0)
		snprintf(out, room, "%" PRIu32, t->number);
	else
		snprintf(out, room, "%s:%" PRIu32, t->birth, t->number);
	return out;
}

double rpt_elapsed(const struct ses_result *run)
{
	return run->elapsed_s;
}

double rpt_user(const struct ses_result *run)
{
	return run->user_s;
}

double rpt_sys(const struct ses_result *run)
{
	return run->sys_s;
}

void rpt_means(const struct evt_events *events, const struct ses_result *run, size_t n_run,
	       struct evt_count *count)
{
	for (size_t i = 0; i < events->n; i++) {
		uint64_t first = run[0].count[i].value;
		long double sum = 0, halves = 0;

		count[i] = run[0].count[i];
		for (size_t k = 0; k < n_run && count[i].status == EVT_COUNTED; k++) {
			sum += (long double)run[k].count[i].value - (long double)first;
			halves += run[k].count[i].half;
			if (run[k].count[i].status != EVT_COUNTED)
				count[i] = run[k].count[i];
		}
		if (count[i].status != EVT_COUNTED)
			continue;
		count[i].value = (uint64_t)((long double)first + sum / (long double)n_run + 0.5L);
		count[i].half = (uint64_t)ceill(halves / (long double)n_run);
	}
}

const char *rpt_status_text(enum evt_status status)
{
	switch (status) {
	case EVT_NOT_MODELLED: return "<not modelled>";
	case EVT_CANNOT_OCCUR: return "<cannot occur>";
	case EVT_UNDEFINED: return "<undefined>";
	case EVT_TOO_FEW_SAMPLES: return "<too few samples>";
	case EVT_NOT_COUNTED: return "<not counted>";
	case EVT_NOT_SUPPORTED: return "<not supported>";
	default: return "";
	}
}

int rpt_next_metric(const struct rpt_report *r, size_t i, int from, double *value)
{
	for (size_t k = (size_t)(from + 1); r->metrics && k < r->metrics->n; k++) {
		struct evt_value v;

		if (evt_metric_row(&r->metrics->metric[k], r->events) != (int)i)
			continue;
		v = evt_formula_value(&r->metrics->metric[k].formula, r->events, r->count);
		if (v.status != EVT_COUNTED)
			continue;
		*value = (double)v.value;
		return (int)k;
	}
	return -1;
}

double rpt_metric_half(const struct rpt_report *r, int metric)
{
	const struct evt_value v =
	    evt_formula_value(&r->metrics->metric[metric].formula, r->events, r->count);

	return v.status == EVT_COUNTED ? (double)v.half : 0;
}

const char *rpt_metric_label(const struct cat_metric *m, char *out, size_t room)
{
	if (!strcmp(m->unit, "%"))
		snprintf(out, room, "%% %s", m->name);
	else
		snprintf(out, room, "%s", m->name);
	return out;
}
