/* totals.c -- totals of all events, the metrics that follow from them, and the catalog's relations
 * on these counts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event/metrics.h"
#include "event/relations.h"
#include "html/parts.h"

/* ---- metrics --------------------------------------------------------------------------------- */

/* Counts of the old record, in the order of the events. */
static struct evt_count *old_counts(const struct htm *h)
{
	struct evt_count *count = calloc(h->events.n + 1, sizeof(*count));

	for (size_t i = 0; count && i < h->events.n; i++) {
		count[i] = h->count[i];
		count[i].value = (uint64_t)htm_old_total(h, (uint32_t)i);
		count[i].half = h->in->old->event[i].half;
	}
	return count;
}

static void put_value(const struct htm *h, const struct evt_metric *m, struct evt_value v)
{
	const char *unit = strcmp(m->row->unit, "%") ? "" : " %";

	fprintf(h->out, *unit ? "%.2Lf%s" : "%.3Lf%s", v.value, unit);
	if (v.half > 0)
		fprintf(h->out,
			*unit ? " <small class=\"half\">+-%.2Lf%s</small>"
			      : " <small class=\"half\">+-%.3Lf%s</small>",
			v.half, unit);
}

static void put_metric(const struct htm *h, const struct evt_metric *m, const struct evt_count *old)
{
	const struct evt_value v = evt_formula_value(&m->formula, &h->events, h->count);
	const struct evt_value w = old ? evt_formula_value(&m->formula, &h->events, old) : v;

	if (v.status != EVT_COUNTED || *m->row->stack) /* a part of the clocks is in clocks.c */
		return;
	fputs("<div class=\"card\" title=\"", h->out);
	htm_put(h, m->row->formula);
	fprintf(h->out, "\"><data data-metric=\"%s\" value=\"%.9Lg\">", m->row->name, v.value);
	put_value(h, m, v);
	fputs("</data>", h->out);
	if (old && w.status == EVT_COUNTED) {
		fputs("<small>was ", h->out);
		put_value(h, m, w);
		fputs("</small>", h->out);
	}
	fputs("<span>", h->out);
	htm_put(h, m->row->text);
	if (*m->row->unit && strcmp(m->row->unit, "%") && !strstr(m->row->text, m->row->unit)) {
		fputs(", ", h->out);
		htm_put(h, m->row->unit);
	}
	fputs("</span></div>\n", h->out);
}

static int put_metrics(const struct htm *h)
{
	struct evt_metrics metrics = {.n = 0};
	struct spmu_error err;
	struct evt_count *old = h->in->old ? old_counts(h) : NULL;
	int rc = evt_metrics_of(h->in->cpu, &h->events, &metrics, &err);

	if (!rc && metrics.n) {
		fputs("<div class=\"cards\">\n", h->out);
		for (size_t i = 0; i < metrics.n; i++)
			put_metric(h, &metrics.metric[i], old);
		fputs("</div>\n", h->out);
	}
	evt_metrics_free(&metrics);
	free(old);
	return rc;
}

/* ---- totals ---------------------------------------------------------------------------------- */

static void put_number(const struct htm *h, uint32_t e)
{
	const struct rec_event *row = &h->in->rec->event[e];
	const int64_t old = htm_old_total(h, e), new = (int64_t)row->total;
	const int64_t insns = json_integer_value(json_object_get(h->in->rec->meta, "instructions"));
	const double half = htm_half_of_total(h, e);
	char number[40];

	if (h->in->old)
		fprintf(h->out, "<td class=\"n old\">%s</td>", htm_number(old, number));
	htm_begin_cell(h, "n total", e, new);
	fprintf(h->out, ">%s", htm_number(new, number));
	htm_put_half(h, h->in->old ? 0 : half, new);
	fputs("</td>", h->out);
	if (h->in->old)
		htm_put_change(h, NULL, half, old, new);
	else if (insns)
		fprintf(h->out, "<td class=\"n\">%.2f</td>", 1000.0 * (double)new / (double)insns);
	else
		fputs("<td></td>", h->out);
}

static void put_total(const struct htm *h, uint32_t e)
{
	const struct rec_event *row = &h->in->rec->event[e];
	const struct cat_event *event = h->events.event[e].event;

	fputs("<tr>", h->out);
	if (*row->status) {
		fprintf(h->out, "<td class=\"n none\" colspan=\"%u\">&lt;", h->in->old ? 3 : 2);
		htm_put(h, row->status);
		fputs("&gt;</td>", h->out);
	} else {
		put_number(h, e);
	}
	fputs("<td class=\"code\">", h->out);
	if (event && event->code < 0x100)
		fprintf(h->out, "%02X", (unsigned)event->code);
	fputs("</td><th scope=\"row\">", h->out);
	htm_put_name(h, row->name);
	fputs("</th><td>", h->out);
	if (event) {
		fprintf(h->out, "<a href=\"#unit-%s\">%s</a>", event->unit, event->unit);
		fputs("</td><td class=\"text\">", h->out);
		htm_put(h, event->meaning);
	} else {
		fputs("</td><td>", h->out);
	}
	fputs("</td></tr>\n", h->out);
}

