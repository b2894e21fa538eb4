/* value.c -- one count as perf writes it, and how long it was counted. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

const char *rpt_unit(const struct rpt_report *r, size_t i)
{
	const struct evt_event *e = &r->events->event[i];

	if (e->is_time)
		return "msec";
	if (e->software &&
	    (e->software->figure == CAT_SW_ELAPSED || e->software->figure == CAT_SW_USER_TIME ||
	     e->software->figure == CAT_SW_SYSTEM_TIME))
		return "ns";
	return "";
}

const char *rpt_value(const struct rpt_report *r, size_t i, const struct evt_count *c,
		      bool has_groups, char out[40])
{
	char digits[40];
	int n, at = 0, whole;

	if (r->events->event[i].is_time)
		n = snprintf(digits, sizeof(digits), "%.2f", 1e-6 * (double)c->value);
	else
		n = snprintf(digits, sizeof(digits), "%" PRIu64, c->value);
	whole = (int)strcspn(digits, ".");
	for (int k = 0; k < n; k++) {
		if (has_groups && k && k < whole && (whole - k) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[k];
	}
	out[at] = 0;
	return out;
}

double rpt_counted_ns(const struct rpt_report *r, size_t i)
{
	double sum = 0;

	if (r->count[i].status != EVT_COUNTED)
		return 0;
	if (!r->run[0].share)
		return 1e9 * rpt_mean_seconds(r, rpt_elapsed, NULL);
	for (size_t k = 0; k < r->n_run; k++)
		sum += (double)r->run[k].share[i].running_ns;
	return sum / (double)r->n_run;
}

double rpt_counted_percent(const struct rpt_report *r, size_t i)
{
	double running = 0, enabled = 0;

	if (!r->run[0].share || r->count[i].status != EVT_COUNTED)
		return 100;
	for (size_t k = 0; k < r->n_run; k++) {
		running += (double)r->run[k].share[i].running_ns;
		enabled += (double)r->run[k].share[i].enabled_ns;
	}
	return enabled > 0 ? 100 * running / enabled : 100;
}
