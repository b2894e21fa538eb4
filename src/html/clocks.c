/* clocks.c -- where the clocks went: of the program and of its functions, as bars whose parts are
 * the reasons, and as tables. Without clocks in the record the section says what to record.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "html/parts.h"

enum {
	MOST_FUNCTIONS = 15,
	/* thousandths of a bar that a letter takes: of a wide one, of that of a function, of either
	 * on a narrow screen */
	LETTER = 9,
	LETTER_OF_FUNCTION = 14,
	LETTER_NARROW = 28
};

/* ---- a bar ----------------------------------------------------------------------------------- */

static void put_part_title(const struct htm *h, const struct htm_part *p, int share, int64_t count)
{
	char number[40];

	fputs("<title>", h->out);
	htm_put(h, p->row->label);
	fprintf(h->out, ": %d.%d %%, %s clocks</title>", share / 10, share % 10,
		htm_number((int64_t)((double)count * p->clocks + .5), number));
}

/* Number of a part among those of its group: its shade. */
static unsigned shade_of(const struct htm *h, unsigned part)
{
	unsigned n = 0;

	for (unsigned i = 0; i < part; i++)
		n += !strcmp(h->part[i].row->group, h->part[part].row->group);
	return n % 4;
}

static void put_part(const struct htm *h, unsigned i, int share, int64_t count, int from,
		     int letter)
{
	const struct htm_part *p = &h->part[i];
	const int letters = (int)strlen(p->row->label) + 1;

	fprintf(h->out, "<svg x=\"%d.%d%%\" width=\"%d.%d%%\" height=\"100%%\">", from / 10,
		from % 10, share / 10, share % 10);
	fprintf(h->out, "<rect class=\"g-%s t%u\" width=\"100%%\" height=\"100%%\" data-event=\"",
		*p->row->group == '-' ? "stall" : p->row->group, shade_of(h, i));
	htm_put(h, h->in->rec->event[p->event].name);
	fprintf(h->out, "\" data-value=\"%" PRId64 "\">", count);
	put_part_title(h, p, share, count);
	fputs("</rect>", h->out);
	if (share >= letters * letter) {
		fprintf(h->out, "<text%s x=\"6\" y=\"50%%\">",
			share < letters * LETTER_NARROW ? " class=\"long\"" : "");
		htm_put(h, p->row->label);
		fputs("</text>", h->out);
	}
	fputs("</svg>", h->out);
}

/* A bar of `percent` of the room, of the parts in count. */
static void put_bar(const struct htm *h, const int64_t *count, double percent, const char *class,
		    int letter)
{
	int share[HTM_MOST_PARTS], from = 0;

	htm_part_shares(h, count, share);
	fprintf(h->out, "<svg class=\"stack %s\" style=\"width:%.2f%%\" role=\"img\" aria-label=\"",
		class, percent);
	for (unsigned i = 0; i < h->n_part; i++)
		if (share[i] >= 10) {
			htm_put(h, h->part[i].row->label);
			fprintf(h->out, " %d.%d %%, ", share[i] / 10, share[i] % 10);
		}
	fputs("the rest smaller\">", h->out);
	for (unsigned i = 0; i < h->n_part; i++) {
		if (count[h->part[i].event] > 0)
			put_part(h, i, share[i], count[h->part[i].event], from, letter);
		from += share[i];
	}
	fputs("</svg>\n", h->out);
}

/* ---- of the program -------------------------------------------------------------------------- */

static double instructions(const struct rec *r)
{
	return (double)json_integer_value(json_object_get(r->meta, "instructions"));
}

/* Half of the interval of all clocks: of their event, or of what the parts sum to. */
static double half_of_clocks(const struct htm *h)
{
	double sum = 0;

	if (h->clocks >= 0)
		return htm_half_of_total(h, (uint32_t)h->clocks);
	for (unsigned i = 0; i < h->n_part; i++)
		sum += htm_half_of_total(h, h->part[i].event) * h->part[i].clocks;
	return sum;
}

static void put_headline(const struct htm *h, const double whole[2])
{
	const double insns = instructions(h->in->rec),
		     old = h->in->old ? instructions(h->in->old) : 0, half = half_of_clocks(h);
	char number[40], change[16];

	fprintf(h->out, "<p class=\"headline\"><b>%s</b> clocks",
		htm_number((int64_t)(whole[0] + .5), number));
	if (h->in->old)
		fprintf(
		    h->out, " <small>(%s)</small>",
		    fabs(whole[0] - whole[1]) <= half
			? "as before"
			: htm_change((int64_t)(whole[1] + .5), (int64_t)(whole[0] + .5), change));
	htm_put_half(h, half, (int64_t)whole[h->in->old ? 1 : 0]);
	if (insns > 0)
		fprintf(h->out, ", <b>%.2f</b> for each instruction", whole[0] / insns);
	if (old > 0)
		fprintf(h->out, " <small>(was %.2f)</small>", whole[1] / old);
	fputs("</p>\n", h->out);
}

