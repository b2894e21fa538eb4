/* cmd_collect.c -- softpmu collect: results of jobs as a table; which jobs have none, failed or
 * disagree, and the command that runs each again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/sweep/plot.h"
#include "cli/where/output.h"
#include "sweep/book.h"
#include "sweep/results.h"
#include "sweep/table.h"

#define MOST_PLACES  256u
#define MOST_LISTED  100u
#define NOT_COMPLETE 1

/* A directory with a plan. */
struct place {
	const char *dir;
	struct swp_plan plan;
};

struct collect {
	struct swp_results results;
	struct place place[MOST_PLACES];
	size_t n_place;
	const char *output;
	struct cli_sweep_plot plot;
	size_t n_missing, n_failed, n_disagree, n_same, n_foreign, n_used;
};

static int accept_all(bool is_trace, int n, char **words)
{
	return 0;
}

/* Read a file or directory, and the plan that the directory has. */
static int take(struct collect *c, const char *path)
{
	struct place *p = &c->place[c->n_place];
	struct spmu_error err = {0};
	struct text plan = {0};
	bool has_plan;
	int rc;

	text_printf(&plan, "%s/plan", path);
	has_plan = !access(text_get(&plan), F_OK);
	text_free(&plan);
	if (has_plan && c->n_place == MOST_PLACES)
		return cli_fail("collect: at most %u directories with a plan", MOST_PLACES);
	rc = swp_results_read(&c->results, path, &err);
	if (!rc && has_plan) {
		p->dir = path;
		c->n_place++;
		rc = swp_book_read(path, &p->plan, &err);
		rc = rc ? rc : swp_plan_check(&p->plan, accept_all, &err);
	}
	return rc ? cli_fail("%s", err.text) : 0;
}

/* The first line that a job wrote to standard error; "" when there is none. */
static const char *said(const struct place *p, size_t i, char out[200])
{
	struct text file = {0}, path = {0};
	FILE *in;

	out[0] = 0;
	swp_job_file(&p->plan, i, &file);
	swp_job_said(&file, p->dir, &path);
	in = fopen(text_get(&path), "re");
	if (in && !fgets(out, 200, in))
		out[0] = 0;
	if (in)
		fclose(in);
	for (char *c = out; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = *c == '\n' ? 0 : '?';
	text_free(&file);
	text_free(&path);
	return out;
}

/* A line about a job, with the command that runs it. why: what is wrong; file: what is in its way,
 * or NULL. */
static void list_job(const struct place *p, size_t i, const char *why, const char *file)
{
	struct text command = {0}, remove = {0};
	char line[200];

	swp_job_command(&p->plan, i, "softpmu", p->dir, &command);
	if (file) {
		text_printf(&remove, "rm");
		swp_quote(&remove, file);
		text_printf(&remove, "; ");
	}
	said(p, i, line);
	fprintf(stderr, " %s%s%s:\n  %s%s\n", why, *line ? ", " : "", line, text_get(&remove),
		text_get(&command));
	text_free(&command);
	text_free(&remove);
}

static const char *ending(const struct swp_row *row, char out[64])
{
	if (row->ending < 0)
		return strcpy(out, "did not come to its end");
	snprintf(out, 64, row->ending > 128 ? "ended by signal %d" : "ended with status %d",
		 row->ending > 128 ? row->ending - 128 : row->ending);
	return out;
}

/* A job of a plan: marks its rows as the plan's, and says when it has no result. */
static void look_at_job(struct collect *c, const struct place *p, size_t i, uint8_t *is_planned)
{
	struct text tags = {0};
	const struct swp_row *row;
	char why[64];
	size_t n;
	bool has_row = false;

	swp_job_tags(&p->plan, i, &tags);
	row = swp_results_of(&c->results, text_get(&tags), &n);
	text_free(&tags);
	for (size_t k = 0; k < n; k++) {
		is_planned[row + k - c->results.row] = 1;
		has_row |= row[k].state != SWP_FAILED;
	}
	if (has_row)
		return;
	if (c->n_missing + c->n_failed < MOST_LISTED)
		list_job(p, i, n ? ending(row, why) : "no result", n ? row->path : NULL);
	c->n_missing += !n;
	c->n_failed += n != 0;
}

/* What is in the results and was not spoken of with its job. */
static void look_at_row(struct collect *c, struct swp_row *row, bool is_planned)
{
	char why[64];

	if (c->n_place && !is_planned) {
		row->state = SWP_FOREIGN;
		if (c->n_foreign++ < MOST_LISTED)
			fprintf(stderr, " of no job of the plan: %s\n", row->path);
	} else if (row->state == SWP_DISAGREE) {
		if (c->n_disagree++ < MOST_LISTED)
			fprintf(stderr, " another result of this job counted otherwise: %s\n",
				row->path);
	} else if (row->state == SWP_FAILED && !c->n_place) {
		c->n_failed++;
		fprintf(stderr, " %s: %s\n", ending(row, why), row->path);
	}
	c->n_same += row->state == SWP_SAME;
	c->n_used += row->state == SWP_USED;
}

static int judge(struct collect *c)
{
	struct swp_results *r = &c->results;
	uint8_t *is_planned = calloc(r->n + 1, 1);

	if (!is_planned)
		return cli_fail("out of memory for the results");
	swp_results_judge(r);
	for (size_t k = 0; k < c->n_place; k++)
		for (size_t i = 0; i < c->place[k].plan.n_job; i++)
			look_at_job(c, &c->place[k], i, is_planned);
	for (size_t i = 0; i < r->n; i++)
		look_at_row(c, &r->row[i], is_planned[i]);
	free(is_planned);
	if (r->refused.n)
		fputs(text_get(&r->refused), stderr);
	return 0;
}

static bool ends_in(const char *path, const char *suffix)
{
	const char *end = path ? strrchr(path, '.') : NULL;

	return end && !strcmp(end, suffix);
}

/* The name of the table says how it is written. Standard output and what is there and is no file, a
 * pipe or a device, get CSV. */
static bool is_of_a_kind(const char *path)
{
	struct stat st;

	return ends_in(path, ".csv") || ends_in(path, ".json") || !strcmp(path, "-") ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode));
}

