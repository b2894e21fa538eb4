/* plot.c -- the table of a sweep as lines, a heat map or a Pareto front.
 *
 * LINES, HEAT  places are the values of one tag; a series is of all jobs that have the other tags
 * in common. Sizes are in order (512K before 1M). FRONT        a point is a job, a series a
 * program. A coordinate is an event, or a tag whose values are numbers or sizes.
 */
#include "cli/sweep/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/where/output.h"
#include "sweep/tags.h"

#define MOST_NAME 160u

/* A coordinate of jobs. */
struct measure {
	char name[MOST_NAME];
	uint32_t event; /* UINT32_MAX: it is the tag `name` */
};

struct drawing {
	const struct cli_sweep_plot *p;
	const struct swp_results *r;
	struct measure x, y;
	char over[MOST_NAME];
	char (*place)[MOST_NAME];
	const char **place_name;
	double *at; /* of places, for a front */
	size_t n_place;
	char (*name)[MOST_NAME]; /* of series */
	struct plt_series *series;
	size_t n_series;
	double *value; /* n_place for each series */
};

/* ---- tags ------------------------------------------------------------------------------------ */

/* The value of a row's tag; empty where it has none. */
static const char *tag_of(const struct swp_row *row, const char *tag, char out[MOST_NAME])
{
	struct swp_span name, value;

	for (const char *at = row->tags; swp_tags_next(&at, &name, &value);)
		if (strlen(tag) == name.n && !memcmp(tag, name.at, name.n)) {
			snprintf(out, MOST_NAME, "%.*s", (int)value.n, value.at);
			return out;
		}
	out[0] = 0;
	return out;
}

/* "gzip pentium3 l2=256K": all tags but these two. */
static void other_tags(const struct swp_row *row, const char *without, const char *nor,
		       char out[MOST_NAME])
{
	struct swp_span name, value;
	size_t n = 0;

	out[0] = 0;
	for (const char *at = row->tags; swp_tags_next(&at, &name, &value) && n < MOST_NAME;) {
		char tag[MOST_NAME];

		snprintf(tag, sizeof(tag), "%.*s", (int)name.n, name.at);
		if (!strcmp(tag, without) || !strcmp(tag, nor))
			continue;
		if (strcmp(tag, "program") && strcmp(tag, "cpu"))
			n += (size_t)snprintf(out + n, MOST_NAME - n, "%s%s=%.*s", n ? " " : "",
					      tag, (int)value.n, value.at);
		else
			n += (size_t)snprintf(out + n, MOST_NAME - n, "%s%.*s", n ? " " : "",
					      (int)value.n, value.at);
	}
}

/* "8K" as 8192; NAN: it is no number. What stands behind a colon (8K:4:32) is not looked at. */
static double number_of(const char *text)
{
	char *end;
	double n = strtod(text, &end);

	if (end == text)
		return NAN;
	if (*end == 'K' || *end == 'k' || *end == 'M')
		n *= *end++ == 'M' ? 1048576 : 1024;
	return *end && *end != ':' ? NAN : n;
}

static int by_size(const void *a, const void *b)
{
	const char *x = a, *y = b;
	const double m = number_of(x), n = number_of(y);

	if (isnan(m) || isnan(n) || m == n)
		return strverscmp(x, y);
	return m < n ? -1 : 1;
}

/* The number of a text in a list of n, to whose end it is added. */
static size_t find_or_add(char (*list)[MOST_NAME], size_t *n, size_t most, const char *text)
{
	for (size_t i = *n; i--;)
		if (!strcmp(list[i], text))
			return i;
	if (*n == most)
		return SIZE_MAX;
	snprintf(list[*n], MOST_NAME, "%s", text);
	return (*n)++;
}

/* How many values a tag has. list: room for PLT_MOST_PLACES. */
static size_t count_values(const struct drawing *d, const char *tag, char (*list)[MOST_NAME])
{
	char value[MOST_NAME];
	size_t n = 0;

	for (size_t i = 0; i < d->r->n; i++)
		if (d->r->row[i].state == SWP_USED && *tag_of(&d->r->row[i], tag, value))
			find_or_add(list, &n, PLT_MOST_PLACES, value);
	return n;
}

/* --over, or the option with the most values, or else processors, programs. Returns 0, or an exit
 * code after a message. */
