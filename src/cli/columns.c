#include "cli/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MOST_ROWS 256u

/* What is counted for each processor. */
struct table {
	struct ses_events events[1 + SES_MORE_COLUMNS];
	struct rpt_columns_row row[MOST_ROWS];
	size_t n_row;
};

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
		c->cpu[c->n] = cli_find_cpu(name);
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

/* A row: event `name` of every processor that has it; at[] -1 where it has not. must_all: leave the row out unless all
 * have it. */
static int add_row(const struct cli_columns *c, const struct cli_run *r, const char *name, bool must_all,
                   struct table *t)
{
	struct rpt_columns_row *row = &t->row[t->n_row];
	struct spmu_error err, first = {0};
	struct ses_event e[1 + SES_MORE_COLUMNS];
	size_t have = 0;

	if (t->n_row == MOST_ROWS)
		return cli_fail("-e: at most %u events in a run for several processors", MOST_ROWS);
	for (size_t i = 0; i < c->n; i++) {
		row->at[i] = -1;
		if (ses_parse_event(c->cpu[i], name, r->is_raw, &e[i], &err)) {
			first = first.code ? first : err;
			continue;
		}
		row->at[i] = (int)t->events[i].n;
		have++;
	}
	if (must_all && have < c->n)
		return 0;
	if (!have)
		return cli_complain(&first);
	for (size_t i = 0; i < c->n; i++)
		if (row->at[i] >= 0 && ses_events_add(&t->events[i], &e[i], &err))
			return cli_complain(&err);
	snprintf(row->name, sizeof(row->name), "%s", name);
	t->n_row++;
	return 0;
}

/* The events of one -e. */
static int add_list(const struct cli_columns *c, const struct cli_run *r, const char *list, struct table *t)
{
	char name[128];

	if (strchr(list, '{'))
		return cli_fail("-e %s: groups are for one processor; leave the braces away", list);
	while (*list) {
		size_t n = strcspn(list, ",");
		int code;

		if (n >= sizeof(name))
			return cli_fail("-e: event %.40s...: longer than 127 characters", list);
		memcpy(name, list, n);
		name[n] = 0;
		code = add_row(c, r, name, false, t);
		if (code)
			return code;
		list += n + (list[n] == ',');
	}
	return 0;
}

static int choose(const struct cli_columns *c, const struct cli_run *r, struct table *t)
{
	static const char *const common[] = {
	    "cycles", "instructions", "branches", "branch-misses", "L1-dcache-loads", "L1-dcache-load-misses",
	    "L1-icache-load-misses", "iTLB-load-misses", "bus-cycles",
	};
	int code = 0;

	if (r->group_name || r->wants_all)
		return cli_fail("--cpu with several processors: name the events with -e; groups and --all are of one processor");
	for (size_t i = 0; i < r->n_event_text && !code; i++)
		code = add_list(c, r, r->event_text[i], t);
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]) && !code && !r->n_event_text; i++)
		code = add_row(c, r, common[i], true, t);
	return code;
}

static int report(const struct cli_columns *c, const struct cli_run *r, const struct table *t,
                  const struct ses_result *run, const char *trouble, int (*export)(const struct rpt_columns *, FILE *),
                  FILE *out)
{
	struct rpt_columns x = {
	    .cpu = c->cpu, .n_cpu = c->n, .argv = r->cfg.argv, .row = t->row, .n_row = t->n_row, .run = run,
	    .is_quiet = r->is_quiet, .trouble = trouble,
	};

	return export(&x, out) ? cli_fail("out of memory for the report") : 0;
}

static int count(const struct cli_columns *c, const struct cli_run *r, const struct table *t,
                 int (*export)(const struct rpt_columns *, FILE *))
{
	struct ses_column column[SES_MORE_COLUMNS];
	struct ses_config cfg = r->cfg;
	struct ses_result run;
	struct spmu_error err = {0};
	FILE *out = cli_run_output(r);
	int code;

	if (!out)
		return CLI_FAILED;
	cfg.model.cpu = c->cpu[0];
	cfg.event = t->events[0].event;
	cfg.n_event = t->events[0].n;
	for (size_t i = 1; i < c->n; i++)
		column[i - 1] = (struct ses_column){c->cpu[i], t->events[i].event, t->events[i].n};
	cfg.column = column;
	cfg.n_column = c->n - 1;
	if (ses_run(&cfg, &run, &err) && !(run.n_column && run.instructions)) {
		code = cli_complain(&err);
	} else {
		if (!err.code)
			cli_run_say_signal(r, &run);
		code = report(c, r, t, &run, err.code ? err.text : NULL, export, out);
		if (!code)
			code = err.code ? cli_complain(&err) : cli_run_exit_code(&run);
	}
	ses_result_free(&run);
	return cli_run_close_output(r, out, code);
}

int cli_columns_count(const struct cli_columns *c, const struct cli_run *r,
                      int (*export)(const struct rpt_columns *, FILE *))
{
	struct table *t = calloc(1, sizeof(*t));
	int code;

	if (!t)
		return cli_fail("out of memory");
	code = choose(c, r, t);
	if (!code)
		code = count(c, r, t, export);
	for (size_t i = 0; i < c->n; i++)
		ses_events_free(&t->events[i]);
	free(t);
	return code;
}
