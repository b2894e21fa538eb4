/* svg.c -- charts as SVG. Rules: chart.h. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "plot/chart.h"
#include "report/markup.h"

enum {
	WIDTH = 900,
	HEIGHT = 460,
	LEFT = 90, /* of the axes' corner */
	TOP = 50,
	BOTTOM = 60,
	LEGEND = 230, /* to the right of the axes */
	ROW = 18,     /* of the legend */
	NAME = 30,    /* letters of a name, at most */
	LETTER = 7,
	CELL_X = 66,
	CELL_Y = 26,
	LABEL_X = 64, /* the room that a place's name wants */
	MOST_MARKED = 60
};

struct canvas {
	const struct plt_chart *c;
	FILE *out;
	double width, height; /* of the field within the axes */
};

static const char style[] =
    "<style>text{font:12px sans-serif;fill:#333}.title{font-size:16px;font-weight:bold}"
    ".mid{text-anchor:middle}.end{text-anchor:end}.line{fill:none;stroke-width:2}"
    ".grid{stroke:#ddd}.axis{stroke:#333}.light{fill:#fff}</style>\n";

/* Told apart by eyes of any kind (Okabe and Ito). */
static const char *colour(size_t i)
{
	static const char *const list[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
					   "#56b4e9", "#e69f00", "#555555", "#8c6d1f"};

	return list[i % (sizeof(list) / sizeof(list[0]))];
}