static int choose_over(struct drawing *d)
{
	struct swp_span name, value;
	size_t most = 1;

	if (d->p->over) {
		snprintf(d->over, sizeof(d->over), "%s", d->p->over);
		return count_values(d, d->over, d->place)
			   ? 0
			   : cli_fail("collect --over %s: no job has this tag", d->over);
	}
	for (size_t i = 0; i < d->r->n; i++)
		for (const char *at = d->r->row[i].tags; swp_tags_next(&at, &name, &value);) {
			char tag[MOST_NAME];
			size_t n;

			snprintf(tag, sizeof(tag), "%.*s", (int)name.n, name.at);
			if (!strcmp(tag, d->over) || !strcmp(tag, "program") || !strcmp(tag, "cpu"))
				continue;
			n = count_values(d, tag, d->place);
			if (n > most) {
				most = n;
				strcpy(d->over, tag);
			}
			if (i)
				break; /* rows of one plan have the same tags */
		}
	if (!*d->over)
		strcpy(d->over, count_values(d, "cpu", d->place) > 1 ? "cpu" : "program");
	return 0;
}

/* ---- what is measured ------------------------------------------------------------------------ */

/* An event by its name, or a tag. */
static int find_measure(const struct drawing *d, const char *name, size_t n, bool may_be_tag,
			struct measure *out)
{
	const struct swp_results *r = d->r;

	snprintf(out->name, sizeof(out->name), "%.*s", (int)n, name);
	for (out->event = 0; out->event < r->n_event; out->event++)
		if (!strcasecmp(r->event[out->event].name, out->name))
			return 0;
	out->event = UINT32_MAX;
	if (may_be_tag && count_values(d, out->name, d->place))
		return 0;
	return cli_fail("collect -e %s: no result has an event of this name%s", out->name,
			may_be_tag ? ", and no job a tag" : "");
}

static void first_event(const struct swp_results *r, struct measure *out)
{
	out->event = 0;
	for (uint32_t i = 1; i < r->n_event; i++)
		if (r->event[i].at < r->event[out->event].at)
			out->event = i;
	snprintf(out->name, sizeof(out->name), "%s", r->event[out->event].name);
}

/* -e and --as. */
static int choose_measures(struct drawing *d, enum plt_kind *kind)
{
	const char *events = d->p->events, *comma = events ? strchr(events, ',') : NULL;
	int code = 0;

	*kind = d->p->has_kind ? d->p->kind : comma ? PLT_FRONT : PLT_LINES;
	if (comma && *kind != PLT_FRONT)
		return cli_fail("collect -e %s: lines and a heat map show one event; --as front "
				"shows two",
				events);
	if (comma) {
		code = find_measure(d, events, (size_t)(comma - events), true, &d->x);
		return code ? code : find_measure(d, comma + 1, strlen(comma + 1), true, &d->y);
	}
	if (events)
		code = find_measure(d, events, strlen(events), false, &d->y);
	else
		first_event(d->r, &d->y);
	d->x = (struct measure){.event = UINT32_MAX};
	strcpy(d->x.name, d->over);
	return code;
}

static double value_of(const struct swp_row *row, const struct measure *m)
{
	char tag[MOST_NAME];
	uint64_t count;

	if (m->event == UINT32_MAX)
		return number_of(tag_of(row, m->name, tag));
	count = swp_count(row, m->event);
	return count == SWP_NO_COUNT ? NAN : (double)count;
}

/* ---- series ---------------------------------------------------------------------------------- */

static void name_of_series(const struct drawing *d, const struct swp_row *row, bool is_front,
			   char out[MOST_NAME])
{
	if (is_front)
		tag_of(row, "program", out);
	else
		other_tags(row, d->over, "", out);
	if (!*out)
		strcpy(out, is_front ? "jobs" : d->y.name);
}

static void name_of_place(const struct drawing *d, const struct swp_row *row, bool is_front,
			  char out[MOST_NAME])
{
	if (is_front)
		other_tags(row, "program", "", out);
	else
		tag_of(row, d->over, out);
}

/* Names of places and series; places in order. Returns 0 or an exit code after a message. */
static int arrange(struct drawing *d, bool is_front)
{
	char name[MOST_NAME];

	d->n_place = 0;
	for (size_t i = 0; i < d->r->n; i++) {
		const struct swp_row *row = &d->r->row[i];

		if (row->state != SWP_USED)
			continue;
		name_of_series(d, row, is_front, name);
		if (find_or_add(d->name, &d->n_series, PLT_MOST_SERIES, name) == SIZE_MAX)
			return cli_fail("collect --plot: more than %u lines; draw a part of the "
					"results",
					PLT_MOST_SERIES);
		name_of_place(d, row, is_front, name);
		if (is_front && d->n_place < PLT_MOST_PLACES)
			strcpy(d->place[d->n_place++], name);
		else if (is_front ||
			 find_or_add(d->place, &d->n_place, PLT_MOST_PLACES, name) == SIZE_MAX)
			return cli_fail("collect --plot: more than %u points; draw a part of the "
					"results",
					PLT_MOST_PLACES);
	}
	if (!is_front)
		qsort(d->place, d->n_place, sizeof(d->place[0]), by_size);
	return d->n_place ? 0 : cli_fail("collect --plot: there is no result to draw");
}

