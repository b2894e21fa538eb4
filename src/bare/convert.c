/* convert.c -- from the plugin's stream to records. Rules: convert.h.
 *
 * A run becomes records when the next one is known, because only that says whether its last
 * instruction came to its end and where a branch went.
 */
#include "bare/convert.h"

#include <stdlib.h>
#include <string.h>

#include "bare/records.h"
#include "bare/run.h"
#include "base/error.h"
#include "trace/record.h"

int bare_convert_open(struct bare_convert *c, struct x86_store *store)
{
	memset(c, 0, sizeof(*c));
	c->store = store;
	c->rep.block = BARE_NO_BLOCK;
	c->ring = BARE_NO_RING;
	c->blocks = bare_blocks_open(store);
	c->room_last = BARE_MOST_RECORD;
	c->last = malloc(c->room_last * sizeof(*c->last));
	c->room_out = 1u << 20;
	c->out = malloc(c->room_out);
	return c->blocks && c->last && c->out ? 0 : -SPMU_ENOMEM;
}

void bare_convert_close(struct bare_convert *c)
{
	bare_blocks_close(c->blocks);
	free(c->last);
	free(c->out);
	free(c->held);
	memset(c, 0, sizeof(*c));
}

/* ---- one run --------------------------------------------------------------------------------- */

/* Write the records of a whole run whose accesses are those that are known. Returns false where
 * they are not. */
static bool put_known(struct bare_convert *c, const struct bare_run *r)
{
	const struct bare_stretch *s = r->s;
	uint8_t *to;

	if (!s->known || s->n_known != r->n_access)
		return false;
	to = bare_put_room(c, s->n_image);
	if (!to)
		return false;
	memcpy(to, s->image, s->n_image);
	for (size_t i = 0; i < r->n_access; i++) {
		const uint32_t place = s->known[2 * i + 1];
		const uint64_t address = (uint32_t)r->access[i];

		if ((uint32_t)(r->access[i] >> 32) != s->known[2 * i])
			return false;
		if (place != BARE_NO_PLACE)
			memcpy(to + place, &address, 8);
	}
	c->n_out += s->n_image;
	return true;
}

/* Write the records of pieces in front of instruction `end`; where `end` lies inside of one, it
 * was executed partly. value: an address for each slot. */
static int put_pieces(struct bare_convert *c, const struct bare_run *r, unsigned end,
		      const uint32_t *value)
{
	const struct bare_stretch *s = r->s;
	unsigned slot = 0;
	int rc = 0;

	for (unsigned i = 0; i < s->n_piece && !rc; i++) {
		const struct bare_piece *p = &s->piece[i];
		const unsigned done = end <= p->first ? 0 : end - p->first;
		uint64_t slots[X86_MAX_SLOTS + 1];
		uint32_t head[4] = {TRC_SPECIAL + TRC_PARTIAL, 8 + 8u * p->n_slot, p->block, done};

		for (unsigned k = 0; k < p->n_slot; k++)
			slots[k] = value[slot++];
		if (p->is_rep || !done)
			continue;
		if (p->block == BARE_NO_BLOCK) {
			rc = bare_put_bytes(c, s->image + p->place, 20);
			continue;
		}
		rc = done >= p->n_insn ? bare_put_bytes(c, s->image + p->place, 4)
				       : bare_put_bytes(c, head, sizeof(head));
		rc = rc ? rc : bare_put_bytes(c, slots, 8u * p->n_slot);
	}
	return rc;
}

/* The records of the instructions in front of `end`, but a REP's. */
static int put_run(struct bare_convert *c, const struct bare_run *r, unsigned end)
{
	uint32_t value[BARE_MOST_INSNS * 10];
	size_t from[BARE_MOST_INSNS * 10];
	uint8_t used[BARE_MOST_RECORD];
	const bool is_whole = end == r->s->n_insn;
	unsigned lost;
	int rc;

	if (is_whole && put_known(c, r))
		return 0;
	if (r->s->n_slot > BARE_MOST_INSNS * 10 || r->n_access > BARE_MOST_RECORD)
		return -SPMU_EPROTO;
	lost = bare_run_match(r, end, value, from, used);
	rc = put_pieces(c, r, end, value);
	return !rc && is_whole && !lost ? bare_run_learn(r->s, r, from) : rc;
}

