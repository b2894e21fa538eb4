/* feed.c -- from the ring of records to the model, stopping where an event may overflow or a thread changes. */
#include <string.h>

#include "perfev/map.h"
#include "perfev/ring.h"
#include "perfev/sampling.h"
#include "perfev/software.h"
#include "session/counting.h"
#include "session/pieces.h"
#include "trace/record.h"

#define PAGE_AGE 0x10000000u /* bytes of records: counters have not reached bit 31 by then */

/* ---- how far without an overflow ---------------------------------------------------------------- */

#define GROUP_INSNS 4u /* that wait behind pieces: the last one, and what shares its micro-ops' group */

/* Instructions that were fed and whose work may not be in the totals yet. */
static uint64_t waiting(const struct pev_local *l, const struct ses_server *s)
{
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];

	if (!l->blame.can)
		return 0;
	if (l->blame.is_on)
		return GROUP_INSNS;
	return GROUP_INSNS + (l->last_block != PEV_NONE ? t->block[l->last_block].n_insn : 0);
}

/* Instructions that the current thread can execute before any of its events can overflow. */
static uint64_t room(const struct pev_local *l, const struct ses_server *s)
{
	const uint64_t before = waiting(l, s);
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_link *link = &l->link[i];
		uint64_t n;

		if (!link->is_running || !link->left || link->is_apart)
			continue;
		n = (link->left - 1) / link->most;
		if (n < least)
			least = n;
	}
	return least > before ? least - before : 0;
}

/* The chunk's parts that were not fed yet begin at `begin`. */
struct walk {
	const uint8_t *bytes;
	size_t begin;
	uint64_t room;
	int rc;
};

/* What was fed up to here belongs to instruction `insn` of a block at the latest. */
static void look(struct pev_local *l, struct ses_server *s, uint32_t block, uint64_t insn)
{
	pev_look_on(l, s);
	pev_overflows(l, s, block, insn);
}

/* The model says that what it counted until now is of the instruction at pc; 0: of the last one of the block before. */
static void on_blame(void *ctx, uint64_t pc)
{
	const struct pev_blame *b = ctx;
	struct pev_local *l = b->l;

	pev_look_on(l, b->s);
	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];

		if (link->n_over && !link->over_pc && !link->is_apart)
			link->over_pc = pc || l->last_block == PEV_NONE ? pc : pev_address_of(l, b->s, l->last_block, PEV_LAST_INSN);
	}
	if (!b->is_late)
		pev_overflows(l, b->s, PEV_NONE, 0);
}

/* The wires of all that samples; wires[WIRE_N]. */
static void sampled_wires(const struct pev_local *l, uint8_t *wires)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	memset(wires, 0, WIRE_N);
	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_what *what = &pev_event_of(l, &l->link[i])->what;

		if (l->link[i].period && what->kind == PEV_HARDWARE)
			ses_wanted_wires(&what->event, 1, wires);
		else if (l->link[i].period && what->kind == PEV_CLOCK)
			ses_wanted_wires(&l->clock, 1, wires);
	}
	for (size_t k = 0; k < n && k < WIRE_N; k++)
		wires[k] = wires[k] && !(wire[k].is_internal && wire[k].tier == 1); /* of every report, of no event */
}

/* From now on the model tells, or no more. */
static void blame(struct pev_local *l, struct ses_server *s, bool is_on)
{
	uint8_t wires[WIRE_N];

	if (is_on)
		sampled_wires(l, wires);
	l->blame.l = l;
	l->blame.s = s;
	l->blame.can = mdl_set_blame(s->model, wires, is_on ? on_blame : NULL, &l->blame);
	l->blame.is_on = is_on && l->blame.can;
}

static void feed_up_to(struct pev_local *l, struct walk *w, struct ses_server *s, size_t at)
{
	size_t size;

	if (w->rc == 0 && at > w->begin && l->blame.is_on) { /* the last piece waits to hear where execution goes on */
		size = trc_record_bytes(w->bytes + w->begin, at - w->begin);
		w->rc = ses_serve_feed_model(s, w->bytes + w->begin, size);
		w->begin += size;
		blame(l, s, false);
	}
	if (w->rc == 0 && at > w->begin)
		w->rc = ses_serve_feed_model(s, w->bytes + w->begin, at - w->begin);
	w->begin = at;
}

