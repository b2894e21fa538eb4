/* diff_own.c -- the program's own lines that a change comes from, for all layouts of softpmu diff.
 *
 * RULE   a line is named that counts enough of the change (cli_diff_is_named()). What is counted
 * with it is whr_own_lines()' matter. Its file is told from the checkout on: GITHUB_WORKSPACE, or
 * else the working directory.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/where/diff.h"
#include "where/own.h"

#define MOST_HIDDEN 0.5 /* of the change, before a note says how to find the rest */

bool cli_diff_has_own(const struct cli_diff *d)
{
	return cli_diff_has_shown(d, &d->own_lines);
}

char *cli_diff_below(const struct cli_diff *d, const char *file)
{
	char *path = *file ? realpath(file, NULL) : NULL, *out = NULL;
	const size_t n = d->root ? strlen(d->root) : 0;

	if (path && n && !strncmp(path, d->root, n) && path[n] == '/')
		out = strdup(path + n + 1);
	free(path);
	return out;
}

const char *cli_diff_own_name(const struct cli_diff *d, const struct whr_row *row, char *out,
			      size_t room)
{
	char *below = cli_diff_below(d, row->file);

	snprintf(out, room, "%s:%u", below ? below : cli_last_part(row->file), row->line);
	free(below);
	return out;
}

static bool has_paths(const struct cli_diff *d)
{
	for (uint32_t i = 0; i < d->rec[1]->n_process; i++)
		if (d->rec[1]->paths[i].n_context)
			return true;
	return false;
}

const char *cli_diff_own_title(const struct cli_diff *d)
{
	return has_paths(d) ? "Lines of the program, with all that they called"
			    : "Lines of the program, with what was inlined there";
}

/* Own lines that leave most of a rise to functions that were called: how to go on to them. */
static void note_hidden(struct cli_diff *d)
{
	const int64_t all =
	    (int64_t)(cli_diff_count(d, 1, true, d->sort) - cli_diff_count(d, 0, true, d->sort));
	int64_t named = 0;

	for (size_t i = 0; i < d->own_lines.n; i++)
		named += whr_change(&d->own_lines.pair[i], d->sort);
	if (has_paths(d) || !d->own_lines.n || !all || d->n_note == CLI_DIFF_NOTES ||
	    fabs((double)all) <= cli_diff_half(d, true, d->sort) ||
	    (double)named / (double)all > MOST_HIDDEN)
		return;
	snprintf(d->note[d->n_note++], sizeof(d->note[0]),
		 "most of the change is in functions that the program's lines called; records of "
		 "softpmu record --stacks on -e instructions say by which line");
}

int cli_diff_own(struct cli_diff *d)
{
	const char *workspace = getenv("GITHUB_WORKSPACE");
	int rc = 0;

	d->root = realpath(workspace && *workspace ? workspace : ".", NULL);
	if (!d->root)
		return 0;
	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = whr_own_lines(&d->own[i], d->rec[i], d->names[i], d->root);
		rc = rc ? rc
			: whr_intervals_build_own(&d->own_interval[i], &d->function_interval[i],
						  d->names[i], d->root);
	}
	rc = rc ? rc : whr_pair_up(&d->own_lines, &d->own[0], &d->own[1]);
	if (rc)
		return rc;
	whr_pairs_sort(&d->own_lines, d->sort);
	note_hidden(d);
	return 0;
}
