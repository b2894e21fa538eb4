/* modes.c -- events of one mode of a machine. Rules: modes.h. */
#include "session/places/modes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "session/totals/counting.h"

/* Is the event of one mode of a machine? */
static bool is_of_mode(const struct ses_places_modes *modes, const struct evt_event *e)
{
	return modes && e->user != e->kernel;
}

void ses_modes_count(const struct ses_config *cfg, const struct ses_places_modes *modes,
		     const struct wires *w, struct evt_count *count)
{
	for (size_t i = 0; i < cfg->n_event; i++) {
		struct evt_event e = cfg->event[i];

		if (is_of_mode(modes, &e))
			e.user = e.kernel = true;
		ses_count_events(cfg->model.cpu, &e, 1, w, &count[i]);
		if (is_of_mode(modes, &cfg->event[i]) && !modes->is_known)
			count[i].status = EVT_NOT_MODELLED;
	}
}

void ses_modes_wires(const struct ses_config *cfg, const struct ses_places_modes *modes,
		     uint8_t *wanted)
{
	for (size_t i = 0; i < cfg->n_event; i++) {
		struct evt_event e = cfg->event[i];

		e.user |= is_of_mode(modes, &e);
		ses_wanted_wires(&e, 1, wanted);
	}
}

bool ses_modes_has(const struct ses_places_modes *modes, const struct evt_event *e, bool is_user)
{
	return !modes || (is_user ? e->user : e->kernel);
}

/* Count the events on `wire` into value[]. */
static int count_wires(const struct ses_config *cfg, const struct ses_places_modes *modes,
		       const struct wires *w, const uint64_t *wire, int64_t *value)
{
	struct evt_count *count = calloc(cfg->n_event + 1, sizeof(*count));
	struct wires *all = calloc(1, sizeof(*all));

	if (count && all) {
		memcpy(all->driven, w->driven, sizeof(all->driven));
		memcpy(all->total, wire, sizeof(all->total));
		ses_modes_count(cfg, modes, all, count);
		for (size_t e = 0; e < cfg->n_event; e++)
			value[e] = count[e].status == EVT_COUNTED ? (int64_t)count[e].value : 0;
	}
	free(all);
	free(count);
	return count && all ? 0 : -SPMU_ENOMEM;
}

int ses_modes_totals(const struct ses_config *cfg, const struct ses_places_modes *modes,
		     const struct wires *w, const uint64_t *wire, struct rec_process *r)
{
	int rc = count_wires(cfg, modes, w, wire, r->total);

	if (!rc && modes)
		rc = count_wires(cfg, modes, w, modes->user, r->machine);
	for (uint32_t e = 0; e < r->n_event && !rc && modes; e++)
		if (is_of_mode(modes, &cfg->event[e]))
			r->total[e] =
			    cfg->event[e].user ? r->machine[e] : r->total[e] - r->machine[e];
	if (!rc)
		memcpy(r->machine, r->total, r->n_event * sizeof(*r->machine));
	return rc;
}
