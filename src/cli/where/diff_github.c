/* diff_github.c -- softpmu diff in a job of GitHub's: a summary of the step, and annotations of
 * the lines that broke a limit.
 *
 * RULES     a line of a file below GITHUB_WORKSPACE (or the working directory) that counts a
 *           thousandth of an event's change is annotated, with what was inlined there from other
 *           files, ten at most: first those of files that
 *           git says are changed, then by their part of the change. A limit without such a line has
 *           an annotation without a place.
 * TRUST     names come from files of strangers: what could end a command is escaped, and a file is
 *           one that exists in the checkout.
 * SOURCES   docs.github.com, "Workflow commands for GitHub Actions": commands, escapes, 1 MiB for a
 *           summary, 10 annotations of a kind for a step.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/where/diff.h"
#include "cli/where/tool.h"
#include "cli/where/top.h"

#define MOST_SUMMARY	 (900u << 10)
#define MOST_ANNOTATIONS 10u
#define LEAST_SHARE	 1000

/* ---- the summary ---------------------------------------------------------------------------- */

/* Returns an exit code. */
static int put_summary(const struct cli_diff *d)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *f = path && *path ? fopen(path, "ae") : NULL;
	long there;
	int code;

	if (!path || !*path) {
		cli_fail("GITHUB_STEP_SUMMARY is not set, so there is no summary; diff --markdown "
			 "prints it");
		return 0;
	}
	if (!f)
		return cli_fail("GITHUB_STEP_SUMMARY=%s: %s", path, strerror(errno));
	fseek(f, 0, SEEK_END);
	there = ftell(f);
	code = there >= (long)MOST_SUMMARY || there < 0
		   ? 0
		   : cli_diff_markdown(d, MOST_SUMMARY - (size_t)there, f);
	if ((ferror(f) | fclose(f)) && !code)
		code = cli_fail("GITHUB_STEP_SUMMARY=%s: it could not be written completely: %s",
				path, strerror(errno));
	return code;
}

/* ---- changed files -------------------------------------------------------------------------- */

/* Names of files that git says are changed: against the branch that a pull request goes to; else
 * since the last commit but one. NULL: git does not know. */
static char *changed_files(const char *root, size_t *n)
{
	const char *base = getenv("GITHUB_BASE_REF");
	char range[512] = "HEAD^";
	char *argv[] = {"git",	"-C",	       (char *)(uintptr_t)root,
			"diff", "--name-only", "--no-ext-diff",
			"-z",	range,	       "--",
			NULL};
	char *text;

	if (base && *base)
		snprintf(range, sizeof(range), "origin/%s...HEAD", base);
	text = cli_tool_output(argv, n);
	if (text || !base || !*base)
		return text;
	snprintf(range, sizeof(range), "HEAD^");
	return cli_tool_output(argv, n);
}

static bool is_changed(const char *changed, size_t n, const char *file)
{
	for (const char *s = changed; s && s < changed + n; s += strlen(s) + 1)
		if (!strcmp(s, file))
			return true;
	return false;
}

/* ---- annotations ---------------------------------------------------------------------------- */

struct annotation {
	const struct whr_pair *pair;
	const struct cli_broken *broken;
	char *file; /* below the checkout; owned */
	double share;
	bool is_first; /* git says that the file is changed */
};

/* The file's name below root, owned by the caller; NULL when it is not there. */
static char *below(const char *root, const char *file)
{
	char *path = *file ? realpath(file, NULL) : NULL, *out = NULL;
	const size_t n = strlen(root);

	if (path && !strncmp(path, root, n) && path[n] == '/')
		out = strdup(path + n + 1);
	free(path);
	return out;
}

static int by_weight(const void *a, const void *b)
{
	const struct annotation *s = a, *t = b;

	if (s->is_first != t->is_first)
		return s->is_first ? -1 : 1;
	if (s->share != t->share)
		return s->share > t->share ? -1 : 1;
	return s->pair < t->pair ? -1 : s->pair > t->pair;
}

static void put_escaped(const char *text, bool is_property, FILE *out)
{
	for (; *text; text++) {
		const bool escapes = strchr("%\r\n", *text) || (is_property && strchr(":,", *text));

		if (escapes)
			fprintf(out, "%%%02X", (unsigned char)*text);
		else
			fputc((unsigned char)*text < ' ' ? '?' : *text, out);
	}
}

