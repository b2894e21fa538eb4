/* book.c -- keeps a plan beside its results, and compares. Rules: book.h. */
#include "sweep/book.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A job as two hashes. */
struct job {
	uint64_t file, command;
};

static uint64_t hash_of(const char *s)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

static int by_file(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return x->file < y->file ? -1 : x->file > y->file;
}

static char *in(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* How softpmu is called, and where, is no part of what a job is. */
static bool look_at_job(const struct swp_plan *plan, size_t i, struct job *job, struct text *file)
{
	struct text command = {0};
	bool is_whole;

	text_free(file);
	swp_job_file(plan, i, file);
	swp_job_command(plan, i, "softpmu", ".", &command);
	*job = (struct job){hash_of(text_get(file)), hash_of(text_get(&command))};
	is_whole = !file->has_failed && !command.has_failed;
	text_free(&command);
	return is_whole;
}

/* Is each job of the old plan that has a result one of the new? */
static int compare(const char *dir, const struct swp_plan *old, const struct swp_plan *plan,
		   struct spmu_error *err)
{
	struct job *all = calloc(plan->n_job, sizeof(*all)), job;
	struct text file = {0};
	bool is_whole = all != NULL;
	int rc = 0;

	for (size_t i = 0; i < plan->n_job && is_whole; i++)
		is_whole = look_at_job(plan, i, &all[i], &file);
	if (is_whole)
		qsort(all, plan->n_job, sizeof(*all), by_file);
	for (size_t i = 0; i < old->n_job && is_whole && !rc; i++) {
		const struct job *same;

		if (!swp_book_has(dir, old, i))
			continue;
		is_whole = look_at_job(old, i, &job, &file);
		same = bsearch(&job, all, plan->n_job, sizeof(*all), by_file);
		if (!same || same->command != job.command)
			rc = spmu_fail(
			    err, SPMU_EINVAL,
			    "sweep -o %s: results of another plan are there: its job %s %s; "
			    "take another directory, or add to that plan",
			    dir, text_get(&file),
			    same ? "was run by another command" : "is none of this one's");
	}
	text_free(&file);
	free(all);
	return is_whole ? rc : spmu_fail(err, SPMU_ENOMEM, "out of memory");
}

int swp_book_read(const char *dir, struct swp_plan *plan, struct spmu_error *err)
{
	char *path = in(dir, "plan");
	const int rc =
	    path ? swp_plan_file(plan, path, err) : spmu_fail(err, SPMU_ENOMEM, "out of memory");

	free(path);
	return rc;
}

static int save(const char *dir, const struct swp_plan *plan, struct spmu_error *err)
{
	char *path = in(dir, "plan"), *part = NULL;
	FILE *out;
	int rc = 0;

	if (!path || asprintf(&part, "%s.%d", path, (int)getpid()) < 0) {
		free(path);
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	out = fopen(part, "we");
	if (out)
		fputs(text_get(&plan->text), out);
	if (!out || (ferror(out) | fclose(out)) || rename(part, path)) {
		rc = spmu_fail(err, SPMU_ESYS, "sweep: cannot write '%s': %s", path,
			       strerror(errno));
		unlink(part);
	}
	free(path);
	free(part);
	return rc;
}

static int accept_all(bool is_trace, int n, char **words)
{
	return 0;
}

int swp_book_keep(const char *dir, const struct swp_plan *plan, struct spmu_error *err)
{
	struct swp_plan old = {0};
	int rc;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return spmu_fail(err, SPMU_ESYS, "sweep -o %s: cannot make this directory: %s", dir,
				 strerror(errno));
	rc = swp_book_read(dir, &old, err);
	if (!rc && !strcmp(text_get(&old.text), text_get(&plan->text))) {
		swp_plan_free(&old);
		return 0;
	}
	if (!rc)
		rc = swp_plan_check(&old, accept_all, err);
	if (!rc)
		rc = compare(dir, &old, plan, err);
	swp_plan_free(&old);
	return rc && rc != -SPMU_ENOENT ? rc : save(dir, plan, err);
}

bool swp_book_has(const char *dir, const struct swp_plan *plan, size_t i)
{
	struct text file = {0};
	char *path;
	bool has = false;

	swp_job_file(plan, i, &file);
	path = file.has_failed ? NULL : in(dir, text_get(&file));
	if (path)
		has = !access(path, F_OK);
	free(path);
	text_free(&file);
	return has;
}
