/* cmd_html.c -- softpmu html: a record, or two, as one page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/where/diff.h"
#include "cli/where/output.h"
#include "cli/where/reader.h"
#include "cli/where/sources.h"
#include "html/html.h"

#define DEFAULT_OUT "softpmu.html"
#define MOST_PATH   4096

struct html_options {
	const char *file[2]; /* the record, and the old one or NULL */
	unsigned n_file;
	const char *old;    /* the old one by --old, which leaves no doubt, or NULL */
	const char *output; /* "-": standard output */
	bool has_source;
	struct cli_sources sources;
};

/* ---- the page -------------------------------------------------------------------------------- */

static int write_page(const struct html_options *o, const struct htm_input *in)
{
	const char *changed = NULL;
	char *bytes = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);
	int code = out ? htm_write(in, out, &changed) : -1;

	if (out && (ferror(out) | fclose(out)))
		code = -1;
	code =
	    code ? cli_fail("out of memory for the page") : cli_save("html", o->output, bytes, n);
	if (!code)
		cli_record_notes(changed, in->names[0]);
	if (!code && strcmp(o->output, "-"))
		fprintf(stderr, "softpmu: wrote %s (%zu KB)", o->output, (n + 1023) / 1024);
	if (!code && strcmp(o->output, "-") && in->old)
		fprintf(stderr, ", in which '%s' is new and '%s' is old", o->file[0], o->file[1]);
	if (!code && strcmp(o->output, "-"))
		fputc('\n', stderr);
	free(bytes);
	return code;
}

/* Is the second record younger than the first, without --old? softpmu diff takes the old record
 * first, and html the new one. Says so. */
static bool is_order_odd(const struct html_options *o, const struct rec *new, const struct rec *old)
{
	if (!old || o->old ||
	    strcmp(rec_text(new->times, "date"), rec_text(old->times, "date")) >= 0)
		return false;
	fprintf(stderr,
		"softpmu: html takes the new record first, and '%s' was recorded before '%s'; if "
		"it is the old one, write softpmu html --old %s %s\n",
		o->file[0], o->file[1], o->file[0], o->file[1]);
	return true;
}

static int html(const struct html_options *o, const struct rec *new, const struct rec *old)
{
	const char *name = rec_text(new->meta, "cpu"), *home = getenv("HOME");
	char base[MOST_PATH] = "";
	struct htm_input in = {.rec = new,
			       .old = old,
			       .file = {o->file[0], o->file[1]},
			       .cpu = cat_find_cpu(name),
			       .base = base,
			       .home = home ? home : "",
			       .has_source = o->has_source};
	int code = old ? cli_records_compare("html", old, new, CLI_RECORDS) : 0;

	if (code)
		return code;
	in.is_order_odd = is_order_odd(o, new, old);
	cli_record_note_estimates(new, stderr);
	if (!in.cpu)
		return cli_fail(
		    "html: the record is of a processor '%s', which this softpmu does not know",
		    name);
	if (!getcwd(base, sizeof(base)))
		*base = 0;
	in.names[0] = cli_names(&o->sources);
	in.names[1] = cli_names(&o->sources);
	code = in.names[0] && in.names[1] ? write_page(o, &in)
					  : cli_fail("out of memory for the page");
	nm_close(in.names[0]);
	nm_close(in.names[1]);
	return code;
}

static int html_option(struct html_options *o, int option, const char *value)
{
	switch (option) {
	case OPT_html_file: o->output = value; return 1;
	case OPT_old: o->old = value; return 1;
	case OPT_no_source: o->has_source = false; return 1;
	default: return cli_source_option(&o->sources, option, value);
	}
}

int cmd_html(int argc, char **argv)
{
	struct html_options o = {.output = DEFAULT_OUT, .has_source = true};
	struct rec *rec[2] = {NULL, NULL};
	struct spmu_error err;
	const char *value;
	int code = 0;

	for (;;) {
		const int option = cli_next_option(argc, argv, 'H', &value);

		if (option == OPT_help)
			return cli_help(argv[0], option);
		if (option == OPT_END && cli_first_argument() >= argc)
			break;
		if (option == OPT_END && o.n_file == 2)
			return cli_fail(
			    "html %s %s %s: two records are the most, a new one and an old one",
			    o.file[0], o.file[1], argv[cli_first_argument()]);
		if (option == OPT_END) {
			o.file[o.n_file++] = argv[cli_first_argument()];
			cli_skip_argument();
		} else if (option < 0 || html_option(&o, option, value) < 0) {
			return CLI_FAILED;
		}
	}
	if (!o.n_file)
		o.file[o.n_file++] = REC_DEFAULT;
	if (o.old && o.n_file == 2)
		return cli_fail("html --old %s: '%s' would be another old record; name the new "
				"one alone",
				o.old, o.file[1]);
	if (o.old)
		o.file[o.n_file++] = o.old;
	for (unsigned i = 0; i < o.n_file && !code; i++)
		code = rec_open(o.file[i], &rec[i], &err) ? cli_complain(&err) : 0;
	if (!code && rec[1] && rec_order_as(rec[1], rec[0]))
		code = cli_fail("out of memory for the page");
	if (!code)
		code = html(&o, rec[0], rec[1]);
	rec_close(rec[0]);
	rec_close(rec[1]);
	return cli_close_stdout(code);
}