/* Must the instruction be known that overflows, in a block so near to an overflow of some event? */
static bool wants_pieces(const struct pev_local *l, uint64_t insns)
{
	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_link *link = &l->link[i];

		if (link->is_running && link->left && !link->is_apart && link->is_lax && (!link->is_of_pipes || l->blame.can) &&
		    (link->left - 1) / link->most < insns)
			return true;
	}
	return false;
}

/* An execution of the first `insns` instructions of a block, whose values are at `slots`, instruction by instruction: first where
 * the block before it went, which was its last instruction's work. */
static void feed_pieces(struct pev_local *l, struct ses_server *s, struct walk *w, uint32_t block, uint32_t insns, const uint8_t *slots)
{
	if (l->blame.can && !l->blame.is_on)
		blame(l, s, true);
	if (!l->blame.is_on) {
		w->rc = w->rc ? w->rc : ses_pieces_begin(s, block);
		look(l, s, l->last_block, PEV_LAST_INSN);
	}
	for (uint32_t i = 0; i < insns && w->rc == 0; i++) {
		w->rc = ses_pieces_feed(s, block, i, slots);
		if (!l->blame.is_on || i + 1 == insns)
			look(l, s, block, i);
	}
}

/* A block, or the first part of one, of `insns` instructions at [at, at + size); its values are at `slots`. */
static void step(struct pev_local *l, struct ses_server *s, struct walk *w, size_t at, size_t size, uint32_t block,
                 uint32_t insns, const uint8_t *slots)
{
	const bool is_long = l->n_lax && ses_pieces_has_rep(s, block); /* it may count more than `most` */

	if (insns <= w->room && !is_long) {
		w->room -= insns;
		return;
	}
	feed_up_to(l, w, s, at);
	look(l, s, PEV_NONE, 0);
	w->room = room(l, s);
	if (insns <= w->room && !is_long) {
		w->room -= insns;
		return;
	}
	if (wants_pieces(l, is_long ? UINT64_MAX : insns + waiting(l, s)) &&
	    ses_pieces_fit(s, block, insns, (size_t)(w->bytes + at + size - slots))) {
		feed_pieces(l, s, w, block, insns, slots);
		w->begin = at + size;
	} else {
		feed_up_to(l, w, s, at + size);
		look(l, s, block, PEV_FIRST_INSN);
	}
	w->room = room(l, s);
}

/* The block fed last: where it went is not known yet. */
static void note_block(struct pev_local *l, const struct ses_server *s, uint32_t block)
{
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];

	l->last_block = block < SHR_MAX_BLOCKS ? block : PEV_NONE;
	if (block < SHR_MAX_BLOCKS)
		l->last_block_pc = t->block[block].pc;
}

/* ---- records of interest ------------------------------------------------------------------------- */

static void start_thread(struct pev_local *l, struct ses_server *s, uint32_t number)
{
	pev_settle(l, s);
	if (l->n_sampled)
		pev_overflows(l, s, PEV_NONE, 0);
	if (!l->is_beginning)
		pev_switch(l, s);
	l->is_beginning = false;
	l->now = number;
	if (!l->n_link)
		return;
	pev_lock(l->board);
	pev_schedule(l, s);
	pev_unlock(l->board);
}

static void tell_mapping(struct pev_local *l, struct ses_server *s, const uint8_t *payload, uint32_t bytes)
{
	struct pev_mapping m;
	struct pev_stamp at;
	char path[513] = "";

	if (bytes < 32 || !l->has_readers)
		return;
	memcpy(&m.lo, payload, 8);
	memcpy(&m.bytes, payload + 8, 8);
	memcpy(&m.prot, payload + 16, 4);
	memcpy(&m.flags, payload + 20, 4);
	memcpy(&m.off, payload + 24, 8);
	memcpy(path, payload + 32, bytes - 32 < sizeof(path) - 1 ? bytes - 32 : sizeof(path) - 1);
	m.path = path;
	pev_lock(l->board);
	at = pev_stamp_now(l, s);
	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->link[i].is_enabled)
			pev_put_mapping(l, &l->board->event[l->link[i].event], &at, &m);
	pev_wake(l);
	pev_unlock(l->board);
}

