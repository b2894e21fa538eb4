/* text.c -- a picture in characters.
 *
 * The picture is drawn into a field of cells and printed at the end. Lines are in the box drawing
 * characters of Unicode, or in ASCII.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/diagram/layout.h"

/* In 80 columns numbers have room up to MOST_DIGITS, up to SHARE_DIGITS with shares beside them. */
enum { SHARE_WIDTH = 6, MOST_DIGITS = 11, SHARE_DIGITS = 9, BOLD = 1 << 30 };

/* One cell more than it has lines and columns takes what lies outside. */
struct field {
	uint32_t *cell;
	int columns, lines;
};

/* ---- cells ------------------------------------------------------------ */

static uint32_t *at(const struct field *f, int x, int y)
{
	const bool is_inside = x >= 0 && y >= 0 && x < f->columns && y < f->lines;

	return &f->cell[is_inside ? y * f->columns + x : f->columns * f->lines];
}

static void put_text(const struct field *f, int x, int y, const char *text, uint32_t how)
{
	for (; *text; text++)
		*at(f, x++, y) = (unsigned char)*text | how;
}

/* The ASCII character for one of those that are used here. */
static char plain(uint32_t c)
{
	static const struct {
		uint32_t c;
		char plain;
	} table[] = {
	    {0x2500, '-'}, {0x2502, '|'}, {0x2551, '#'}, {0x25ba, '>'}, {0x25c4, '<'},
	    {0x25bc, 'v'}, {0x25b2, '^'}, {0x2562, '#'}, {0x255f, '#'}, {0x256b, '#'},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].c == c)
			return table[i].plain;
	return '+';
}

static void print_cell(uint32_t c, bool is_ascii, FILE *out)
{
	if (c < 0x80)
		fputc((int)c, out);
	else if (is_ascii)
		fputc(plain(c), out);
	else
		fprintf(out, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3f)),
			(int)(0x80 | (c & 0x3f)));
}

static void print_field(const struct field *f, const struct dgm_style *style, FILE *out)
{
	const struct rpt_screen screen = {.has_bold = style->has_bold};

	for (int y = 0; y < f->lines; y++) {
		int end = f->columns;
		bool is_bold = false;

		while (end && f->cell[y * f->columns + end - 1] == ' ')
			end--;
		for (int x = 0; x < end; x++) {
			const uint32_t c = f->cell[y * f->columns + x];

			if (is_bold != !!(c & BOLD))
				fputs(is_bold ? rpt_plain(&screen, true) : rpt_bold(&screen, true),
				      out);
			is_bold = c & BOLD;
			print_cell(c & ~(uint32_t)BOLD, style->is_ascii, out);
		}
		fputs(is_bold ? rpt_plain(&screen, true) : "", out);
		fputc('\n', out);
	}
}

/* ---- boxes ------------------------------------------------------------ */

static void draw_frame(const struct field *f, const struct dgm_box *b)
{
	for (int x = b->x0 + 1; x < b->x1; x++)
		*at(f, x, b->y0) = *at(f, x, b->y1) = 0x2500;
	for (int y = b->y0 + 1; y < b->y1; y++)
		*at(f, b->x0, y) = *at(f, b->x1, y) = 0x2502;
	*at(f, b->x0, b->y0) = 0x250c;
	*at(f, b->x1, b->y0) = 0x2510;
	*at(f, b->x0, b->y1) = 0x2514;
	*at(f, b->x1, b->y1) = 0x2518;
}

static void draw_box(const struct field *f, const struct dgm_box *b)
{
	const int unit = (int)strlen(b->row->unit);

	if (b->row->is_bus) {
		for (int y = b->y0; y <= b->y1; y++)
			*at(f, b->x0, y) = 0x2551;
		return;
	}
	draw_frame(f, b);
	*at(f, b->x0 + 1, b->y0) = ' ';
	put_text(f, b->x0 + 2, b->y0, b->row->title, BOLD);
	*at(f, b->x0 + 2 + (int)strlen(b->row->title), b->y0) = ' ';
	if (unit && (int)strlen(b->row->title) + unit + 6 < b->x1 - b->x0) {
		*at(f, b->x1 - unit - 2, b->y0) = *at(f, b->x1 - 1, b->y0) = ' ';
		put_text(f, b->x1 - unit - 1, b->y0, b->row->unit, 0);
	}
}

/* ---- events ----------------------------------------------------------- */

