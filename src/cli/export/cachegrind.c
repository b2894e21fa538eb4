/* cachegrind.c -- softpmu export cachegrind: what cg_annotate and cg_diff of Valgrind 3.19 read.
 *
 * One line per line of the source. Where no line is known the file is "???", as there, and lines of
 * one function in two executables are two.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/export/export.h"
#include "cli/where/reader.h"

/* Events that have numbers. */
static void put_names(const struct rec *r, FILE *out)
{
	for (uint32_t e = 0; e < r->n_event; e++)
		if (!*r->event[e].status)
			fprintf(out, " %s", r->event[e].name);
	fputc('\n', out);
}

static void put_counts(const struct rec *r, const int64_t *count, FILE *out)
{
	for (uint32_t e = 0; e < r->n_event; e++)
		if (!*r->event[e].status)
			fprintf(out, " %" PRId64, count[e]);
	fputc('\n', out);
}

/* By file, then function, then line. */
static int by_source(const void *a, const void *b)
{
	const struct whr_row *s = a, *t = b;
	int order = strcmp(s->file, t->file);

	order = order ? order : strcmp(s->function, t->function);
	order = order ? order : strcmp(s->object, t->object);
	return order ? order : s->line < t->line ? -1 : s->line > t->line;
}

static void put_rows(const struct rec *r, const struct whr_table *t, FILE *out)
{
	const char *file = NULL, *function = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct whr_row *row = &t->row[i];
		const char *in = *row->file ? row->file : "???";

		if (!file || strcmp(file, in)) {
			fprintf(out, "fl=%s\n", in);
			function = NULL;
		}
		if (!function || strcmp(function, row->function))
			fprintf(out, "fn=%s\n", row->function);
		file = in;
		function = row->function;
		fprintf(out, "%u", row->line);
		put_counts(r, row->count, out);
	}
}

int cli_put_cachegrind(const struct cli_export *x, FILE *out)
{
	const struct rec *r = x->rec;
	const char *changed;
	struct whr_table t;
	char command[4096], estimates[CLI_ESTIMATES];
	int rc = whr_build(&t, r, x->names, WHR_LINE, &changed);

	if (!rc) {
		qsort(t.row, t.n, sizeof(*t.row), by_source);
		fprintf(out, "desc: softpmu record, %s\n", rec_text(r->meta, "cpu"));
		if (*cli_export_estimates(r, estimates))
			fprintf(out, "desc: Note: %s\n", estimates);
		fprintf(out, "cmd: %s\nevents:", cli_record_command(r, command, sizeof(command)));
		put_names(r, out);
		put_rows(r, &t, out);
		fprintf(out, "summary:");
		for (uint32_t e = 0; e < r->n_event; e++)
			if (!*r->event[e].status)
				fprintf(out, " %" PRIu64, r->event[e].total);
		fputc('\n', out);
	}
	whr_free(&t);
	return rc;
}
