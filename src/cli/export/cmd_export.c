/* cmd_export.c -- softpmu export: a record in the format of another tool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/export/export.h"
#include "cli/options.h"
#include "cli/where/output.h"
#include "cli/where/reader.h"
#include "where/calls.h"

struct format {
	const char *name;
	int (*put)(const struct cli_export *x, FILE *out);
	bool takes_event, has_stacks;
};

static const struct format formats[] = {
#define FORMAT(name, function, takes_event, has_stacks, text)                                      \
	{#name, function, takes_event, has_stacks},
#include "cli/export/formats.def"
#undef FORMAT
};
#define N_FORMAT (sizeof(formats) / sizeof(formats[0]))

struct export_options {
	const struct format *format;
	const char *file, *output, *event;
};

/* "a, b and c". Buffer is the caller's. */
static const char *list_formats(char *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < N_FORMAT && n < room; i++)
		n += (size_t)snprintf(out + n, room - n, "%s%s",
				      !i		 ? ""
				      : i + 1 < N_FORMAT ? ", "
							 : " and ",
				      formats[i].name);
	return out;
}

static void say_what_lacks(const struct export_options *o, const struct rec *r)
{
	if (o->format->has_stacks && !whr_has_paths(r))
		fprintf(stderr, "softpmu: the record has no call paths, so the export has no "
				"calls; softpmu record --stacks on keeps them\n");
}

static int put(const struct export_options *o, const struct rec *r)
{
	struct cli_export x = {.rec = r, .names = nm_open(), .event = cli_record_first(r)};
	const char *changed = x.names ? whr_distrust_changed(r, x.names) : NULL;
	char *bytes = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);
	int code = 0;

	cli_record_note_estimates(r, stderr);
	if (o->event)
		code = cli_record_event(r, "-e", o->event, &x.event);
	if (!code && (!x.names || !out || o->format->put(&x, out)))
		code = cli_fail("out of memory for the export");
	if (out && (ferror(out) | fclose(out)) && !code)
		code = cli_fail("out of memory for the export");
	if (!code) {
		cli_record_notes(changed, x.names);
		say_what_lacks(o, r);
		code = cli_save("export", o->output ? o->output : "-", bytes, n);
	}
	free(bytes);
	nm_close(x.names);
	return code;
}

/* Take the next argument that is no option. Returns 0, or the exit code after a message. */
static int take_argument(struct export_options *o, const char *argument)
{
	char list[256];

	if (o->file)
		return cli_fail("export %s %s: one record at a time", o->file, argument);
	if (o->format) {
		o->file = argument;
		return 0;
	}
	for (size_t i = 0; i < N_FORMAT; i++)
		if (!strcmp(formats[i].name, argument))
			o->format = &formats[i];
	return o->format ? 0
			 : cli_fail("export %s: there are %s", argument,
				    list_formats(list, sizeof(list)));
}

int cmd_export(int argc, char **argv)
{
	struct export_options o = {NULL, NULL, NULL, NULL};
	struct rec *r = NULL;
	struct spmu_error err;
	char list[256];
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
		if (option == OPT_event)
			o.event = value;
		if (option != OPT_END)
			continue;
		if (cli_first_argument() >= argc)
			break;
		code = take_argument(&o, argv[cli_first_argument()]);
		cli_skip_argument();
	}
	if (!code && !o.format)
		code = cli_fail("export: into which format? there are %s",
				list_formats(list, sizeof(list)));
	if (!code && o.event && !o.format->takes_event)
		code = cli_fail("export %s -e %s: this format has all events of the record",
				o.format->name, o.event);
	if (code)
		return code;
	if (rec_open(o.file ? o.file : REC_DEFAULT, &r, &err))
		return cli_complain(&err);
	code = put(&o, r);
	rec_close(r);
	return cli_close_stdout(code);
}