/* How the numbers of a picture are written: alike in all lines. */
struct hand {
	const struct dgm_picture *p;
	bool has_groups;
	int share_width; /* of a share and a blank before it; 0: there is no room for shares */
	int code_width;	 /* columns of the longest code */
};

/* Columns that the line of event i has between its code and its share: for its label and its
 * number. */
static int room_of(const struct hand *h, int width)
{
	return width - h->code_width - 1 - h->share_width;
}

/* Returns true if label and number of the event fit into one line, with the digits in groups. */
static bool fits(const struct hand *h, size_t event, int width)
{
	const struct dgm_number *n = &h->p->number[event];
	char value[40];

	return n->status != EVT_COUNTED ||
	       (int)(strlen(h->p->table->event[event].label) + 1 +
		     strlen(dgm_value(n, true, value))) <= room_of(h, width);
}

/* Returns true if they fit in each line. */
static bool fits_groups(const struct hand *h, const struct dgm_layout *l)
{
	char value[40];

	for (size_t i = 0; i < l->n_line; i++)
		if (!fits(h, l->line[i].event, l->line[i].width))
			return false;
	for (size_t i = 0; i < l->n_way; i++) {
		const struct dgm_way *w = &l->way[i];

		if (w->event < 0)
			continue;
		if (w->is_vertical
			? !fits(h, (size_t)w->event, w->width)
			: (int)strlen(dgm_value(&h->p->number[w->event], true, value)) + 2 >
			      w->width)
			return false;
	}
	return true;
}

/* "80 fetches       1,231,675 40.1%" or "80 IFU_IFETCH", in `width` columns. */
static void draw_line(const struct field *f, const struct hand *h, size_t event, int x, int y,
		      int width)
{
	const struct cat_diagram_event *e = &h->p->table->event[event];
	const struct dgm_number *n = &h->p->number[event];
	const int left = h->code_width + 1, room = width - left;
	char code[8], value[40], share[8], text[64];

	put_text(f, x, y, dgm_code(h->p, e->event, code), 0);
	if (!h->p->has_numbers) {
		const char *name = e->event->name;

		if ((int)strlen(name) > room && *e->event->short_name)
			name = e->event->short_name;
		snprintf(text, sizeof(text), "%.*s", room > 0 ? room : 0, name);
		put_text(f, x + left, y, text, 0);
		return;
	}
	dgm_value(n, h->has_groups, value);
	snprintf(share, sizeof(share), "%s", h->share_width ? dgm_share(n, text) : "");
	/* A text in place of the number may take the share's columns. */
	const int end = n->status == EVT_COUNTED ? width - h->share_width : width;

	put_text(f, x + left, y, e->label, 0);
	put_text(f, x + end - (int)strlen(value), y, value, n->status == EVT_COUNTED ? 0 : BOLD);
	put_text(f, x + width - (int)strlen(share), y, share, 0);
}

/* ---- arrows ----------------------------------------------------------- */

/* The line of an arrow meets a frame or a bus. has_left, has_right: on which sides of the cell it
 * goes on. */
static void join(const struct field *f, int x, int y, bool has_left, bool has_right)
{
	uint32_t *c = at(f, x, y);
	const bool is_bus = *c == 0x2551;

	if (has_left && has_right)
		*c = is_bus ? 0x256b : 0x2500;
	else if (is_bus)
		*c = has_left ? 0x2562 : 0x255f;
	else
		*c = has_left ? 0x2524 : 0x251c;
}

/* The number of an arrow in the middle of its line. */
static void draw_number(const struct field *f, const struct hand *h, const struct dgm_way *w,
			int width)
{
	const struct dgm_number *n = &h->p->number[w->event];
	char value[40], share[8], text[64];
	const int shared = snprintf(text, sizeof(text), " %s %s ",
				    dgm_value(n, h->has_groups, value), dgm_share(n, share));
	int length = shared;

	if (!*share || shared > width - 3)
		length = snprintf(text, sizeof(text), " %s ", value);
	if (length > width - 1) /* a long number, or why there is none: without blanks around it */
		length = snprintf(text, sizeof(text), "%.*s", width - 1, value);
	put_text(f,
		 w->is_back ? w->x0 + width - (width - length) / 2 - length
			    : w->x0 + (width - length) / 2,
		 w->y1, text, n->status == EVT_COUNTED ? 0 : BOLD);
}

