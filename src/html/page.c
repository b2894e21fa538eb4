/* page.c -- the page: its head, and its sections in their order. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/version.h"
#include "gen/html_hash.h"
#include "html/parts.h"

extern const char htm_style[], htm_script[]; /* files.S */

/* ---- what the page is about ------------------------------------------------------------------ */

static int read_events(struct htm *h)
{
	const struct rec *r = h->in->rec;
	struct spmu_error err;
	int rc = 0;

	h->count = calloc(r->n_event + 1u, sizeof(*h->count));
	h->event = calloc(r->n_event + 1u, sizeof(*h->event));
	if (!h->count || !h->event)
		return -SPMU_ENOMEM;
	for (uint32_t i = 0; i < r->n_event && !rc; i++) {
		struct evt_event e = {.event = NULL, .counter = -1, .group = -1};

		if (evt_parse_event(h->in->cpu, r->event[i].name, true, &e,
				    &err)) /* a name of a newer catalog */
			snprintf(e.name, sizeof(e.name), "%s", r->event[i].name);
		rc = evt_events_add(&h->events, &e, &err);
		h->count[i] = (struct evt_count){.status = *r->event[i].status ? EVT_NOT_MODELLED
									       : EVT_COUNTED,
						 .value = r->event[i].total,
						 .half = r->event[i].half};
		if (!*r->event[i].status)
			h->event[h->n_event++] = i;
	}
	return rc;
}

static void add_column(struct htm *h, uint32_t e)
{
	const unsigned most = h->in->old ? HTM_COLUMNS / 2 : HTM_COLUMNS;

	for (unsigned i = 0; i < h->n_column; i++)
		if (h->column[i] == e)
			return;
	if (h->n_column < most)
		h->column[h->n_column++] = e;
}

/* Clocks first, then what most readers ask for, then the events in their order. */
static void choose_columns(struct htm *h)
{
	static const char *const asked[] = {"cycles", "instructions", "L1-dcache-load-misses",
					    "cache-misses", "branch-misses"};

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		uint8_t umask = 0;
		const struct cat_event *e = cat_find_generic(h->in->cpu, asked[i], &umask);
		const int at = e ? evt_events_find(&h->events, e, umask) : -1;

		if (at >= 0 && h->count[at].status == EVT_COUNTED)
			add_column(h, (uint32_t)at);
	}
	for (uint32_t i = 0; i < h->n_event; i++)
		add_column(h, h->event[i]);
}

/* Sum one record. */
static int read_record(struct htm *h, const struct rec *r, unsigned which, const char **changed)
{
	struct nm *names = h->in->names[which];
	int rc = whr_build(&h->functions[which], r, names, WHR_FUNCTION, changed);

	if (!rc)
		rc = whr_build(&h->lines[which], r, names, WHR_LINE, changed);
	return rc ? rc : htm_intervals(h, which);
}

/* Rows of one record, as pairs whose old ones are not there. */
static int pair_alone(struct whr_pairs *p, const struct whr_table *new)
{
	p->pair = calloc(new->n + 1, sizeof(*p->pair));
	if (!p->pair)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < new->n; i++)
		p->pair[p->n++] = (struct whr_pair){NULL, &new->row[i]};
	return 0;
}

/* The order of the table: by what changed, or by what counted. */
static int pair_up(struct htm *h)
{
	struct whr_names names;
	int rc;

	if (h->in->old) {
		rc = whr_names_find(&names, &h->lines[1], &h->lines[0]);
		rc = rc ? rc : whr_pair_up(&h->pairs, &h->functions[1], &h->functions[0], &names);
		rc = rc ? rc : whr_pair_up(&h->line_pairs, &h->lines[1], &h->lines[0], &names);
		if (!rc)
			whr_pairs_sort(&h->pairs, h->column[0]);
		whr_names_free(&names);
		return rc;
	}
	whr_sort(&h->functions[0], h->column[0]);
	rc = pair_alone(&h->pairs, &h->functions[0]);
	return rc ? rc : pair_alone(&h->line_pairs, &h->lines[0]);
}

static void close_page(struct htm *h)
{
	evt_metrics_free(&h->stack);
	evt_events_free(&h->events);
	free(h->count);
	free(h->event);
	whr_pairs_free(&h->pairs);
	whr_pairs_free(&h->line_pairs);
	for (unsigned i = 0; i < 2; i++) {
		whr_free(&h->functions[i]);
		whr_free(&h->lines[i]);
		whr_intervals_free(&h->function_interval[i]);
		whr_intervals_free(&h->line_interval[i]);
	}
}

/* ---- head ------------------------------------------------------------------------------------ */

static void put_command(const struct htm *h, const struct rec *r)
{
	const json_t *list = json_object_get(r->meta, "command"), *word;
	size_t i;

	json_array_foreach(list, i, word)
	{
		const char *text = json_string_value(word);

		htm_put(h, i ? " " : "");
		htm_put_path(h, text ? text : "");
	}
}

static void put_head(const struct htm *h)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\" "
	      "xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta "
	      "charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src '" HTM_SCRIPT_HASH
	      "'; img-src data:; base-uri 'none'; "
	      "form-action 'none'\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\"/>\n"
	      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"referrer\" "
	      "content=\"no-referrer\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>",
	      h->out);
	put_command(h, h->in->rec);
	fprintf(h->out, " - softpmu</title>\n<style>\n%s</style>\n</head>\n<body>\n", htm_style);
}

static void put_fact(const struct htm *h, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(h->out, "<div><dt>%s</dt><dd>", name);
	htm_put(h, value);
	fputs("</dd></div>\n", h->out);
}

