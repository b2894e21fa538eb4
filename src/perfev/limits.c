#include "perfev/limits.h"

#include "perfev/sampling.h"
#include "session/pieces.h"
#include "session/touches_ahead.h"

/* ---- of events ------------------------------------------------------------------------------------- */

static bool is_masked(const struct pev_what *w)
{
	return w->event.cmask || w->event.edge;
}

struct mdl_bound pev_bound(const struct ses_server *s, const struct pev_what *w)
{
	if (w->kind != PEV_HARDWARE || !w->event.event)
		return (struct mdl_bound){ MDL_BY_CLK, 1 };
	return mdl_bound_of(s->cfg->model.cpu, w->event.event, is_masked(w));
}

bool pev_is_each(const struct pev_local *l, const struct ses_server *s, const struct pev_what *w)
{
	if (w->kind == PEV_CLOCK)
		return !pev_is_timed(l, s);
	return w->kind == PEV_HARDWARE && w->event.event == l->instructions && !is_masked(w);
}

void pev_limit(const struct pev_local *l, const struct ses_server *s, const struct pev_link *link, uint64_t n, struct shr_room *room)
{
	uint64_t *const by[] = { [MDL_BY_CLK] = &room->clk, [MDL_BY_DATA] = &room->data, [MDL_BY_CORE] = &room->core,
		                 [MDL_BY_LINES] = &room->lines, [MDL_BY_ANY] = &room->any };
	const struct pev_what *w = &pev_event_of(l, link)->what;
	uint64_t *of = w->kind == PEV_FAULTS ? &room->pages : &room->insns;

	if (w->kind == PEV_CLOCK && pev_is_timed(l, s)) {
		n = (uint64_t)((unsigned __int128)n * s->cfg->model.cpu->core_mhz / 1000);
		of = &room->clk;
	} else if (w->kind == PEV_HARDWARE && !pev_is_each(l, s, w)) {
		n /= link->bound.times;
		of = by[link->bound.by];
	}
	*of = n < *of ? n : *of;
}

uint64_t pev_behind_backlog(const struct ses_server *s, uint64_t clk)
{
	const uint64_t backlog = clk < PEV_ANY ? mdl_backlog(s->model) : 0;

	return clk > backlog ? clk - backlog : 0;
}

/* ---- of what is executed ----------------------------------------------------------------------------- */

bool pev_take(struct shr_room *room, const struct mdl_most *m)
{
	if (!room->insns || room->clk < m->clk || room->data < m->data || room->core < m->core || room->lines < m->lines ||
	    room->any < m->any)
		return false;
	room->insns--;
	room->clk -= m->clk;
	room->data -= m->data;
	room->core -= m->core;
	room->lines -= m->lines;
	room->any -= m->any;
	return true;
}

bool pev_take_block(const struct ses_server *s, uint32_t block, struct shr_room *room)
{
	const struct shr_most m = *(const volatile struct shr_most *)pev_most_of(s, block); /* the guest may write there */

	if (!m.core || room->clk < m.clk || room->data < m.data || room->core < m.core || room->lines < m.lines || room->any < m.any)
		return false;
	room->clk -= m.clk;
	room->data -= m.data;
	room->core -= m.core;
	room->lines -= m.lines;
	room->any -= m.any;
	return true;
}

static uint32_t narrow(uint64_t n)
{
	return n < SHR_MOST_UNLIMITED ? (uint32_t)n : SHR_MOST_UNLIMITED;
}

const struct shr_most *pev_most_of(const struct ses_server *s, uint32_t block)
{
	struct shr_tables *t = s->areas->map[SES_AREA_TABLES];
	struct shr_most *most = &t->most[block];
	uint64_t sum[5] = {0};
	struct mdl_most m;

	if (most->core)
		return most;
	for (unsigned i = 0; ses_pieces_most(s, block, i, MDL_NO_LIMIT, &m); i++) {
		sum[0] += m.clk;
		sum[1] += m.data;
		sum[2] += m.core;
		sum[3] += m.lines;
		sum[4] += m.any;
	}
	if (t->n_most <= block)
		t->n_most = block + 1;
	*most = (struct shr_most){narrow(sum[0]), narrow(sum[1]), narrow(sum[2]), narrow(sum[3]), narrow(sum[4]), ses_ahead_most(s, block)};
	return most;
}
