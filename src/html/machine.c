/* machine.c -- the block diagram of the processor with this run's counts, and each unit's events.
 *
 * A box of the diagram is a link to the text of its unit, so it works without scripts; with them a
 * click shows that text beside the picture and has the table show who caused the unit's events.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "html/parts.h"
#include "report/diagram/picture.h"

enum { MOST_UNITS = 64 };

/* ---- units ----------------------------------------------------------------------------------- */

/* Units of the processor's events, in the order of the diagram's boxes, then of the catalog. */
struct units {
	const char *name[MOST_UNITS];
	unsigned n;
};

static void add_unit(struct units *u, const char *name)
{
	for (unsigned i = 0; i < u->n; i++)
		if (!strcmp(u->name[i], name))
			return;
	if (*name && u->n < MOST_UNITS)
		u->name[u->n++] = name;
}

static bool has_events(const struct cat_cpu *cpu, const char *unit)
{
	size_t n;
	const struct cat_event *e = cat_events(&n);

	for (size_t i = 0; i < n; i++)
		if (cat_cpu_has_event(cpu, &e[i]) && !strcmp(e[i].unit, unit))
			return true;
	return false;
}

static void find_units(const struct cat_cpu *cpu, struct units *u)
{
	const struct cat_diagram *d = cat_diagram_of(cpu);
	size_t n;
	const struct cat_event *e = cat_events(&n);

	for (size_t i = 0; d && i < d->n_box; i++)
		if (d->box[i].is_for_all || has_events(cpu, d->box[i].unit))
			add_unit(u, d->box[i].unit);
	for (size_t i = 0; i < n; i++)
		if (cat_cpu_has_event(cpu, &e[i]))
			add_unit(u, e[i].unit);
}