/* Write the table, whole or not at all. */
static int write_table(const struct collect *c)
{
	char *bytes = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);
	int rc = -1, code = 0;

	if (out) {
		rc = ends_in(c->output, ".json") ? swp_table_json(&c->results, out)
						 : swp_table_csv(&c->results, out);
		rc = fclose(out) || rc;
	}
	if (rc)
		code = cli_fail("out of memory for the table");
	else if (c->output)
		code = cli_save("collect", c->output, bytes, n);
	else
		fwrite(bytes, 1, n, stdout);
	free(bytes);
	return code || c->output ? code : cli_close_stdout(0);
}

static void say(const struct collect *c)
{
	const size_t listed = c->n_missing + c->n_failed;

	fprintf(stderr, " %zu %s in the table", c->n_used, text_noun(c->n_used, "job", "jobs"));
	if (c->n_missing)
		fprintf(stderr, ", %zu without a result", c->n_missing);
	if (c->n_failed)
		fprintf(stderr, ", %zu failed", c->n_failed);
	if (c->n_disagree)
		fprintf(stderr, ", %zu %s", c->n_disagree,
			text_noun(c->n_disagree, "result that disagrees", "results that disagree"));
	if (c->n_foreign)
		fprintf(stderr, ", %zu %s of no job of the plan", c->n_foreign,
			text_noun(c->n_foreign, "result", "results"));
	if (c->results.n_refused)
		fprintf(stderr, ", %zu %s", c->results.n_refused,
			text_noun(c->results.n_refused, "file that is no result",
				  "files that are no results"));
	if (c->n_same)
		fprintf(stderr, "; %zu %s there more than once", c->n_same,
			text_noun(c->n_same, "result was", "results were"));
	fprintf(stderr, "\n");
	if (listed > MOST_LISTED)
		fprintf(stderr, " %u of %zu commands are shown; softpmu sweep -o %s prints all\n",
			MOST_LISTED, listed, c->n_place ? c->place[0].dir : "DIR");
}

static int collect(struct collect *c)
{
	int code = judge(c);

	if (!code && (c->output || !c->plot.file))
		code = write_table(c);
	if (!code && c->plot.file)
		code = cli_sweep_plot(&c->plot, &c->results);
	if (code)
		return code;
	say(c);
	return c->n_missing || c->n_failed || c->n_disagree || c->n_foreign || c->results.n_refused
		   ? NOT_COMPLETE
		   : 0;
}

/* Returns 0, or an exit code after a message. */
static int take_option(struct collect *c, int option, const char *value)
{
	switch (option) {
	case OPT_plot:
		c->plot.file = value;
		return ends_in(value, ".svg") || ends_in(value, ".gp")
			   ? 0
			   : cli_fail("collect --plot %s: a picture is .svg, a script for gnuplot "
				      ".gp",
				      value);
	case OPT_as: return cli_sweep_plot_as(&c->plot, value);
	case OPT_event: c->plot.events = value; return 0;
	case OPT_over: c->plot.over = value; return 0;
	default:
		c->output = value;
		return is_of_a_kind(value)
			   ? 0
			   : cli_fail("collect -o %s: a table is .csv or .json; give the file one "
				      "of these names",
				      value);
	}
}

int cmd_collect(int argc, char **argv)
{
	struct collect *c = calloc(1, sizeof(*c));
	const char *value;
	int option, code = c ? 0 : cli_fail("out of memory for the results");
	bool has_path = false;

	while (!code) {
		option = cli_next_option(argc, argv, 'O', &value);
		if (option == OPT_help) {
			free(c);
			return cli_help(argv[0], option);
		}
		if (option == OPT_END && cli_first_argument() >= argc)
			break;
		if (option < 0) {
			code = CLI_FAILED;
		} else if (option != OPT_END) {
			code = take_option(c, option, value);
		} else {
			code = take(c, argv[cli_first_argument()]);
			cli_skip_argument();
			has_path = true;
		}
	}
	if (!code && !has_path)
		code =
		    cli_fail("collect: of which results? write softpmu collect DIR, where softpmu "
			     "sweep -o DIR put them");
	if (!code && !c->plot.file && (c->plot.has_kind || c->plot.events || c->plot.over))
		code = cli_fail("collect: --as, -e and --over say how --plot FILE.svg draws");
	code = code ? code : collect(c);
	for (size_t i = 0; c && i < c->n_place; i++)
		swp_plan_free(&c->place[i].plan);
	if (c)
		swp_results_free(&c->results);
	free(c);
	return code;
}