static void put_annotation(const struct annotation *a, const struct cli_diff *d, FILE *out)
{
	const struct cli_broken *b = a->broken;
	const struct whr_row *row = !a->pair ? NULL : a->pair->new ? a->pair->new : a->pair->old;
	const int64_t all = (int64_t)(b->new - b->old);
	const int64_t more = row ? whr_change(a->pair, b->event) : all;
	const char *event = d->rec[0]->event[b->event].name;
	char number[41], whole[41], part[16], text[1024];

	fputs("::error ", out);
	if (row) {
		fputs("file=", out);
		put_escaped(a->file, true, out);
		fprintf(out, ",line=%u,", row->line);
	}
	snprintf(text, sizeof(text), "%s %s", event, cli_diff_number(more, number));
	fputs("title=", out);
	put_escaped(text, true, out);
	snprintf(text, sizeof(text), "%.200s%s%s of %s", row ? row->function : "", row ? ": " : "",
		 cli_diff_number(more, number), event);
	fputs("::", out);
	put_escaped(text, false, out);
	snprintf(text, sizeof(text), "; the run changed by %s (%s), and --limit %s is broken",
		 cli_diff_number(all, whole), cli_diff_percent(b->old, all, part), b->limit->text);
	put_escaped(text, false, out);
	fputc('\n', out);
}

/* Lines of the checkout that changed event b->event, to a[0..n). Returns how many are there. */
static size_t add_lines(const struct whr_pairs *lines, const struct cli_broken *b, const char *root,
			struct annotation *a, size_t n)
{
	const double all = (double)(int64_t)(b->new - b->old);
	const size_t begin = n;

	for (size_t i = 0; i < lines->n; i++) {
		const struct whr_pair *p = &lines->pair[i];
		const struct whr_row *row = p->new ? p->new : p->old;
		const double share = (double)whr_change(p, b->event) / all;
		bool is_there = share * LEAST_SHARE < 1 || !row->line;

		for (size_t k = 0; k < begin && !is_there; k++)
			is_there = a[k].pair == p;
		if (is_there)
			continue;
		a[n] = (struct annotation){p, b, below(root, row->file), share, false};
		n += a[n].file != NULL;
	}
	return n;
}

/* Print the annotations, the most important first. */
static void put_annotations(const struct cli_diff *d, const struct whr_pairs *lines,
			    const char *root, FILE *out)
{
	struct annotation *a = calloc((lines->n + 1) * (d->n_broken + 1), sizeof(*a));
	size_t n = 0, bytes;
	char *changed = changed_files(root, &bytes);

	for (size_t i = 0; i < d->n_broken && a; i++) {
		const size_t before = n;

		n = add_lines(lines, &d->broken[i], root, a, n);
		if (n == before)
			a[n++] = (struct annotation){NULL, &d->broken[i], NULL, 1, false};
	}
	for (size_t i = 0; i < n; i++)
		a[i].is_first = a[i].file && is_changed(changed, bytes, a[i].file);
	if (n)
		qsort(a, n, sizeof(*a), by_weight);
	for (size_t i = 0; i < n && i < MOST_ANNOTATIONS; i++)
		put_annotation(&a[i], d, out);
	for (size_t i = 0; i < n; i++)
		free(a[i].file);
	free(changed);
	free(a);
}

/* The lines of both runs, with what was inlined from the system's files counted where it was
 * called. Returns 0 or an exit code after a message. */
static int annotate(const struct cli_diff *d, const char *root, FILE *out)
{
	struct whr_table line[2] = {{0}, {0}};
	struct whr_pairs lines = {NULL, 0};
	const char *changed;
	int rc = 0;

	for (unsigned i = 0; i < 2 && !rc && !d->is_totals; i++) {
		struct nm *names = cli_names(d->sources);

		if (names)
			nm_show_sites(names, root);
		rc = names ? whr_build(&line[i], d->rec[i], names, WHR_LINE, &changed)
			   : -SPMU_ENOMEM;
		nm_close(names);
	}
	if (!rc && !d->is_totals)
		rc = whr_pair_up(&lines, &line[0], &line[1]);
	if (!rc)
		put_annotations(d, &lines, root, out);
	whr_pairs_free(&lines);
	whr_free(&line[0]);
	whr_free(&line[1]);
	return rc ? cli_fail("out of memory for the annotations") : 0;
}

int cli_diff_github(const struct cli_diff *d, FILE *out)
{
	const char *workspace = getenv("GITHUB_WORKSPACE");
	char *root = realpath(workspace && *workspace ? workspace : ".", NULL);
	int code;

	if (!root)
		return cli_fail("GITHUB_WORKSPACE=%s: %s", workspace, strerror(errno));
	code = d->n_broken ? annotate(d, root, out) : 0;
	free(root);
	return code ? code : put_summary(d);
}
