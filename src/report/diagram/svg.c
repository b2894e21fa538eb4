/* svg.c -- a picture as one SVG document: no script, no font or file from elsewhere, light and
 * dark.
 *
 * A cell of the layout is 10 units wide and 25 high, so that letters of 18 units stand in it: 80
 * columns shown 400 pixels wide still have letters of 9.
 *
 * For readers of the document: a group with data-unit is a unit of the catalog, one with data-event
 * an event, with its count in data-value; their titles say what they mean.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/diagram/layout.h"
#include "report/markup.h"

enum {
	CELL_X = 10,
	CELL_Y = 25,
	HEAD_Y = 70,
	FOOT_Y = 34,
	MARGIN = 10,
	STEP_X = 16 /* from one of several vertical arrows to the next */,
	MOST_DIGITS = 9,
	MOST_HEAT = 400,  /* thousandths of the clocks from which on a box is no darker */
	LOST_X = 64,	  /* room for them in a head */
	DIGIT_X = 9,	  /* room for one digit more */
	MOST_LETTERS = 13 /* above an arrow */
};

/* ---- the style of a document ------------------------------------------ */

static const char style[] =
    "<style>\n"
    "svg:root{width:100%;height:auto;max-width:1640px;margin:auto;display:block}\n"
    "svg{--paper:#fbfaf7;--ink:#1c232b;--soft:#616c78;--edge:#b4bdc7;--box:#fff;--head:#e9edf2;--"
    "count:#2f6db5;--clock:#c2700c;"
    "--flow:#7d93ad;--bus:#93a0ae;background:var(--paper)}\n"
    "@media(prefers-color-scheme:dark){svg{--paper:#14181d;--ink:#e4e8ec;--soft:#96a2af;--edge:#"
    "46515d;--box:#1d232a;"
    "--head:#2a323b;--count:#5b9bea;--clock:#e59a3a;--flow:#6d86a3;--bus:#66727f}}\n"
    "text{font:18px system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:var(--ink);"
    "font-variant-numeric:tabular-nums}\n"
    ".paper{fill:var(--paper)}.frame{fill:var(--box);stroke:var(--edge);stroke-width:1.5}.head{"
    "fill:var(--head)}\n"
    ".name{font-weight:600;font-size:17px}.unit{font-size:14px;fill:var(--soft);text-anchor:end}\n"
    ".code{font-size:16px;fill:var(--soft)}.n,.share{text-anchor:end}.share{font-size:15px;fill:"
    "var(--soft)}\n"
    ".long,.tight "
    "text{font-size:15px}.none{font-style:italic;fill:var(--soft)}.mid{text-anchor:middle}\n"
    ".bar{fill:var(--count);opacity:.22}.dur .bar{fill:var(--clock);opacity:.28}\n"
    ".flow{stroke:var(--flow);fill:none}.tip{fill:var(--flow)}.still{stroke-dasharray:3 4}\n"
    ".s1 .flow{stroke:var(--count);stroke-opacity:.45}.s2 "
    ".flow{stroke:var(--count);stroke-opacity:.7}.s3 .flow{stroke:var(--count)}\n"
    ".s1 .tip{fill:var(--count);fill-opacity:.45}.s2 .tip{fill:var(--count);fill-opacity:.7}.s3 "
    ".tip{fill:var(--count)}\n"
    ".bus "
    "rect{fill:var(--bus)}.small{font-size:15px;fill:var(--soft)}.title{font-size:22px;font-weight:"
    "600}\n"
    "</style>\n";

/* ---- events ----------------------------------------------------------- */

struct page {
	const struct dgm_picture *p;
	const struct dgm_layout *l;
	FILE *out;
	bool is_part; /* of a page, which has the styles and a text "unit-NAME" for each unit */
};

static double at_x(int column)
{
	return MARGIN + column * CELL_X;
}

static double at_y(int line)
{
	return HEAD_Y + line * CELL_Y;
}

/* Upper and lower edge of a box. */
static double top_of(const struct dgm_box *b)
{
	return at_y(b->y0) + 2;
}

static double bottom_of(const struct dgm_box *b)
{
	return at_y(b->y1 + 1) - 13;
}