/* ---- REP ------------------------------------------------------------------------------------- */

/* The record of the REP instruction whose turns were gathered. */
static int flush_rep(struct bare_convert *c)
{
	struct bare_rep *rep = &c->rep;
	uint64_t slots[X86_MAX_SLOTS + 1] = {0};
	const uint32_t head = trc_block_head(rep->block, rep->n_slot);
	int rc = 0;

	if (rep->block == BARE_NO_BLOCK)
		return 0;
	slots[rep->slot_count] = rep->n;
	if (rep->slot_source != X86_NO_SLOT)
		slots[rep->slot_source] = rep->source;
	if (rep->slot_destination != X86_NO_SLOT)
		slots[rep->slot_destination] = rep->destination;
	if (rep->df >= 0 && rep->df != c->df) {
		const uint32_t df[2] = {(uint32_t)rep->df, 0};

		rc = bare_put_event(c, TRC_DF, df, sizeof(df));
		c->df = rep->df;
	}
	rc = rc ? rc : bare_put_bytes(c, &head, 4);
	rc = rc ? rc : bare_put_bytes(c, slots, 8u * rep->n_slot);
	rep->block = BARE_NO_BLOCK;
	return rc;
}

static void begin_rep(struct bare_convert *c, const struct bare_piece *p)
{
	const struct x86_rep *rep = &x86_store_get(c->store, p->block)->rep[0];

	c->rep = (struct bare_rep){.block = p->block,
				   .pc = p->pc,
				   .df = -1,
				   .n_slot = p->n_slot,
				   .slot_count = rep->slot_count,
				   .slot_source = rep->slot_src,
				   .slot_destination = rep->slot_dst};
}

/* Note where a turn's operands lie: those of its first turn, and which way they go. */
static void note_operands(struct bare_rep *rep, const struct bare_piece *p, const uint32_t *at)
{
	const unsigned source = p->is_swapped ? 1 : 0;
	const unsigned destination = p->has_source && !p->is_swapped ? 1 : 0;
	const uint32_t one = p->has_source ? at[source] : at[destination];

	if (rep->n == 0) {
		rep->source = p->has_source ? at[source] : 0;
		rep->destination = p->has_destination ? at[destination] : 0;
	} else if (rep->n == 1) {
		rep->df = one < (p->has_source ? rep->source : rep->destination);
	}
	rep->n++;
}

/* Gather one turn of REP piece p, the last of the stretch. A turn without accesses finds that
 * nothing is left to do, or faults. */
static int take_turn(struct bare_convert *c, const struct bare_run *r, const struct bare_piece *p)
{
	const unsigned wanted = (unsigned)p->has_source + p->has_destination;
	uint32_t at[2] = {0, 0};
	unsigned n = 0;

	for (size_t i = 0; i < r->n_access && n < 2; i++)
		if (bare_run_insn_of(r, r->access[i]) == p->first)
			at[n++] = (uint32_t)r->access[i];
	if (c->rep.block == BARE_NO_BLOCK && (n == wanted || r->next == r->s->fall))
		begin_rep(c, p);
	if (c->rep.block != BARE_NO_BLOCK && n == wanted)
		note_operands(&c->rep, p, at);
	return r->next == p->pc ? 0 : flush_rep(c);
}

/* ---- where runs end -------------------------------------------------------------------------- */

