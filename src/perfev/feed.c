/* feed.c -- from the ring of records to the model, stopping where an event may overflow or a
 * thread changes. */
#include <string.h>

#include "perfev/limits.h"
#include "perfev/map.h"
#include "perfev/ring.h"
#include "perfev/sampling.h"
#include "perfev/software.h"
#include "session/totals/counting.h"
#include "session/serve/pieces.h"
#include "trace/record.h"

/* ---- how far without an overflow ------------------------------------------------------------- */

#define NOWHERE SIZE_MAX

/* The chunk's parts that were not fed yet begin at `begin`. */
struct walk {
	const uint8_t *bytes;
	size_t begin;
	/* what may be executed before an event of the current thread can overflow: when the links
	 * were looked at, and what is left of it now */
	struct shr_room full, room;
	/* offset of the record that the model knows to come next (TRC_AHEAD); NOWHERE: it knows
	 * none */
	size_t told;
	bool is_current; /* the records not fed yet change nothing in the caches */
	bool has_kinds;	 /* not only instructions are counted */
	bool tells_hits; /* every event has a bound for instructions that hit */
	int rc;
};

static void find_room(const struct pev_local *l, const struct ses_server *s, struct walk *w)
{
	const struct shr_room *r = &w->room;

	w->room = PEV_ANY_ROOM;
	w->tells_hits = mdl_tells_hits(s->model);
	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_link *link = &l->link[i];

		if (!link->is_running || !link->left || link->is_apart)
			continue;
		pev_limit(l, s, link, link->left - 1, true, &w->room);
		w->tells_hits &= link->bound.by_hits != MDL_BY_NONE;
	}
	pev_limit_turn(l, s, &w->room);
	w->room.clk = pev_behind_backlog(s, w->room.clk);
	w->has_kinds = r->clk < PEV_ANY || r->data < PEV_ANY || r->core < PEV_ANY ||
		       r->lines < PEV_ANY || r->any < PEV_ANY;
	w->full = w->room;
}

/* Look at the counts of all that was fed. The last instruction fed is `insn` of `block`, so an
 * overflow lies there at the latest. */
static void look_up_to(struct pev_local *l, struct ses_server *s, uint32_t block, uint64_t insn)
{
	pev_look_on(l, s);
	pev_overflows(l, s, block, insn);
}

/* As look_up_to(), where the model knows the next instruction. Groups may change turns at this
 * point. */
static void look_told(struct pev_local *l, struct ses_server *s, uint32_t block, uint64_t insn)
{
	look_up_to(l, s, block, insn);
	pev_turn(l, s);
}

static void feed_up_to(struct walk *w, struct ses_server *s, size_t at)
{
	if (w->rc == 0 && at > w->begin)
		w->rc = ses_serve_feed_model(s, w->bytes + w->begin, at - w->begin);
	if (at > w->begin)
		w->told = NOWHERE;
	w->begin = at;
}

void pev_end_pieces(struct pev_local *l, struct ses_server *s)
{
	if (!l->is_in_pieces)
		return;
	l->is_in_pieces = false;
	look_up_to(l, s, l->last_block, PEV_LAST_INSN);
}

int pev_look_ahead(struct pev_local *l, struct ses_server *s, uint64_t pc, uint32_t block)
{
	const int rc = ses_pieces_ahead(s, pc, block, 0);

	l->is_in_pieces = false;
	look_told(l, s, l->last_block, PEV_LAST_INSN);
	return rc;
}

/* Everything in front of the record at `at`, which begins with `block`, is done. */
static void come_to(struct ses_server *s, struct walk *w, size_t at, uint32_t block)
{
	int rc;

	feed_up_to(w, s, at);
	w->is_current = true;
	if (w->told == at)
		return;
	rc = ses_pieces_ahead(s, 0, block, 0);
	w->rc = w->rc ? w->rc : rc;
	w->told = at;
}

/* And all that it counted is known. */
static void arrive(struct pev_local *l, struct ses_server *s, struct walk *w, size_t at,
		   uint32_t block)
{
	come_to(s, w, at, block);
	l->is_in_pieces = false;
	look_told(l, s, l->last_block, PEV_LAST_INSN);
	find_room(l, s, w);
}

/* ---- what a block can count ------------------------------------------------------------------ */

/* A block, or the first part of one, of `insns` instructions at [at, at + size); its values are
 * at `slots`. */
struct step {
	size_t at, size;
	uint32_t block, insns;
	const uint8_t *slots;
};

static bool has_slots(const struct walk *w, const struct ses_server *s, const struct step *k)
{
	return ses_pieces_fit(s, k->block, k->insns,
			      (size_t)(w->bytes + k->at + k->size - k->slots));
}

