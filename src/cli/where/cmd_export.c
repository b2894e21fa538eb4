/* cmd_export.c -- softpmu export: a record in the format of another tool. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/where/export_callgrind.h"
#include "cli/where/reader.h"

/* ---- cachegrind: what cg_annotate and cg_diff of Valgrind 3.19 read ------------------------- */

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

/* One line per line of the source. Where no line is known the file is "???", as there, and lines of
 * one function in two executables are two. */
static void put_cachegrind(const struct rec *r, const struct whr_table *t, FILE *out)
{
	const char *file = NULL, *function = NULL;
	int64_t *total = calloc(r->n_event + 1u, sizeof(*total));
	char command[4096];

	fprintf(out, "desc: softpmu record, %s\ncmd: %s\nevents:", rec_text(r->meta, "cpu"),
		cli_record_command(r, command, sizeof(command)));
	put_names(r, out);
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
		for (uint32_t e = 0; e < r->n_event && total; e++)
			total[e] += row->count[e];
	}
	fprintf(out, "summary:");
	if (total)
		put_counts(r, total, out);
	free(total);
}

/* ---- callgrind ------------------------------------------------------------------------------ */

static int put_callgrind(const struct rec *r, struct nm *names, struct whr_table *t, FILE *out)
{
	struct whr_calls calls = {0};
	int rc = whr_calls_build(&calls, r, names, true);

	if (!rc && !whr_has_paths(r))
		fprintf(stderr, "softpmu: the record has no call paths, so the export has no "
				"calls; softpmu record --stacks on keeps them\n");
	rc = rc ? rc : cli_put_callgrind(r, t, &calls, out);
	whr_calls_free(&calls);
	return rc ? cli_fail("out of memory for the export") : 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

struct export_options {
	const char *format, *file, *output;
};

static int put(const struct export_options *o, const struct rec *r)
{
	FILE *out = o->output ? fopen(o->output, "we") : stdout;
	struct nm *names = nm_open();
	struct whr_table table = {0};
	const char *changed = NULL;
	int code = 0;

	if (!out)
		code = cli_fail("-o %s: %s", o->output, strerror(errno));
	else if (!names || whr_build(&table, r, names, WHR_LINE, &changed))
		code = cli_fail("out of memory for the export");
	if (!code) {
		cli_record_notes(changed, names);
		if (!strcmp(o->format, "callgrind")) {
			code = put_callgrind(r, names, &table, out);
		} else {
			qsort(table.row, table.n, sizeof(*table.row), by_source);
			put_cachegrind(r, &table, out);
		}
	}
	if (out && out != stdout && (ferror(out) | fclose(out)) && !code)
		code = cli_fail("-o %s: it could not be written completely: %s", o->output,
				strerror(errno));
	whr_free(&table);
	nm_close(names);
	return code;
}

/* Take the next argument that is no option. Returns 0, or the exit code after a message. */
static int take_argument(struct export_options *o, const char *argument)
{
	if (o->file)
		return cli_fail("export %s %s: one record at a time", o->file, argument);
	if (!o->format)
		o->format = argument;
	else
		o->file = argument;
	if (!strcmp(o->format, "cachegrind") || !strcmp(o->format, "callgrind"))
		return 0;
	return cli_fail("export %s: there are cachegrind and callgrind", o->format);
}

int cmd_export(int argc, char **argv)
{
	struct export_options o = {NULL, NULL, NULL};
	struct rec *r = NULL;
	struct spmu_error err;
	const char *value;
	int option, code = 0;

	while (!code) {
		option = cli_next_option(argc, argv, 'X', &value);
		if (option == OPT_help)
			return cli_help(argv[0], option);
		if (option < 0)
			return CLI_FAILED;
		if (option == OPT_export_file)
			o.output = value;
		if (option != OPT_END)
			continue;
		if (cli_first_argument() >= argc)
			break;
		code = take_argument(&o, argv[cli_first_argument()]);
		cli_skip_argument();
	}
	if (!code && !o.format)
		code = cli_fail("export: into which format? there are cachegrind and callgrind");
	if (code)
		return code;
	if (rec_open(o.file ? o.file : REC_DEFAULT, &r, &err))
		return cli_complain(&err);
	code = put(&o, r);
	rec_close(r);
	return cli_close_stdout(code);
}