/* The group of an event, with its title; the caller ends it. */
static void begin_event(const struct page *g, size_t i)
{
	const struct cat_diagram_event *e = &g->p->table->event[i];
	const struct dgm_number *n = &g->p->number[i];
	char share[8];

	fprintf(g->out, "<g class=\"event%s\" data-event=\"",
		e->event->kind == CAT_OCCURRENCE ? "" : " dur");
	rpt_put_text(e->event->name, g->out);
	if (g->p->has_numbers && n->status == EVT_COUNTED)
		fprintf(g->out, "\" data-value=\"%" PRIu64, n->value);
	fprintf(g->out, "\"><title>");
	rpt_put_text(e->event->name, g->out);
	if (e->event->code < 0x100)
		fprintf(g->out, " (%02XH)", (unsigned)e->event->code);
	fputs("\n", g->out);
	rpt_put_text(e->event->meaning, g->out);
	if (*dgm_share(n, share)) {
		fputs("\nThis run: ", g->out);
		rpt_put_text(share, g->out);
		fputs(" of ", g->out);
		rpt_put_text(e->of->name, g->out);
	}
	fputs("\n\nHow it is counted: ", g->out);
	rpt_put_text(e->event->rule, g->out);
	fputs("</title>", g->out);
}

/* Code, label, number and share of an event in a line from x on; right: where the line ends. */
static void put_event(const struct page *g, size_t i, double x, double y, double right)
{
	const struct cat_diagram_event *e = &g->p->table->event[i];
	const struct dgm_number *n = &g->p->number[i];
	char code[8], value[40], share[8];
	const int letters = (int)strlen(dgm_code(g->p, e->event, code));
	const double label = x + (letters > 2 ? 42 : 27);

	begin_event(g, i);
	if (n->share > 0)
		fprintf(
		    g->out,
		    "<rect class=\"bar\" x=\"%g\" y=\"%g\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
		    x - 4, y - 18, (right - x + 8) * (n->share < 1000 ? n->share / 1000.0 : 1),
		    CELL_Y - 2);
	fprintf(g->out, "<text class=\"code\" x=\"%g\" y=\"%g\">%s</text>", x, y, code);
	if (!g->p->has_numbers) {
		fprintf(g->out, "<text class=\"long\" x=\"%g\" y=\"%g\">", label, y);
		rpt_put_text(strlen(e->event->name) > 24 && *e->event->short_name
				 ? e->event->short_name
				 : e->event->name,
			     g->out);
	} else {
		fprintf(g->out, "<text x=\"%g\" y=\"%g\">", label, y);
		rpt_put_text(e->label, g->out);
		fprintf(g->out, "</text><text class=\"n%s\" x=\"%g\" y=\"%g\">%s</text>",
			n->status == EVT_COUNTED ? "" : " none",
			n->status == EVT_COUNTED ? right - 56 : right, y,
			dgm_value(n, true, value));
		fprintf(g->out, "<text class=\"share\" x=\"%g\" y=\"%g\">", right, y);
		rpt_put_text(dgm_share(n, share), g->out);
	}
	fputs("</text></g>\n", g->out);
}

/* ---- boxes ------------------------------------------------------------ */

static void put_bus(const struct page *g, const struct dgm_box *b)
{
	const double x = at_x(b->x0);

	fputs("<g class=\"bus\" data-box=\"", g->out);
	rpt_put_text(b->row->name, g->out);
	fprintf(g->out,
		"\"><rect x=\"%g\" y=\"%g\" width=\"6\" height=\"%g\" rx=\"3\"/><text "
		"class=\"small mid\" transform=\"translate(%g %g) "
		"rotate(-90)\">",
		x + 2, top_of(b), bottom_of(b) - top_of(b), x - 5, at_y(b->y0) + 95);
	rpt_put_text(b->row->title, g->out);
	fputs("</text></g>\n", g->out);
}

/* Of several boxes of one unit the one that is called so has its name, else the first. */
static bool has_unit_name(const struct page *g, int number)
{
	const char *unit = g->l->box[number].row->unit;
	int first = -1;

	for (size_t i = 0; i < g->l->n_box; i++) {
		const struct dgm_box *b = &g->l->box[i];

		if (!b->is_drawn || strcmp(b->row->unit, unit))
			continue;
		if (!strcmp(b->row->name, unit))
			return (int)i == number;
		first = first < 0 ? (int)i : first;
	}
	return first == number;
}