/* The whole stretch was executed: say where execution went on when its code does not. */
static int put_way(struct bare_convert *c, const struct bare_run *r)
{
	struct bare_stretch *s = r->s;
	const bool is_far = s->term == X86_TERM_EMULATE || s->term == X86_TERM_SYSCALL;
	int rc = 0;

	if (r->next == BARE_NOWHERE)
		return 0;
	if (bare_run_leads_to_next(r)) {
		s->was_taken = s->term == X86_TERM_JCC && r->next == s->target;
		return is_far ? 0 : bare_put_if_ring(c, s->ring, r->next);
	}
	if (s->term != X86_TERM_FALL)
		rc = bare_put_go(c, s->term == X86_TERM_JCC && !s->was_taken ? s->fall : s->target);
	return rc ? rc : bare_put_delivery(c, r->next);
}

/* `end` instructions were executed and no more. */
static int put_stop(struct bare_convert *c, const struct bare_run *r, unsigned end)
{
	int rc = 0;

	if (r->next == BARE_NOWHERE)
		return 0;
	if (end &&
	    r->next == bare_run_address_behind(r->s, end - 1)) /* next time a block ends there */
		return bare_blocks_cut(r->s, end - 1);
	if (!end)
		rc = bare_put_go(c, r->s->pc);
	if (rc || (!end && r->next == r->s->pc)) /* QEMU begins it again */
		return rc ? rc : bare_put_go(c, r->next);
	return bare_put_delivery(c, r->next);
}

/* The stretch ends with a REP. Its turns are gathered, and the rest is as with others. */
static int finish_rep(struct bare_convert *c, const struct bare_run *r)
{
	const struct bare_piece *p = &r->s->piece[r->s->n_piece - 1];
	const unsigned stop = bare_run_last_begun(r);
	const unsigned end = !bare_run_is_all_begun(r) ? bare_run_executed(r, stop) : p->first;
	int rc = end ? put_run(c, r, end) : 0;

	if (rc || end < p->first || stop < p->first)
		return rc ? rc : put_stop(c, r, end);
	rc = take_turn(c, r, p);
	if (rc || r->next == BARE_NOWHERE || r->next == p->pc || r->next == r->s->fall)
		return rc;
	return bare_put_delivery(c, r->next);
}

/* Returns how many instructions stand in front of the address where the stream ends, if that lies
 * inside of the stretch; else 0. */
static unsigned in_front_of_stop(const struct bare_convert *c, const struct bare_stretch *s)
{
	uint32_t pc = s->pc;

	if (!c->stop_pc || c->stop_pc - s->pc >= s->n_code)
		return 0;
	for (unsigned i = 0; i < s->n_insn; i++, pc += bare_size(s, i - 1))
		if (pc == c->stop_pc)
			return i;
	return 0;
}

/* The stream ends behind `end` instructions of the run, of which no later one began a block. */
static int finish_last(struct bare_convert *c, struct bare_run *r, unsigned end)
{
	int rc = bare_blocks_cut(r->s, end - 1);

	c->has_ended = true;
	rc = rc ? rc : bare_blocks_get(c->blocks, r->number, &r->s);
	return rc ? rc : put_run(c, r, end);
}

