/* rings.c -- user mode and kernel mode by address. Rules: rings.h. */
#include "session/rings.h"

#include <stdlib.h>

#include "base/error.h"
#include "session/totals/counting.h"

static bool names_one(const struct evt_event *e)
{
	return e->user != e->kernel && !e->software && !e->why_not;
}

bool ses_rings_are_wanted(const struct ses_config *cfg)
{
	for (size_t i = 0; i < cfg->n_event; i++)
		if (names_one(&cfg->event[i]))
			return true;
	return false;
}

bool ses_rings_are_known(const struct ses_rings *r)
{
	return r->base || r->has_levels;
}

/* Does what the posting has belong to user mode? By the level of its block, else by its address:
 * what the decoder does not know has no block. */
static bool is_users(const struct ses_rings *r, const struct mdl_posting *p)
{
	const uint8_t level = r->has_levels ? bare_blocks_ring(r->blocks, p->block) : BARE_NO_RING;

	if (level != BARE_NO_RING)
		return level >= r->least_level;
	return r->base && r->is_up && p->pc < r->base;
}

/* Note what the posting has. Returns true if it belongs to user mode. */
static bool note(void *ctx, const struct mdl_posting *p)
{
	struct ses_rings *r = ctx;

	if (!is_users(r, p))
		return false;
	for (unsigned i = 0; i < p->n_wire; i++)
		r->user[p->wire[i]] += p->total[p->wire[i]];
	return true;
}

static void take(void *ctx, const struct mdl_posting *p)
{
	note(ctx, p);
}

struct ses_places_modes ses_rings_modes(struct ses_rings *r)
{
	return (struct ses_places_modes){ses_rings_are_known(r), note, r, r->user};
}

int ses_rings_take(struct ses_rings *r, struct mdl *m)
{
	mdl_finish(m);
	if (r->places) {
		ses_places_take(r->places);
		return ses_places_are_lost(r->places) ? -SPMU_ENOMEM : 0;
	}
	return mdl_take_ledger(m, NULL, 0, take, r);
}

/* The count of one mode, or why there is none. mode: what that mode raised. */
static struct evt_count count_one(const struct ses_rings *r, const struct ses_config *cfg,
				  const struct evt_event *e, const struct wires *mode)
{
	struct evt_event any = *e;
	struct evt_count count;

	if (!ses_rings_are_known(r))
		return (struct evt_count){
		    .status = EVT_NOT_MODELLED,
		    .why = "the processor's mode is known where Linux runs (--kernel) and with a "
			   "QEMU that has softpmu's patch (make bare) alone"};
	if (e->watch || e->cmask)
		return (struct evt_count){
		    .status = EVT_NOT_MODELLED,
		    .why = "conditions in single clocks are counted for both modes together"};
	any.user = any.kernel = true;
	ses_count_events(cfg->model.cpu, &any, 1, mode, &count);
	return count;
}

int ses_rings_count(const struct ses_rings *r, const struct ses_config *cfg, const struct wires *w,
		    struct ses_result *result)
{
	struct wires *user = malloc(sizeof(*user)), *kernel = malloc(sizeof(*kernel));

	if (!user || !kernel) {
		free(user);
		free(kernel);
		return -SPMU_ENOMEM;
	}
	*user = *kernel = *w;
	for (unsigned i = 0; i < WIRE_N; i++) {
		user->total[i] = r->user[i];
		kernel->total[i] -= r->user[i];
		user->half[i] = kernel->half[i] = 0;
	}
	for (size_t i = 0; i < cfg->n_event; i++)
		if (names_one(&cfg->event[i]))
			result->count[i] =
			    count_one(r, cfg, &cfg->event[i], cfg->event[i].user ? user : kernel);
	free(user);
	free(kernel);
	return 0;
}
