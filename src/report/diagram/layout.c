/* layout.c -- from the rows and columns of the catalog's diagram to character cells. */
#include "report/diagram/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* In 80 columns an arrow has 12 or more of them for a number. */
enum { MOST_ROW = 64, LEAST_LINES = 3, LEAST_LANE = 12 };

static bool meet(int a0, int a1, int b0, int b1)
{
	return a0 <= b1 && b0 <= a1;
}

/* ---- what is drawn ---------------------------------------------------- */

/* Returns true if the event is shown on the box, or on an arrow that ends there. */
static bool belongs(const struct cat_diagram *t, const struct cat_diagram_event *e, int box)
{
	return e->box == box ||
	       (e->arrow >= 0 && (t->arrow[e->arrow].from == box || t->arrow[e->arrow].to == box));
}

static bool is_drawn(const struct dgm_picture *p, int box)
{
	const struct cat_diagram *t = p->table;

	if (t->box[box].is_for_all)
		return true;
	for (size_t i = 0; i < t->n_event; i++)
		if (belongs(t, &t->event[i], box) && cat_cpu_has_event(p->cpu, t->event[i].event))
			return true;
	return false;
}

static int count_on(const struct dgm_picture *p, int box, int arrow)
{
	int n = 0;

	for (size_t i = 0; i < p->table->n_event; i++) {
		const struct cat_diagram_event *e = &p->table->event[i];

		n += p->number[i].is_shown && e->box == box && e->arrow == arrow;
	}
	return n;
}

/* ---- lines that things need ------------------------------------------- */

static bool is_beside(const struct dgm_layout *l, const struct cat_diagram_arrow *a)
{
	const struct cat_diagram_box *from = l->box[a->from].row, *to = l->box[a->to].row;

	return meet(from->row, from->last_row, to->row, to->last_row);
}

static bool is_arrow_drawn(const struct dgm_layout *l, const struct cat_diagram_arrow *a)
{
	return l->box[a->from].is_drawn && l->box[a->to].is_drawn;
}

/* Lines of an arrow: horizontal ones have two for each event, vertical ones one. */
static int arrow_lines(const struct dgm_picture *p, const struct dgm_layout *l, size_t arrow)
{
	const int n = count_on(p, -1, (int)arrow);

	return n == 0 ? 1 : is_beside(l, &p->table->arrow[arrow]) ? 2 * n : n;
}

