/* lab_run.c -- runs the programs of a lesson by the code of softpmu stat. */
#include "cli/lab_run.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/stat/runs.h"

#define MOST_WORDS 48

/* A directory for the programs. Returns 0 or an exit code after a message. */
static int make_directory(char dir[64])
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || !*tmp || strlen(tmp) > 32)
		tmp = "/tmp";
	snprintf(dir, 64, "%s/softpmu-lab.XXXXXX", tmp);
	if (mkdtemp(dir))
		return 0;
	*dir = 0;
	return cli_fail("%s: no directory for the lesson's programs can be made: %s; set TMPDIR to "
			"another place",
			tmp, strerror(errno));
}

static int write_program(const struct lab_lesson *l, size_t program, const char *path)
{
	const struct lab_file *f = lab_program_file(l, program);
	FILE *out;
	size_t n;

	if (!f)
		return cli_fail("lesson %u: its program %s is not in this softpmu", l->number,
				l->program[program].name);
	n = (size_t)(f->end - f->begin);
	out = fopen(path, "we");
	if (!out || fwrite(f->begin, 1, n, out) != n || fclose(out) || chmod(path, 0700))
		return cli_fail("%s: %s", path, strerror(errno));
	return 0;
}

/* Counts of the events in the order in which lab_table_events() names them. */
static void take_counts(struct lab_table *t, size_t row, const struct ses_result *result,
			const struct evt_events *events)
{
	size_t at = 0;

	for (size_t i = 0; i < t->l->n_column; i++) {
		struct lab_number *n = &t->row[row].number[i];
		const struct evt_count *c = &result->count[at];

		if (!t->l->column[i].event || !lab_table_has(t, i) || at >= events->n)
			continue;
		at++;
		n->is_known = c->status == EVT_COUNTED;
		n->value = n->is_known ? (double)c->value : 0;
		n->why = c->status == EVT_CANNOT_OCCUR ? "cannot occur" : "not modelled";
	}
	t->row[row].status = cli_run_exit_code(result);
	t->row[row].is_done = true;
}

static int count_run(struct lab_table *t, size_t row, struct cli_run *run)
{
	struct cli_column column = {.cpu = run->cfg.model.cpu};
	struct cli_backend backend = {0};
	struct cli_runs runs = {
	    .options = run, .backend = &backend, .column = &column, .n_column = 1, .n_wanted = 1};
	struct spmu_error err = {0};
	int code = cli_run_events(run, column.cpu, &column.events);

	if (!code && cli_runs_do(&runs, &err))
		code = cli_complain(&err);
	else if (!code && err.code)
		code = cli_complain(&err);
	else if (!code && runs.result[0].interrupted)
		code = cli_run_exit_code(&runs.result[0]);
	if (!code) {
		take_counts(t, row, &runs.result[0], &column.events);
		if (lab_table_figures(t, row, &err))
			code = cli_fail("lesson %u, run %s: %s", t->l->number, t->l->run[row].name,
					err.text);
	}
	cli_runs_free(&runs);
	cli_column_free(&column);
	return code;
}

/* Cut the command that the lesson prints into argv[], and add the program. Returns the number of
 * words; 0 if there are too many. */
static int command_words(const struct lab_table *t, size_t row, char *text, char *path, char **argv)
{
	char events[512];
	int n = 0;

	argv[n++] = "stat";
	snprintf(text, 512, "%s", t->l->run[row].options);
	for (char *p = text; *p;) {
		p += strspn(p, " ");
		if (*p && n < MOST_WORDS - 4)
			argv[n++] = p;
		p += strcspn(p, " ");
		if (*p)
			*p++ = 0;
	}
	lab_table_events(t, events, sizeof(events));
	argv[n++] = "-e";
	snprintf(text + 512, 512, "%s", events);
	argv[n++] = text + 512;
	argv[n++] = "--";
	argv[n++] = path;
	argv[n] = NULL;
	return n;
}

static int run_one(struct lab_table *t, size_t row, char *path)
{
	char *argv[MOST_WORDS + 4], text[1024];
	const int argc = command_words(t, row, text, path, argv);
	struct cli_run run;
	int help = 0, code;

	cli_run_open(&run);
	run.cfg.model.cpu = t->cpu;
	optind = 0; /* the words are another command's */
	code = cli_run_read(&run, argc, argv, 'S', NULL, NULL, &help);
	if (!code)
		code = cli_run_program(&run, argv[0], argc, argv, cli_first_argument());
	if (!code)
		code = count_run(t, row, &run);
	cli_run_free(&run);
	return code;
}

int cli_lab_run(struct lab_table *t)
{
	char dir[64], path[160];
	int code = make_directory(dir);

	if (code)
		return code;
	for (size_t i = 0; i < t->l->n_run && !code; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir,
			 t->l->program[t->l->run[i].program].name);
		code = write_program(t->l, t->l->run[i].program, path);
		if (!code)
			code = run_one(t, i, path);
		unlink(path);
	}
	rmdir(dir);
	return code;
}
