/* show.c -- softpmu log show: the history as a table, newest first, as fields, or as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/history/history.h"
#include "cli/where/diff.h"
#include "cli/where/top.h"
#include "report/json.h"

#define LEAST_WHAT 12
#define NO_COUNT   "-"

const char *cli_log_short(const char *revision, char out[12])
{
	const bool has_changes = strstr(revision, "-dirty") != NULL;

	if (!*revision)
		return "-";
	snprintf(out, 12, "%.9s%s", revision, has_changes ? "+" : "");
	return out;
}

const char *cli_log_what(const struct hst_result *r, char *out, size_t room)
{
	snprintf(out, room, "%s", *r->tags ? r->tags : r->command);
	return out;
}

/* The result of the series before number i; NULL: it is the first. */
static const struct hst_result *before(const struct cli_log *l, size_t i)
{
	for (size_t k = i; k--;)
		if (hst_is_series(&l->all.result[k], &l->all.result[i]))
			return &l->all.result[k];
	return NULL;
}

/* "+0.35%" of the first event since the result before it; "+-0.40%" where the intervals of
 * estimates explain the change. */
static const char *change_of(const struct cli_log *l, size_t i, const char *event,
			     char out[CLI_DIFF_PART])
{
	const struct hst_result *old = before(l, i);
	const struct hst_count *was = old ? hst_find_count(old, event) : NULL,
			       *is = hst_find_count(&l->all.result[i], event);
	const char *text;
	double half;

	if (!was || !is)
		return "";
	half = hypot((double)was->half, (double)is->half);
	if (half > 0 && fabs((double)is->value - (double)was->value) <= half)
		return cli_diff_part(was->value, 0, half, out) + strlen("as before ");
	if (was->value == is->value)
		return "=";
	text = cli_diff_percent(was->value, (int64_t)(is->value - was->value), out);
	return strcmp(text, "+0.00%") && strcmp(text, "-0.00%") ? text
	       : is->value > was->value				? "> 0"
								: "< 0";
}

/* ---- the table ------------------------------------------------------------------------------- */

/* -e, or the first event of the newest result. */
static size_t choose_events(const struct cli_log *l, const char *out[CLI_LOG_EVENTS])
{
	for (size_t i = 0; i < l->n_event; i++)
		out[i] = l->event[i];
	if (l->n_event)
		return l->n_event;
	out[0] = l->all.result[l->all.n - 1].count[0].event;
	return 1;
}

static bool is_one_cpu(const struct cli_log *l)
{
	for (size_t i = 1; i < l->all.n; i++)
		if (strcmp(l->all.result[i].cpu, l->all.result[0].cpu) != 0)
			return false;
	return true;
}

static void print_row(const struct cli_log *l, size_t i, const char *const *event, size_t n,
		      const struct rpt_screen *screen)
{
	const struct hst_result *r = &l->all.result[i];
	char name[12], number[40], change[CLI_DIFF_PART], what[512], cut[128];
	int at = printf(" %5" PRId64 "  %-10s %-10.10s", r->id, cli_log_short(r->revision, name),
			*r->commit_date ? r->commit_date : r->date),
	    room;

	for (size_t k = 0; k < n; k++) {
		const struct hst_count *c = hst_find_count(r, event[k]);

		at += printf(" %15s", c ? cli_top_number((int64_t)c->value, number) : NO_COUNT);
		if (!k)
			at += printf(" %8s", change_of(l, i, event[0], change));
	}
	snprintf(what, sizeof(what), "%s%s%s", is_one_cpu(l) ? "" : r->cpu,
		 is_one_cpu(l) ? "" : " ", *r->tags ? r->tags : r->command);
	room = screen->columns ? screen->columns - at - 2 : 0;
	printf("  %s\n", rpt_fold(what, room && room < LEAST_WHAT ? LEAST_WHAT : room, cut));
}

/* Is any of n events an estimate in any result? */
static bool has_estimates(const struct cli_log *l, const char *const *event, size_t n)
{
	for (size_t i = 0; i < l->all.n; i++)
		for (size_t k = 0; k < n; k++) {
			const struct hst_count *c = hst_find_count(&l->all.result[i], event[k]);

			if (c && c->half)
				return true;
		}
	return false;
}

