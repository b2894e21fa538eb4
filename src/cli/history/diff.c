/* diff.c -- softpmu log diff: two results of the history, or those of two commits, side by side.
 *
 * RULE   results are compared that are of one series (history/store.h); of several of a commit the
 *        newest. Exit status 2: none can be.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/history/git.h"
#include "cli/history/history.h"
#include "cli/where/diff.h"
#include "cli/where/top.h"

#define NOT_COMPARABLE 2

/* What A or B names: one result, or all of a commit. */
struct named {
	const char *word;
	int64_t id; /* 0: it is a commit */
	char *revision;
};

static bool is_of(const struct named *n, const struct hst_result *r)
{
	return n->id ? r->id == n->id
		     : *r->revision && !strncmp(r->revision, n->revision, strlen(n->revision));
}

static bool has_any(const struct cli_log *l, const struct named *n)
{
	for (size_t i = 0; i < l->all.n; i++)
		if (is_of(n, &l->all.result[i]))
			return true;
	return false;
}

/* A number of the table; the beginning of a commit's name; what git knows as one (HEAD~3). Returns
 * 0 or an exit code after a message. */
static int take_word(const struct cli_log *l, const char *word, struct named *n)
{
	struct text hash = {0};
	char *end;

	*n = (struct named){.word = word, .id = strtoll(word, &end, 10)};
	if (*end || end == word || n->id < 1)
		n->id = 0;
	n->revision = strdup(word);
	if (!n->revision)
		return cli_fail("out of memory for the history");
	if (has_any(l, n))
		return 0;
	n->id = 0;
	if (strlen(word) >= 4 && has_any(l, n))
		return 0;
	if (!cli_git_ask(&hash, "rev-parse", "--verify", "--quiet", "--end-of-options", word) &&
	    hash.n) {
		free(n->revision);
		n->revision = hash.bytes;
		if (has_any(l, n))
			return 0;
	} else {
		text_free(&hash);
	}
	return cli_fail("log diff: the history has no result of '%s'; softpmu log show has numbers "
			"and commits",
			word);
}

/* ---- two results ----------------------------------------------------------------------------- */

static void print_result(const char *is, const struct hst_result *r)
{
	char name[12];

	printf(" %s  %" PRId64 "  %s  %.10s  %.52s\n", is, r->id, cli_log_short(r->revision, name),
	       *r->commit_date ? r->commit_date : r->date, r->subject);
}

static void print_counts(const struct cli_log *l, const struct hst_result *old,
			 const struct hst_result *new)
{
	char was[40], is[40], change[41], part[CLI_DIFF_PART], cut[128];

	printf(" %-24s %15s %15s %15s\n", "event", "old", "new", "change");
	for (size_t k = 0; k < new->n_count; k++) {
		const struct hst_count *b = &new->count[k], *a = hst_find_count(old, b->event);
		bool is_wanted = !l->n_event;
		double half;

		for (size_t i = 0; i < l->n_event; i++)
			is_wanted |= !strcasecmp(l->event[i], b->event);
		if (!a || !is_wanted)
			continue;
		half = hypot((double)a->half, (double)b->half);
		printf(" %-24s %15s %15s %15s %s\n", rpt_fold(b->event, 24, cut),
		       cli_top_number((int64_t)a->value, was),
		       cli_top_number((int64_t)b->value, is),
		       cli_diff_number((int64_t)(b->value - a->value), change),
		       a->value == b->value && half <= 0
			   ? ""
			   : cli_diff_part(a->value, (int64_t)(b->value - a->value), half, part));
	}
}

static void compare(const struct cli_log *l, const struct hst_result *old,
		    const struct hst_result *new, bool is_first)
{
	char what[512];

	printf("%s %s, %s\n", is_first ? "" : "\n", cli_log_what(new, what, sizeof(what)),
	       new->cpu);
	print_result("old", old);
	print_result("new", new);
	print_counts(l, old, new);
}

/* The newest result of the series among those that n names; NULL: there is none. */
static const struct hst_result *partner(const struct cli_log *l, const struct named *n,
					const struct hst_result *of)
{
	for (size_t i = l->all.n; i--;)
		if (is_of(n, &l->all.result[i]) && hst_is_series(&l->all.result[i], of))
			return &l->all.result[i];
	return NULL;
}

static int compare_all(const struct cli_log *l, const struct named *a, const struct named *b)
{
	size_t n = 0;

	for (size_t i = 0; i < l->all.n; i++) {
		const struct hst_result *new = &l->all.result[i];
		const struct hst_result *old = is_of(b, new) ? partner(l, a, new) : NULL;

		if (old && partner(l, b, new) == new)
			compare(l, old, new, !n++);
	}
	if (n)
		return cli_close_stdout(0);
	cli_fail("log diff: no result of '%s' can be compared with one of '%s': command, tags, "
		 "processor and model are to be the same",
		 a->word, b->word);
	return NOT_COMPARABLE;
}

int cli_log_diff(struct cli_log *l)
{
	struct named a = {0}, b = {0};
	int code;

	if (l->n_word != 2)
		return cli_fail("log diff: which two? write softpmu log diff A B, numbers of "
				"softpmu log show or commits");
	code = cli_log_read(l);
	code = code ? code : take_word(l, l->word[0], &a);
	code = code ? code : take_word(l, l->word[1], &b);
	code = code ? code : compare_all(l, &a, &b);
	free(a.revision);
	free(b.revision);
	return code;
}
