/* rings.c -- user mode and kernel mode by address. Rules: rings.h. */
#include "session/rings.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/ask.h"
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

static bool is_users_level(const struct ses_rings *r, uint8_t level)
{
	return level != BARE_NO_RING && level >= r->least_level;
}

/* Does what the posting has belong to user mode? By the level of its block, else by its address:
 * what the decoder does not know has no block. */
static bool is_users(const struct ses_rings *r, const struct mdl_posting *p)
{
	const uint8_t level = r->has_levels ? bare_blocks_ring(r->blocks, p->block) : BARE_NO_RING;

	if (level != BARE_NO_RING)
		return is_users_level(r, level);
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

/* ---- by time --------------------------------------------------------------------------------- */

/* Set last[] to the totals without executions. */
static void look_at_rest(struct ses_rings *r, struct mdl *m)
{
	static const uint64_t none[WIRE_N];

	mdl_peek(m, none);
	memcpy(r->last, r->wires->total, sizeof(r->last));
}

/* As look_at_rest(); what has come since the last time is that of the mode that runs. */
static void take_rest(struct ses_rings *r, struct mdl *m)
{
	for (unsigned i = 0; r->is_users && i < WIRE_N; i++)
		r->rest[i] -= r->last[i];
	look_at_rest(r, m);
	for (unsigned i = 0; r->is_users && i < WIRE_N; i++)
		r->rest[i] += r->last[i];
}

/* Add to user[] what user mode's blocks count by being executed. The rest was just taken. Returns 0
 * or -SPMU_ENOMEM. */
static int add_executions(struct ses_rings *r, struct mdl *m, uint64_t *user)
{
	const uint32_t n = x86_store_count(r->store);
	uint64_t *times = malloc((n + (size_t)1) * sizeof(*times)), total[WIRE_N] = {0};

	if (!times)
		return -SPMU_ENOMEM;
	mdl_times(m, times, n);
	for (uint32_t id = 0; id < n; id++)
		if (times[id] && is_users_level(r, bare_blocks_ring(r->blocks, id)))
			mdl_add_once(m, id, times[id], total);
	free(times);
	mdl_peek(m, total); /* some totals follow from others */
	for (unsigned i = 0; i < WIRE_N; i++)
		user[i] += r->wires->total[i] - r->last[i];
	return 0;
}

static int take_by_time(struct ses_rings *r, struct mdl *m)
{
	size_t n_wire;
	const struct cat_wire *wire = cat_wires(&n_wire);
	int rc;

	take_rest(r, m);
	memcpy(r->user, r->rest, sizeof(r->user));
	rc = add_executions(r, m, r->user);
	for (size_t i = 0; i < n_wire; i++)
		if (wire[i].owner == CAT_OWNER_MACHINE)
			r->user[i] = 0;
	mdl_peek_all(m);
	return rc;
}

bool ses_rings_changes(const struct ses_rings *r, uint8_t ring, bool is_over)
{
	const bool is_users = is_users_level(r, ring);

	return r->is_by_time && is_users != r->is_users && is_users == is_over;
}

void ses_rings_change(struct ses_rings *r, struct mdl *m)
{
	take_rest(r, m);
	r->is_users = !r->is_users;
}

int ses_rings_before_forget(struct ses_rings *r, struct mdl *m)
{
	if (!r->is_by_time)
		return ses_rings_take(r, m);
	take_rest(r, m);
	return add_executions(r, m, r->rest);
}

void ses_rings_after_forget(struct ses_rings *r, struct mdl *m)
{
	if (r->is_by_time)
		look_at_rest(r, m); /* what blocks counted is with the rest now */
}

/* ---- both ways ------------------------------------------------------------------------------- */

int ses_rings_take(struct ses_rings *r, struct mdl *m)
{
	if (r->is_by_time)
		return take_by_time(r, m);
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