/* Which of the two records is which. */
static void put_file(const struct htm *h, const char *name, const char *path)
{
	fprintf(h->out, "<div><dt>%s</dt><dd><bdi>", name);
	htm_put_path(h, path);
	fputs("</bdi></dd></div>\n", h->out);
}

static void put_title(const struct htm *h)
{
	const struct rec *r = h->in->rec;
	const char *trouble = rec_text(r->meta, "trouble");
	char number[40];

	fputs("<header>\n<p class=\"kicker\">softpmu", h->out);
	fputs(h->in->old ? ": two runs compared</p>\n<h1><bdi>"
			 : ": where it was counted</p>\n<h1><bdi>",
	      h->out);
	put_command(h, r);
	fputs("</bdi></h1>\n<dl class=\"facts\">\n", h->out);
	put_fact(h, "processor", h->in->cpu->text);
	put_fact(h, "instructions",
		 htm_number(json_integer_value(json_object_get(r->meta, "instructions")), number));
	if (h->in->old) {
		put_file(h, "new", h->in->file[0]);
		put_file(h, "old", h->in->file[1]);
		fputs("<div><dt>compared with</dt><dd><bdi>", h->out);
		put_command(h, h->in->old);
		fputs("</bdi></dd></div>\n", h->out);
		put_fact(h, "its instructions",
			 htm_number(
			     json_integer_value(json_object_get(h->in->old->meta, "instructions")),
			     number));
		put_fact(h, "old recorded", rec_text(h->in->old->times, "date"));
	}
	put_fact(h, "recorded", rec_text(r->times, "date"));
	put_fact(h, "by", rec_text(r->times, "softpmu"));
	put_fact(h, "input digest", rec_text(r->times, "input_digest"));
	fputs("</dl>\n", h->out);
	if (*trouble || json_is_true(json_object_get(r->meta, "interrupted"))) {
		fputs("<p class=\"trouble\">The run ended early. ", h->out);
		htm_put_path(h, trouble);
		fputs("</p>\n", h->out);
	}
}

/* Which counts of a record are estimates; nothing where all are exact. */
static void put_estimates(const struct htm *h, const struct rec *r, bool is_old)
{
	char text[WHR_ESTIMATES];

	if (!*whr_estimates(r, text))
		return;
	fprintf(h->out,
		"<p class=\"fine\" id=\"estimates%s\">Estimates by samples%s, with half of an "
		"interval at 95 %%: ",
		is_old ? "-old" : "", is_old ? " of the old run" : "");
	htm_put(h, text);
	fputs(". Counts without an interval are exact; of estimates other than clocks the "
	      "intervals are those of the whole alone.</p>\n",
	      h->out);
}

static void put_notes(const struct htm *h, const char *changed)
{
	const char *trouble = nm_trouble(h->in->names[0]);

	if (h->in->is_order_odd)
		fputs(
		    "<p class=\"trouble\" id=\"order\">The record that is called new here was made "
		    "before the old one. If the two are in the wrong order, what rose on this page "
		    "has fallen.</p>\n",
		    h->out);
	if (changed) {
		fputs("<p class=\"trouble\">", h->out);
		htm_put_path(h, changed);
		fputs(" is not what was recorded: it has changed since, or is gone; its functions "
		      "have no names.</p>\n",
		      h->out);
	}
	if (trouble) {
		fputs("<p class=\"trouble\">", h->out);
		htm_put_path(h, trouble);
		fputs("</p>\n", h->out);
	}
	put_estimates(h, h->in->rec, false);
	if (h->in->old)
		put_estimates(h, h->in->old, true);
	fputs("<nav aria-label=\"Sections\"><a href=\"#machine\">Machine</a> <a "
	      "href=\"#clocks\">Clocks</a> <a href=\"#functions\">Functions</a> <a "
	      "href=\"#flame\">Calls</a> ",
	      h->out);
	if (h->n_source)
		fputs("<a href=\"#sources\">Source</a> ", h->out);
	fputs("<a href=\"#totals\">Totals</a></nav>\n</header>\n<main>\n", h->out);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Sections in their order; a new one is a line here. */
static int (*const section[])(const struct htm *) = {
    htm_put_machine, htm_put_clocks, htm_put_functions, htm_put_flame,
    htm_put_sources, htm_put_totals, htm_put_relations,
};

static int put_page(const struct htm *h, const char *changed)
{
	int rc = 0;

	put_head(h);
	put_title(h);
	put_notes(h, changed);
	for (size_t i = 0; i < sizeof(section) / sizeof(section[0]) && !rc; i++)
		rc = section[i](h);
	fputs("</main>\n<footer>Written by softpmu " SPMU_VERSION
	      ". Counts are those of a model of the processor; they "
	      "repeat to the digit.</footer>\n",
	      h->out);
	if (!rc)
		rc = htm_put_data(h);
	fprintf(h->out, "<script>%s</script>\n</body>\n</html>\n", htm_script);
	return rc;
}

int htm_write(const struct htm_input *in, FILE *out, const char **changed)
{
	struct htm h = {.in = in, .out = out};
	const char *old_changed;
	int rc = read_events(&h);

	*changed = NULL;
	if (!rc)
		rc = htm_find_parts(&h);
	if (!rc) {
		choose_columns(&h);
		rc = read_record(&h, in->rec, 0, changed);
	}
	if (!rc && in->old)
		rc = read_record(&h, in->old, 1, &old_changed);
	if (!rc)
		rc = pair_up(&h);
	if (!rc) {
		htm_choose_sources(&h);
		rc = put_page(&h, *changed);
	}
	close_page(&h);
	return rc;
}