/* Ends of a link to the text about a unit. */
static void begin_link(const struct page *g, const struct cat_diagram_box *row)
{
	fputs("<a href=\"#unit-", g->out);
	rpt_put_text(row->unit, g->out);
	fputs("\" aria-label=\"", g->out);
	rpt_put_text(row->title, g->out);
	fputs(": its events and who caused them\">", g->out);
}

/* Clocks that were lost in a box: it is tinted by them, and they stand in its head. */
static void put_lost(const struct page *g, const struct dgm_box *b, int lost)
{
	const double x = at_x(b->x0), width = (b->x1 + 1 - b->x0) * CELL_X, y = top_of(b);

	fprintf(g->out,
		"<rect class=\"heat\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"6\" "
		"fill-opacity=\"%.3f\"/><text class=\"lost\" x=\"%g\" y=\"%g\">%d.%d%%</text>",
		x, y, width, bottom_of(b) - y, lost < MOST_HEAT ? lost * .0015 : MOST_HEAT * .0015,
		x + width - 12, y + 18, lost / 10, lost % 10);
}

static void put_box(const struct page *g, int number)
{
	const struct dgm_box *b = &g->l->box[number];
	const double x = at_x(b->x0), width = (b->x1 + 1 - b->x0) * CELL_X, y = top_of(b);
	const bool is_link = g->is_part && *b->row->unit;
	const int lost = g->p->lost ? g->p->lost[number] : 0;

	if (is_link)
		begin_link(g, b->row);
	fputs("<g class=\"box\"", g->out);
	if (is_link && has_unit_name(g, number))
		fprintf(g->out, " id=\"%s\"", b->row->unit);
	if (*b->row->unit) {
		fputs(" data-unit=\"", g->out);
		rpt_put_text(b->row->unit, g->out);
		fputs("\"", g->out);
	}
	fputs(" data-box=\"", g->out);
	rpt_put_text(b->row->name, g->out);
	if (lost > 0)
		fprintf(g->out, "\" data-lost=\"%d", lost);
	fputs("\"><title>", g->out);
	rpt_put_text(b->row->title, g->out);
	fprintf(
	    g->out,
	    "</title><rect class=\"frame\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"6\"/>",
	    x, y, width, bottom_of(b) - y);
	fprintf(g->out,
		"<path class=\"head\" d=\"M%g %gv-18a5 5 0 0 1 5-5h%ga5 5 0 0 1 5 5v18z\"/>", x + 1,
		y + 24, width - 12);
	if (lost > 0)
		put_lost(g, b, lost);
	fprintf(g->out, "<text class=\"name\" x=\"%g\" y=\"%g\">", x + 12, y + 18);
	rpt_put_text(b->row->title, g->out);
	fprintf(g->out, "</text><text class=\"unit\" x=\"%g\" y=\"%g\">",
		x + width -
		    (lost >= 100 ? LOST_X + DIGIT_X
		     : lost > 0	 ? LOST_X
				 : 12),
		y + 17);
	rpt_put_text(b->row->unit, g->out);
	fputs("</text>\n", g->out);
	for (size_t i = 0; i < g->l->n_line; i++) {
		const struct dgm_line *line = &g->l->line[i];

		if (g->p->table->event[line->event].box == number)
			put_event(g, line->event, x + 12, at_y(line->y) + 21, x + width - 12);
	}
	fputs(is_link ? "</g></a>\n" : "</g>\n", g->out);
}

/* ---- arrows ----------------------------------------------------------- */

/* Width by traffic: a unit and a bit for each tenfold. */
static double width_of(const struct page *g, const struct dgm_way *w)
{
	if (w->event < 0 || !g->p->has_numbers)
		return 2;
	return 1.5 + 1.1 * log10(1 + (double)g->p->number[w->event].value);
}

/* Class of an arrow's colour: by the event's share. */
static const char *colour_of(const struct page *g, const struct dgm_way *w)
{
	const int share = w->event < 0 ? -1 : g->p->number[w->event].share;

	return share < 0 ? "" : share < 50 ? " s1" : share < 250 ? " s2" : " s3";
}