int htm_put_totals(const struct htm *h)
{
	int rc;

	htm_begin(h, "totals", "Totals");
	rc = put_metrics(h);
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Totals\"><table>\n<thead><tr>",
	      h->out);
	if (h->in->old)
		fputs("<th scope=\"col\" class=\"n\">old</th><th scope=\"col\" "
		      "class=\"n\">new</th><th scope=\"col\" "
		      "class=\"n\">change</th>",
		      h->out);
	else
		fputs("<th scope=\"col\" class=\"n\">count</th><th scope=\"col\" class=\"n\">per "
		      "1000 instructions</th>",
		      h->out);
	fputs("<th scope=\"col\">code</th><th scope=\"col\">event</th><th "
	      "scope=\"col\">unit</th><th scope=\"col\">what "
	      "it counts</th></tr></thead>\n<tbody>\n",
	      h->out);
	for (uint32_t e = 0; e < h->in->rec->n_event; e++)
		put_total(h, e);
	fputs("</tbody></table></div>\n", h->out);
	htm_end(h);
	return rc;
}

/* ---- relations ------------------------------------------------------------------------------- */

static void put_relation(const struct htm *h, const struct evt_relation *r,
			 const struct evt_test *t)
{
	const bool is_identity = r->row->relation_class == CAT_IDENTITY;

	fprintf(h->out, "<tr class=\"%s\"><td>%s</td><td class=\"n\">%.10Lg</td><td>",
		t->verdict == EVT_HOLDS ? "holds"
		: is_identity		? "broken"
					: "unlike",
		t->verdict == EVT_HOLDS ? "holds"
		: is_identity		? "BROKEN"
					: "not here",
		t->left.value);
	htm_put(h, r->row->op);
	fprintf(h->out, "</td><td class=\"n\">%.10Lg</td><td class=\"text\"><code>",
		t->right.value);
	htm_put(h, r->row->left);
	fputs(" ", h->out);
	htm_put(h, r->row->op);
	fputs(" ", h->out);
	htm_put(h, r->row->right);
	fputs("</code><br/>", h->out);
	htm_put(h, r->row->text);
	fprintf(h->out, "</td><td>%s</td></tr>\n", is_identity ? "always" : "usually");
}

static void put_tests(const struct htm *h, const struct evt_relations *relations,
		      const struct evt_events *events, const struct evt_count *count)
{
	unsigned tested = 0;

	for (int pass = 0; pass < 2; pass++) /* those that do not hold first */
		for (size_t i = 0; i < relations->n; i++) {
			const struct evt_relation *r = &relations->relation[i];
			const struct evt_test t = evt_relation_test(r, events, count);

			if (t.verdict != (pass ? EVT_HOLDS : EVT_BROKEN))
				continue;
			if (!tested++) {
				htm_begin(h, "relations", "Relations between the counts");
				fputs(
				    "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
				    "aria-label=\"Relations\"><table>\n<thead><tr><th "
				    "scope=\"col\">on this run</th><th "
				    "scope=\"col\" class=\"n\">left</th><th></th><th scope=\"col\" "
				    "class=\"n\">right</th><th scope=\"col\">relation</th><th "
				    "scope=\"col\">holds</th></tr></thead>\n<tbody>\n",
				    h->out);
			}
			put_relation(h, r, &t);
		}
	if (!tested)
		return;
	fputs("</tbody></table></div>\n", h->out);
	htm_end(h);
}

int htm_put_relations(const struct htm *h)
{
	struct evt_relations relations = {.n = 0};
	struct evt_events events = {.n = 0};
	struct evt_count *count = NULL;
	struct spmu_error err;
	int rc = 0;

	for (size_t i = 0; i < h->events.n && !rc; i++)
		rc = evt_events_add(&events, &h->events.event[i], &err);
	if (!rc)
		rc = evt_relations_all(h->in->cpu, &relations, &events, &err);
	if (!rc) {
		count = calloc(events.n + 1, sizeof(*count));
		rc = count ? 0 : -SPMU_ENOMEM;
	}
	if (!rc) {
		for (size_t i = 0; i < events.n; i++)
			count[i] = i < h->events.n ? h->count[i]
						   : (struct evt_count){.status = EVT_NOT_MODELLED};
		put_tests(h, &relations, &events, count);
	}
	evt_relations_free(&relations);
	evt_events_free(&events);
	free(count);
	return rc;
}