static void put_link(const struct htm *h, const struct htm_part *p)
{
	const struct cat_diagram *d = cat_diagram_of(h->in->cpu);
	const char *unit = p->row->box < 0 ? "" : d->box[p->row->box].unit;

	if (*unit)
		fprintf(h->out, "<a href=\"#unit-%s\">", unit);
	htm_put(h, p->row->label);
	fputs(*unit ? "</a>" : "", h->out);
}

static const char *meaning_of(const struct htm *h, const struct htm_part *p)
{
	static const char prefix[] = "clocks: ";
	const char *text =
	    p->metric < 0 ? p->row->event->meaning : h->stack.metric[p->metric].row->text;

	return strncmp(text, prefix, sizeof(prefix) - 1) ? text : text + sizeof(prefix) - 1;
}

static int64_t clocks_of(const struct htm_part *p, const int64_t *count)
{
	return (int64_t)((double)count[p->event] * p->clocks + .5);
}

static void put_legend_row(const struct htm *h, unsigned i, int share, const int64_t *count,
			   const int64_t *old)
{
	const struct htm_part *p = &h->part[i];
	const int64_t now = clocks_of(p, count), was = old ? clocks_of(p, old) : now;
	const double half = htm_half_of_total(h, p->event) * p->clocks;
	char number[40];

	fprintf(h->out, "<tr><th scope=\"row\"><span class=\"swatch g-%s t%u\"></span>",
		*p->row->group == '-' ? "stall" : p->row->group, shade_of(h, i));
	put_link(h, p);
	fprintf(h->out, "</th><td class=\"n\" data-part=\"%s\">%d.%d %%</td><td class=\"n\">%s",
		p->row->name, share / 10, share % 10, htm_number(now, number));
	htm_put_half(h, old ? 0 : half, now);
	fputs("</td>", h->out);
	if (old)
		htm_put_change(h, NULL, half, was, now);
	fputs("<td class=\"text\">", h->out);
	htm_put(h, meaning_of(h, p));
	fputs("</td></tr>\n", h->out);
}

/* Parts of one group, the group's sum above them. Parts that are nothing are left out. */
static void put_group(const struct htm *h, const char *group, const int *share,
		      const int64_t *count, const int64_t *old)
{
	int sum = 0, n = 0;

	for (unsigned i = 0; i < h->n_part; i++) {
		const struct htm_part *p = &h->part[i];
		const bool is_mine = !strcmp(p->row->group, group);

		sum += is_mine ? share[i] : 0;
		n += is_mine && (count[p->event] || (old && old[p->event]));
	}
	fputs("<tbody>", h->out);
	if (n > 1 && *group != '-')
		fprintf(h->out,
			"<tr class=\"group\"><th scope=\"rowgroup\">%s</th><td class=\"n\">%d.%d "
			"%%</td><td colspan=\"%d\"></td></tr>\n",
			group, sum / 10, sum % 10, old ? 3 : 2);
	for (unsigned i = 0; i < h->n_part; i++) {
		const struct htm_part *p = &h->part[i];

		if (!strcmp(p->row->group, group) &&
		    (count[p->event] || (old && old[p->event]) || *group == '-'))
			put_legend_row(h, i, share[i], count, old);
	}
	fputs("</tbody>\n", h->out);
}

static void put_legend(const struct htm *h, const int64_t *count, const int64_t *old)
{
	int share[HTM_MOST_PARTS];

	htm_part_shares(h, count, share);
	fprintf(h->out,
		"<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Reasons\"><table "
		"class=\"reasons\">\n<thead><tr><th scope=\"col\">reason</th><th scope=\"col\" "
		"class=\"n\">share</th><th scope=\"col\" class=\"n\">clocks</th>%s<th "
		"scope=\"col\">in these clocks</th></tr></thead>\n",
		old ? "<th scope=\"col\" class=\"n\">change</th>" : "");
	for (unsigned i = 0; i < h->n_part; i++)
		if (!i || strcmp(h->part[i].row->group, h->part[i - 1].row->group))
			put_group(h, h->part[i].row->group, share, count, old);
	fputs("</table></div>\n", h->out);
}

static void put_program(const struct htm *h, const int64_t *count, const int64_t *old)
{
	int share[HTM_MOST_PARTS];
	const double whole[2] = {htm_part_shares(h, count, share),
				 old ? htm_part_shares(h, old, share) : 0};
	const double most = whole[0] > whole[1] ? whole[0] : whole[1];

	put_headline(h, whole);
	if (htm_has_stack(h) && most > 0) {
		if (old) {
			fputs("<p class=\"fine\">old</p>", h->out);
			put_bar(h, old, 100 * whole[1] / most, "tall before", LETTER);
			fputs("<p class=\"fine\">new</p>", h->out);
		}
		put_bar(h, count, 100 * whole[0] / most, "tall", LETTER);
	}
	put_legend(h, count, old);
}

/* ---- of the functions ------------------------------------------------------------------------ */

struct ranked {
	const struct whr_pair *pair;
	double clocks;
};