/* Lines of the arrows on one side of a box: its left (-1), its right (1), or below it (0). */
static int lines_at(const struct dgm_picture *p, const struct dgm_layout *l, int box, int side)
{
	int n = 0;

	for (size_t i = 0; i < p->table->n_arrow; i++) {
		const struct cat_diagram_arrow *a = &p->table->arrow[i];
		const int other = a->from == box ? a->to : a->to == box ? a->from : -1;

		if (other < 0 || !is_arrow_drawn(l, a) || is_beside(l, a) != (side != 0))
			continue;
		const struct cat_diagram_box *here = l->box[box].row, *there = l->box[other].row;

		if (side ? (there->column > here->column) == (side > 0) : there->row > here->row)
			n += arrow_lines(p, l, i);
	}
	return n;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

/* Returns by how many lines a neighbour that is joined to this box by an arrow ends above it. Both
 * end in one row, but the neighbour has arrows below it. */
static int shortfall(const struct dgm_picture *p, const struct dgm_layout *l, int box)
{
	int lines = 0;

	for (size_t i = 0; i < p->table->n_arrow; i++) {
		const struct cat_diagram_arrow *a = &p->table->arrow[i];
		const int other = a->from == box ? a->to : a->to == box ? a->from : -1;

		if (other >= 0 && is_arrow_drawn(l, a) && is_beside(l, a) &&
		    l->box[other].row->last_row == l->box[box].row->last_row)
			lines = most(lines, lines_at(p, l, other, 0) - lines_at(p, l, box, 0));
	}
	return lines;
}

static int height_of(const struct dgm_picture *p, const struct dgm_layout *l, int box)
{
	const int beside =
	    most(lines_at(p, l, box, -1), lines_at(p, l, box, 1)) + shortfall(p, l, box);
	const int inside = most(count_on(p, box, -1), beside);

	return l->box[box].row->is_bus ? 1 : most(LEAST_LINES, inside + 2);
}

/* ---- boxes ------------------------------------------------------------ */

/* top[r]: the first line of row r. Each box must fit between the row that it begins in and the one
 * behind its last. */
static void place_rows(const struct dgm_picture *p, const struct dgm_layout *l, int top[MOST_ROW])
{
	for (int r = 0; r < 2; r++)
		top[r] = 0;
	for (int r = 2; r < MOST_ROW; r++) {
		top[r] = top[r - 1];
		for (size_t i = 0; i < l->n_box; i++) {
			const struct cat_diagram_box *row = l->box[i].row;

			if (l->box[i].is_drawn && row->last_row == r - 1)
				top[r] = most(top[r], top[row->row] + height_of(p, l, (int)i) +
							  lines_at(p, l, (int)i, 0));
		}
	}
}

static void place_boxes(const struct dgm_picture *p, struct dgm_layout *l)
{
	int top[MOST_ROW];

	place_rows(p, l, top);
	for (size_t i = 0; i < l->n_box; i++) {
		struct dgm_box *b = &l->box[i];

		b->x0 = b->row->column * l->columns / DGM_COLUMNS;
		b->x1 = b->row->is_bus ? b->x0
				       : (b->row->last_column + 1) * l->columns / DGM_COLUMNS - 1;
		b->y0 = top[b->row->row];
		b->y1 = top[b->row->last_row + 1] - lines_at(p, l, (int)i, 0) - 1;
		if (b->is_drawn)
			l->lines = most(l->lines, b->y1 + 1);
	}
}

/* ---- lines and arrows ------------------------------------------------- */

static void place_lines(const struct dgm_picture *p, struct dgm_layout *l)
{
	for (size_t k = 0; k < l->n_box; k++) {
		const struct dgm_box *b = &l->box[k];
		int y = b->y0 + 1;

		for (size_t i = 0; i < p->table->n_event; i++)
			if (p->number[i].is_shown && p->table->event[i].box == (int)k)
				l->line[l->n_line++] =
				    (struct dgm_line){i, b->x0 + 2, y++, b->x1 - b->x0 - 3};
	}
}

/* The first line from y on in which `lines` lines are free for an arrow in columns x0..x1. */
static int free_line(const struct dgm_layout *l, int x0, int x1, int y, int lines)
{
	for (size_t i = 0; i < l->n_way; i++) {
		const struct dgm_way *w = &l->way[i];

		if (!w->is_vertical && meet(w->x0, w->x1, x0, x1) &&
		    meet(w->y0, w->y1, y, y + lines - 1)) {
			y = w->y1 + 1;
			i = (size_t)-1; /* from the beginning */
		}
	}
	return y;
}

static void place_beside(struct dgm_layout *l, const struct cat_diagram_arrow *row, int event)
{
	const struct dgm_box *from = &l->box[row->from], *to = &l->box[row->to];
	const bool is_back = from->x0 > to->x0;
	const struct dgm_box *left = is_back ? to : from, *right = is_back ? from : to;
	const int lines = event < 0 ? 1 : 2, x0 = left->x1 + 1, x1 = right->x0 - 1;
	const int y = free_line(l, x0, x1, most(from->y0, to->y0) + 1, lines);

	l->way[l->n_way++] = (struct dgm_way){.row = row,
					      .event = event,
					      .is_back = is_back,
					      .x0 = x0,
					      .x1 = x1,
					      .y0 = y,
					      .y1 = y + lines - 1,
					      .width = x1 - x0 + 1};
}

/* *used: lines between the two boxes that are taken. */
static void place_below(struct dgm_layout *l, const struct cat_diagram_arrow *row, int event,
			int *used)
{
	const struct dgm_box *from = &l->box[row->from], *to = &l->box[row->to];
	const bool is_back = from->y0 > to->y0;
	const struct dgm_box *above = is_back ? to : from;
	const int y = above->y1 + 1 + (*used)++;

	l->way[l->n_way++] = (struct dgm_way){.row = row,
					      .event = event,
					      .is_vertical = true,
					      .is_back = is_back,
					      .x0 = above->x0 + 2,
					      .x1 = above->x0 + 2,
					      .y0 = y,
					      .y1 = y,
					      .width = above->x1 - above->x0 - 5};
}

static void place_arrow(const struct dgm_picture *p, struct dgm_layout *l, size_t arrow, int *used)
{
	const struct cat_diagram_arrow *row = &p->table->arrow[arrow];
	const bool beside = is_beside(l, row);
	int n = 0;

	for (size_t i = 0; i < p->table->n_event; i++) {
		if (!p->number[i].is_shown || p->table->event[i].arrow != (int)arrow)
			continue;
		n++;
		if (beside)
			place_beside(l, row, (int)i);
		else
			place_below(l, row, (int)i, used);
	}
	if (!n && beside)
		place_beside(l, row, -1);
	else if (!n)
		place_below(l, row, -1, used);
}

/* Vertical arrows between the same two boxes stand in lines below each other. */
static void place_arrows(const struct dgm_picture *p, struct dgm_layout *l)
{
	for (size_t i = 0; i < p->table->n_arrow; i++) {
		const struct cat_diagram_arrow *a = &p->table->arrow[i];
		int used = 0;

		if (!is_arrow_drawn(l, a))
			continue;
		for (size_t k = 0; k < i; k++) {
			const struct cat_diagram_arrow *o = &p->table->arrow[k];

			if ((o->from == a->from && o->to == a->to) ||
			    (o->from == a->to && o->to == a->from))
				used += arrow_lines(p, l, k);
		}
		place_arrow(p, l, i, &used);
	}
}

int dgm_digits(const struct dgm_picture *p)
{
	int digits = 0;
	char value[40];

	for (size_t i = 0; i < p->table->n_event; i++)
		if (p->number[i].is_shown && p->number[i].status == EVT_COUNTED)
			digits = most(digits, (int)strlen(dgm_value(&p->number[i], false, value)));
	return digits;
}

int dgm_columns(const struct dgm_picture *p, int most_digits)
{
	const int digits = dgm_digits(p);

	return digits <= most_digits ? DGM_COLUMNS : (digits + 3) * DGM_COLUMNS / LEAST_LANE;
}

int dgm_layout_make(const struct dgm_picture *p, int columns, struct dgm_layout *out)
{
	const struct cat_diagram *t = p->table;

	*out = (struct dgm_layout){.columns = columns, .n_box = t->n_box};
	out->box = calloc(t->n_box + 1, sizeof(*out->box));
	out->line = calloc(t->n_event + 1, sizeof(*out->line));
	out->way = calloc(t->n_arrow + t->n_event + 1, sizeof(*out->way));
	if (!out->box || !out->line || !out->way)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < t->n_box; i++)
		out->box[i] = (struct dgm_box){.row = &t->box[i], .is_drawn = is_drawn(p, (int)i)};
	place_boxes(p, out);
	place_lines(p, out);
	place_arrows(p, out);
	return 0;
}

void dgm_layout_free(struct dgm_layout *l)
{
	free(l->box);
	free(l->line);
	free(l->way);
	*l = (struct dgm_layout){0};
}
