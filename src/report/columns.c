/* columns.c -- one run, several processors: a column each. */
#include "report/columns.h"

#include <inttypes.h>
#include <jansson.h>

#include "base/version.h"
#include "report/report.h"

#define JSON_SCHEMA 1

/* Count of row i on processor c, NULL when that processor does not have the event. */
static const struct ses_count *count_at(const struct rpt_columns *r, size_t i, size_t c)
{
	const int at = r->row[i].at[c];

	if (at < 0)
		return NULL;
	return c ? &r->run->column[c - 1].count[at] : &r->run->count[at];
}

static uint64_t later_at(const struct rpt_columns *r, size_t c)
{
	return c ? r->run->column[c - 1].later_instructions : r->run->later_instructions;
}

static void print_later(const struct rpt_columns *r, FILE *out)
{
	for (size_t c = 0; c < r->n_cpu; c++)
		if (later_at(r, c) && r->run->instructions)
			fprintf(out,
				" Note: %s never had %.1f %% of the instructions (%" PRIu64 "); they count as their nearest class.\n",
				r->cpu[c]->name, 100.0 * (double)later_at(r, c) / (double)r->run->instructions, later_at(r, c));
}

int rpt_columns_human(const struct rpt_columns *r, FILE *out)
{
	fprintf(out, "\n Performance counter stats for '");
	for (size_t i = 0; r->argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", r->argv[i]);
	fprintf(out, "', one run, one column per processor:\n\n");
	for (size_t c = 0; c < r->n_cpu; c++)
		fprintf(out, "%20s", r->cpu[c]->name);
	fprintf(out, "\n");
	for (size_t i = 0; i < r->n_row; i++) {
		for (size_t c = 0; c < r->n_cpu; c++) {
			const struct ses_count *n = count_at(r, i, c);

			if (n && n->status == SES_COUNTED)
				fprintf(out, "%20" PRIu64, n->value);
			else
				fprintf(out, "%20s", n ? rpt_status_text(n->status) : "-");
		}
		fprintf(out, "      %s\n", r->row[i].name);
	}
	fprintf(out, "\n %17.9f seconds time elapsed\n\n", r->run->elapsed_s);
	if (!r->is_quiet) {
		fprintf(out, " The program ran once and saw a %s; tier %d; input digest %016" PRIx64 "\n", r->cpu[0]->name,
			r->run->tier, r->run->input_digest);
		print_later(r, out);
		fputc('\n', out);
	}
	if (r->trouble)
		fprintf(out, " The run ended early: %s.\n\n", r->trouble);
	return 0;
}

static json_t *one_column(const struct rpt_columns *r, size_t c)
{
	json_t *o = json_object(), *events = json_array();

	for (size_t i = 0; i < r->n_row; i++) {
		const struct ses_count *n = count_at(r, i, c);
		json_t *e = json_object(), *name = json_string(r->row[i].name);

		json_object_set_new(e, "name", name ? name : json_string("(not UTF-8)"));
		if (!n)
			json_object_set_new(e, "status", json_string("no such event"));
		else if (n->status == SES_COUNTED)
			json_object_set_new(e, "value", json_integer((json_int_t)n->value));
		else
			json_object_set_new(e, "why", json_string(n->why ? n->why : ""));
		json_array_append_new(events, e);
	}
	json_object_set_new(o, "cpu", json_string(r->cpu[c]->name));
	json_object_set_new(o, "later_instructions", json_integer((json_int_t)later_at(r, c)));
	json_object_set_new(o, "events", events);
	return o;
}

int rpt_columns_json(const struct rpt_columns *r, FILE *out)
{
	json_t *o = json_object(), *columns = json_array();
	int rc;

	for (size_t c = 0; c < r->n_cpu; c++)
		json_array_append_new(columns, one_column(r, c));
	json_object_set_new(o, "schema", json_integer(JSON_SCHEMA));
	json_object_set_new(o, "softpmu", json_string(SPMU_VERSION));
	json_object_set_new(o, "seen_cpu", json_string(r->cpu[0]->name));
	json_object_set_new(o, "instructions", json_integer((json_int_t)r->run->instructions));
	json_object_set_new(o, "tier", json_integer(r->run->tier));
	json_object_set_new(o, "columns", columns);
	if (r->trouble)
		json_object_set_new(o, "trouble", json_string(r->trouble));
	rc = json_dumpf(o, out, JSON_INDENT(2)) || fputc('\n', out) == EOF ? -SPMU_ENOMEM : 0;
	json_decref(o);
	return rc;
}
