/* credit.c -- computes how far the guest may run before an overflow must stop it. Rules:
 * credit.h. */
#include "perfev/credit.h"

#include <string.h>

#include "perfev/limits.h"
#include "perfev/sampling.h"
#include "session/serve/pieces.h"
#include "session/faults/touches_ahead.h"

#define IDLE_CREDIT 32768u

/* ---- what may be counted --------------------------------------------------------------------- */

/* Why the guest must stop, summed over the events of all links. */
struct links {
	bool is_any;	 /* events that may overflow, if not here and now */
	bool is_waiting; /* an overflow waits until the guest stands, or for a clock */
	bool has_room;	 /* some are counted by instructions, or are faults of theirs */
	bool wants_state;
};

static struct links look(const struct pev_local *l, const struct ses_server *s,
			 struct shr_room *room)
{
	struct links k = {false, false, false, false};
	bool has_page = false;

	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_link *link = &l->link[i];
		const struct pev_event *e = &l->board->event[link->event];

		has_page |= e->is_live && pev_shows_turns(l, link);
		if (!e->is_live || !pev_stops(l, link))
			continue;
		k.is_any |= e->run == PEV_ON;
		k.wants_state |= pev_wants_state(l, e);
		if (e->what.kind == PEV_SWITCHES)
			continue;
		k.is_waiting |= link->n_over != 0;
		if (!link->is_running)
			continue;
		pev_limit(l, s, link, link->left - 1, false, room);
		k.has_room = true;
	}
	/* one of them may be the next to count, or a page names the counter of this turn */
	k.is_any |= has_page;
	if (k.is_any && l->has_turns) {
		pev_limit_turn(l, s, room);
		k.has_room = true;
	}
	return k;
}

/* ---- what a block can count ------------------------------------------------------------------ */

/* Instructions from the beginning of the block that there is room for. */
static unsigned fitting(const struct ses_server *s, uint32_t block, uint64_t count,
			struct shr_room room)
{
	struct mdl_bounds m;
	unsigned n = 0;

	while (ses_pieces_bounds(s, block, n, n ? MDL_NO_LIMIT : count, &m) && pev_take(&room, &m))
		n++;
	return n;
}

/* Returns how many of the first instructions of the block fit into *pages page faults, by the
 * registers that the guest has sent. Takes the faults that they can raise off *pages. */
static unsigned fitting_pages(const struct pev_local *l, const struct ses_server *s, uint32_t block,
			      unsigned n_insn, uint64_t *pages)
{
	struct ses_ahead ahead;

	if (*pages >= PEV_ANY || !l->touches)
		return n_insn;
	if (!l->now_state || !l->now_state->is_valid ||
	    !ses_ahead_take(&ahead, s, block, l->now_state->is.reg))
		return 1;
	return ses_ahead_fit(l->touches, &ahead, pages);
}

/* ---- where it stops -------------------------------------------------------------------------- */

#define BREAKPOINT 0xcc

static void take_stop_back(struct pev_local *l, const struct ses_server *s)
{
	uint8_t *code = s->areas->map[SES_AREA_CODE];

	if (l->stop.is_set && l->stop.n_clears == x86_store_clears(s->store) &&
	    code[l->stop.at] == BREAKPOINT)
		code[l->stop.at] = l->stop.was;
	l->stop.is_set = false;
	ses_areas_ctl(s->areas)->behind_stop = 0;
}

/* The block is left in front of its instruction `insn`. Returns false where it cannot be. */
static bool stop_before(struct pev_local *l, const struct ses_server *s, uint32_t block,
			unsigned insn)
{
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];
	/* the guest may write there */
	const struct shr_block b = *(const volatile struct shr_block *)&t->block[block];
	uint8_t *code = s->areas->map[SES_AREA_CODE];

	for (uint32_t i = 0;
	     i < b.n_recover && i < SHR_MAX_RECOVER && b.recover_off < SHR_MAX_RECOVER - i; i++) {
		const struct shr_recover r =
		    *(const volatile struct shr_recover *)&t->recover[b.recover_off + i];

		if (r.insn != insn)
			continue;
		if (r.code >= b.code_bytes || b.code_off >= SHR_CODE_BYTES ||
		    r.code >= SHR_CODE_BYTES - b.code_off)
			return false;
		l->stop.at = b.code_off + r.code;
		l->stop.was = code[l->stop.at];
		l->stop.n_clears = x86_store_clears(s->store);
		l->stop.is_set = true;
		code[l->stop.at] = BREAKPOINT;
		ses_areas_ctl(s->areas)->behind_stop = l->stop.at + 1;
		return true;
	}
	return false;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* n instructions of `block`, one at least, of which it has n_insn. */
static uint64_t steps(struct pev_local *l, const struct ses_server *s, uint64_t block,
		      unsigned n_insn, unsigned n)
{
	const uint64_t credit = REQ_CREDIT_STEP | (uint64_t)(n ? n - 1 : 0)
						      << REQ_CREDIT_MORE_SHIFT;

	l->is_step = true;
	n = n ? n : 1;
	if (block >= SHR_MAX_BLOCKS)
		return credit;
	return n == n_insn			       ? REQ_CREDIT_BYTES
	       : stop_before(l, s, (uint32_t)block, n) ? credit | REQ_CREDIT_BREAK
						       : credit;
}

/* Returns how a guest that stands before `block` goes on. *room keeps what the instructions after
 * the block may still count. */
static uint64_t way(struct pev_local *l, const struct ses_server *s, const struct links *k,
		    uint64_t block, uint64_t count, struct shr_room *room)
{
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];
	struct shr_room left = *room;
	unsigned n, fit, go, pages;

	*room = (struct shr_room){0};
	if (block >= SHR_MAX_BLOCKS)
		return steps(l, s, block, 0, 1);
	n = t->block[block].n_insn;
	fit = fitting(s, (uint32_t)block, count, left);
	pages = fitting_pages(l, s, (uint32_t)block, n, &left.pages);
	/* the instruction that may overflow comes last, and alone if its registers are wanted */
	go = fit < n && !k->wants_state ? fit + 1 : fit;
	go = pages < go ? pages : go;
	if (go < n || fit < n)
		return steps(l, s, block, n, go);
	for (unsigned i = 0; i < n; i++) {
		struct mdl_bounds m;

		ses_pieces_bounds(s, (uint32_t)block, i, i ? MDL_NO_LIMIT : count, &m);
		pev_take(&left, &m);
	}
	pev_most_of(s, (uint32_t)block);
	*room = left;
	return REQ_CREDIT_BYTES;
}

uint64_t pev_credit(struct pev_local *l, const struct ses_server *s, uint64_t block, uint64_t count)
{
	struct shr_room *room = &ses_areas_ctl(s->areas)->room, has = PEV_ANY_ROOM;
	const struct links k = look(l, s, &has);
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];
	uint64_t credit;

	take_stop_back(l, s);
	*room = (struct shr_room){0};
	l->is_step = false;
	if (!k.is_any)
		return REQ_CREDIT_FREE;
	if (k.is_waiting)
		return steps(l, s, block, block < SHR_MAX_BLOCKS ? t->block[block].n_insn : 0, 1);
	if (!k.has_room)
		return IDLE_CREDIT;
	has.clk = pev_behind_backlog(s, has.clk);
	credit = way(l, s, &k, block, count, &has);
	*room = has;
	return credit;
}
