/* columns.c -- stat --cpu A,B,C: which events and metrics each processor has. Rules are in
 * columns.h.
 *
 * Events are read once for each processor. An event that only others have is left out of a
 * processor's list (evt_events.other), and its column shows a dash.
 */
#include "cli/stat/columns.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int cli_columns_option(struct cli_columns *c, const char *list)
{
	char name[64];

	c->n = 0;
	while (*list) {
		const size_t n = strcspn(list, ",");

		if (c->n == 1 + SES_MORE_COLUMNS || n >= sizeof(name)) {
			cli_fail("--cpu: at most %u processors in one run", 1 + SES_MORE_COLUMNS);
			return -1;
		}
		memcpy(name, list, n);
		name[n] = 0;
		c->cpu[c->n] = cli_find_cpu("cpu", name);
		if (!c->cpu[c->n])
			return -1;
		c->n++;
		list += n + (list[n] == ',');
	}
	if (c->n < 2) {
		cli_fail("--cpu: a processor is missing before or after the comma");
		return -1;
	}
	return 1;
}

/* ---- metrics ------------------------------------------------------------------------------------------ */

/* One name of -M: every column that has it. */
static int add_metric(const struct cli_columns *c, const char *name, struct cli_column *column)
{
	struct spmu_error err;
	size_t have = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!evt_has_metrics(c->cpu[i], name))
			continue;
		have++;
		if (evt_metrics_named(c->cpu[i], name, &column[i].metrics, &column[i].events, &err))
			return cli_complain(&err);
	}
	if (have)
		return 0;
	evt_metrics_named(c->cpu[0], name, &column[0].metrics, &column[0].events, &err);
	return cli_complain(&err);
}

static int add_metrics(const struct cli_columns *c, const char *names, struct cli_column *column)
{
	char word[64];
	int code = 0;

	while (*names && !code) {
		const size_t n = strcspn(names, ",");

		if (n >= sizeof(word))
			return cli_fail("metric %.60s...: no name is that long", names);
		memcpy(word, names, n);
		word[n] = 0;
		names += n + (names[n] == ',');
		code = add_metric(c, word, column);
	}
	return code;
}

/* ---- events ------------------------------------------------------------------------------------------- */

/* Events that every processor has. */
static int add_common(const struct cli_columns *c, struct cli_column *column)
{
	static const char *const common[] = {
	    "cycles", "instructions", "branches", "branch-misses", "L1-dcache-loads", "L1-dcache-load-misses",
	    "L1-icache-load-misses", "iTLB-load-misses", "bus-cycles",
	};
	struct evt_event e[1 + SES_MORE_COLUMNS];
	struct spmu_error err;

	for (size_t k = 0; k < sizeof(common) / sizeof(common[0]); k++) {
		size_t have = 0;

		while (have < c->n && !evt_parse_event(c->cpu[have], common[k], false, &e[have], &err))
			have++;
		for (size_t i = 0; i < c->n && have == c->n; i++)
			if (evt_events_add(&column[i].events, &e[i], &err))
				return cli_complain(&err);
	}
	return 0;
}

int cli_columns_choose(const struct cli_columns *c, const struct cli_run *r, const char *metric_names,
                       struct cli_column *column)
{
	struct spmu_error err;
	size_t n = 0;
	int code = 0;

	for (size_t i = 0; i < c->n && !code; i++) {
		column[i].cpu = c->cpu[i];
		column[i].events.other = c->cpu;
		column[i].events.n_other = c->n;
		code = cli_run_events(r, c->cpu[i], &column[i].events);
	}
	if (!code && metric_names)
		code = add_metrics(c, metric_names, column);
	for (size_t i = 0; i < c->n; i++)
		n += column[i].events.n;
	if (!code && !n)
		code = add_common(c, column);
	for (size_t i = 0; i < c->n && !code && !metric_names; i++)
		if (evt_metrics_of(c->cpu[i], &column[i].events, &column[i].metrics, &err))
			code = cli_complain(&err);
	return code;
}

/* ---- the report --------------------------------------------------------------------------------------- */

int cli_columns_report(const struct rpt_report *reports, size_t n, int (*export)(const struct rpt_columns *, FILE *),
                       FILE *out)
{
	struct rpt_columns_row *row;
	size_t n_row;
	int rc = rpt_columns_rows(reports, n, &row, &n_row);

	if (!rc)
		rc = export(&(struct rpt_columns){ reports, n, row, n_row }, out);
	free(row);
	return rc;
}
