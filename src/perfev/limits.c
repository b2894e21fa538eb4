/* limits.c -- computes how much can be executed before an event overflows. Rules: limits.h. */
#include "perfev/limits.h"

#include "perfev/sampling.h"
#include "session/serve/pieces.h"
#include "session/faults/touches_ahead.h"

/* executions of a block for which there is room: whether it hits need not be known */
#define FAR 64ull

/* ---- of events ------------------------------------------------------------------------------- */

static bool is_masked(const struct pev_what *w)
{
	return w->event.cmask || w->event.edge;
}

struct mdl_bound pev_bound(const struct ses_server *s, const struct pev_what *w)
{
	if (w->kind != PEV_HARDWARE || !w->event.event)
		return (struct mdl_bound){MDL_BY_CLK, MDL_BY_CLK, 1};
	return mdl_bound_of(s->cfg->model.cpu, w->event.event, is_masked(w));
}

bool pev_is_each(const struct pev_local *l, const struct ses_server *s, const struct pev_what *w)
{
	if (w->kind == PEV_CLOCK)
		return !pev_is_timed(l, s);
	return w->kind == PEV_HARDWARE && w->event.event == l->instructions && !is_masked(w);
}

/* So many ns may pass. */
static void limit_time(const struct pev_local *l, const struct ses_server *s, uint64_t ns,
		       struct shr_room *room)
{
	const bool is_timed = pev_is_timed(l, s);
	const uint64_t n =
	    is_timed ? (uint64_t)((unsigned __int128)ns * s->cfg->model.cpu->core_mhz / 1000) : ns;
	uint64_t *of = is_timed ? &room->clk : &room->insns;

	*of = n < *of ? n : *of;
}

void pev_limit(const struct pev_local *l, const struct ses_server *s, const struct pev_link *link,
	       uint64_t n, bool knows_hits, struct shr_room *room)
{
	uint64_t *const by[] = {[MDL_BY_CLK] = &room->clk,
				[MDL_BY_DATA] = &room->data,
				[MDL_BY_CORE] = &room->core,
				[MDL_BY_LINES] = &room->lines,
				[MDL_BY_ANY] = &room->any};
	const struct pev_what *w = &pev_event_of(l, link)->what;
	uint64_t *of = w->kind == PEV_FAULTS ? &room->pages : &room->insns;

	if (w->kind == PEV_CLOCK) {
		limit_time(l, s, n, room);
		return;
	}
	if (w->kind == PEV_HARDWARE && !pev_is_each(l, s, w)) {
		n /= link->bound.times;
		of = by[knows_hits && link->bound.by_hits != MDL_BY_NONE ? link->bound.by_hits
									 : link->bound.by];
	}
	*of = n < *of ? n : *of;
}

void pev_limit_turn(const struct pev_local *l, const struct ses_server *s, struct shr_room *room)
{
	const uint64_t left = pev_turn_left(l);

	if (l->has_turns)
		limit_time(l, s, left ? left - 1 : 0, room);
}

uint64_t pev_behind_backlog(const struct ses_server *s, uint64_t clk)
{
	const uint64_t backlog = clk < PEV_ANY ? mdl_backlog(s->model) : 0;

	return clk > backlog ? clk - backlog : 0;
}

/* ---- of what is executed --------------------------------------------------------------------- */

static bool has(const struct shr_room *room, const struct mdl_bounds *m)
{
	return room->clk >= m->clk && room->data >= m->data && room->core >= m->core &&
	       room->lines >= m->lines && room->any >= m->any;
}

static bool take_bounds(struct shr_room *room, const struct mdl_bounds *m)
{
	if (!has(room, m))
		return false;
	room->clk -= m->clk;
	room->data -= m->data;
	room->core -= m->core;
	room->lines -= m->lines;
	room->any -= m->any;
	return true;
}

bool pev_take(struct shr_room *room, const struct mdl_bounds *m)
{
	if (!room->insns || !take_bounds(room, m))
		return false;
	room->insns--;
	return true;
}

/* A copy of the block's bound, taken at once: the guest can write to the place. */
static struct shr_most read_most(const struct ses_server *s, uint32_t block)
{
	return *(const volatile struct shr_most *)pev_most_of(s, block); /* it may write there */
}

static struct mdl_bounds of_all(const struct shr_most *m)
{
	return (struct mdl_bounds){m->clk, m->data, m->core, m->lines, m->any};
}

bool pev_take_block(const struct ses_server *s, uint32_t block, struct shr_room *room)
{
	const struct shr_most m = read_most(s, block);
	const struct mdl_bounds all = of_all(&m);

	return m.core && take_bounds(room, &all);
}

bool pev_is_far(const struct ses_server *s, uint32_t block, const struct shr_room *room)
{
	const struct shr_most m = read_most(s, block);
	const struct mdl_bounds many = {m.clk * FAR, m.data * FAR, m.core * FAR, m.lines * FAR,
					m.any * FAR};

	return m.core && has(room, &many);
}

bool pev_take_hits(const struct ses_server *s, uint32_t block, uint32_t insns, const uint8_t *slots,
		   struct shr_room *room)
{
	const struct shr_most m = read_most(s, block);
	const struct mdl_bounds hits = {m.hit_clk, m.hit_data, m.core, 0, m.hit_any};

	return m.core && insns && m.hit_clk < SHR_MOST_UNLIMITED && has(room, &hits) &&
	       ses_pieces_hit(s, block, 0, insns, slots) && take_bounds(room, &hits);
}

static uint32_t narrow(uint64_t n)
{
	return n < SHR_MOST_UNLIMITED ? (uint32_t)n : SHR_MOST_UNLIMITED;
}

const struct shr_most *pev_most_of(const struct ses_server *s, uint32_t block)
{
	static const struct shr_most unknown;
	struct shr_tables *t = s->areas->map[SES_AREA_TABLES];
	struct shr_most *most = &t->most[block < SHR_MAX_BLOCKS ? block : 0];
	struct mdl_bounds sum = {0}, m, hits = {.clk = SHR_MOST_UNLIMITED};
	unsigned n;

	if (block >= SHR_MAX_BLOCKS)
		return &unknown;
	if (most->core)
		return most;
	for (n = 0; ses_pieces_bounds(s, block, n, MDL_NO_LIMIT, &m); n++) {
		sum.clk += m.clk;
		sum.data += m.data;
		sum.core += m.core;
		sum.lines += m.lines;
		sum.any += m.any;
	}
	ses_pieces_bounds_of_hits(s, block, 0, n, &hits);
	if (t->n_most <= block)
		t->n_most = block + 1;
	*most = (struct shr_most){narrow(sum.clk),   narrow(sum.data),	narrow(sum.core),
				  narrow(sum.lines), narrow(sum.any),	ses_ahead_most(s, block),
				  narrow(hits.clk),  narrow(hits.data), narrow(hits.any)};
	return most;
}
