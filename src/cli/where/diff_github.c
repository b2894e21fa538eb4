/* diff_github.c -- softpmu diff in a job of GitHub's: a summary of the step, and annotations of
 * the lines that broke a limit.
 *
 * RULES     an own line that is named (diff_own.c) and lies below GITHUB_WORKSPACE, or the working
 *           directory, is annotated, ten at most: first those of files that git says are changed,
 *           then by their part of the change. A limit without such a line has an annotation
 *           without a place.
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
static size_t add_lines(const struct cli_diff *d, const struct cli_broken *b, struct annotation *a,
			size_t n)
{
	const int64_t all = (int64_t)(b->new - b->old);
	const size_t begin = n;

	for (size_t i = 0; i < d->own_lines.n; i++) {
		const struct whr_pair *p = &d->own_lines.pair[i];
		const struct whr_row *row = p->new ? p->new : p->old;
		const double share = (double)whr_change(p, b->event) / (double)all;
		bool is_there = cli_diff_is_one_sided(d, p) ||
				!cli_diff_is_named(p, b->event, all) ||
				!cli_diff_has_changed(d, &d->own_lines, p, b->event);

		for (size_t k = 0; k < begin && !is_there; k++)
			is_there = a[k].pair == p;
		if (is_there)
			continue;
		a[n] = (struct annotation){p, b, cli_diff_below(d, row->file), share, false};
		n += a[n].file != NULL;
	}
	return n;
}

/* Print the annotations, the most important first. */
static void put_annotations(const struct cli_diff *d, FILE *out)
{
	struct annotation *a = calloc((d->own_lines.n + 1) * (d->n_broken + 1), sizeof(*a));
	size_t n = 0, bytes;
	char *changed = d->root ? changed_files(d->root, &bytes) : NULL;

	for (size_t i = 0; i < d->n_broken && a; i++) {
		const size_t before = n;

		n = add_lines(d, &d->broken[i], a, n);
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

int cli_diff_github(const struct cli_diff *d, FILE *out)
{
	if (!d->root && !d->is_totals)
		return cli_fail("GITHUB_WORKSPACE=%s: there is no such directory",
				getenv("GITHUB_WORKSPACE"));
	if (d->n_broken)
		put_annotations(d, out);
	return put_summary(d);
}
