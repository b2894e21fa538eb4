/* plot.c -- softpmu log plot: an event from commit to commit, a line for each series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/history/history.h"
#include "cli/where/output.h"
#include "plot/chart.h"

#define DEFAULT_FILE "softpmu-log.svg"

struct plot {
	const struct cli_log *log;
	const char *event;
	struct plt_series *series;
	const struct hst_result **first; /* of each series */
	size_t n_series;
	char (*name)[160]; /* of each series */
	const char **place;
	char (*place_name)[12];
	const char **key; /* of each place: commit, or date */
	size_t n_place;
	double *value; /* n_place for each series */
};

static const char *key_of(const struct hst_result *r)
{
	return *r->revision ? r->revision : r->date;
}

static size_t place_of(struct plot *p, const struct hst_result *r)
{
	for (size_t i = p->n_place; i--;)
		if (!strcmp(p->key[i], key_of(r)))
			return i;
	p->key[p->n_place] = key_of(r);
	if (*r->revision)
		cli_log_short(r->revision, p->place_name[p->n_place]);
	else
		snprintf(p->place_name[p->n_place], 12, "%.10s", r->date);
	p->place[p->n_place] = p->place_name[p->n_place];
	return p->n_place++;
}

/* SIZE_MAX: there are too many. */
static size_t series_of(struct plot *p, const struct hst_result *r)
{
	for (size_t k = 0; k < p->n_series; k++)
		if (hst_is_series(p->first[k], r))
			return k;
	if (p->n_series == PLT_MOST_SERIES)
		return SIZE_MAX;
	p->first[p->n_series] = r;
	snprintf(p->name[p->n_series], sizeof(p->name[0]), "%s, %s",
		 *r->tags ? r->tags : r->command, r->cpu);
	return p->n_series++;
}

/* Places and series of all results that counted the event. */
static bool arrange(struct plot *p)
{
	const struct hst_results *all = &p->log->all;

	p->place = calloc(all->n + 1, sizeof(*p->place));
	p->place_name = calloc(all->n + 1, sizeof(*p->place_name));
	p->key = calloc(all->n + 1, sizeof(*p->key));
	p->series = calloc(PLT_MOST_SERIES, sizeof(*p->series));
	p->first = calloc(PLT_MOST_SERIES, sizeof(*p->first));
	p->name = calloc(PLT_MOST_SERIES, sizeof(*p->name));
	if (!p->place || !p->place_name || !p->key || !p->series || !p->first || !p->name)
		return false;
	for (size_t i = 0; i < all->n; i++)
		if (hst_find_count(&all->result[i], p->event) &&
		    series_of(p, &all->result[i]) != SIZE_MAX)
			place_of(p, &all->result[i]);
	p->value = malloc((p->n_place * p->n_series + 1) * sizeof(*p->value));
	for (size_t i = 0; p->value && i < p->n_place * p->n_series; i++)
		p->value[i] = NAN;
	return p->value != NULL;
}

static void fill(struct plot *p)
{
	const struct hst_results *all = &p->log->all;

	for (size_t i = 0; i < all->n; i++) {
		const struct hst_count *c = hst_find_count(&all->result[i], p->event);
		const size_t k = c ? series_of(p, &all->result[i]) : SIZE_MAX;

		if (k != SIZE_MAX)
			p->value[k * p->n_place + place_of(p, &all->result[i])] = (double)c->value;
	}
	for (size_t k = 0; k < p->n_series; k++)
		p->series[k] = (struct plt_series){p->name[k], p->value + k * p->n_place};
}

static int save(const struct plot *p, const char *path)
{
	const size_t n = strlen(path);
	const bool is_script = n > 3 && !strcmp(path + n - 3, ".gp");
	const struct plt_chart chart = {PLT_LINES, p->event, "commit",	p->event,   p->n_place,
					p->place,  NULL,     p->series, p->n_series};
	char *bytes = NULL;
	size_t room = 0;
	FILE *out;
	int code;

	if (!is_script && (n < 5 || strcmp(path + n - 4, ".svg") != 0) && strcmp(path, "-") != 0)
		return cli_fail("log plot -o %s: a picture is .svg, a script for gnuplot .gp",
				path);
	out = open_memstream(&bytes, &room);
	if (!out)
		return cli_fail("out of memory for the picture");
	if (is_script)
		plt_gnuplot(&chart, out);
	else
		plt_svg(&chart, out);
	code = ferror(out) | fclose(out) ? cli_fail("out of memory for the picture")
					 : cli_save("log plot", path, bytes, room);
	free(bytes);
	return code;
}

int cli_log_plot(struct cli_log *l)
{
	struct plot p = {.log = l};
	int code;

	if (l->n_word != 1)
		return cli_fail("log plot: of which event? write softpmu log plot EVENT");
	p.event = l->word[0];
	code = cli_log_read(l);
	if (!code && !arrange(&p))
		code = cli_fail("out of memory for the picture");
	if (!code && !p.n_place)
		code = cli_fail("log plot: no result counted %s; softpmu log show --json has the "
				"events of each",
				p.event);
	if (!code) {
		fill(&p);
		code = save(&p, l->output ? l->output : DEFAULT_FILE);
	}
	if (!code && (!l->output || strcmp(l->output, "-") != 0))
		fprintf(stderr, " %s: %zu %s, %zu %s\n", l->output ? l->output : DEFAULT_FILE,
			p.n_place, p.n_place == 1 ? "commit" : "commits", p.n_series,
			p.n_series == 1 ? "line" : "lines");
	free(p.place);
	free(p.place_name);
	free(p.key);
	free(p.series);
	free(p.first);
	free(p.name);
	free(p.value);
	return code;
}
