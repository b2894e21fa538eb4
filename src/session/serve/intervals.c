/* intervals.c -- ends intervals: by host time, by instructions, or by the model's clock. Rules:
 * intervals.h. By instructions a block is cut at the end of an interval, so intervals repeat
 * exactly. */
#include "session/serve/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "session/serve/interval_book.h"
#include "session/serve/pieces.h"
#include "session/serve/reading.h"
#include "session/serve/serve.h"
#include "session/serve/tally.h"
#include "session/totals/counting.h"
#include "trace/record.h"

#define ALL_DONE	  UINT64_MAX
#define MOST_CLK_PER_INSN 32u /* of a stretch of instructions: chosen, above a chain of misses */

bool ses_has_intervals(const struct ses_intervals_config *cfg)
{
	return cfg && (cfg->every_ns || cfg->every_insns || cfg->every_clk);
}

/* ---- telling ------------------------------------------------------------------------------ */

static uint64_t ns_of_run(const struct ses_server *s)
{
	return ses_host_ns() - s->start_ns;
}

/* Hand a message to the book of the first server. */
static void send_message(struct ses_server *s, struct ses_message *m)
{
	m->member = s->member;
	if (s->family->is_first)
		ses_book_take(s->family->book, m);
	else
		ses_family_tell(s->family, m);
}

/* What the guest has counted since its birth. */
struct counts {
	uint64_t wire[WIRE_N];
	uint64_t part[MDL_PART_ROOM]; /* of estimates (model/part.h) */
};

/* In place of the estimated clocks of an interval, which begins where the last one was reported,
 * set those that its part has. */
static void estimate(struct ses_server *s, const struct counts *now, struct ses_totals *t)
{
	for (unsigned i = 0; i < MDL_PART_ROOM; i++)
		t->part[i] = now->part[i] - s->intervals.told_part[i];
	memcpy(s->intervals.told_part, now->part, sizeof(now->part));
	if (mdl_part_totals(s->model, t->part, t->wire, t->half))
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
}

/* The guest has left all intervals before `next`. The part of `now` that was not reported yet
 * belongs to interval `number`, which ends at `at`. */
static void end_interval(struct ses_server *s, uint64_t number, uint64_t next, uint64_t at,
			 const struct counts *now)
{
	const uint64_t *wire = now->wire;
	struct ses_message *m = calloc(1, sizeof(*m));

	if (!m) {
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
		return;
	}
	for (unsigned i = 0; i < WIRE_N; i++) {
		if (wire[i] <= s->intervals.told[i])
			continue;
		m->totals.wire[i] = wire[i] - s->intervals.told[i];
		s->intervals.told[i] = wire[i];
	}
	if (mdl_has_parts(s->model))
		estimate(s, now, &m->totals);
	m->kind = SES_INTERVAL;
	m->interval = number;
	m->next_interval = next;
	m->at = at;
	s->intervals.number = s->family->interval = next;
	send_message(s, m);
	free(m);
}

/* Take what the guest has counted until now. The wires were read; estimates have their parts. */
static void take_counts(struct ses_server *s, struct counts *now)
{
	if (mdl_part_now(s->model, now->part))
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	memcpy(now->wire, s->wires->total, sizeof(now->wire));
	ses_gate_take_off(s, now->wire);
}

/* Answer a request for the counts so far. */
static void answer(struct ses_server *s)
{
	struct ses_message *m = calloc(1, sizeof(*m));

	if (!m) {
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
		return;
	}
	s->intervals.answered = __atomic_load_n(&s->family->alarm->asked, __ATOMIC_ACQUIRE);
	m->kind = SES_SO_FAR;
	m->thread = s->intervals.answered;
	if (s->intervals.own) {
		m->totals = *s->intervals.own;
	} else {
		memcpy(m->totals.wire, s->wires->total, sizeof(m->totals.wire));
		m->totals.instructions = mdl_instructions(s->model);
		ses_gate_take_off(s, m->totals.wire);
		ses_totals_subtract(&m->totals, &s->base);
		for (uint32_t i = 0; i < s->mates.n; i++)
			ses_totals_add(&m->totals, &s->mates.mate[i].totals);
	}
	send_message(s, m);
	free(m);
}

/* ---- by instructions ---------------------------------------------------------------------- */