/* Titles of the boxes of a unit: "Branch target buffer, Decoders". */
static void put_title(const struct htm *h, const char *unit)
{
	const struct cat_diagram *d = cat_diagram_of(h->in->cpu);
	bool is_next = false;

	for (size_t i = 0; d && i < d->n_box; i++) {
		if (strcmp(d->box[i].unit, unit))
			continue;
		htm_put(h, is_next ? ", " : "");
		htm_put(h, d->box[i].title);
		is_next = true;
	}
	if (!is_next)
		htm_put(h, unit);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void put_paragraphs(const struct htm *h, const char *title, const char *text)
{
	if (!*text || !strcmp(text, "-"))
		return;
	fprintf(h->out, "<p class=\"fine\"><b>%s</b> ", title);
	for (const char *p = text; *p;) {
		const size_t n = strstr(p, "\n\n") ? (size_t)(strstr(p, "\n\n") - p) : strlen(p);

		char *paragraph = strndup(p, n);

		fputs(p == text ? "" : "</p><p class=\"fine\">", h->out);
		if (paragraph)
			htm_put(h, paragraph);
		free(paragraph);
		p += n + strspn(p + n, "\n");
	}
	fputs("</p>\n", h->out);
}

/* What explain says of an event. */
static void put_meaning(const struct htm *h, const struct cat_event *e)
{
	fputs("<dd><p>", h->out);
	htm_put(h, e->meaning);
	fputs("</p>\n", h->out);
	if (*e->rule || (*e->note && strcmp(e->note, "-"))) {
		fputs("<details><summary>more</summary>\n", h->out);
		put_paragraphs(h, "How it is counted.", e->rule);
		put_paragraphs(h, "Commentary.", e->note);
		put_paragraphs(h, "Known discrepancies.", e->discrepancy);
		fputs("</details>\n", h->out);
	}
	fputs("</dd>\n", h->out);
}

static void put_code(const struct htm *h, const struct cat_event *e)
{
	if (e->code < 0x100)
		fprintf(h->out, "<span class=\"code\">%02X</span> ", (unsigned)e->code);
}

/* Behind a count: half of its interval, and of two records how much it changed. */
static void put_off(const struct htm *h, uint32_t e)
{
	const int64_t old = htm_old_total(h, e), new = (int64_t)h->in->rec->event[e].total;
	const double half = htm_half_of_total(h, e);
	char change[16];

	if (h->in->old)
		fprintf(h->out, " <small>%s</small>",
			old != new &&fabs((double)(new - old)) <= half
			    ? "as before"
			    : htm_change(old, new, change));
	htm_put_half(h, half, h->in->old ? old : new);
}

static void put_counted(const struct htm *h, size_t i)
{
	const struct rec_event *e = &h->in->rec->event[i];
	char number[40];

	fputs("<dt>", h->out);
	put_code(h, h->events.event[i].event);
	fputs("<span class=\"name\">", h->out);
	htm_put_name(h, e->name);
	fputs("</span> ", h->out);
	if (*e->status) {
		fputs("<em class=\"none\">&lt;", h->out);
		htm_put(h, e->status);
		fputs("&gt;</em>", h->out);
	} else {
		fputs("<data class=\"total\" data-event=\"", h->out);
		htm_put(h, e->name);
		fprintf(h->out, "\" value=\"%" PRIu64 "\">%s</data>", e->total,
			htm_number((int64_t)e->total, number));
	}
	if (!*e->status)
		put_off(h, (uint32_t)i);
	fputs("</dt>\n", h->out);
	put_meaning(h, h->events.event[i].event);
}

static bool is_counted(const struct htm *h, const struct cat_event *e)
{
	for (size_t i = 0; i < h->events.n; i++)
		if (h->events.event[i].event == e)
			return true;
	return false;
}

static void put_others(const struct htm *h, const char *unit)
{
	size_t n, told = 0;
	const struct cat_event *e = cat_events(&n);

	for (size_t i = 0; i < n; i++) {
		if (!cat_cpu_has_event(h->in->cpu, &e[i]) || strcmp(e[i].unit, unit) ||
		    is_counted(h, &e[i]))
			continue;
		fprintf(h->out, "%s<span title=\"",
			told++ ? ", " : "<p class=\"fine\">Not counted in this run: ");
		htm_put(h, e[i].meaning);
		fputs("\">", h->out);
		htm_put(h, e[i].name);
		fputs("</span>", h->out);
	}
	if (told)
		fputs(".</p>\n", h->out);
}

static void put_unit(const struct htm *h, const char *unit)
{
	unsigned n = 0;

	for (size_t i = 0; i < h->events.n; i++)
		n += h->events.event[i].event && !strcmp(h->events.event[i].event->unit, unit);
	fputs("<details class=\"unit-text\" id=\"unit-", h->out);
	htm_put(h, unit);
	fputs("\" data-unit=\"", h->out);
	htm_put(h, unit);
	fputs("\">\n<summary><b>", h->out);
	put_title(h, unit);
	fputs("</b> <span class=\"fine\">", h->out);
	htm_put(h, unit);
	fprintf(h->out, ", %u counted</span></summary>\n", n);
	if (n) {
		fputs("<dl>\n", h->out);
		for (size_t i = 0; i < h->events.n; i++)
			if (h->events.event[i].event &&
			    !strcmp(h->events.event[i].event->unit, unit))
				put_counted(h, i);
		fputs("</dl>\n", h->out);
	}
	put_others(h, unit);
	fputs("</details>\n", h->out);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static int put_picture(const struct htm *h)
{
	const struct rpt_report r = {.cpu = h->in->cpu, .events = &h->events, .count = h->count};
	struct dgm_picture p = {.cpu = NULL};
	int lost[HTM_MOST_BOXES];
	int rc = cat_diagram_of(h->in->cpu) ? dgm_of_report(&r, &p) : -SPMU_ENOTSUP;

	if (!rc && htm_lost_of_boxes(h, lost))
		p.lost = lost;
	if (!rc)
		rc = dgm_svg_part(&p, h->out);
	else if (rc == -SPMU_ENOTSUP)
		fprintf(h->out, "<p>There is no picture of this processor.</p>\n");
	dgm_free(&p);
	return rc == -SPMU_ENOTSUP ? 0 : rc;
}

int htm_put_machine(const struct htm *h)
{
	struct units units = {.n = 0};
	int rc;

	find_units(h->in->cpu, &units);
	htm_begin(h, "machine", "The machine");
	fputs("<div class=\"machine\">\n<figure>\n", h->out);
	rc = put_picture(h);
	fputs("<figcaption>", h->out);
	if (htm_has_stack(h) || h->n_part)
		fprintf(h->out, "<span class=\"key heat\"></span>%s",
			htm_has_stack(h) ? "of 100 clocks, those lost in the unit "
					 : "of 100 clocks, those that the unit held others up ");
	fputs("<span class=\"key count\"></span>share of counts <span class=\"key "
	      "clock\"></span>share of clocks. Arrows are wider by a step for each tenfold, and "
	      "darker by share. Codes are those that the manuals give the events.</figcaption>\n"
	      "</figure>\n<aside aria-label=\"Units of the processor\">\n<p class=\"hint\">Choose "
	      "a unit: it shows its events, and the table below who caused them.</p>\n",
	      h->out);
	for (unsigned i = 0; i < units.n; i++)
		put_unit(h, units.name[i]);
	fputs("</aside>\n</div>\n", h->out);
	htm_end(h);
	return rc;
}