static int show_table(const struct cli_log *l)
{
	const struct rpt_screen screen = cli_log_screen(stdout, l->color);
	const char *event[CLI_LOG_EVENTS];
	const size_t n = choose_events(l, event);
	char cut[128];

	printf("%s %5s  %-10s %-10s", rpt_bold(&screen, true), "id", "commit", "date");
	for (size_t k = 0; k < n; k++) {
		printf(" %15s", rpt_fold(event[k], 15, cut));
		if (!k)
			printf(" %8s", "change");
	}
	printf("  of%s\n", rpt_plain(&screen, true));
	for (size_t i = l->all.n; i--;)
		print_row(l, i, event, n, &screen);
	if (has_estimates(l, event, n))
		puts("\n Note: estimates by samples are among these counts; --json has half of the "
		     "interval of each.");
	if (is_one_cpu(l))
		printf("\n All of %s.\n", l->all.result[0].cpu);
	return 0;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The separator does not stand in a field. */
static void put_field(const char *text, const char *separator)
{
	const size_t n = strlen(separator);

	for (; *text; text++) {
		const bool is_separator = n && !strncmp(text, separator, n);

		putchar(is_separator ? ' ' : *text);
		text += is_separator ? n - 1 : 0;
	}
	fputs(separator, stdout);
}

static bool is_wanted(const struct cli_log *l, const char *event)
{
	for (size_t i = 0; i < l->n_event; i++)
		if (!strcasecmp(l->event[i], event))
			return true;
	return !l->n_event;
}

static int show_fields(const struct cli_log *l)
{
	for (size_t i = l->all.n; i--;) {
		const struct hst_result *r = &l->all.result[i];

		for (size_t k = 0; k < r->n_count; k++) {
			if (!is_wanted(l, r->count[k].event))
				continue;
			printf("%" PRId64 "%s", r->id, l->separator);
			put_field(r->date, l->separator);
			put_field(r->revision, l->separator);
			put_field(r->commit_date, l->separator);
			put_field(r->host, l->separator);
			put_field(r->cpu, l->separator);
			put_field(r->model, l->separator);
			put_field(r->version, l->separator);
			put_field(r->tags, l->separator);
			put_field(r->command, l->separator);
			put_field(r->count[k].event, l->separator);
			printf("%" PRIu64, r->count[k].value);
			if (r->count[k].half)
				printf("%s%" PRIu64, l->separator, r->count[k].half);
			putchar('\n');
		}
	}
	return 0;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Half of the interval of each estimate; nothing where all is exact. */
static void put_halves(json_t *o, const struct cli_log *l, const struct hst_result *r)
{
	json_t *halves = json_object();

	for (size_t k = 0; k < r->n_count; k++)
		if (r->count[k].half && is_wanted(l, r->count[k].event))
			json_object_set_new(halves, r->count[k].event,
					    json_integer((json_int_t)r->count[k].half));
	if (json_object_size(halves))
		json_object_set(o, "half", halves);
	json_decref(halves);
}

static json_t *json_of(const struct cli_log *l, const struct hst_result *r)
{
	json_t *o = json_object(), *counts = json_object();

	json_object_set_new(o, "id", json_integer(r->id));
	json_object_set_new(o, "date", rpt_json_text(r->date));
	json_object_set_new(o, "commit", rpt_json_text(r->revision));
	json_object_set_new(o, "commit_date", rpt_json_text(r->commit_date));
	json_object_set_new(o, "subject", rpt_json_text(r->subject));
	json_object_set_new(o, "host", rpt_json_text(r->host));
	json_object_set_new(o, "cpu", rpt_json_text(r->cpu));
	json_object_set_new(o, "model", rpt_json_text(r->model));
	json_object_set_new(o, "version", rpt_json_text(r->version));
	json_object_set_new(o, "command", rpt_json_text(r->command));
	json_object_set_new(o, "tags", rpt_json_text(r->tags));
	for (size_t k = 0; k < r->n_count; k++)
		if (is_wanted(l, r->count[k].event))
			json_object_set_new(counts, r->count[k].event,
					    json_integer((json_int_t)r->count[k].value));
	json_object_set_new(o, "counts", counts);
	put_halves(o, l, r);
	return o;
}

static int show_json(const struct cli_log *l)
{
	json_t *o = json_object(), *list = json_array();
	int rc;

	for (size_t i = l->all.n; i--;)
		json_array_append_new(list, json_of(l, &l->all.result[i]));
	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "results", list);
	rc = json_dumpf(o, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(o);
	return rc ? cli_fail("out of memory for the history") : 0;
}

int cli_log_show(struct cli_log *l)
{
	int code = cli_log_read(l);

	if (!code && !l->is_json && !l->separator && !l->all.n)
		code = cli_fail("log show: the history has no result%s",
				l->match ? " that --match leaves" : "");
	if (code)
		return code;
	code = l->is_json ? show_json(l) : l->separator ? show_fields(l) : show_table(l);
	return cli_close_stdout(code);
}