static int fill(struct drawing *d, bool is_front)
{
	const size_t n = d->n_place * d->n_series;
	char name[MOST_NAME];
	size_t point = 0;

	d->value = malloc(n * sizeof(*d->value));
	if (!d->value)
		return cli_fail("out of memory for the picture");
	for (size_t i = 0; i < n; i++)
		d->value[i] = NAN;
	for (size_t i = 0; i < d->r->n; i++) {
		const struct swp_row *row = &d->r->row[i];
		size_t k, at;

		if (row->state != SWP_USED)
			continue;
		name_of_series(d, row, is_front, name);
		k = find_or_add(d->name, &d->n_series, PLT_MOST_SERIES, name);
		name_of_place(d, row, is_front, name);
		at = is_front ? point++ : find_or_add(d->place, &d->n_place, PLT_MOST_PLACES, name);
		d->value[k * d->n_place + at] = value_of(row, &d->y);
		d->at[at] = value_of(row, &d->x);
	}
	for (size_t k = 0; k < d->n_series; k++)
		d->series[k] = (struct plt_series){d->name[k], d->value + k * d->n_place};
	for (size_t i = 0; i < d->n_place; i++)
		d->place_name[i] = d->place[i];
	return 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_script(const char *path)
{
	const size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".gp");
}

static int save(const struct drawing *d, enum plt_kind kind)
{
	const bool is_front = kind == PLT_FRONT;
	struct text title = {0};
	struct plt_chart chart = {
	    kind,	NULL,	       is_front ? d->x.name : d->over, d->y.name,
	    d->n_place, d->place_name, is_front ? d->at : NULL,	       d->series,
	    d->n_series};
	char *bytes = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);
	int code;

	text_printf(&title, is_front ? "%s against %s" : "%s by %s", d->y.name, chart.x_label);
	chart.title = text_get(&title);
	if (!out) {
		text_free(&title);
		return cli_fail("out of memory for the picture");
	}
	if (is_script(d->p->file))
		plt_gnuplot(&chart, out);
	else
		plt_svg(&chart, out);
	code = ferror(out) | fclose(out) ? cli_fail("out of memory for the picture")
					 : cli_save("collect --plot", d->p->file, bytes, n);
	free(bytes);
	text_free(&title);
	return code;
}

static int draw(struct drawing *d)
{
	enum plt_kind kind = PLT_LINES;
	int code =
	    d->r->n_event ? choose_over(d) : cli_fail("collect --plot: there is no result to draw");

	code = code ? code : choose_measures(d, &kind);
	code = code ? code : arrange(d, kind == PLT_FRONT);
	code = code ? code : fill(d, kind == PLT_FRONT);
	return code ? code : save(d, kind);
}

int cli_sweep_plot(const struct cli_sweep_plot *p, const struct swp_results *r)
{
	struct drawing d = {.p = p, .r = r};
	int code;

	d.place = calloc(PLT_MOST_PLACES, sizeof(*d.place));
	d.place_name = calloc(PLT_MOST_PLACES, sizeof(*d.place_name));
	d.at = calloc(PLT_MOST_PLACES, sizeof(*d.at));
	d.name = calloc(PLT_MOST_SERIES, sizeof(*d.name));
	d.series = calloc(PLT_MOST_SERIES, sizeof(*d.series));
	code = d.place && d.place_name && d.at && d.name && d.series
		   ? draw(&d)
		   : cli_fail("out of memory for the picture");
	free(d.place);
	free(d.place_name);
	free(d.at);
	free(d.name);
	free(d.series);
	free(d.value);
	return code;
}

int cli_sweep_plot_as(struct cli_sweep_plot *p, const char *value)
{
	static const char *const names[] = {"lines", "heat", "front"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(value, names[i]))
			continue;
		p->kind = (enum plt_kind)i;
		p->has_kind = true;
		return 0;
	}
	return cli_fail("--as %s: lines, heat or front is wanted", value);
}
