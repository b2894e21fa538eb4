/* flame.c -- call paths as a flame graph: who called whom, wide by what was counted there.
 *
 * RULE     callers stand above those that they call, children by size. Each frame is an svg element
 *          of its own with its place in per cent of the graph, so that letters keep their size at
 *          any width. Frames of less than a thousandth of every event are left out, so their
 *          callers look as if they had counted it themselves.
 * LAYOUT   data-p is the number of the caller's frame, data-n the counts of the events in
 *          data-events, data-b those of the old record. The script makes other graphs of them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "html/parts.h"
#include "where/tree.h"

enum {
	MOST_FRAMES = 1500,
	MOST_DEPTH = 80,
	FRAME = 22,	 /* pixels from one row to the next */
	NARROW = 2,	 /* per cent of the graph that a word needs */
	MOST_COLOURS = 8 /* of files; page.css has o0 to o7 */
};

struct flame {
	const struct htm *h;
	struct whr_tree tree;
	int64_t least[WHR_TREE_EVENTS]; /* counts from which on a frame is shown */
	uint32_t *frame; /* of each node: 1 + its number, 0: it is not shown. Owned */
	const char *object[MOST_COLOURS]; /* files that have a colour, the last ones share one */
	unsigned n_object, depth;
	uint32_t n; /* frames that were written */
};

/* ---- what is shown --------------------------------------------------------------------------- */

static bool is_large(const struct flame *f, const struct whr_node *n)
{
	for (unsigned e = 0; e < f->tree.n_event; e++)
		if ((n->count[0][e] > 0 && n->count[0][e] >= f->least[e]) ||
		    (n->count[1][e] > 0 && n->count[1][e] >= f->least[e]))
			return true;
	return false;
}

static uint32_t count_large(const struct flame *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->tree.n; i++)
		n += is_large(f, &f->tree.node[i]);
	return n;
}

/* A thousandth of each event, more where that leaves too many frames. */
static void choose_least(struct flame *f)
{
	int64_t part = 1000;

	do {
		for (unsigned e = 0; e < f->tree.n_event; e++) {
			const int64_t *a = f->tree.node[0].count[0], *b = f->tree.node[0].count[1];

			f->least[e] = (a[e] > b[e] ? a[e] : b[e]) / part;
		}
		part = part * 2 / 3;
	} while (part > 1 && count_large(f) > MOST_FRAMES);
}

/* ---- the colour of a file -------------------------------------------------------------------- */

static unsigned colour_of(struct flame *f, const char *object)
{
	if (!*object)
		return MOST_COLOURS; /* of no file */
	for (unsigned i = 0; i < f->n_object; i++)
		if (!strcmp(f->object[i], object))
			return i;
	if (f->n_object < MOST_COLOURS) {
		f->object[f->n_object] = object;
		return f->n_object++;
	}
	return MOST_COLOURS - 1;
}

/* The program's own file has the first colour. */
static void colour_program(struct flame *f)
{
	const json_t *command = json_object_get(f->h->in->rec->meta, "command");
	const char *name = json_string_value(json_array_get(command, 0));

	for (uint32_t i = 0; i < f->tree.n && name && !f->n_object; i++)
		if (!strcmp(htm_last_part(f->tree.node[i].object), htm_last_part(name)))
			f->object[f->n_object++] = f->tree.node[i].object;
}