/* Lines of the same colour have other dashes. */
static const char *dashes(size_t i)
{
	static const char *const list[] = {"", " stroke-dasharray=\"6 3\"",
					   " stroke-dasharray=\"2 3\""};

	return list[i / 8 % 3];
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A name, or its beginning and its end. */
static void put_name(const struct canvas *v, const char *name)
{
	const size_t n = strlen(name);
	char cut[NAME + 1];

	if (n > NAME) {
		snprintf(cut, sizeof(cut), "%.*s..%s", NAME / 2 - 1, name,
			 name + n - (NAME - NAME / 2 - 1));
		name = cut;
	}
	rpt_put_text(name, v->out);
}

static void put_text(const struct canvas *v, const char *class, double x, double y,
		     const char *text)
{
	fprintf(v->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	put_name(v, text);
	fputs("</text>\n", v->out);
}

static void begin(const struct canvas *v, double width, double height)
{
	fprintf(v->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"role=\"img\">\n<title>",
		width, height);
	rpt_put_text(v->c->title, v->out);
	fprintf(v->out, "</title>\n%s<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", style,
		width, height);
	fprintf(v->out, "<text class=\"title\" x=\"16\" y=\"28\">");
	rpt_put_text(v->c->title, v->out);
	fputs("</text>\n", v->out);
}

/* What a mark says when the pointer is on it. */
static void put_tip(const struct canvas *v, const struct plt_series *s, size_t i)
{
	fputs("<title>", v->out);
	rpt_put_text(s->name, v->out);
	fputs(", ", v->out);
	rpt_put_text(v->c->place[i], v->out);
	if (v->c->x)
		fprintf(v->out, ": %.15g,", v->c->x[i]);
	fprintf(v->out, "%s %.15g</title>", v->c->x ? "" : ":", s->value[i]);
}

static void put_legend(const struct canvas *v)
{
	const double x = LEFT + v->width + 20;

	for (size_t k = 0; k < v->c->n_series; k++) {
		const double y = TOP + 8 + (double)k * ROW;

		fprintf(v->out, "<path class=\"line\" stroke=\"%s\"%s d=\"M%.1f %.1fh22\"/>",
			colour(k), dashes(k), x, y);
		put_text(v, "", x + 28, y + 4, v->c->series[k].name);
	}
}

/* ---- axes ------------------------------------------------------------------------------------ */

static double y_of(const struct canvas *v, const struct plt_axis *a, double value)
{
	return TOP + v->height * (1 - plt_at(a, value));
}

static void put_y_axis(const struct canvas *v, const struct plt_axis *a)
{
	char number[32];
	double tick;

	for (unsigned i = 0; !isnan(tick = plt_tick(a, i)); i++) {
		const double y = y_of(v, a, tick);

		fprintf(v->out, "<path class=\"grid\" d=\"M%d %.1fh%.1f\"/>", LEFT, y, v->width);
		put_text(v, "end", LEFT - 6, y + 4,
			 plt_number(tick, a->is_log ? tick : a->step, number));
	}
	fprintf(v->out, "<path class=\"axis\" d=\"M%d %dv%.1fh%.1f\" fill=\"none\"/>\n", LEFT, TOP,
		v->height, v->width);
	fprintf(v->out, "<text class=\"mid\" transform=\"translate(18 %.1f) rotate(-90)\">",
		TOP + v->height / 2);
	put_name(v, v->c->y_label);
	fputs("</text>\n", v->out);
	put_text(v, "mid", LEFT + v->width / 2, TOP + v->height + 42, v->c->x_label);
}

static void put_x_ticks(const struct canvas *v, const struct plt_axis *a)
{
	char number[32];
	double tick;

	for (unsigned i = 0; !isnan(tick = plt_tick(a, i)); i++)
		put_text(v, "mid", LEFT + v->width * plt_at(a, tick), TOP + v->height + 18,
			 plt_number(tick, a->is_log ? tick : a->step, number));
}

/* ---- lines ----------------------------------------------------------------------------------- */

static double place_x(const struct canvas *v, size_t i)
{
	return LEFT + v->width * ((double)i + 0.5) / (double)v->c->n_place;
}

/* As many names as there is room for, the last one always. */
static void put_places(const struct canvas *v)
{
	const size_t room = (size_t)(v->width / LABEL_X),
		     every = (v->c->n_place + room - 1) / (room ? room : 1);

	for (size_t i = 0; i < v->c->n_place; i++)
		if ((v->c->n_place - 1 - i) % (every ? every : 1) == 0)
			put_text(v, "mid", place_x(v, i), TOP + v->height + 18, v->c->place[i]);
}

static void put_line(const struct canvas *v, const struct plt_axis *a, size_t k)
{
	const struct plt_series *s = &v->c->series[k];
	const char *move = "M";

	fprintf(v->out, "<path class=\"line\" stroke=\"%s\"%s d=\"", colour(k), dashes(k));
	for (size_t i = 0; i < v->c->n_place; i++) {
		if (isnan(s->value[i]))
			continue;
		fprintf(v->out, "%s%.1f %.1f", move, place_x(v, i), y_of(v, a, s->value[i]));
		move = "L";
	}
	fputs("\"/>\n", v->out);
	for (size_t i = 0; i < v->c->n_place; i++) {
		if (isnan(s->value[i]))
			continue;
		fprintf(v->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\">",
			place_x(v, i), y_of(v, a, s->value[i]),
			v->c->n_place > MOST_MARKED ? "1.5" : "3.5", colour(k));
		put_tip(v, s, i);
		fputs("</circle>\n", v->out);
	}
}

/* ---- front ----------------------------------------------------------------------------------- */

/* The point of the front behind `last` (SIZE_MAX: the first), by x; SIZE_MAX: there is none. */
static size_t next_of_front(const struct plt_chart *c, const struct plt_series *s, size_t last)
{
	size_t next = SIZE_MAX;

	for (size_t i = 0; i < c->n_place; i++)
		if (plt_is_front(c, s, i) && (last == SIZE_MAX || c->x[i] > c->x[last]) &&
		    (next == SIZE_MAX || c->x[i] < c->x[next]))
			next = i;
	return next;
}

/* Point i, if it is on the front, or not. Those of the front are full, and have their names beside
 * them. */
static void put_point(const struct canvas *v, const struct plt_axis *x, const struct plt_axis *y,
		      size_t k, size_t i, bool is_front)
{
	const struct plt_series *s = &v->c->series[k];
	double at_x, at_y;

	if (isnan(s->value[i]) || isnan(v->c->x[i]) || plt_is_front(v->c, s, i) != is_front)
		return;
	at_x = LEFT + v->width * plt_at(x, v->c->x[i]);
	at_y = y_of(v, y, s->value[i]);
	fprintf(v->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" stroke=\"%s\" fill=\"%s\">", at_x,
		at_y, colour(k), is_front ? colour(k) : "#fff");
	put_tip(v, s, i);
	fputs("</circle>", v->out);
	if (is_front && v->c->n_place <= MOST_MARKED)
		put_text(v, "", at_x + 6, at_y - 6, v->c->place[i]);
	fputc('\n', v->out);
}

static void put_front(const struct canvas *v, const struct plt_axis *x, const struct plt_axis *y,
		      size_t k)
{
	const struct plt_series *s = &v->c->series[k];
	bool is_first = true;

	fprintf(v->out, "<path class=\"line\" stroke=\"%s\"%s d=\"", colour(k), dashes(k));
	for (size_t i = SIZE_MAX; (i = next_of_front(v->c, s, i)) != SIZE_MAX; is_first = false) {
		const double at_x = LEFT + v->width * plt_at(x, v->c->x[i]),
			     at_y = y_of(v, y, s->value[i]);

		if (is_first)
			fprintf(v->out, "M%.1f %.1f", at_x, at_y);
		else
			fprintf(v->out, "H%.1fV%.1f", at_x, at_y);
	}
	fputs("\"/>\n", v->out);
	for (size_t i = 0; i < v->c->n_place; i++)
		put_point(v, x, y, k, i, false);
	for (size_t i = 0; i < v->c->n_place; i++)
		put_point(v, x, y, k, i, true);
}

static void put_axes(struct canvas *v)
{
	const struct plt_axis y = plt_axis_of(v->c, false);
	const double legend = TOP + (double)v->c->n_series * ROW + 20,
		     height = legend > HEIGHT ? legend : HEIGHT;

	v->width = WIDTH - LEFT - LEGEND;
	v->height = HEIGHT - TOP - BOTTOM;
	begin(v, WIDTH, height);
	put_y_axis(v, &y);
	if (v->c->kind == PLT_FRONT) {
		const struct plt_axis x = plt_axis_of(v->c, true);

		put_x_ticks(v, &x);
		for (size_t k = 0; k < v->c->n_series; k++)
			put_front(v, &x, &y, k);
	} else {
		put_places(v);
		for (size_t k = 0; k < v->c->n_series; k++)
			put_line(v, &y, k);
	}
	put_legend(v);
}

/* ---- heat map -------------------------------------------------------------------------------- */

/* From near white to dark blue. */
static void put_cell(const struct canvas *v, const struct plt_series *s, size_t i, double x,
		     double y, double share)
{
	const int red = (int)(235 - 215 * share), green = (int)(242 - 172 * share),
		  blue = (int)(250 - 110 * share);
	char number[32];

	fprintf(v->out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" "
		"fill=\"#%02x%02x%02x\">",
		x, y, CELL_X - 2, CELL_Y - 2, red, green, blue);
	put_tip(v, s, i);
	fputs("</rect>", v->out);
	put_text(v, share > 0.5 ? "mid light" : "mid", x + CELL_X / 2.0 - 1, y + CELL_Y / 2.0 + 3,
		 plt_number(s->value[i], fabs(s->value[i]) / 200, number));
}

static void put_row(const struct canvas *v, const struct plt_series *s, double left, double y)
{
	double low = INFINITY, high = -INFINITY;

	put_text(v, "end", left - 8, y + CELL_Y / 2.0 + 3, s->name);
	for (size_t i = 0; i < v->c->n_place; i++) {
		low = s->value[i] < low ? s->value[i] : low;
		high = s->value[i] > high ? s->value[i] : high;
	}
	for (size_t i = 0; i < v->c->n_place; i++)
		if (!isnan(s->value[i]))
			put_cell(v, s, i, left + (double)i * CELL_X, y,
				 high > low ? (s->value[i] - low) / (high - low) : 0);
}

static void put_heat(const struct canvas *v)
{
	const struct plt_chart *c = v->c;
	size_t longest = 0;
	double left, width, height;

	for (size_t k = 0; k < c->n_series; k++)
		longest = strlen(c->series[k].name) > longest ? strlen(c->series[k].name) : longest;
	left = 24 + LETTER * (double)(longest > NAME ? NAME : longest);
	width = left + (double)c->n_place * CELL_X + 24;
	height = TOP + 40 + (double)c->n_series * CELL_Y + 34;
	begin(v, width > WIDTH / 2.0 ? width : WIDTH / 2.0, height);
	put_text(v, "", left, TOP + 8, c->x_label);
	for (size_t i = 0; i < c->n_place; i++) {
		fprintf(v->out, "<text class=\"mid\" x=\"%.1f\" y=\"%d\">",
			left + ((double)i + 0.5) * CELL_X - 1, TOP + 30);
		rpt_put_text(c->place[i], v->out);
		fputs("</text>\n", v->out);
	}
	for (size_t k = 0; k < c->n_series; k++)
		put_row(v, &c->series[k], left, TOP + 40 + (double)k * CELL_Y);
	fprintf(v->out, "<text x=\"16\" y=\"%.1f\">Dark: large among those of its row.</text>\n",
		height - 12);
}

void plt_svg(const struct plt_chart *c, FILE *out)
{
	struct canvas v = {c, out, 0, 0};

	if (c->kind == PLT_HEAT)
		put_heat(&v);
	else
		put_axes(&v);
	fputs("</svg>\n", out);
}
