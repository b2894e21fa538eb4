/* diff_open.c -- opens the two files of softpmu diff, checks that they can be compared, and prints
 * what the reader must know about them. */
#include <stdlib.h>
#include <string.h>

#include "base/function_name.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/where/reader.h"
#include "cli/where/diff.h"
#include "cli/where/totals.h"

#define NOT_COMPARABLE 2
#define MOST_NAMED     3u
#define BUILD_ID_SHOWN 12

/* ---- comparable? ---------------------------------------------------------------------------- */

/* Are the settings of two records the same? any_clocks: estimates go with exact ones. */
static bool are_settings_equal(const struct rec *old, const struct rec *new, bool any_clocks)
{
	json_t *a = json_copy(json_object_get(old->meta, "settings")),
	       *b = json_copy(json_object_get(new->meta, "settings"));
	bool are_equal;

	if (any_clocks) {
		json_object_del(a, "clocks");
		json_object_del(b, "clocks");
	}
	are_equal = json_equal(a, b) || (!a && !b);
	json_decref(a);
	json_decref(b);
	return are_equal;
}

static int compare_machines(const char *command, const struct rec *old, const struct rec *new,
			    enum cli_compared are)
{
	const bool is_totals = are == CLI_REPORTS;
	const char *a = rec_text(old->meta, "cpu"), *b = rec_text(new->meta, "cpu");
	char why[400];

	if (strcmp(a, b))
		cli_fail("%s: the records are of two processors, %s and %s; record both on one",
			 command, a, b);
	else if (!is_totals && !are_settings_equal(old, new, are == CLI_RECORDS))
		cli_fail("%s: the records are of machines with different settings (caches, TLBs, "
			 "--cpus, --clocks ...), or of different parts of the run; record both "
			 "with the same options",
			 command);
	else if (is_totals && cli_totals_differ(old, new, why, sizeof(why)))
		cli_fail("%s: %s; count both with the same options", command, why);
	else if (old->n_event != new->n_event)
		cli_fail("%s: the records count %u and %u events; record both with the same -e",
			 command, old->n_event, new->n_event);
	else
		return 0;
	return NOT_COMPARABLE;
}

static int compare_events(const char *command, const struct rec *old, const struct rec *new)
{
	for (uint32_t e = 0; e < old->n_event; e++)
		if (strcmp(old->event[e].name, new->event[e].name) ||
		    strcmp(old->event[e].status, new->event[e].status)) {
			cli_fail("%s: event %u is %s in the one record and %s in the other; "
				 "record both with the same -e",
				 command, e + 1, old->event[e].name, new->event[e].name);
			return NOT_COMPARABLE;
		}
	return 0;
}

int cli_records_compare(const char *command, const struct rec *old, const struct rec *new,
			enum cli_compared are)
{
	const int code = compare_machines(command, old, new, are);

	return code ? code : compare_events(command, old, new);
}

/* ---- notes ---------------------------------------------------------------------------------- */

static char *next_note(struct cli_diff *d)
{
	return d->n_note < CLI_DIFF_NOTES ? d->note[d->n_note++] : d->note[CLI_DIFF_NOTES - 1];
}

/* The file of the record that is called so, whatever directory it is in; NULL: there is none. */
static const json_t *object_called(const struct rec *r, const char *name)
{
	const char *path;
	json_t *o;

	json_object_foreach(r->objects, path, o)
	{
		if (!strcmp(text_last_part(path), name))
			return o;
	}
	return NULL;
}

static void note_build(struct cli_diff *d, const char *name, const json_t *was, const json_t *is)
{
	const char *old = rec_text(was, "build_id"), *new = rec_text(is, "build_id");

	if (*old && *new)
		snprintf(next_note(d), sizeof(d->note[0]),
			 "%s is another build in the new run: its build-id is %.*s, and was %.*s",
			 name, BUILD_ID_SHOWN, new, BUILD_ID_SHOWN, old);
	else
		snprintf(next_note(d), sizeof(d->note[0]), "%s is another file in the new run",
			 name);
}

/* Libraries that are other builds explain a change. The program is another one, of course. */
static void note_builds(struct cli_diff *d)
{
	const json_t *command = json_object_get(d->rec[0]->meta, "command");
	const char *first = json_string_value(json_array_get(command, 0)), *path;
	json_t *was;
	unsigned n = 0;

	json_object_foreach(d->rec[0]->objects, path, was)
	{
		const char *name = text_last_part(path);
		const json_t *is = object_called(d->rec[1], name);

		if (!is || json_equal(was, is) || (first && !strcmp(name, text_last_part(first))))
			continue;
		if (n++ < MOST_NAMED)
			note_build(d, name, was, is);
	}
	if (n > MOST_NAMED)
		snprintf(next_note(d), sizeof(d->note[0]), "%u more are other builds",
			 n - MOST_NAMED);
}

/* ---- what cannot be compared in full ---- */

void cli_diff_distrust(struct cli_diff *d)
{
	const char *path, *other;
	json_t *o, *p;

	for (unsigned i = 0; i < 2; i++)
		json_object_foreach(d->rec[i]->objects, path, o)
		{
			const char *name = text_last_part(path);

			if (!whr_is_changed(d->names[i], path, o))
				continue;
			json_object_foreach(d->rec[!i]->objects, other, p)
			{
				if (strcmp(name, text_last_part(other)) ||
				    whr_is_changed(d->names[!i], other, p))
					continue;
				nm_distrust(d->names[!i], other);
				snprintf(next_note(d), sizeof(d->note[0]),
					 "%s is compared as a whole, because its file of the %s "
					 "run is not what was recorded; --prefix OLD=NEW says "
					 "where that is now",
					 name, i ? "new" : "old");
			}
		}
}