/* Of two records: by how much of the total the frame changed, -1 to 1; a tenth is the most. */
static double change_of(const struct flame *f, const struct whr_node *n)
{
	const double whole = (double)f->tree.node[0].count[0][0],
		     part = (double)(n->count[0][0] - n->count[1][0]) / (whole > 0 ? whole : 1);

	return part > .1 ? 1 : part < -.1 ? -1 : part * 10;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void put_list(const struct flame *f, const char *name, const int64_t *count)
{
	fprintf(f->h->out, " data-%s=\"", name);
	for (unsigned e = 0; e < f->tree.n_event; e++)
		fprintf(f->h->out, "%s%" PRId64, e ? "," : "", count[e]);
	fputs("\"", f->h->out);
}

static const char *label_of(const struct flame *f, uint32_t node)
{
	return node ? f->tree.node[node].function : "all";
}

static void put_frame_title(const struct flame *f, uint32_t node)
{
	const struct whr_node *n = &f->tree.node[node];
	char number[40], share[16];

	fputs("<title>", f->h->out);
	htm_put(f->h, label_of(f, node));
	if (*n->object) {
		fputs("\n", f->h->out);
		htm_put_path(f->h, n->object);
	}
	for (unsigned e = 0; e < f->tree.n_event; e++) {
		fprintf(f->h->out, "\n%s ", htm_number(n->count[0][e], number));
		htm_put(f->h, f->h->in->rec->event[f->tree.event[e]].name);
		htm_share(n->count[0][e], (uint64_t)f->tree.node[0].count[0][e], share);
		if (*share) {
			fputs(", ", f->h->out);
			htm_put(f->h, share);
		}
		if (f->h->in->old)
			fprintf(f->h->out, ", was %s", htm_number(n->count[1][e], number));
	}
	fputs("</title>", f->h->out);
}

static void put_frame(struct flame *f, uint32_t node, double x, double width, unsigned depth)
{
	const struct whr_node *n = &f->tree.node[node];
	FILE *out = f->h->out;

	fprintf(out, "<svg x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%u\"", x, depth * FRAME,
		width, FRAME - 1);
	fprintf(out, "%s data-p=\"%u\"", width < NARROW ? " class=\"narrow\"" : "",
		node ? f->frame[n->parent] - 1 : 0);
	put_list(f, "n", n->count[0]);
	if (f->h->in->old)
		put_list(f, "b", n->count[1]);
	fprintf(out, "><rect width=\"100%%\" height=\"100%%\" rx=\"2\" class=\"");
	if (!f->h->in->old)
		fprintf(out, "o%u\"/>", node ? colour_of(f, n->object) : MOST_COLOURS);
	else
		fprintf(out,
			"same\"/><rect width=\"100%%\" height=\"100%%\" rx=\"2\" class=\"%s\" "
			"fill-opacity=\"%.2f\"/>",
			change_of(f, n) > 0 ? "grew" : "shrank",
			change_of(f, n) > 0 ? change_of(f, n) : -change_of(f, n));
	fputs("<text x=\"5\" y=\"15\">", out);
	htm_put(f->h, label_of(f, node));
	fputs("</text>", out);
	put_frame_title(f, node);
	fputs("</svg>\n", out);
	f->frame[node] = ++f->n;
	f->depth = depth > f->depth ? depth : f->depth;
}

/* What a frame is wide by: the larger one of both records. */
static double size_of(const struct flame *f, const struct whr_node *n)
{
	const int64_t size =
	    f->h->in->old && n->count[1][0] > n->count[0][0] ? n->count[1][0] : n->count[0][0];

	return size > 0 ? (double)size : 0;
}

/* A node and those below it, in the room that it has. Children of both records may be wider
 * together than their caller; then all are narrower. */
static void put_below(struct flame *f, uint32_t node, double x, double width, unsigned depth)
{
	const struct whr_node *n = &f->tree.node[node];
	double of = size_of(f, n), sum = 0;

	put_frame(f, node, x, width, depth);
	for (uint32_t c = n->child; c; c = f->tree.node[c].next)
		sum += size_of(f, &f->tree.node[c]);
	of = sum > of ? sum : of;
	for (uint32_t c = n->child; c && depth < MOST_DEPTH; c = f->tree.node[c].next) {
		const double part = of > 0 ? width * size_of(f, &f->tree.node[c]) / of : 0;

		if (is_large(f, &f->tree.node[c])) {
			put_below(f, c, x, part, depth + 1);
			x += part;
		}
	}
}

/* ---- the section ----------------------------------------------------------------------------- */

/* Functions of the old record that are called otherwise in the new one, by their old names. */
struct renamed {
	const struct whr_pair **pair; /* owned; sorted */
	size_t n;
};

static int by_old_name(const void *a, const void *b)
{
	const struct whr_row *s = (*(const struct whr_pair *const *)a)->old,
			     *t = (*(const struct whr_pair *const *)b)->old;
	const int order = strcmp(s->function, t->function);

	return order ? order : strcmp(s->object, t->object);
}

static int find_renamed(const struct htm *h, struct renamed *r)
{
	r->pair = calloc(h->pairs.n + 1, sizeof(*r->pair));
	if (!r->pair)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < h->pairs.n; i++)
		if (h->pairs.pair[i].old && h->pairs.pair[i].new)
			r->pair[r->n++] = &h->pairs.pair[i];
	qsort(r->pair, r->n, sizeof(*r->pair), by_old_name);
	return 0;
}

