/* cmd_sweep.c -- softpmu sweep: jobs of programs, processors and other options, each one command
 * with one result file, for an engine that runs commands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/geometry.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/sweep/engines.h"
#include "sweep/book.h"

#define MOST_AT_ONCE 4096

enum what { LIST, SLURM, RUN };

struct sweep {
	struct swp_plan plan;
	const char *dir;
	const char *path; /* of the plan; NULL: lines are in options, or in DIR */
	enum what what;
	unsigned n_at_once;
};

/* ---- the options of jobs --------------------------------------------------------------------- */

/* What says how and where results are written is the sweep's. */
static bool is_own(int option)
{
	return option == OPT_output || option == OPT_append || option == OPT_log_fd ||
	       option == OPT_json || option == OPT_json_output || option == OPT_field_separator ||
	       option == OPT_no_clobber || option == OPT_tag || option == OPT_diagram ||
	       option == OPT_interval_print || option == OPT_help || option == OPT_help_all;
}

/* Returns 0, or an exit code after a message. */
static int check_value(struct cli_run *r, int option, const char *value)
{
	static const char *const names[] = {"l1i", "l1d", "l2", "itlb", "dtlb"};
	char name[32];
	struct mdl_geom geom = {0};

	cli_option_name(option, name);
	if (is_own(option))
		return cli_fail("plan: --%s is not for a plan: a sweep itself says how and where "
				"results are written",
				name);
	if (option >= OPT_l1i && option <= OPT_dtlb)
		return cli_geometry(names[option - OPT_l1i], value, &geom);
	if (option == OPT_seed || option == OPT_env || option == OPT_event)
		return 0; /* they keep memory, and there may be thousands */
	return cli_run_option(r, option, value) < 0 ? CLI_FAILED : 0;
}

/* Looks at options as the command would (swp_check). */
static int check_options(bool is_trace, int n, char **words)
{
	struct cli_run run;
	const char *value;
	int option, code = 0;

	cli_run_open(&run);
	optind = 0; /* reading begins anew */
	while (!code &&
	       (option = cli_next_option(n, words, is_trace ? 'Y' : 'S', &value)) != OPT_END)
		code = option < 0 ? CLI_FAILED : check_value(&run, option, value);
	if (!code && cli_first_argument() < n)
		code = cli_fail("plan: '%s' is no option, and no value of one",
				words[cli_first_argument()]);
	cli_run_free(&run);
	return code ? -SPMU_EINVAL : 0;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* softpmu as it was called; where that was by a path, by the whole path. The caller's. */
static char *own_name(void)
{
	char *whole =
	    strchr(program_invocation_name, '/') ? realpath(program_invocation_name, NULL) : NULL;

	return whole ? whole : strdup(program_invocation_name);
}

/* The commands of the jobs without a result, a line each. Returns how many there are. */
static size_t left(const struct sweep *s, struct text *lines)
{
	char *softpmu = own_name();
	size_t n = 0;

	for (size_t i = 0; i < s->plan.n_job && softpmu; i++) {
		struct text command = {0};

		if (swp_book_has(s->dir, &s->plan, i))
			continue;
		swp_job_command(&s->plan, i, softpmu, s->dir, &command);
		text_printf(lines, "%s\n", text_get(&command));
		lines->has_failed |= command.has_failed;
		text_free(&command);
		n++;
	}
	lines->has_failed |= !softpmu;
	free(softpmu);
	return n;
}

static int run(const struct sweep *s, const struct text *lines, size_t n)
{
	size_t n_left = 0;
	const int code = n ? cli_sweep_run(lines, s->n_at_once) : 0;

	if (code)
		return code;
	for (size_t i = 0; i < s->plan.n_job; i++)
		n_left += !swp_book_has(s->dir, &s->plan, i);
	fprintf(stderr, " %zu of %zu jobs %s a result in %s; softpmu collect %s makes the table\n",
		s->plan.n_job - n_left, s->plan.n_job,
		text_noun(s->plan.n_job - n_left, "has", "have"), s->dir, s->dir);
	return n_left ? 1 : 0;
}

static int sweep(struct sweep *s)
{
	struct spmu_error err = {0};
	struct text lines = {0};
	size_t n;
	int rc = 0, code;

	if (s->path)
		rc = swp_plan_file(&s->plan, s->path, &err);
	else if (!s->plan.text.n)
		rc = swp_book_read(s->dir, &s->plan, &err);
	if (!rc)
		rc = swp_plan_check(&s->plan, check_options, &err);
	if (!rc)
		rc = swp_book_keep(s->dir, &s->plan, &err);
	if (rc)
		return err.text[0] ? cli_fail("%s", err.text) : CLI_FAILED;
	n = left(s, &lines);
	if (lines.has_failed)
		code = cli_fail("out of memory for the jobs");
	else if (s->what == SLURM)
		code = cli_sweep_slurm(&lines, n, s->dir);
	else if (s->what == RUN)
		code = run(s, &lines, n);
	else
		code = fputs(text_get(&lines), stdout) == EOF ? CLI_FAILED : cli_close_stdout(0);
	text_free(&lines);
	return code;
}

/* ---- options --------------------------------------------------------------------------------- */

/* Returns 0, or an exit code after a message. */
static int take_option(struct sweep *s, int option, const char *value)
{
	struct spmu_error err;

	switch (option) {
	case OPT_sweep_dir: s->dir = value; return 0;
	case OPT_over: return swp_plan_line(&s->plan, value, &err) ? cli_complain(&err) : 0;
	case OPT_list: s->what = LIST; return 0;
	case OPT_slurm: s->what = SLURM; return 0;
	case OPT_run: s->what = RUN; return 0;
	default:
		s->n_at_once = (unsigned)atoi(value);
		return s->n_at_once >= 1 && s->n_at_once <= MOST_AT_ONCE
			   ? 0
			   : cli_fail("-j %s: a number from 1 to %d is wanted", value,
				      MOST_AT_ONCE);
	}
}

/* The plan stands before --, a program behind it. */
static int take_words(struct sweep *s, int argc, char **argv)
{
	int first = cli_first_argument();
	struct spmu_error err;

	if (first < argc && !strcmp(argv[first - 1], "--"))
		return swp_plan_program(&s->plan, argv + first, &err) ? cli_complain(&err) : 0;
	if (first < argc && strcmp(argv[first], "--") != 0) {
		if (s->path)
			return cli_fail("sweep: one plan is wanted; '%s' is another", argv[first]);
		s->path = argv[first];
	}
	cli_skip_argument();
	return 0;
}

int cmd_sweep(int argc, char **argv)
{
	struct sweep s = {.what = LIST};
	const char *value;
	int option, code = 0;
	bool is_over = false;

	while (!code && !is_over) {
		option = cli_next_option(argc, argv, 'W', &value);
		if (option == OPT_help) {
			swp_plan_free(&s.plan);
			return cli_help(argv[0], option);
		}
		if (option == OPT_END) {
			is_over = cli_first_argument() >= argc ||
				  !strcmp(argv[cli_first_argument() - 1], "--");
			if (cli_first_argument() < argc)
				code = take_words(&s, argc, argv);
		} else {
			code = option < 0 ? CLI_FAILED : take_option(&s, option, value);
		}
	}
	if (!code && !s.dir)
		code = cli_fail("sweep: where do the results go? write -o DIR");
	if (!code && s.path && s.plan.text.n)
		code = cli_fail("sweep: the plan is '%s', and there are lines of another in the "
				"options; put them into the plan",
				s.path);
	code = code ? code : sweep(&s);
	swp_plan_free(&s.plan);
	return code;
}
