/* stream_model.c -- settings of a model that is fed a stream. Rules: stream_model.h. */
#include "session/totals/stream_model.h"

#include "session/totals/counting.h"

static uint8_t workers(const struct ses_config *cfg, int tier)
{
	if (tier < 3 || cfg->model.cpu->family != CAT_P6)
		return 0;
	if (cfg->n_worker)
		return (uint8_t)cfg->n_worker;
	return cfg->model.p6.sample_every ? 1 : 0;
}

void ses_model_of_stream(const struct ses_config *cfg, int tier, struct x86_store *store,
			 struct mdl_config *out)
{
	*out = cfg->model;
	out->store = store;
	out->is_count_only = 0;
	out->p6.n_worker = workers(cfg, tier);
	if (!out->p6.n_worker)
		out->p6.sample_every = 0;
	out->p6.sample_seed = (uint32_t)cfg->seed;
	ses_wanted_wires(cfg->event, cfg->n_event, out->wanted);
	ses_watches(cfg->event, cfg->n_event, out);
}