/* Convert a run. */
static int finish(struct bare_convert *c, const uint64_t *word, size_t n, uint64_t next)
{
	struct bare_run r = {.blocks = c->blocks,
			     .number = (uint32_t)word[0],
			     .begun = word[0] >> BARE_BEGUN_SHIFT &
				      ((1u << (BARE_COUNT_SHIFT - BARE_BEGUN_SHIFT)) - 1),
			     .access = word + 1,
			     .n_access = n - 1,
			     .next = next};
	int rc = bare_blocks_get(c->blocks, r.number, &r.s);
	unsigned end, stop;

	if (rc)
		return rc;
	if (r.s->df >= 0)
		c->df = r.s->df;
	if (c->rep.block != BARE_NO_BLOCK && r.s->piece[0].block != c->rep.block)
		rc = flush_rep(c);
	end = in_front_of_stop(c, r.s);
	if (rc || end)
		return rc ? rc : finish_last(c, &r, end);
	if (r.s->piece[r.s->n_piece - 1].is_rep)
		return finish_rep(c, &r);
	if (r.begun == r.s->n_counted && !r.s->never_ends && put_known(c, &r))
		return put_way(c, &r);
	stop = bare_run_last_begun(&r);
	end = bare_run_executed(&r, stop);
	rc = put_run(c, &r, end);
	if (rc)
		return rc;
	return end == r.s->n_insn ? put_way(c, &r) : put_stop(c, &r, end);
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* The stretch that began last asks; what ran before it has been converted. Where the plugin looks
 * between two turns of a REP, that instruction is not over. */
static int ask(struct bare_convert *c, const uint8_t *payload, uint32_t bytes)
{
	struct bare_ask question;
	int rc;

	if (bytes != sizeof(question) || !c->listener.ask)
		return -SPMU_EPROTO;
	memcpy(&question, payload, sizeof(question));
	rc = question.what == BARE_LOOK ? 0 : flush_rep(c);
	return rc ? rc : c->listener.ask(c->listener.ctx, &question);
}

/* Does the record of words [word, word + size) look in front of a stretch? Sets *number to that. */
static bool is_look(const uint64_t *word, size_t size, uint32_t *number)
{
	struct bare_ask question;

	if ((word[0] >> 56 & 0x7f) != BARE_ASK || size != 1 + sizeof(question) / 8)
		return false;
	memcpy(&question, word + 1, sizeof(question));
	*number = question.index;
	return question.what == BARE_LOOK;
}

/* The number that is all of a record's payload. */
static int take_number(const uint8_t *payload, uint32_t bytes, uint32_t *number)
{
	if (bytes != sizeof(*number))
		return -SPMU_EPROTO;
	memcpy(number, payload, sizeof(*number));
	return 0;
}

/* Can a processor have that page? */
static bool is_page(const struct trc_page *p)
{
	const bool has_pde = p->pde != TRC_NO_ENTRY, has_pte = p->pte != TRC_NO_ENTRY,
		   is_large = p->flags & TRC_PAGE_LARGE;

	return p->page < 1u << 20 && p->frame < 1u << 24 && !(p->flags & ~TRC_PAGE_FLAGS) &&
	       (!has_pde || !(p->pde & 3)) && (!has_pte || !(p->pte & 3)) &&
	       (has_pde ? is_large != has_pte : !has_pte && !is_large);
}

/* What BARE_PAGE says. The last run is not converted yet: the page comes in front of it, unless
 * that run ended with a flush. */
static int take_page(struct bare_convert *c, const uint8_t *payload, uint32_t bytes)
{
	struct trc_page page = {.zero = 0};
	int rc;

	if (bytes != sizeof(struct bare_page))
		return -SPMU_EPROTO;
	memcpy(&page, payload, bytes);
	if (!is_page(&page))
		return -SPMU_EPROTO;
	rc = bare_hold_event(c, TRC_PAGE, &page, sizeof(page));
	return rc || c->is_flushed ? rc : bare_put_held(c, c->last_pc);
}

/* What BARE_FLUSH says. */
static int take_flush(struct bare_convert *c, const uint8_t *payload, uint32_t bytes)
{
	uint32_t flush[2];

	if (bytes != sizeof(flush))
		return -SPMU_EPROTO;
	memcpy(flush, payload, sizeof(flush));
	if (flush[0] >= TRC_N_FLUSHES || flush[1] >= 1u << 20)
		return -SPMU_EPROTO;
	c->is_flushed = true;
	return bare_hold_event(c, TRC_FLUSH, flush, sizeof(flush));
}

/* A record that is no run. Returns as bare_convert(). */
static int special(struct bare_convert *c, unsigned kind, const uint8_t *payload, uint32_t bytes)
{
	uint32_t number;

	c->is_idle = kind == BARE_IDLE;
	switch (kind) {
	case BARE_BLOCK: return bare_blocks_announce(c->blocks, payload, bytes);
	case BARE_FORGET:
		if (take_number(payload, bytes, &number))
			return -SPMU_EPROTO;
		bare_blocks_drop(c->blocks, number);
		return 0;
	case BARE_INTERRUPT: c->is_interrupted = true; return take_number(payload, bytes, &number);
	case BARE_MASK: return take_number(payload, bytes, &c->mask);
	case BARE_PAGE: return take_page(c, payload, bytes);
	case BARE_FLUSH: return take_flush(c, payload, bytes);
	case BARE_CONSOLE:
		if (c->listener.console)
			c->has_ended |=
			    c->listener.console(c->listener.ctx, (const char *)payload, bytes);
		return 0;
	case BARE_IDLE: return 0;
	case BARE_ASK: return ask(c, payload, bytes);
	case BARE_END: c->has_ended = true; return 0;
	default: return -SPMU_EPROTO;
	}
}

/* Keep the last run, because its chunk will be filled anew. */
static int keep_last(struct bare_convert *c, const uint64_t *word, size_t n)
{
	if (n > c->room_last)
		return -SPMU_EPROTO;
	if (word != c->last)
		memcpy(c->last, word, n * sizeof(*word));
	c->n_last = n;
	return 0;
}

/* A stretch begins to run: convert the last run, of n_last words. Returns as bare_convert(). */
static int begin(struct bare_convert *c, uint32_t number, const uint64_t *last, size_t n_last)
{
	const struct bare_stretch *s = bare_blocks_find(c->blocks, number);
	int rc;

	if (!s)
		return -SPMU_EPROTO;
	c->is_idle = false;
	c->next_ring = s->ring;
	rc = n_last ? finish(c, last, n_last, s->pc) : 0;
	rc = rc ? rc : bare_put_held(c, s->pc);
	if (rc)
		return rc;
	c->last_pc = s->pc;
	c->has_started |= s->pc == c->start_pc || !c->start_pc;
	c->is_high |= c->has_started && c->high_pc && s->pc >= c->high_pc;
	c->has_ended |= c->has_started && c->stop_pc && s->pc == c->stop_pc;
	if (c->has_started && !c->has_ended)
		return bare_put_state(c, s->pc, s->ring);
	c->is_interrupted = false;
	return 0;
}

int bare_convert(struct bare_convert *c, const uint64_t *word, size_t n)
{
	const uint64_t *last = c->last;
	size_t n_last = c->n_last, at = c->n_done;
	uint32_t number;
	int rc = 0, kept;

	while (at < n && !rc && !c->has_ended) {
		const uint64_t head = word[at];
		const bool is_special = head & BARE_SPECIAL;
		const size_t size =
		    1 + (is_special ? ((head & UINT32_MAX) + 7) / 8 : head >> BARE_COUNT_SHIFT);

		if (size <= n - at && is_special && is_look(word + at, size, &number)) {
			rc = begin(c, number, last, n_last);
			if (rc)
				break;
			n_last = 0;
		}
		if (size > n - at) {
			rc = -SPMU_EPROTO;
		} else if (is_special) {
			rc = special(c, head >> 56 & 0x7f, (const uint8_t *)(word + at + 1),
				     (uint32_t)head);
		} else {
			rc = begin(c, (uint32_t)head, last, n_last);
			if (rc)
				break;
			last = word + at;
			n_last = c->has_started && !c->has_ended ? size : 0;
		}
		at += size;
	}
	c->n_done = rc > 0 ? at : 0;
	kept = keep_last(c, last, n_last);
	return rc ? rc : kept;
}

int bare_convert_end(struct bare_convert *c)
{
	int rc = c->n_last ? finish(c, c->last, c->n_last, BARE_NOWHERE) : 0;

	if (rc <= 0)
		c->n_last = 0;
	return rc ? rc : flush_rep(c);
}
