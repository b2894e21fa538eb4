/* columns.c -- stat --cpu A,B,C and --l1d 8K,16K: which machines there are, and which events and
 * metrics each has. Rules are in columns.h.
 *
 * Events are read once for each processor. An event that only others have is left out of a
 * processor's list (evt_events.other), and its column shows a dash.
 */
#include "cli/stat/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/board.h"
#include "cli/cli.h"
#include "event/groups.h"

int cli_columns_option(struct cli_columns *c, const char *list)
{
	char name[64];

	c->n_cpu = 0;
	while (*list) {
		const size_t n = strcspn(list, ",");

		if (c->n_cpu == CLI_MOST_MACHINES || n >= sizeof(name)) {
			cli_fail("--cpu: at most %u processors in one pass of a trace, and %u in "
				 "one run",
				 CLI_MOST_MACHINES, 1 + SES_LIVE_COLUMNS);
			return -1;
		}
		memcpy(name, list, n);
		name[n] = 0;
		c->cpu[c->n_cpu] = cli_find_cpu("cpu", name);
		if (!c->cpu[c->n_cpu])
			return -1;
		c->n_cpu++;
		list += n + (list[n] == ',');
	}
	if (c->n_cpu < 2) {
		cli_fail("--cpu: a processor is missing before or after the comma");
		return -1;
	}
	return 1;
}

/* ---- machines -------------------------------------------------------------------------------- */

int cli_columns_geometry(struct cli_columns *c, unsigned part, const char *value)
{
	c->list[part] = strchr(value, ',') ? value : NULL;
	return c->list[part] != NULL;
}

const char *cli_columns_asked(const struct cli_columns *c)
{
	return c->n_cpu > 1 ? "--cpu with several processors" : "several geometries";
}

/* Item i of a list: *n of its bytes. */
static const char *item(const char *list, size_t i, size_t *n)
{
	for (; i; i--)
		list += strcspn(list, ",") + 1;
	*n = strcspn(list, ",");
	return list;
}

static size_t items(const char *list)
{
	size_t n = 1;

	for (; list && *list; list++)
		n += *list == ',';
	return n;
}

/* Machine number i: its processor and geometry, the last list turning fastest. Returns 0 or an
 * exit code after a message. */
static int set_machine(const struct cli_columns *c, const struct cli_run *r, size_t i,
		       struct cli_machine *m)
{
	struct mdl_config model = r->cfg.model;
	char text[CLI_N_PARTS][32] = {""};
	size_t n;

	m->geometry = cli_geometry_of(&model);
	for (unsigned part = CLI_N_PARTS; part-- > 0;) {
		const size_t n_item = items(c->list[part]);
		const char *one = c->list[part] ? item(c->list[part], i % n_item, &n) : NULL;

		i /= n_item;
		if (!one)
			continue;
		if (!n)
			return cli_fail("--%s %s: a size is missing before or after a comma",
					cli_part_name[part], c->list[part]);
		if (n >= sizeof(text[0]))
			return cli_fail("--%s %.60s: no geometry is that long", cli_part_name[part],
					one);
		memcpy(text[part], one, n);
		if (cli_geometry(cli_part_name[part], text[part], cli_part(&m->geometry, part)))
			return CLI_FAILED;
	}
	m->cpu = c->n_cpu ? c->cpu[i] : model.cpu;
	n = c->n_cpu > 1 ? (size_t)snprintf(m->name, sizeof(m->name), "%s", m->cpu->name) : 0;
	for (unsigned part = 0; part < CLI_N_PARTS && n < sizeof(m->name); part++)
		if (*text[part])
			n += (size_t)snprintf(m->name + n, sizeof(m->name) - n, "%s%s=%s",
					      n ? " " : "", cli_part_name[part], text[part]);
	model.cpu = m->cpu;
	cli_geometry_set(&model, &m->geometry);
	return cli_board_fits(&model) ? CLI_FAILED : 0;
}