static void rename_old(void *to, const char **function, const char **object)
{
	const struct renamed *r = to;
	const struct whr_row old = {.function = *function, .object = *object};
	const struct whr_pair key = {.old = &old}, *at = &key, *const * found;

	found = bsearch(&at, r->pair, r->n, sizeof(*r->pair), by_old_name);
	if (!found)
		return;
	*function = (*found)->new->function;
	*object = (*found)->new->object;
}

static void put_legend(const struct flame *f)
{
	fputs("<p class=\"fine legend\">", f->h->out);
	if (f->h->in->old)
		fputs("<span><i class=\"grew\"></i>more than in the old run</span> <span><i "
		      "class=\"shrank\"></i>less</span>",
		      f->h->out);
	for (unsigned i = 0; i < f->n_object && !f->h->in->old; i++) {
		fprintf(f->h->out, "<span><i class=\"o%u\"></i>", i);
		htm_put(f->h, htm_last_part(f->object[i]));
		fputs(i + 1 == MOST_COLOURS ? " and others</span> " : "</span> ", f->h->out);
	}
	fputs("</p>\n", f->h->out);
}

/* The height is known behind the last frame, so they are written to memory first. */
static int put_graph(struct flame *f)
{
	struct htm inner = *f->h;
	const struct htm *outer = f->h;
	char *bytes = NULL;
	size_t n = 0;

	inner.out = open_memstream(&bytes, &n);
	if (!inner.out)
		return -SPMU_ENOMEM;
	f->h = &inner;
	put_below(f, 0, 0, 100, 0);
	f->h = outer;
	if (ferror(inner.out) | fclose(inner.out)) {
		free(bytes);
		return -SPMU_ENOMEM;
	}
	fprintf(
	    outer->out,
	    "<div id=\"flame-choose\"></div>\n<svg class=\"flame\" width=\"100%%\" height=\"%u\" "
	    "role=\"group\" aria-label=\"Flame graph: callers above those that they call\" "
	    "data-events=\"",
	    (f->depth + 1) * FRAME);
	for (unsigned e = 0; e < f->tree.n_event; e++) {
		fputs(e ? "," : "", outer->out);
		htm_put(outer, outer->in->rec->event[f->tree.event[e]].name);
	}
	fputs("\">\n", outer->out);
	fwrite(bytes, 1, n, outer->out);
	fputs("</svg>\n<p id=\"of-frame\" role=\"status\" class=\"fine\">Wide by ", outer->out);
	htm_put(outer, outer->in->rec->event[f->tree.event[0]].name);
	fputs(", with what was called; callers stand above.</p>\n", outer->out);
	put_legend(f);
	free(bytes);
	return 0;
}

static int put_flame(const struct htm *h)
{
	struct flame f = {.h = h};
	struct renamed renamed = {NULL, 0};
	int rc = 0;

	for (unsigned i = 0; i < h->n_column && i < WHR_TREE_EVENTS; i++)
		f.tree.event[f.tree.n_event++] = h->column[i];
	rc = whr_tree_add(&f.tree, h->in->rec, h->in->names[0], false, NULL, NULL);
	if (!rc && h->in->old)
		rc = find_renamed(h, &renamed);
	if (!rc && h->in->old)
		rc = whr_tree_add(&f.tree, h->in->old, h->in->names[1], true, rename_old, &renamed);
	if (!rc)
		rc = whr_tree_sort(&f.tree);
	if (!rc) {
		f.frame = calloc(f.tree.n + 1u, sizeof(*f.frame));
		rc = f.frame ? 0 : -SPMU_ENOMEM;
	}
	if (!rc) {
		choose_least(&f);
		colour_program(&f);
		rc = put_graph(&f);
	}
	free(f.frame);
	free(renamed.pair);
	whr_tree_free(&f.tree);
	return rc;
}

int htm_put_flame(const struct htm *h)
{
	const bool has_old = !h->in->old || whr_has_paths(h->in->old);
	int rc = 0;

	htm_begin(h, "flame", "Who called whom");
	if (whr_has_paths(h->in->rec) && has_old)
		rc = put_flame(h);
	else
		fprintf(h->out,
			"<p class=\"fine\">%s no call paths. <code>softpmu record --stacks on -- "
			"PROGRAM</code> keeps them.</p>\n",
			whr_has_paths(h->in->rec) ? "The old record has" : "This record has");
	htm_end(h);
	return rc;
}