static void draw_beside(const struct field *f, const struct hand *h, const struct dgm_way *w)
{
	const int tail = w->is_back ? w->x1 + 1 : w->x0 - 1;
	int width = w->width; /* up to a bus that the arrow crosses */

	for (int x = w->x0; x <= w->x1; x++) {
		if (*at(f, x, w->y1) == 0x2551 && width == w->width)
			width = x - w->x0;
		if (*at(f, x, w->y1) == 0x2551)
			join(f, x, w->y1, true, true);
		else
			*at(f, x, w->y1) = 0x2500;
	}
	if (w->x1 > w->x0)
		*at(f, w->is_back ? w->x0 : w->x1, w->y1) = w->is_back ? 0x25c4 : 0x25ba;
	else /* no room for a head */
		join(f, w->is_back ? w->x0 - 1 : w->x1 + 1, w->y1, !w->is_back, w->is_back);
	join(f, tail, w->y1, w->is_back, !w->is_back);
	if (w->event < 0)
		return;
	const struct cat_diagram_event *e = &h->p->table->event[w->event];
	char code[8], text[64];

	dgm_code(h->p, e->event, code);
	snprintf(text, sizeof(text), "%s%s%s", code, *code ? " " : "", e->label);
	put_text(f, w->x0 + (width - (int)strlen(text) + 1) / 2, w->y0, text, 0);
	if (h->p->has_numbers)
		draw_number(f, h, w, width);
}

static void draw_below(const struct field *f, const struct hand *h, const struct dgm_way *w)
{
	uint32_t *tail = at(f, w->x0, w->is_back ? w->y1 + 1 : w->y0 - 1);

	*at(f, w->x0, w->y0) = w->is_back ? 0x25b2 : 0x25bc;
	if (*tail == 0x2500)
		*tail = w->is_back ? 0x2534 : 0x252c;
	if (w->event >= 0)
		draw_line(f, h, (size_t)w->event, w->x0 + 2, w->y0, w->width);
}

/* ---- all of it -------------------------------------------------------- */

static int longest_code(const struct dgm_picture *p)
{
	char code[8];
	int most = 2;

	for (size_t i = 0; i < p->table->n_event; i++) {
		const int n = (int)strlen(dgm_code(p, p->table->event[i].event, code));

		most = p->number[i].is_shown && n > most ? n : most;
	}
	return most;
}

static void draw(const struct field *f, const struct hand *h, const struct dgm_layout *l)
{
	for (size_t i = 0; i < l->n_box; i++)
		if (l->box[i].is_drawn)
			draw_box(f, &l->box[i]);
	for (size_t i = 0; i < l->n_line; i++)
		draw_line(f, h, l->line[i].event, l->line[i].x, l->line[i].y, l->line[i].width);
	for (size_t i = 0; i < l->n_way; i++)
		if (l->way[i].is_vertical)
			draw_below(f, h, &l->way[i]);
		else
			draw_beside(f, h, &l->way[i]);
}

int dgm_text(const struct dgm_picture *p, const struct dgm_style *style, FILE *out)
{
	struct hand h = {.p = p, .code_width = longest_code(p)};
	struct dgm_layout l;
	struct field f = {NULL, 0, 0};
	int rc = dgm_layout_make(p, dgm_columns(p, MOST_DIGITS), &l);

	if (!rc) {
		f = (struct field){calloc((size_t)(l.columns * l.lines + 1), sizeof(*f.cell)),
				   l.columns, l.lines};
		rc = f.cell ? 0 : -SPMU_ENOMEM;
	}
	if (!rc) {
		for (int i = 0; i < l.columns * l.lines; i++)
			f.cell[i] = ' ';
		h.share_width =
		    l.columns == DGM_COLUMNS && dgm_digits(p) > SHARE_DIGITS ? 0 : SHARE_WIDTH;
		h.has_groups = style->has_groups && fits_groups(&h, &l);
		draw(&f, &h, &l);
		print_field(&f, style, out);
	}
	free(f.cell);
	dgm_layout_free(&l);
	return rc;
}

int rpt_diagram(const struct rpt_report *r, FILE *out)
{
	const struct dgm_style style = {.is_ascii = r->screen.is_ascii,
					.has_bold = r->screen.has_bold,
					.has_groups = r->has_big_num};
	struct dgm_picture p;
	int rc = dgm_of_report(r, &p);

	if (!rc)
		rc = dgm_text(&p, &style, out);
	dgm_free(&p);
	return rc;
}