static bool is_still(const struct page *g, const struct dgm_way *w)
{
	return w->event >= 0 && g->p->has_numbers && !g->p->number[w->event].value;
}

/* A straight arrow from one point to another, along an axis. */
static void put_shaft(const struct page *g, const struct dgm_way *w, double x0, double y0,
		      double x1, double y1)
{
	const double thick = width_of(g, w), head = 5 + 1.3 * thick, half = 3 + thick;
	const double dx = (x1 > x0) - (x1 < x0), dy = (y1 > y0) - (y1 < y0);

	fprintf(g->out, "<path class=\"flow%s\" stroke-width=\"%.1f\" d=\"M%.1f %.1fL%.1f %.1f\"/>",
		is_still(g, w) ? " still" : "", thick, x0, y0, x1 - dx * head, y1 - dy * head);
	fprintf(g->out, "<path class=\"tip\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\"/>", x1, y1,
		x1 - dx * head - dy * half, y1 - dy * head - dx * half, x1 - dx * head + dy * half,
		y1 - dy * head + dx * half);
}

static void begin_arrow(const struct page *g, const struct dgm_way *w)
{
	fprintf(g->out, "<g class=\"arrow%s\" data-arrow=\"", colour_of(g, w));
	rpt_put_text(w->row->name, g->out);
	fputs("\"><title>", g->out);
	rpt_put_text(w->row->text, g->out);
	fputs("</title>", g->out);
}

/* The column of the first bus that crosses the arrow, else the one behind its end. */
static int clear_of_bus(const struct page *g, const struct dgm_way *w)
{
	for (size_t i = 0; i < g->l->n_box; i++) {
		const struct dgm_box *b = &g->l->box[i];

		if (b->is_drawn && b->row->is_bus && b->x0 >= w->x0 && b->x0 <= w->x1 &&
		    b->y0 <= w->y1 && b->y1 >= w->y1)
			return b->x0;
	}
	return w->x1 + 1;
}

static void put_beside(const struct page *g, const struct dgm_way *w)
{
	const bool from_bus = g->l->box[w->row->from].row->is_bus,
		   to_bus = g->l->box[w->row->to].row->is_bus;
	double left = at_x(w->x0), right = at_x(w->x1 + 1);
	const double y = w->event < 0 ? at_y(w->y1) + 12 : at_y(w->y1) + 17,
		     middle = (left + at_x(clear_of_bus(g, w))) / 2;
	char code[8], value[40], share[8];

	left -= w->is_back && to_bus	  ? 2
		: !w->is_back && from_bus ? 2
					  : 0; /* a bus is thinner than its cell */
	right += w->is_back && from_bus ? 3 : !w->is_back && to_bus ? 2 : 0;
	begin_arrow(g, w);
	if (w->x0 == w->x1)
		fprintf(g->out, "<path class=\"flow\" stroke-width=\"3\" d=\"M%g %gH%g\"/>", left,
			y, right);
	else if (w->is_back)
		put_shaft(g, w, right, y, left, y);
	else
		put_shaft(g, w, left, y, right, y);
	if (w->event >= 0) {
		const struct cat_diagram_event *e = &g->p->table->event[w->event];
		const struct dgm_number *n = &g->p->number[w->event];

		begin_event(g, (size_t)w->event);
		fprintf(
		    g->out,
		    "<text class=\"mid long\" x=\"%g\" y=\"%g\"><tspan class=\"code\">%s</tspan> ",
		    middle, y - 27, dgm_code(g->p, e->event, code));
		rpt_put_text(e->label, g->out);
		if (strlen(code) + strlen(e->label) + strlen(dgm_share(n, share)) <= MOST_LETTERS &&
		    *share) {
			fputs(" <tspan class=\"code\">", g->out);
			rpt_put_text(share, g->out);
			fputs("</tspan>", g->out);
		}
		fputs("</text>", g->out);
		if (g->p->has_numbers)
			fprintf(g->out, "<text class=\"mid%s\" x=\"%g\" y=\"%g\">%s</text>",
				n->status == EVT_COUNTED ? "" : " none", middle, y - 9,
				dgm_value(n, true, value));
		fputs("</g>", g->out);
	}
	fputs("</g>\n", g->out);
}