/* One record: how many instructions it holds, and the values of its block where that can be cut. */
struct step {
	uint64_t insns;
	uint32_t block;
	const uint8_t *slots; /* NULL: it cannot be cut */
};

static void read_step(const struct ses_server *s, const uint8_t *p, size_t size, struct step *k)
{
	uint32_t head, word[2] = {0, 0};

	memcpy(&head, p, 4);
	*k = (struct step){0};
	if (head < TRC_SPECIAL) {
		k->block = trc_block_id(head);
		k->slots = p + 4;
		if (k->block < x86_store_count(s->store))
			k->insns = x86_store_get(s->store, k->block)->n_insn;
	} else if (head == TRC_SPECIAL + TRC_PARTIAL && size >= 16) {
		memcpy(word, p + 8, 8);
		k->block = word[0];
		k->insns = word[1];
		k->slots = p + 16;
	} else if (head == TRC_SPECIAL + TRC_UNKNOWN_INSN) {
		k->insns = 1;
	}
	if (!k->slots || s->cfg->model.cpu->family == CAT_TOY ||
	    (s->service && s->service->is_busy(s->service->ctx)) ||
	    !ses_pieces_fit(s, k->block, (uint32_t)k->insns, (size_t)(p + size - k->slots)))
		k->slots = NULL;
}

static uint64_t end_of_interval(const struct ses_server *s)
{
	return (s->intervals.number + 1) * s->cfg->intervals->every_insns;
}

/* The guest has executed the last instruction of its interval; a record that cannot be cut may have
 * gone past it. */
static void end_by_instructions(struct ses_server *s)
{
	const uint64_t every = s->cfg->intervals->every_insns;
	struct counts now;

	if (!mdl_has_parts(s->model))
		ses_peek(s);
	take_counts(s, &now);
	end_interval(s, s->intervals.number, s->intervals.position / every, end_of_interval(s),
		     &now);
}

/* An execution of a block in pieces, cut where intervals end. */
static int feed_pieces(struct ses_server *s, const struct step *k)
{
	uint32_t from = 0;
	int rc = 0;

	while (!rc && from < k->insns) {
		const uint64_t room = end_of_interval(s) - s->intervals.position;
		const uint32_t to =
		    room < k->insns - from ? from + (uint32_t)room : (uint32_t)k->insns;

		rc = ses_pieces_feed(s, k->block, from, to, k->slots);
		s->intervals.position += to - from;
		if (!rc && s->intervals.position == end_of_interval(s))
			end_by_instructions(s);
		from = to;
	}
	return rc;
}

static int feed_by_instructions(struct ses_server *s, const uint8_t *bytes, size_t n)
{
	size_t begin = 0, at = 0, size;
	int rc = 0;

	while (!rc && (size = trc_record_bytes(bytes + at, n - at)) != 0) {
		const uint64_t end = end_of_interval(s);
		struct step k;

		read_step(s, bytes + at, size, &k);
		at += size;
		if (s->intervals.position + k.insns < end) {
			s->intervals.position += k.insns;
			continue;
		}
		if (k.slots && s->intervals.position + k.insns > end) {
			rc = ses_serve_feed_service(s, bytes + begin, at - size - begin);
			rc = rc ? rc : feed_pieces(s, &k);
		} else {
			rc = ses_serve_feed_service(s, bytes + begin, at - begin);
			s->intervals.position += k.insns;
			if (!rc)
				end_by_instructions(s);
		}
		begin = at;
	}
	return rc || begin == n ? rc : ses_serve_feed_service(s, bytes + begin, n - begin);
}

/* ---- by the model's clock ------------------------------------------------------------------ */

/* Returns the processor's clock for these totals. */
static uint64_t clock_of(const struct ses_server *s, const uint64_t *wire)
{
	struct wires w = *s->wires;
	struct evt_count count;

	memcpy(w.total, wire, sizeof(w.total));
	ses_count_events(s->cfg->model.cpu, s->cfg->intervals->clock, 1, &w, &count);
	return count.status == EVT_COUNTED ? count.value : 0;
}

/* Returns true if this server's guest has intervals by the clock. Only the first process of a run
 * has. */
static bool follows_clock(const struct ses_server *s)
{
	return s->cfg->intervals && s->cfg->intervals->every_clk && s->family->is_first;
}

/* The guest stands behind a record. End its interval when the clock says so, and find out how far
 * it can go before the next look. */