int cli_columns_machines(struct cli_columns *c, const struct cli_run *r)
{
	const size_t most = r->replay ? CLI_MOST_MACHINES : 1 + SES_LIVE_COLUMNS;
	size_t n = c->n_cpu ? c->n_cpu : 1;
	int code = 0;

	for (unsigned part = 0; part < CLI_N_PARTS; part++)
		n *= items(c->list[part]);
	c->n = 0;
	if (n == 1)
		return 0;
	if (n > most && r->replay)
		return cli_fail("%zu machines are asked for, and one pass of a trace counts for "
				"%zu: make several of it",
				n, most);
	if (n > most)
		return cli_fail("%zu machines are asked for, and one run counts for %zu; softpmu "
				"replay counts for %u from a trace",
				n, most, CLI_MOST_MACHINES);
	if (!c->n_cpu) {
		c->cpu[0] = r->cfg.model.cpu;
		c->n_cpu = 1;
	}
	for (; c->n < n && !code; c->n++)
		code = set_machine(c, r, c->n, &c->machine[c->n]);
	return code;
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* One name of -M: every column that has it. */
static int add_metric(const struct cli_columns *c, const char *name, struct cli_column *column)
{
	struct spmu_error err;
	size_t have = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!evt_has_metrics(c->machine[i].cpu, name))
			continue;
		have++;
		if (evt_metrics_named(c->machine[i].cpu, name, &column[i].metrics,
				      &column[i].events, &err))
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

/* ---- events ---------------------------------------------------------------------------------- */

/* Events that every processor has; of one processor, its default. */
static int add_common(const struct cli_columns *c, struct cli_column *column)
{
	static const char *const common[] = {
	    "cycles",
	    "instructions",
	    "branches",
	    "branch-misses",
	    "L1-dcache-loads",
	    "L1-dcache-load-misses",
	    "L1-icache-load-misses",
	    "iTLB-load-misses",
	    "bus-cycles",
	};
	struct evt_event e[CLI_MOST_MACHINES];
	struct spmu_error err;

	for (size_t i = 0; i < c->n && c->n_cpu == 1; i++)
		if (evt_events_default(c->cpu[0], &column[i].events, &err))
			return cli_complain(&err);
	if (c->n_cpu == 1)
		return 0;
	for (size_t k = 0; k < sizeof(common) / sizeof(common[0]); k++) {
		size_t have = 0;

		while (have < c->n &&
		       !evt_parse_event(c->machine[have].cpu, common[k], false, &e[have], &err))
			have++;
		for (size_t i = 0; i < c->n && have == c->n; i++)
			if (evt_events_add(&column[i].events, &e[i], &err))
				return cli_complain(&err);
	}
	return 0;
}

int cli_columns_choose(const struct cli_columns *c, const struct cli_run *r,
		       const char *metric_names, struct cli_column *column)
{
	struct spmu_error err;
	size_t n = 0;
	int code = 0;

	for (size_t i = 0; i < c->n && !code; i++) {
		column[i].cpu = c->machine[i].cpu;
		column[i].name = c->machine[i].name;
		column[i].geometry = c->machine[i].geometry;
		column[i].events.other = c->cpu;
		column[i].events.n_other = c->n_cpu;
		code = cli_run_events(r, column[i].cpu, &column[i].events);
	}
	if (!code && metric_names)
		code = add_metrics(c, metric_names, column);
	for (size_t i = 0; i < c->n; i++)
		n += column[i].events.n;
	if (!code && !n)
		code = add_common(c, column);
	for (size_t i = 0; i < c->n && !code && !metric_names; i++)
		if (evt_metrics_of(column[i].cpu, &column[i].events, &column[i].metrics, &err))
			code = cli_complain(&err);
	return code;
}

/* ---- the report ------------------------------------------------------------------------------ */

int cli_columns_report(const struct rpt_report *reports, size_t n,
		       int (*export)(const struct rpt_columns *, FILE *), FILE *out)
{
	struct rpt_columns_row *row;
	size_t n_row;
	int rc = rpt_columns_rows(reports, n, &row, &n_row);

	if (!rc)
		rc = export(&(struct rpt_columns){reports, n, row, n_row}, out);
	free(row);
	return rc;
}