/* Does an object have rows with lines, and rows at all? name: its last part. */
static bool has_lines(const struct whr_table *t, const char *name, bool *has_rows)
{
	*has_rows = false;
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(name, text_last_part(t->row[i].object)))
			continue;
		*has_rows = true;
		if (t->row[i].line)
			return true;
	}
	return false;
}

void cli_diff_find_one_sided(struct cli_diff *d)
{
	const char *path;
	json_t *o;

	json_object_foreach(d->rec[1]->objects, path, o)
	{
		const char *name = text_last_part(path);
		bool has_rows[2];
		const bool old = has_lines(&d->line[0], name, &has_rows[0]),
			   new = has_lines(&d->line[1], name, &has_rows[1]);

		if (old == new || !has_rows[0] || !has_rows[1] ||
		    d->n_one_sided == CLI_DIFF_ONE_SIDED)
			continue;
		d->one_sided[d->n_one_sided++] = name;
		snprintf(next_note(d), sizeof(d->note[0]),
			 "%s has lines in the %s run alone, and is not compared line by line; "
			 "compile both with -g",
			 name, old ? "old" : "new");
	}
}

bool cli_diff_is_one_sided(const struct cli_diff *d, const struct whr_pair *p)
{
	const char *name = text_last_part((p->new ? p->new : p->old)->object);

	for (unsigned i = 0; i < d->n_one_sided; i++)
		if (!strcmp(d->one_sided[i], name))
			return true;
	return false;
}

void cli_diff_note_called(struct cli_diff *d)
{
	char text[256] = "", old[96], new[96];
	unsigned n = 0, n_named = 0;
	size_t at = 0;

	for (size_t i = 0; i < d->called.n; i++) {
		const struct whr_called *c = &d->called.called[i];

		if (!c->is_renamed || !strncmp(c->new, "_GLOBAL_", strlen("_GLOBAL_")))
			continue; /* the compiler's own are called after others */
		n++;
		if (n_named == MOST_NAMED || !function_name_short(c->old, old, sizeof(old)) ||
		    !function_name_short(c->new, new, sizeof(new)) || at >= sizeof(text) - 1)
			continue;
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s was %s",
				       n_named++ ? ", " : ": ", new, old);
	}
	if (n)
		snprintf(next_note(d), sizeof(d->note[0]),
			 "%u function%s another name in the new run, and the lines that %s%s", n,
			 n > 1 ? "s have" : " has", n > 1 ? "they had" : "it had", text);
}

/* Two runs that were asked for different things differ for that reason. */
static void note_arguments(struct cli_diff *d)
{
	const json_t *was = json_object_get(d->rec[0]->meta, "command"),
		     *is = json_object_get(d->rec[1]->meta, "command");
	bool are_equal = json_array_size(was) == json_array_size(is);
	char old[128], new[128];

	for (size_t i = 1; i < json_array_size(was) && are_equal; i++)
		are_equal = json_equal(json_array_get(was, i), json_array_get(is, i));
	if (!are_equal && json_array_size(was) && json_array_size(is))
		snprintf(next_note(d), sizeof(d->note[0]),
			 "the arguments of the two runs differ: '%s' is compared with '%s'",
			 cli_record_command(d->rec[1], new, sizeof(new)),
			 cli_record_command(d->rec[0], old, sizeof(old)));
}

static void note_endings(struct cli_diff *d)
{
	for (unsigned i = 0; i < 2; i++)
		if (json_object_get(d->rec[i]->meta, "trouble") ||
		    json_object_get(d->rec[i]->meta, "interrupted"))
			snprintf(next_note(d), sizeof(d->note[0]), "the %s run ended early",
				 i ? "new" : "old");
}

/* ---- opening -------------------------------------------------------------------------------- */

static int open_files(struct cli_diff *d)
{
	const bool are[2] = {cli_totals_are(d->path[0]), cli_totals_are(d->path[1])};
	struct spmu_error err;

	for (unsigned i = 0; i < 2; i++)
		if (are[i] ? cli_totals_open(d->path[i], &d->rec[i], &err)
			   : rec_open(d->path[i], &d->rec[i], &err))
			return cli_complain(&err);
	d->is_totals = are[0];
	if (are[0] == are[1] && rec_order_as(d->rec[1], d->rec[0]))
		return cli_fail("out of memory for the difference");
	if (are[0] == are[1])
		return 0;
	cli_fail("diff: '%s' is a record and '%s' a report of softpmu stat --json; compare two "
		 "of one kind",
		 d->path[are[0]], d->path[are[1]]);
	return NOT_COMPARABLE;
}

int cli_diff_open(struct cli_diff *d)
{
	int code = open_files(d);

	code = code ? code
		    : cli_records_compare("diff", d->rec[0], d->rec[1],
					  d->is_totals ? CLI_REPORTS : CLI_RECORDS);
	if (code)
		return code;
	note_arguments(d);
	note_builds(d);
	note_endings(d);
	return 0;
}

void cli_diff_close(struct cli_diff *d)
{
	whr_names_free(&d->called);
	whr_pairs_free(&d->functions);
	whr_pairs_free(&d->lines);
	whr_pairs_free(&d->own_lines);
	for (unsigned i = 0; i < 2; i++) {
		whr_free(&d->function[i]);
		whr_free(&d->line[i]);
		whr_free(&d->own[i]);
		whr_intervals_free(&d->function_interval[i]);
		whr_intervals_free(&d->line_interval[i]);
		whr_intervals_free(&d->own_interval[i]);
		rec_close(d->rec[i]);
		nm_close(d->names[i]);
	}
	free(d->broken);
	free(d->root);
}
