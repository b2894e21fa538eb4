/* replay.c -- a recorded stream, fed to a model without the program (ses_replay). */
#include <stdlib.h>
#include <string.h>

#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "session/files/trace_file.h"
#include "session/session.h"
#include "session/totals/counting.h"
#include "session/totals/processors.h"
#include "trace/record.h"

int ses_replay(const struct ses_config *cfg, const char *path, struct ses_result *result,
               struct spmu_error *err)
{
	struct mdl_config model = cfg->model;
	struct wires *w = calloc(1, sizeof(*w));
	struct x86_store *store = NULL;
	struct mdl *m = NULL;
	uint32_t flags;
	int rc;

	memset(result, 0, sizeof(*result));
	result->count = calloc(cfg->n_event + 1, sizeof(*result->count));
	if (!w || !result->count || x86_store_open(&store) != 0) {
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
		goto done;
	}
	model.store = store;
	model.is_count_only = 0;
	ses_wanted_wires(cfg->event, cfg->n_event, model.wanted);
	ses_watches(cfg->event, cfg->n_event, &model);
	rc = mdl_open(&model, w, &m);
	if (rc != 0) {
		spmu_fail(err, -rc, "there is no model of %s with these settings",
			  cfg->model.cpu->name);
		goto done;
	}
	rc = ses_trace_replay(path, store, m, &flags, err);
	if (!(flags & TRC_FILE_CLASSES))
		w->driven[WIRE_P6_FPU_ASSIST] = 0; /* the trace does not tell */
	if (!(flags & TRC_FILE_MMX_OPERANDS))
		w->driven[WIRE_P5_MMX_SATURATED] = 0;
	mdl_finish(m);
	result->instructions = mdl_instructions(m);
	result->tier = ses_tier_of(cfg->model.cpu, cfg->event, cfg->n_event);
	if (result->tier < 2)
		result->tier = 2;
	memcpy(result->wire_total, w->total, sizeof(result->wire_total));
	memcpy(result->wire_driven, w->driven, sizeof(result->wire_driven));
	ses_count_events(cfg->model.cpu, cfg->event, cfg->n_event, w, result->count);
	if (ses_processors_fill(cfg, m, w, NULL, result) != 0)
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
done:
	mdl_close(m);
	x86_store_close(store);
	free(w);
	return rc;
}
