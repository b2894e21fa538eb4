/* plan.h -- what a sweep counts: each program at each combination of values of options.
 *
 * LAYOUT   A plan is a text, a line for each thing; "#" begins a line that says nothing.
 *            program NAME: COMMAND [<FILE]   a program that stat runs
 *            trace NAME: FILE                a recording that replay counts from
 *            OPTION: VALUE...                a long option of stat: a job for each value
 *            options: WORDS                  options of every job
 *          Words are as a shell reads them (words.h). Programs run with --env clean where the
 *          plan does not say --env.
 * JOBS     program by program; the values of the last OPTION change fastest. What a job is, is
 *          said by its tags: program=NAME and OPTION=VALUE for each OPTION. Its result is a file
 *          whose name is made of them, so that a plan that grows keeps the results that it has.
 */
#ifndef SOFTPMU_SWEEP_PLAN_H
#define SOFTPMU_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "sweep/words.h"

#define SWP_MOST_JOBS 1000000u
#define SWP_MOST_AXES 15u

struct swp_program {
	char *name;
	bool is_trace;
	struct swp_words command; /* of a trace: its file */
};

struct swp_axis {
	char *option;
	struct swp_words values;
};

struct swp_plan {
	struct text text; /* all lines that were read */
	struct swp_program *program;
	size_t n_program;
	struct swp_axis axis[SWP_MOST_AXES];
	size_t n_axis;
	struct swp_words options;
	size_t n_job; /* set by swp_plan_check() */
};

/* Looks at the options of a job, with those of stat or replay (is_trace). words: options and their
 * values, NULL terminated, the name of the command first. Returns 0, or -SPMU_EINVAL after it has
 * said what is wrong. */
typedef int swp_check(bool is_trace, int n, char **words);

/* Add a line, or a whole file ("-": standard input). *plan begins with all zero; the caller calls
 * swp_plan_free() in either case. Returns 0; -SPMU_EINVAL, -SPMU_ESYS, -SPMU_ENOENT, -SPMU_ENOMEM
 * with a sentence. */
int swp_plan_line(struct swp_plan *plan, const char *line, struct spmu_error *err);
int swp_plan_file(struct swp_plan *plan, const char *path, struct spmu_error *err);
void swp_plan_free(struct swp_plan *plan);

/* Add a program with the arguments argv, named for its file. Returns as swp_plan_line(). */
int swp_plan_program(struct swp_plan *plan, char *const *argv, struct spmu_error *err);

/* Everything was added: is it a plan? Returns as swp_plan_line(); err is empty after check has
 * spoken. */
int swp_plan_check(struct swp_plan *plan, swp_check *check, struct spmu_error *err);

/* Of job i, below n_job, into an empty text; the caller frees it. Check has_failed. */
/* The command: a line for a shell. softpmu: how it is called; dir: where the result goes. */
void swp_job_command(const struct swp_plan *plan, size_t i, const char *softpmu, const char *dir,
		     struct text *out);
/* The name of its result, without a directory. */
void swp_job_file(const struct swp_plan *plan, size_t i, struct text *out);
/* The path of what it wrote to standard error; file: the name of its result. */
void swp_job_said(const struct text *file, const char *dir, struct text *out);
/* Its tags (tags.h). */
void swp_job_tags(const struct swp_plan *plan, size_t i, struct text *out);

#endif