static void look_at_clock(struct ses_server *s)
{
	const uint64_t every = s->cfg->intervals->every_clk;
	struct counts now;
	uint64_t clk, end;

	ses_peek(s);
	take_counts(s, &now);
	clk = clock_of(s, now.wire);
	if (clk / every > s->intervals.number)
		end_interval(s, s->intervals.number, clk / every, clk, &now);
	end = (s->intervals.number + 1) * every;
	s->intervals.room = end > clk ? (end - clk) / MOST_CLK_PER_INSN : 0;
}

static int feed_by_clock(struct ses_server *s, const uint8_t *bytes, size_t n)
{
	size_t begin = 0, at = 0, size;
	int rc = 0;

	while (!rc && (size = trc_record_bytes(bytes + at, n - at)) != 0) {
		struct step k;

		read_step(s, bytes + at, size, &k);
		at += size;
		if (k.insns < s->intervals.room || !k.insns) {
			s->intervals.room -= k.insns;
			continue;
		}
		rc = ses_serve_feed_service(s, bytes + begin, at - begin);
		begin = at;
		if (!rc)
			look_at_clock(s);
	}
	return rc || begin == n ? rc : ses_serve_feed_service(s, bytes + begin, n - begin);
}

int ses_intervals_feed(struct ses_server *s, const uint8_t *bytes, size_t n)
{
	if (s->cfg->intervals && s->tier == SHR_TIER_STREAM) {
		if (s->cfg->intervals->every_insns)
			return feed_by_instructions(s, bytes, n);
		if (follows_clock(s))
			return feed_by_clock(s, bytes, n);
	}
	return ses_serve_feed_service(s, bytes, n);
}

/* ---- by time, and when asked -------------------------------------------------------------- */

/* Bring the guest's present counts onto the wires. Returns false while the guest is still on its
 * way to a boundary: call again. */
static bool stand(struct ses_server *s)
{
	if (s->is_refused || (s->tier == SHR_TIER_COUNT && !ses_meet(s)))
		return false;
	ses_meet_peek(s);
	ses_peek(s);
	return !s->is_refused;
}

static bool is_late(const struct ses_server *s)
{
	const uint64_t every = s->cfg->intervals->every_ns;

	return every && !s->intervals.own && ns_of_run(s) / every > s->intervals.number;
}

static void end_by_time(struct ses_server *s)
{
	const uint64_t at = ns_of_run(s), number = at / s->cfg->intervals->every_ns;
	struct counts now;

	take_counts(s, &now);
	end_interval(s, number - 1, number, at, &now);
}

void ses_intervals_look(struct ses_server *s)
{
	const uint32_t asked =
	    s->cfg->intervals ? __atomic_load_n(&s->family->alarm->asked, __ATOMIC_ACQUIRE) : 0;

	if (!s->cfg->intervals || s->is_left)
		return;
	if ((is_late(s) || asked != s->intervals.answered) && (s->intervals.own || stand(s))) {
		if (is_late(s))
			end_by_time(s);
		if (asked != s->intervals.answered)
			answer(s);
		if (!s->intervals.own)
			ses_meet_end(s);
	}
	if (s->family->is_first)
		ses_book_tell(s->family->book, s,
			      s->intervals.own ? ALL_DONE : s->intervals.number);
}

/* ---- beginning and end -------------------------------------------------------------------- */

void ses_intervals_born(struct ses_server *s)
{
	if (!s->cfg->intervals)
		return;
	if (mdl_part_now(s->model, s->intervals.told_part))
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	memcpy(s->intervals.told, s->wires->total, sizeof(s->intervals.told));
	ses_gate_take_off(s, s->intervals.told);
	s->intervals.answered = 0;
}

void ses_intervals_end(struct ses_server *s, const struct ses_totals *t)
{
	const struct ses_intervals_config *cfg = s->cfg->intervals;
	uint64_t at = s->intervals.position;
	struct counts now;

	if (!ses_has_intervals(cfg) || (cfg->every_clk && !s->family->is_first))
		return;
	if (cfg->every_ns)
		at = ns_of_run(s);
	else if (cfg->every_clk)
		at = clock_of(s, t->wire);
	memcpy(now.wire, t->wire, sizeof(now.wire));
	memcpy(now.part, t->part, sizeof(now.part));
	end_interval(s, s->intervals.number, ALL_DONE, at, &now);
}