/* The first `insns` instructions of a block, whose values are at `slots`, as far as the record at [at, at + size) has them: what
 * did it touch first? */
static void look_at_pages(struct pev_local *l, struct ses_server *s, struct walk *w, size_t at, size_t size, uint32_t block,
                          uint32_t insns, const uint8_t *slots)
{
	struct ses_touch touch[SES_MOST_TOUCHES];
	const unsigned n = ses_touches_block(l->touches, s, block, insns, slots, (size_t)(w->bytes + at + size - slots), touch);

	if (n && l->n_sampled) {
		feed_up_to(l, w, s, at);
		look(l, s, PEV_NONE, 0);
	}
	for (unsigned i = 0; i < n; i++)
		pev_fault(l, s, block, &touch[i]);
	if (n && l->n_sampled)
		w->room = room(l, s);
}

/* An event of the runtime in the stream. */
static void special(struct pev_local *l, struct ses_server *s, struct walk *w, size_t at, size_t size, uint32_t kind)
{
	const uint8_t *payload = w->bytes + at + 8;
	uint32_t word[2] = { 0, 0 };

	if (size >= 16)
		memcpy(word, payload, 8);
	if (l->touches)
		ses_touches_event(l->touches, kind, payload, size - 8);
	switch (kind) {
	case TRC_THREAD:
		feed_up_to(l, w, s, at);
		start_thread(l, s, word[0]);
		w->room = room(l, s);
		break;
	case TRC_EXEC:
		l->is_beginning = true;
		break;
	case TRC_PARTIAL:
		if (l->touches && size >= 16)
			look_at_pages(l, s, w, at, size, word[0], word[1], payload + 8);
		step(l, s, w, at, size, word[0], word[1], payload + 8);
		note_block(l, s, word[0]);
		break;
	case TRC_MAP:
		tell_mapping(l, s, payload, (uint32_t)size - 8);
		break;
	}
}

/* Do other instructions than those of the current thread begin in the chunk that is fed? Most have none, and need not be walked
 * for that. A guest that lies about it takes its counts for another thread's. */
static bool has_turn(const struct ses_server *s)
{
	const struct shr_ctl *c = ses_areas_ctl(s->areas);

	return __atomic_load_n(&c->chunk_turns[c->consumed % SHR_N_CHUNKS], __ATOMIC_RELAXED) == c->consumed + 1;
}

int pev_feed(struct pev_local *l, struct ses_server *s, const uint8_t *bytes, size_t n)
{
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];
	struct walk w = { .bytes = bytes };
	const bool looks = l->n_sampled || l->has_readers || l->touches ||
			   (ses_areas_ctl(s->areas)->n_threads > 1 && has_turn(s));
	size_t at = 0, size;

	l->blame.is_late = false;
	blame(l, s, l->blame.is_on && l->n_sampled);
	w.room = looks ? room(l, s) : 0;
	while (looks && w.rc == 0 && (size = trc_record_bytes(bytes + at, n - at)) != 0) {
		const size_t passed = l->touches && !l->n_sampled ? ses_touches_pass(l->touches, s, bytes + at, n - at) : 0;
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
		else if (trc_block_id(head) < SHR_MAX_BLOCKS && (l->n_sampled || l->touches)) {
			const uint32_t id = trc_block_id(head);

			if (l->touches)
				look_at_pages(l, s, &w, at, size, id, t->block[id].n_insn, bytes + at + 4);
			if (l->n_sampled) {
				step(l, s, &w, at, size, id, t->block[id].n_insn, bytes + at + 4);
				note_block(l, s, id);
			}
		}
		at += size;
	}
	feed_up_to(l, &w, s, n);
	l->blame.is_late = true;
	l->fed_bytes += n;
	if (w.rc == 0 && (l->has_turns || l->n_sampled || l->fed_bytes > PAGE_AGE)) {
		pev_look_on(l, s);
		pev_overflows(l, s, PEV_NONE, 0);
		if (!pev_turn(l, s) && l->fed_bytes > PAGE_AGE) {
			pev_lock(l->board);
			pev_pages(l, s);
			pev_unlock(l->board);
		}
	}
	return w.rc;
}