static void put_below(const struct page *g, const struct dgm_way *w)
{
	const struct dgm_box *from = &g->l->box[w->row->from], *to = &g->l->box[w->row->to];
	const struct dgm_box *above = w->is_back ? to : from, *below = w->is_back ? from : to;
	const int beside = w->y0 - above->y1 - 1, all = below->y0 - above->y1 - 1;
	const double x = at_x(above->x0) + 22 + STEP_X * beside, upper = bottom_of(above) + 1,
		     lower = top_of(below) - 1;

	begin_arrow(g, w);
	put_shaft(g, w, x, w->is_back ? lower : upper, x, w->is_back ? upper : lower);
	fputs(all > 2 ? "<g class=\"tight\">" : "<g>", g->out);
	if (w->event >= 0)
		put_event(g, (size_t)w->event, at_x(above->x0) + 22 + STEP_X * all,
			  at_y(w->y0) + 13, at_x(above->x1 + 1) - 12);
	fputs("</g></g>\n", g->out);
}

/* ---- the document ----------------------------------------------------- */

static void put_parts(const struct page *g)
{
	for (size_t i = 0; i < g->l->n_box; i++)
		if (g->l->box[i].is_drawn && g->l->box[i].row->is_bus)
			put_bus(g, &g->l->box[i]);
	for (size_t i = 0; i < g->l->n_box; i++)
		if (g->l->box[i].is_drawn && !g->l->box[i].row->is_bus)
			put_box(g, (int)i);
	for (size_t i = 0; i < g->l->n_way; i++)
		if (g->l->way[i].is_vertical)
			put_below(g, &g->l->way[i]);
		else
			put_beside(g, &g->l->way[i]);
}

static int width_of_page(const struct page *g)
{
	return g->l->columns * CELL_X + 2 * MARGIN;
}

static void put_page(const struct page *g, const char *title)
{
	const int width = width_of_page(g), height = HEAD_Y + g->l->lines * CELL_Y + FOOT_Y;

	fprintf(g->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"font-family=\"sans-serif\">\n<title>",
		width, height);
	rpt_put_text(title, g->out);
	fprintf(g->out,
		"</title>\n%s<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n<text "
		"class=\"title\" x=\"%d\" y=\"30\">",
		style, width, height, MARGIN + 2);
	rpt_put_text(g->p->cpu->text, g->out);
	fprintf(g->out, "</text>\n<text class=\"small\" x=\"%d\" y=\"54\">", MARGIN + 2);
	rpt_put_text(g->p->has_numbers ? title : "the events of its parts", g->out);
	fputs("</text>\n", g->out);
	put_parts(g);
	if (g->p->has_numbers)
		fprintf(g->out,
			"<text class=\"small\" x=\"%d\" y=\"%d\">Blue bars: shares of counts; "
			"orange: of clocks. Arrows: wider by a step "
			"for each tenfold, darker by share.</text>\n",
			MARGIN + 2, height - 12);
	fputs("</svg>\n", g->out);
}

int dgm_svg(const struct dgm_picture *p, const char *title, FILE *out)
{
	struct dgm_layout l;
	int rc = dgm_layout_make(p, dgm_columns(p, MOST_DIGITS), &l);

	if (!rc)
		put_page(&(struct page){p, &l, out, false}, title);
	dgm_layout_free(&l);
	return rc;
}

int dgm_svg_part(const struct dgm_picture *p, FILE *out)
{
	struct dgm_layout l;
	struct page g = {p, &l, out, true};
	int rc = dgm_layout_make(p, dgm_columns(p, MOST_DIGITS), &l);

	if (!rc) {
		fprintf(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 %d %d %d\" "
			"role=\"group\" aria-label=\"Block diagram: ",
			HEAD_Y - MARGIN, width_of_page(&g), l.lines * CELL_Y + MARGIN);
		rpt_put_text(p->cpu->text, out);
		fputs("\">\n", out);
		put_parts(&g);
		fputs("</svg>\n", out);
	}
	dgm_layout_free(&l);
	return rc;
}
