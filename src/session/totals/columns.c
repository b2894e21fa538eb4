/* columns.c -- opens and reads the models of further processors. Rules: columns.h. */
#include "session/totals/columns.h"

#include <stdlib.h>
#include <string.h>

#include "session/totals/counting.h"
#include "session/machine/model_trouble.h"

void ses_column_settings(const struct ses_config *cfg, size_t i, struct mdl_config *model)
{
	const struct ses_column *c = &cfg->column[i];

	model->cpu = c->cpu;
	model->l1i = c->geometry.l1i;
	model->l1d = c->geometry.l1d;
	model->l2 = c->geometry.l2;
	model->itlb = c->geometry.itlb;
	model->dtlb = c->geometry.dtlb;
	memset(model->wanted, 0, sizeof(model->wanted));
	ses_wanted_wires(c->event, c->n_event, model->wanted);
	ses_watches(c->event, c->n_event, model);
}

int ses_columns_open(const struct ses_config *cfg, const struct mdl_config *base, struct mdl *first,
		     struct ses_columns *out, struct spmu_error *err)
{
	struct mdl_config *model = malloc(sizeof(*model));
	int rc = model ? 0 : spmu_fail(err, SPMU_ENOMEM, "out of memory");

	for (size_t i = 0; i < cfg->n_column && i < SES_LIVE_COLUMNS && !rc; i++) {
		*model = *base;
		ses_column_settings(cfg, i, model);
		out->wires[i] = calloc(1, sizeof(*out->wires[i]));
		out->n = i + 1;
		rc = out->wires[i] ? mdl_add(first, model, out->wires[i]) : -SPMU_ENOMEM;
		if (rc)
			rc = ses_model_trouble(model, rc, err);
	}
	free(model);
	return rc;
}

void ses_columns_close(struct ses_columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->wires[i]);
	memset(c, 0, sizeof(*c));
}

void ses_columns_tally(const struct ses_columns *c, struct ses_totals *t)
{
	for (size_t i = 0; i < c->n; i++)
		memcpy(t->column[i], c->wires[i]->total, sizeof(t->column[i]));
}

int ses_columns_fill(const struct ses_config *cfg, struct wires *const *wires,
		     const uint64_t (*sum)[WIRE_N], struct ses_result *result)
{
	struct wires *w = calloc(1, sizeof(*w));

	result->column = calloc(cfg->n_column + 1, sizeof(*result->column));
	if (!w || !result->column)
		goto fail;
	for (size_t i = 0; i < cfg->n_column; i++) {
		struct ses_column_result *r = &result->column[i];

		r->count = calloc(cfg->column[i].n_event + 1, sizeof(*r->count));
		if (!r->count)
			goto fail;
		result->n_column = i + 1;
		memcpy(w->driven, wires[i]->driven, sizeof(w->driven));
		memcpy(w->total, sum[i], sizeof(w->total));
		ses_count_events(cfg->column[i].cpu, cfg->column[i].event, cfg->column[i].n_event,
				 w, r->count);
		r->later = ses_later_of(w->total);
	}
	free(w);
	return 0;
fail:
	free(w);
	return -SPMU_ENOMEM;
}