/* Takes it off. Returns false, with nothing changed, when it could overflow. */
static bool take_step(struct walk *w, struct ses_server *s, const struct step *k)
{
	if (k->insns > w->room.insns)
		return false;
	if (w->has_kinds && w->tells_hits && !pev_is_far(s, k->block, &w->full)) {
		if (!w->is_current)
			come_to(s, w, k->at, k->block);
		if (has_slots(w, s, k) &&
		    pev_take_hits(s, k->block, k->insns, k->slots, &w->room)) {
			w->room.insns -= k->insns;
			return true;
		}
	}
	if (w->has_kinds && !pev_take_block(s, k->block, &w->room))
		return false;
	w->is_current = false;
	w->room.insns -= k->insns;
	return true;
}

/* Takes what instruction n can count off the room. Returns false if it does not fit. *is_hit
 * becomes true if the instruction changes nothing in the caches, or if no event depends on that. */
static bool take_insn(struct walk *w, const struct ses_server *s, const struct step *k, uint32_t n,
		      bool *is_hit)
{
	struct mdl_bounds m = {0};

	*is_hit = true;
	if (w->has_kinds && w->tells_hits && ses_pieces_bounds_of_hits(s, k->block, n, n + 1, &m) &&
	    m.clk < MDL_NO_LIMIT && ses_pieces_hit(s, k->block, n, n + 1, k->slots))
		return pev_take(&w->room, &m);
	*is_hit = !w->has_kinds || !w->tells_hits; /* or no event asks */
	if (w->has_kinds)
		ses_pieces_bounds(s, k->block, n, ses_pieces_items(s, k->block, n, k->slots), &m);
	return pev_take(&w->room, &m);
}

/* Takes instructions of an execution of a block off, from `from` on, of which the last alone may
 * overflow, or miss. Returns the one behind; *fits: nor can the last. */
static uint32_t take_some(struct walk *w, const struct ses_server *s, const struct step *k,
			  uint32_t from, bool *fits)
{
	bool is_hit = true;
	uint32_t n = from;

	*fits = true;
	while (n < k->insns && *fits && is_hit)
		*fits = take_insn(w, s, k, n++, &is_hit);
	return n;
}

/* An execution of a block, cut behind each instruction that may overflow. What the last one
 * counts is found when it is known where that went. */
static void feed_pieces(struct pev_local *l, struct ses_server *s, struct walk *w,
			const struct step *k)
{
	uint32_t to;
	bool fits = true;

	for (uint32_t i = 0; w->rc == 0; i = to) {
		to = take_some(w, s, k, i, &fits);
		w->rc = ses_pieces_feed(s, k->block, i, to, k->slots);
		if (to == k->insns || w->rc)
			break;
		w->rc = ses_pieces_ahead(s, 0, k->block, to);
		look_told(l, s, k->block, to - 1);
		find_room(l, s, w);
	}
	l->is_in_pieces = !fits;
	w->begin = k->at + k->size;
	w->told = NOWHERE;
	w->is_current = false;
}

static void step_block(struct pev_local *l, struct ses_server *s, struct walk *w,
		       const struct step *k)
{
	if (!l->is_in_pieces && take_step(w, s, k))
		return;
	arrive(l, s, w, k->at, k->block);
	if (take_step(w, s, k))
		return;
	if (has_slots(w, s, k)) {
		feed_pieces(l, s, w, k);
		return;
	}
	feed_up_to(w, s, k->at + k->size);
	w->is_current = false;
	look_up_to(l, s, k->block, 0);
	find_room(l, s, w);
}

/* The block fed last: where it went is not known yet. */
static void note_block(struct pev_local *l, const struct ses_server *s, uint32_t block,
		       uint32_t insns)
{
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];

	l->last_block = block < SHR_MAX_BLOCKS ? block : PEV_NONE;
	l->last_insn = insns - 1;
	if (block < SHR_MAX_BLOCKS)
		l->last_block_pc = t->block[block].pc;
}

/* ---- records of interest --------------------------------------------------------------------- */

static void start_thread(struct pev_local *l, struct ses_server *s, uint32_t number, uint32_t said)
{
	pev_settle(l, s);
	if (l->n_sampled)
		pev_overflows(l, s, l->last_block, PEV_LAST_INSN);
	if (!l->is_beginning)
		pev_switch(l, s);
	l->is_beginning = false;
	l->now = number;
	l->now_cpu = trc_thread_cpu(number, said, s->cfg->model.n_cpus);
	if (!l->n_link)
		return;
	pev_lock(l->board);
	pev_schedule(l, s);
	pev_unlock(l->board);
}

static void tell_area(struct pev_local *l, struct ses_server *s, const uint8_t *payload,
		      size_t bytes)
{
	struct trc_area area;
	struct pev_stamp at;
	char path[513] = "";

	if (bytes < sizeof(area) || !l->has_readers)
		return;
	memcpy(&area, payload, sizeof(area));
	bytes -= sizeof(area);
	memcpy(path, payload + sizeof(area), bytes < sizeof(path) - 1 ? bytes : sizeof(path) - 1);
	pev_lock(l->board);
	at = pev_stamp_now(l, s);
	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->link[i].is_enabled)
			pev_put_area(l, &l->board->event[l->link[i].event], &at, &area, path);
	pev_wake(l);
	pev_unlock(l->board);
}

