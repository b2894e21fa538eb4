/* diff_own.c -- the program's own lines that a change comes from, for all layouts of softpmu diff,
 * and the note that records without call paths need them.
 *
 * RULE            a line is named that counts enough of the change (cli_diff_is_named()). What is
 *                 counted with it is whr_own_lines()' matter. Its file is told from the checkout
 *                 on: GITHUB_WORKSPACE, or else the working directory.
 *                 The note is the first of these that holds, of the change outside start-up: own
 *                 lines leave most of it to functions that they called; one function has a large
 *                 part of it and is entered more often; no own line is known, and libraries have
 *                 most of it.
 * COUNTING RULES  a function is entered as often as its first instruction is executed. That is
 *                 known where instructions were recorded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/function_name.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/where/diff.h"
#include "cli/where/reader.h"
#include "cli/where/top.h"
#include "where/calls.h"
#include "where/own.h"

#define MOST_HIDDEN 0.5	 /* of the change */
#define LARGE_PART  0.25 /* of the change, for one function */
#define BY_ENTRIES  0.5	 /* of a function's growth, for entries to explain it */

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

	snprintf(out, room, "%s:%u", below ? below : text_last_part(row->file), row->line);
	free(below);
	return out;
}

const char *cli_diff_own_title(const struct cli_diff *d)
{
	return whr_has_paths(d->rec[1]) ? "Lines of the program, with all that they called"
					: "Lines of the program, with what was inlined there";
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
	rc = rc ? rc : whr_pair_up(&d->own_lines, &d->own[0], &d->own[1], &d->called);
	return rc;
}

/* ---- what call paths would tell ----------------------------------------------------------------
 */

/* Sum over pairs, of the event that rows are sorted by. in_library: only those of other files than
 * the program. */
static double sum_of(const struct cli_diff *d, const struct whr_pairs *p, bool in_library)
{
	const json_t *command = json_object_get(d->rec[1]->meta, "command");
	const char *program = json_string_value(json_array_get(command, 0));
	double sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct whr_row *row = p->pair[i].new ? p->pair[i].new : p->pair[i].old;

		if (!in_library ||
		    (*row->object && *row->object != '[' && program &&
		     strcmp(text_last_part(row->object), text_last_part(program)) != 0))
			sum += (double)whr_change(&p->pair[i], d->sort);
	}
	return sum;
}

static void note_hidden(struct cli_diff *d)
{
	snprintf(d->note[d->n_note++], sizeof(d->note[0]),
		 "most of the change is in functions that the program's lines called; records "
		 "made with softpmu record --stacks=on say by which line");
}

static void note_library(struct cli_diff *d)
{
	snprintf(d->note[d->n_note++], sizeof(d->note[0]),
		 "most of the change is in functions of libraries; records made with softpmu "
		 "record --stacks=on say who called them (softpmu report --callers FUNCTION)");
}

/* How often the function of a row of run `which` was entered. */
static int64_t entries(const struct cli_diff *d, unsigned which, const struct whr_row *row,
		       uint32_t instructions)
{
	int64_t n = 0;

	for (uint32_t k = 0; k < d->rec[which]->n_process; k++) {
		const struct rec_process *p = &d->rec[which]->process[k];

		for (uint32_t i = 0; i < p->n_place; i++) {
			const char *object = p->object[p->place[i].object];
			struct nm_at at;

			if (strcmp(object, row->object) != 0)
				continue;
			at = nm_find(d->names[which], object, p->place[i].offset, false);
			if (at.symbol && at.begin == p->place[i].offset &&
			    !strcmp(at.symbol, row->function))
				n += rec_counts(p, i)[instructions];
		}
	}
	return n;
}

/* The function with the largest part of the change; NULL: none has a large one. */
static const struct whr_pair *largest(const struct cli_diff *d, double all)
{
	const struct whr_pair *best = NULL;

	for (size_t i = 0; i < d->functions.n; i++) {
		const struct whr_pair *p = &d->functions.pair[i];

		if (p->old && p->new &&strcmp(p->new->function, WHR_STARTUP) != 0 &&
		    (double)whr_change(p, d->sort) / all >=
			(best ? (double)whr_change(best, d->sort) / all : LARGE_PART))
			best = p;
	}
	return best;
}

/* Is one function entered more often? */
static bool note_entries(struct cli_diff *d, double all)
{
	const struct whr_pair *p = largest(d, all);
	const struct cat_cpu *cpu = cat_find_cpu(rec_text(d->rec[1]->meta, "cpu"));
	const int insn = cpu ? cli_record_generic(d->rec[1], cpu, "instructions") : -1;
	char name[96], was[40], is[40];
	double growth;
	int64_t n[2];

	if (!p || insn < 0 || !function_name_short(p->new->function, name, sizeof(name)))
		return false;
	n[0] = entries(d, 0, p->old, (uint32_t)insn);
	n[1] = entries(d, 1, p->new, (uint32_t)insn);
	growth = (double)whr_change(p, d->sort) / (double)p->old->count[d->sort];
	if (!n[0] || n[1] == n[0] || !(growth != 0) ||
	    ((double)n[1] / (double)n[0] - 1) / growth < BY_ENTRIES)
		return false;
	snprintf(d->note[d->n_note++], sizeof(d->note[0]),
		 "%s is entered %s times, and was %s times; records made with softpmu record "
		 "--stacks=on "
		 "say who calls it (softpmu report --callers '%s')",
		 name, cli_top_number(n[1], is), cli_top_number(n[0], was), name);
	return true;
}

void cli_diff_note_callers(struct cli_diff *d)
{
	const double all = (double)(int64_t)(cli_diff_count(d, 1, true, d->sort) -
					     cli_diff_count(d, 0, true, d->sort));

	if (whr_has_paths(d->rec[1]) || !(all != 0) || d->n_note == CLI_DIFF_NOTES ||
	    fabs(all) <= cli_diff_half(d, true, d->sort))
		return;
	if (d->own_lines.n && sum_of(d, &d->own_lines, false) / all <= MOST_HIDDEN)
		note_hidden(d);
	else if (!note_entries(d, all) && !d->own_lines.n &&
		 sum_of(d, &d->functions, true) / all > MOST_HIDDEN)
		note_library(d);
}
