/* layout.h -- where everything of a picture stands, in character cells from the top left corner.
 *
 * Rows of the table become lines: a row is as high as the boxes need that begin and end in it, and
 * vertical arrows get lines between their boxes. Boxes fill their rows.
 */
#ifndef SOFTPMU_REPORT_DIAGRAM_LAYOUT_H
#define SOFTPMU_REPORT_DIAGRAM_LAYOUT_H

#include "report/diagram/picture.h"

#define DGM_COLUMNS 80

/* A box; its frame is in the first and last line and column. */
struct dgm_box {
	const struct cat_diagram_box *row;
	bool is_drawn;
	int x0, x1, y0, y1;
};

/* An event's line inside a box. */
struct dgm_line {
	size_t event; /* its number in the table */
	int x, y, width;
};

/* An arrow, or one of the events on it. It is drawn in the cells x0..x1, or y0..y1 of a vertical
 * one.
 *   horizontal   two lines, its event above it; one line without an event: y1 is the arrow's
 *   vertical     a line per event, which stands right of x0 in `width` columns */
struct dgm_way {
	const struct cat_diagram_arrow *row;
	int event;		   /* its number in the table, or -1 */
	bool is_vertical, is_back; /* is_back: it points left or up */
	int x0, x1, y0, y1, width;
};

struct dgm_layout {
	int columns, lines;
	struct dgm_box *box; /* as in the table; owned */
	size_t n_box;
	struct dgm_line *line; /* owned */
	size_t n_line;
	struct dgm_way *way; /* owned */
	size_t n_way;
};

/* Digits of the longest number that is shown. */
int dgm_digits(const struct dgm_picture *p);

/* Columns in which every number of p has room: 80, more when one has more than
 * `most_digits` digits. */
int dgm_columns(const struct dgm_picture *p, int most_digits);

/* Lay p out in `columns` columns, 80 or more. Returns 0 or -SPMU_ENOMEM. dgm_layout_free() in
 * every case. */
int dgm_layout_make(const struct dgm_picture *p, int columns, struct dgm_layout *out);

void dgm_layout_free(struct dgm_layout *l);

#endif