static int by_clocks(const void *a, const void *b)
{
	const struct ranked *s = a, *t = b;

	return s->clocks < t->clocks ? 1 : s->clocks > t->clocks ? -1 : s->pair < t->pair ? -1 : 1;
}

static double clocks_in(const struct htm *h, const struct whr_row *row)
{
	double sum = 0;

	for (unsigned i = 0; i < h->n_part && row; i++)
		sum += (double)row->count[h->part[i].event] * h->part[i].clocks;
	return sum;
}

static int instructions_event(const struct htm *h)
{
	uint8_t umask = 0;
	const struct cat_event *e = cat_find_generic(h->in->cpu, "instructions", &umask);

	return e ? evt_events_find(&h->events, e, umask) : -1;
}

static void put_function(const struct htm *h, const struct whr_pair *p, double whole)
{
	const struct whr_row *row = p->new ? p->new : p->old;
	const double now = clocks_in(h, p->new), was = clocks_in(h, p->old),
		     most = now > was ? now : was;
	const int insns = instructions_event(h);
	const double half =
	    h->clocks < 0 ? 0 : htm_half_of_pair(h, WHR_FUNCTION, p, (uint32_t)h->clocks);
	char number[40], share[16];

	fputs("<tr><th scope=\"row\"><bdi class=\"fn\">", h->out);
	htm_put(h, row->function);
	fprintf(h->out, "</bdi></th><td class=\"n\">%s <small>%s</small>",
		htm_number((int64_t)(now + .5), number),
		htm_share((int64_t)(now + .5), (uint64_t)whole, share));
	htm_put_half(h, h->in->old ? 0 : half, (int64_t)now);
	fputs("</td>", h->out);
	if (h->in->old)
		htm_put_change(h, "", half, (int64_t)(was + .5), (int64_t)(now + .5));
	fputs("<td class=\"n\">", h->out);
	if (insns >= 0 && p->new && p->new->count[insns] > 0)
		fprintf(h->out, "%.2f", now / (double)p->new->count[insns]);
	fputs("</td><td class=\"bar-cell\">", h->out);
	if (h->in->old && p->old && was > 0)
		put_bar(h, p->old->count, 100 * was / most, "before", 1000);
	if (p->new &&now > 0)
		put_bar(h, p->new->count, h->in->old ? 100 * now / most : 100, "",
			LETTER_OF_FUNCTION);
	fputs("</td></tr>\n", h->out);
}

static int put_functions(const struct htm *h, double whole)
{
	struct ranked *r = calloc(h->pairs.n + 1, sizeof(*r));
	size_t n = 0;

	if (!r)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < h->pairs.n; i++) {
		const struct whr_pair *p = &h->pairs.pair[i];
		const double now = clocks_in(h, p->new), was = clocks_in(h, p->old);

		if (now > 0 || was > 0)
			r[n++] = (struct ranked){p, now > was ? now : was};
	}
	qsort(r, n, sizeof(*r), by_clocks);
	fprintf(
	    h->out,
	    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Functions\"><table "
	    "class=\"stacks\">\n<thead><tr><th scope=\"col\">function</th><th scope=\"col\" "
	    "class=\"n\">clocks</th>%s<th scope=\"col\" class=\"n\">per instruction</th><th "
	    "scope=\"col\">where they went%s</th></tr></thead>\n<tbody>\n",
	    h->in->old ? "<th scope=\"col\" class=\"n\">change</th>" : "",
	    h->in->old ? ": above the old run" : "");
	for (size_t i = 0; i < n && i < MOST_FUNCTIONS; i++)
		put_function(h, r[i].pair, whole);
	fputs("</tbody></table></div>\n", h->out);
	free(r);
	return 0;
}

/* ---- the section ----------------------------------------------------------------------------- */

static void put_advice(const struct htm *h)
{
	if (!evt_has_metrics(h->in->cpu, "cpi-stack")) {
		if (!h->n_part)
			fprintf(h->out,
				"<p class=\"fine\">This record has no stalls. <code>softpmu record "
				"--cpu %s --all -- PROGRAM</code> counts clocks and stalls.</p>\n",
				h->in->cpu->name);
		return;
	}
	fprintf(h->out,
		"<p class=\"fine\">%s <code>softpmu record -e cycles,instructions -M cpi-stack -- "
		"PROGRAM</code> says where each clock went, by function too.</p>\n",
		h->n_part ? "Stalls overlap, and name a part of the clocks alone."
			  : "This record does not say where clocks went.");
}

int htm_put_clocks(const struct htm *h)
{
	int64_t *total = htm_totals(h, false), *old = h->in->old ? htm_totals(h, true) : NULL;
	int share[HTM_MOST_PARTS], rc = total && (old || !h->in->old) ? 0 : -SPMU_ENOMEM;
	double whole;

	if (!rc) {
		htm_begin(h, "clocks", "Where the clocks went");
		whole = htm_part_shares(h, total, share);
		if (whole > 0)
			put_program(h, total, old);
		if (whole > 0 && htm_has_stack(h))
			rc = put_functions(h, whole);
		else
			put_advice(h);
		htm_end(h);
	}
	free(total);
	free(old);
	return rc;
}
