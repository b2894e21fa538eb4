/* functions.c -- the table of functions: a few events side by side, with shares; of two records
 * old and new. The script shows other events in it (data.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "html/parts.h"

enum { STATIC_ROWS = 40 };

static void put_name(const struct htm *h, const struct whr_pair *p)
{
	const struct whr_row *row = p->new ? p->new : p->old;
	const int source = htm_source_of(h, p->new);

	fputs("<th scope=\"row\"><bdi class=\"fn\">", h->out);
	if (source >= 0)
		fprintf(h->out, "<a href=\"#source-%d\">", source);
	htm_put(h, row->function);
	fputs(source >= 0 ? "</a></bdi>" : "</bdi>", h->out);
	if (*row->object) {
		fputs(" <bdi class=\"object\" title=\"", h->out);
		htm_put_path(h, row->object);
		fputs("\">", h->out);
		htm_put(h, htm_last_part(row->object));
		fputs("</bdi>", h->out);
	}
	fputs("</th>", h->out);
}

/* Of one record: count and share. */
static void put_count(const struct htm *h, uint32_t e, int64_t n, double half)
{
	const uint64_t total = h->in->rec->event[e].total;
	char number[40], share[16];
	double part = total ? 100.0 * (double)n / (double)total : 0;

	part = part < 0 ? 0 : part > 100 ? 100 : part;
	htm_begin_cell(h, "n", e, n);
	fprintf(h->out, " style=\"--part:%.2f%%\">%s", part, n ? htm_number(n, number) : "");
	if (n) {
		fputs(" <small>", h->out);
		htm_put(h, htm_share(n, total, share));
		fputs("</small>", h->out);
		htm_put_half(h, isinf(half) ? 0 : half, n);
	}
	fputs("</td>", h->out);
}

/* Of two: old, new, the difference. */
static void put_both(const struct htm *h, uint32_t e, int64_t old, int64_t new, double half)
{
	char number[40];

	fprintf(h->out, "<td class=\"n old\">%s</td>", htm_number(old, number));
	htm_begin_cell(h, "n", e, new);
	fprintf(h->out, ">%s</td>", htm_number(new, number));
	htm_put_change(h, NULL, half, old, new);
}

/* half: of each event. */
static void put_counts(const struct htm *h, const int64_t *old, const int64_t *new,
		       const double *half)
{
	for (unsigned i = 0; i < h->n_column; i++) {
		const uint32_t e = h->column[i];

		if (h->in->old)
			put_both(h, e, old ? old[e] : 0, new ? new[e] : 0, half[e]);
		else
			put_count(h, e, new ? new[e] : 0, half[e]);
	}
}

static void put_head(const struct htm *h)
{
	fputs("<thead><tr><th scope=\"col\">function</th>", h->out);
	for (unsigned i = 0; i < h->n_column; i++) {
		fprintf(h->out, "<th scope=\"col\" class=\"n\"%s>",
			h->in->old ? " colspan=\"3\"" : "");
		htm_put_name(h, h->in->rec->event[h->column[i]].name);
		fputs(h->in->old ? "<small>old, new, change</small></th>" : "</th>", h->out);
	}
	fputs("</tr></thead>\n", h->out);
}

/* Add the halves of a row's intervals to those of others. */
static void add_halves(const struct htm *h, const struct whr_pair *p, double *half)
{
	for (unsigned i = 0; i < h->n_column; i++)
		half[h->column[i]] += htm_half_of_pair(h, WHR_FUNCTION, p, h->column[i]);
}

/* The rows behind the first `shown`, as one. half: 0 of each event. */
static int put_rest(const struct htm *h, size_t shown, double *half)
{
	const uint32_t n_event = h->in->rec->n_event;
	int64_t *sum = calloc(2 * (size_t)n_event + 1, sizeof(*sum));

	if (!sum)
		return -SPMU_ENOMEM;
	for (size_t i = shown; i < h->pairs.n; i++) {
		const struct whr_pair *p = &h->pairs.pair[i];

		for (uint32_t e = 0; e < n_event; e++) {
			sum[e] += p->old ? p->old->count[e] : 0;
			sum[n_event + e] += p->new ? p->new->count[e] : 0;
		}
		add_halves(h, p, half);
	}
	if (h->pairs.n > shown) {
		fprintf(h->out, "<tr class=\"rest\"><th scope=\"row\">(%zu more)</th>",
			h->pairs.n - shown);
		put_counts(h, sum, sum + n_event, half);
		fputs("</tr>\n", h->out);
	}
	free(sum);
	return 0;
}

static void put_row(const struct htm *h, const struct whr_pair *p, double *half)
{
	memset(half, 0, h->in->rec->n_event * sizeof(*half));
	add_halves(h, p, half);
	fputs("<tr>", h->out);
	put_name(h, p);
	put_counts(h, p->old ? p->old->count : NULL, p->new ? p->new->count : NULL, half);
	fputs("</tr>\n", h->out);
}

int htm_put_functions(const struct htm *h)
{
	const size_t shown = h->pairs.n < STATIC_ROWS ? h->pairs.n : STATIC_ROWS;
	double *half = calloc(h->in->rec->n_event + 1u, sizeof(*half));
	int rc;

	if (!half)
		return -SPMU_ENOMEM;
	htm_begin(h, "functions", "Functions");
	fputs("<div id=\"choose\"></div>\n<p id=\"of-unit\" role=\"status\" class=\"fine\">Self "
	      "counts: rows "
	      "sum to the totals.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Table "
	      "of functions\"><table id=\"function-table\">\n",
	      h->out);
	put_head(h);
	fputs("<tbody>\n", h->out);
	for (size_t i = 0; i < shown; i++)
		put_row(h, &h->pairs.pair[i], half);
	memset(half, 0, h->in->rec->n_event * sizeof(*half));
	rc = put_rest(h, shown, half);
	free(half);
	fputs("</tbody></table></div>\n", h->out);
	htm_end(h);
	return rc;
}