/* Finds the pages that the first `insns` instructions of a block touch for the first time, and
 * counts their faults. `slots` are the block's values in the record at [at, at + size). */
static void look_at_pages(struct pev_local *l, struct ses_server *s, struct walk *w, size_t at,
			  size_t size, uint32_t block, uint32_t insns, const uint8_t *slots)
{
	struct ses_touch touch[SES_MOST_TOUCHES];
	const unsigned n = ses_touches_block(l->touches, s, block, insns, slots,
					     (size_t)(w->bytes + at + size - slots), touch);

	if (n && l->n_sampled)
		arrive(l, s, w, at, block);
	for (unsigned i = 0; i < n; i++)
		pev_fault(l, s, block, &touch[i]);
	if (n && l->n_sampled)
		find_room(l, s, w);
}

/* An event of the runtime in the stream. */
static void special(struct pev_local *l, struct ses_server *s, struct walk *w, size_t at,
		    size_t size, uint32_t kind)
{
	const uint8_t *payload = w->bytes + at + 8;
	uint32_t word[2] = {0, 0};

	if (kind != TRC_PARTIAL)
		w->is_current = false;
	if (size >= 16)
		memcpy(word, payload, 8);
	if (l->touches)
		ses_touches_event(l->touches, kind, payload, size - 8);
	switch (kind) {
	case TRC_THREAD:
		feed_up_to(w, s, at);
		start_thread(l, s, word[0], word[1]);
		find_room(l, s, w);
		break;
	case TRC_EXEC: l->is_beginning = true; break;
	case TRC_PARTIAL:
		if (l->touches && size >= 16)
			look_at_pages(l, s, w, at, size, word[0], word[1], payload + 8);
		step_block(l, s, w, &(struct step){at, size, word[0], word[1], payload + 8});
		note_block(l, s, word[0], word[1]);
		break;
	case TRC_AREA: tell_area(l, s, payload, size - 8); break;
	}
}

/* Returns true if overflows or turns must be looked for between blocks. */
static bool has_limits(const struct pev_local *l)
{
	return l->n_sampled || l->has_turns;
}

/* Returns true if the chunk that is fed changes the thread. Most chunks do not, and need no walk
 * for it. A guest that lies about it only moves its own counts from one of its threads to
 * another. */
static bool has_turn(const struct ses_server *s)
{
	const struct shr_ctl *c = ses_areas_ctl(s->areas);

	return __atomic_load_n(&c->chunk_turns[c->consumed % SHR_N_CHUNKS], __ATOMIC_RELAXED) ==
	       c->consumed + 1;
}

int pev_feed(struct pev_local *l, struct ses_server *s, const uint8_t *bytes, size_t n)
{
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];
	struct walk w = {.bytes = bytes, .told = NOWHERE};
	const bool looks = has_limits(l) || l->has_readers || l->touches ||
			   (ses_areas_ctl(s->areas)->n_threads > 1 && has_turn(s));
	size_t at = 0, size;

	if (looks)
		find_room(l, s, &w);
	while (looks && w.rc == 0 && (size = trc_record_bytes(bytes + at, n - at)) != 0) {
		const size_t passed = l->touches && !has_limits(l)
					  ? ses_touches_pass(l->touches, s, bytes + at, n - at)
					  : 0;
		uint32_t head;

		if (passed) {
			l->is_beginning = false;
			at += passed;
			continue;
		}
		memcpy(&head, bytes + at, 4);
		if (at == 0 && head != TRC_SPECIAL + TRC_THREAD)
			l->is_beginning = false;
		if (head >= TRC_SPECIAL)
			special(l, s, &w, at, size, head - TRC_SPECIAL);
		else if (trc_block_id(head) < SHR_MAX_BLOCKS && (has_limits(l) || l->touches)) {
			const uint32_t id = trc_block_id(head);

			if (l->touches)
				look_at_pages(l, s, &w, at, size, id, t->block[id].n_insn,
					      bytes + at + 4);
			if (has_limits(l)) {
				step_block(l, s, &w,
					   &(struct step){at, size, id, t->block[id].n_insn,
							  bytes + at + 4});
				note_block(l, s, id, t->block[id].n_insn);
			}
		}
		at += size;
	}
	feed_up_to(&w, s, n);
	if (w.rc)
		return w.rc;
	/* with pieces the model must first know the next block; where the bytes end depends on the
	 * host alone */
	if (has_limits(l) && !l->is_in_pieces)
		look_up_to(l, s, l->last_block, PEV_LAST_INSN);
	pev_pages_age(l, s, n);
	return 0;
}
