/* memo.c -- steps from state to state. Rules and limits are in memo.h. */
#include "model/p6/kept/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/p6/p6.h"
#include "model/p6/clocks/time_key.h"
#include "model/p6/kept/step_owners.h"
#include "model/p6/kept/memo_steps.h"
#include "model/p6/clocks/time_block.h"
#include "model/parts/memo.h"
#include "model/parts/met.h"
#include "trace/record.h"

/* Of the machines of one system together. */
#define STATE_BYTES (112u << 20)
#define STEP_BYTES  (96u << 20)
/* What blocks take of other memory is taken from these, down to a sixth of them: templates,
 * compiled blocks, what wrong paths know; so many bytes each, measured with gcc's cc1 (131 000
 * blocks). */
#define BLOCK_BYTES 600u
#define LEAST_PART  6u
/* Most states are never met again, nor are the steps between them: as soon as half of the room is
 * taken a state gets a number when it is met for the second time. */
#define MET_PLACES (1u << 19)

struct p6_memo {
	struct memo room; /* states, */
	struct p6_pairs pairs;
	struct p6_steps steps;
	struct p6_owners *owners;	/* whose their counts are, with a ledger; or NULL */
	size_t state_bytes, step_bytes; /* the most that both may take, without blocks */
	size_t state_room, step_room;	/* and with so many blocks: */
	uint32_t n_block;
	struct met met;	 /* states without a number */
	uint32_t state;	 /* MEMO_NONE: not known */
	bool is_new;	 /* it was just met for the first time: no step begins there */
	bool is_away;	 /* the tables are older than the state */
	bool is_strange; /* the one in front of pc was not met before: it has no number */
	uint64_t pc;	 /* where the state's next instruction lies */
	uint64_t n_miss; /* misses in front of that */
	struct p6_reach reach;
	struct p6_leap *last, *before_last; /* the steps before, or number 0 */
	/* a step that is being made: from this state, */
	uint64_t rename_clk, retire_clk, branch_clk, l2_clk, bus_clk, memory_clk, read_clk, from_pc;
	uint32_t bus_at;
	struct p6_leap leap;
	struct p6_leap_rest rest;
	struct p6_moved moved[WIRE_N];
	unsigned n_moved;
	bool has_fit; /* its front end was short of the limits */
	bool is_making;
	/* counts that belong to clocks */
	uint16_t wire[WIRE_N];
	unsigned n_wire;
	uint64_t before[WIRE_N]; /* what they were, by their place in `wire` */
};

/* ---- opening --------------------------------------------------------------------------------- */

/* Of `bytes` for all machines of a system. */
static size_t share(const struct p6 *m, size_t bytes)
{
	return bytes / m->system->n * (m->system->memo_percent ? m->system->memo_percent : 100) /
	       100;
}

/* Can a step move it? Shares of slots and comparisons are for who looks at single micro-ops or
 * clocks, and then nothing is kept. */
static bool is_moved(unsigned i, const struct cat_wire *w)
{
	return w->family == CAT_P6 && i != WIRE_P6_CORE_CLK &&
	       (w->need == CAT_NEED_CLOCKS || w->need == CAT_NEED_DELIVERY);
}

int p6_memo_open(struct p6 *m)
{
	struct p6_memo *o = calloc(1, sizeof(*o));
	size_t n;
	const struct cat_wire *w = cat_wires(&n);

	if (!o)
		return -SPMU_ENOMEM;
	m->time.wants_memo = false;
	m->time.memo = o;
	for (unsigned i = 0; i < n && i < WIRE_N; i++)
		if (is_moved(i, &w[i]) && o->n_wire <= UINT8_MAX) /* as struct p6_moved has them */
			o->wire[o->n_wire++] = (uint16_t)i;
	o->state_bytes = share(m, STATE_BYTES);
	o->step_bytes = share(m, STEP_BYTES);
	o->n_block = UINT32_MAX;
	if (met_open(&o->met, MET_PLACES) || memo_open(&o->room, o->state_bytes) ||
	    p6_steps_open(&o->steps, o->step_bytes))
		return -SPMU_ENOMEM;
	o->last = o->before_last = o->steps.leap;
	o->owners = m->ledger ? p6_owners_open(o->steps.most_leaps) : NULL;
	return m->ledger && !o->owners ? -SPMU_ENOMEM : 0;
}

void p6_memo_close(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;

	if (!o)
		return;
	memo_close(&o->room);
	p6_steps_close(&o->steps);
	p6_owners_close(o->owners);
	met_close(&o->met);
	free(o);
	m->time.memo = NULL;
}

uint32_t p6_memo_n_emptied(const struct p6 *m)
{
	return m->time.memo ? m->time.memo->room.n_flushes : 0;
}

/* ---- states ---------------------------------------------------------------------------------- */

void p6_memo_fold(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;

	if (!o)
		return;
	if (o->owners && m->ledger)
		p6_owners_book(o->owners, m, &o->steps);
	p6_steps_take(&o->steps, o->wire, m->dyn);
	if (o->owners && m->ledger)
		ledger_skip(m->ledger); /* it is booked */
}

/* The tables as the state says. */
static void catch_up(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;
	unsigned n;

	if (!o->is_away)
		return;
	p6_state_unpack(m, o->pc, o->n_miss, memo_state_bytes(&o->room, o->state, &n));
	o->is_away = false;
}

void p6_memo_wake(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;

	if (!o)
		return;
	catch_up(m);
	o->state = MEMO_NONE;
	o->last = o->before_last = o->steps.leap;
}

/* What is left of the room when blocks have theirs. */
static void share_with_blocks(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;
	const size_t all = o->state_bytes + o->step_bytes;
	const size_t left = memo_left(all, (size_t)m->blocks.n_compiled * BLOCK_BYTES, LEAST_PART) /
			    (all / 1024); /* in 1024ths */

	o->n_block = m->blocks.n_compiled;
	o->state_room = o->state_bytes / 1024 * left;
	o->step_room = o->step_bytes / 1024 * left;
}

static void empty(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;

	p6_memo_wake(m);
	p6_memo_fold(m);
	share_with_blocks(m);
	memo_flush_to(&o->room, o->state_room);
	o->pairs = (struct p6_pairs){.of = {0}};
	p6_steps_flush(&o->steps, o->step_room);
	p6_owners_flush(o->owners);
}

void p6_memo_forget(struct p6 *m)
{
	if (m->time.memo)
		empty(m);
}

/* Is less than 1/part of it in use? */
static bool has_room(struct p6 *m, unsigned part)
{
	const struct p6_memo *o = m->time.memo;

	if (o->n_block != m->blocks.n_compiled)
		share_with_blocks(m);
	return part * memo_used(&o->room) < o->state_room &&
	       part * p6_steps_used(&o->steps) < o->step_room;
}

/* Does a state get a number as soon as it is met? */
static bool is_kept_once(struct p6 *m)
{
	return !m->time.memo->room.n_flushes && has_room(m, 2);
}

/* Look for the state of these bytes: ask the host for what number_of() looks at. */
static uint64_t ask(const struct p6_memo *o, const uint8_t *bytes, unsigned n)
{
	const uint64_t hash = memo_state_hash(&o->room, bytes, n);

	met_prefetch(&o->met, hash);
	return hash;
}

/* Its number, kept_once: is_kept_once(). MEMO_NONE: it was not met before, or there is no room, and
 * then nothing is kept any more. */
static uint32_t number_of(struct p6 *m, const uint8_t *bytes, unsigned n, uint64_t hash,
			  bool kept_once)
{
	struct p6_memo *o = m->time.memo;
	const uint32_t n_known = o->room.n_states;
	uint32_t state = kept_once ? memo_state_hashed(&o->room, bytes, n, hash)
				   : memo_state_known(&o->room, bytes, n, hash);

	o->is_new = state == MEMO_NONE || o->room.n_states != n_known;
	if (!o->is_new) {
		p6_steps_prefetch_more(&o->steps, state);
		return state;
	}
	if (!kept_once) {
		if (!met_again(&o->met, hash, 2))
			return MEMO_NONE;
		state = has_room(m, 1) ? memo_state_hashed(&o->room, bytes, n, hash) : MEMO_NONE;
	}
	if (state == MEMO_NONE)
		empty(m);
	return state;
}

/* The state of the tables, in front of pc; MEMO_NONE: it cannot be said, or has no number. */
static uint32_t state_of_tables(struct p6 *m, uint64_t pc)
{
	struct p6_memo *o = m->time.memo;
	uint8_t bytes[P6_STATE_BYTES];
	const unsigned n = p6_state_pack(m, pc, bytes, &o->reach);

	return n && n <= MEMO_MAX_STATE ? number_of(m, bytes, n, ask(o, bytes, n), is_kept_once(m))
					: MEMO_NONE;
}

bool p6_memo_enter(struct p6 *m, uint64_t pc)
{
	struct p6_memo *o = m->time.memo;

	if (o->state != MEMO_NONE && o->pc != pc) {
		catch_up(m);
		o->state = MEMO_NONE;
	}
	if (o->state == MEMO_NONE) {
		const bool is_strange = o->is_strange && o->pc == pc;

		o->is_strange = false;
		o->last = o->before_last = o->steps.leap;
		o->state = is_strange ? MEMO_NONE : state_of_tables(m, pc);
		o->pc = pc;
		if (o->state == MEMO_NONE)
			return false;
	}
	o->n_miss = m->time.recent.n_miss;
	m->time.recent.stores = o->reach.stores;
	m->time.recent.misses = o->reach.misses;
	return true;
}

bool p6_memo_is_known(const struct p6 *m, uint64_t pc)
{
	const struct p6_memo *o = m->time.memo;

	return o && o->state != MEMO_NONE && o->pc == pc;
}

const struct p6_steps *p6_memo_steps(const struct p6 *m)
{
	return &m->time.memo->steps;
}

bool p6_memo_lend(struct p6 *m)
{
	const struct p6_memo *o = m->time.memo;
	struct p6_time_host *h = &m->time.host;

	h->is_lent = o->state != MEMO_NONE && o->last != o->steps.leap;
	if (!h->is_lent)
		return false;
	h->last = o->last;
	h->before = o->before_last;
	h->n_miss = m->time.recent.n_miss;
	m->time.recent.stores = o->reach.stores;
	m->time.recent.misses = o->reach.misses;
	return true;
}

bool p6_memo_outcome(struct p6 *m)
{
	return p6_outcome(m, &m->time.memo->room, &m->time.memo->pairs, &m->time.host.last->reach,
			  &m->time.host.outcome);
}

void p6_memo_take_back(struct p6 *m, uint64_t pc)
{
	struct p6_memo *o = m->time.memo;
	struct p6_time_host *h = &m->time.host;

	if (!h->is_lent)
		return;
	h->is_lent = false;
	o->is_away |= o->last != h->last;
	o->is_new &= o->last == h->last;
	o->last = h->last;
	o->before_last = h->before;
	o->state = o->last->next;
	o->reach = o->last->reach;
	o->n_miss = h->n_miss;
	o->pc = pc;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static inline void move_clock(uint64_t *clk, uint64_t from, int16_t by)
{
	if (by != P6_LEAP_BEFORE)
		*clk = from + (uint64_t)(int64_t)by;
}

/* The front end after a step from clock clk and address pc. */
static struct p6_front front_of(const struct p6_leap_front *f, uint64_t clk, uint64_t pc)
{
	return (struct p6_front){
	    .clk = clk + (uint64_t)(int64_t)f->clk,
	    .jump_clk = clk + (uint64_t)(int64_t)f->jump_clk,
	    .block_begin = pc + (uint64_t)(int64_t)f->begin,
	    .block_end = pc + (uint64_t)(int64_t)f->end,
	    .chunk = (pc >> 4) + (uint64_t)(int64_t)f->chunk,
	    .groups = f->groups,
	    .slot = f->slot,
	    .jump_groups = f->jump_groups,
	    .has_branch = f->has_branch,
	    .is_fresh = f->is_fresh,
	    .starts_aligned = f->starts_aligned,
	    .jump_is_cut = f->jump_is_cut,
	};
}

static int16_t short_way(uint64_t to, uint64_t from, bool *fits)
{
	const int64_t by = (int64_t)(to - from);

	*fits &= by > INT16_MIN && by <= INT16_MAX;
	return (int16_t)by;
}

/* And back. A jump so long ago that nobody is late for it is one of the clock of the decoders.
 * false: it does not fit. */
static bool note_front(struct p6_leap_front *to, const struct p6_time *t, uint64_t clk, uint64_t pc)
{
	const struct p6_front *f = &t->front;
	const uint64_t jump =
	    f->jump_clk + t->par.taken_clk > f->clk ? f->jump_clk : f->clk - t->par.taken_clk;
	bool fits = f->groups <= UINT16_MAX;

	*to = (struct p6_leap_front){
	    .clk = short_way(f->clk, clk, &fits),
	    .jump_clk = short_way(jump, clk, &fits),
	    .begin = short_way(f->block_begin, pc, &fits),
	    .end = short_way(f->block_end, pc, &fits),
	    .chunk = short_way(f->chunk, pc >> 4, &fits),
	    .groups = (uint16_t)f->groups,
	    .slot = f->slot,
	    .jump_groups = f->jump_groups,
	    .has_branch = f->has_branch,
	    .is_fresh = f->is_fresh,
	    .starts_aligned = f->starts_aligned,
	    .jump_is_cut = f->jump_is_cut,
	};
	return fits;
}

/* s came behind the step before. */
static inline void come_to(struct p6_memo *o, struct p6_leap *s)
{
	const uint32_t place = p6_steps_place(&o->steps, s);

	if (o->before_last->later != place && o->before_last != o->steps.leap)
		o->before_last->later = place;
	o->before_last = o->last;
	o->last = s;
}

static inline struct p6_leap *find(struct p6_memo *o, uint32_t block, uint64_t outcome)
{
	const uint16_t tag = p6_steps_tag(block, outcome);
	struct p6_leap *s;
	uint32_t hash;

	if (o->is_new) {
		p6_steps_prefetch(&o->steps, o->state, block, outcome);
		return NULL;
	}
	s = p6_steps_behind(&o->steps, o->last, block, outcome, tag);
	if (!s) {
		hash = p6_steps_hash(o->state, block, outcome);
		s = p6_steps_apart(&o->steps, o->last, o->state, block, outcome, hash, tag);
	}
	if (!s) {
		memo_state_prefetch(&o->room, o->state); /* it may have to be worked out */
		s = p6_steps_find(&o->steps, o->last, o->state, block, outcome, hash, tag);
	}
	if (s)
		come_to(o, s);
	return s;
}

void p6_memo_prefetch_front(const struct p6 *m)
{
	const struct p6_memo *o = m->time.memo;

	for (unsigned i = 0; i < P6_LEAP_NEXT; i++)
		__builtin_prefetch(
		    p6_steps_front(p6_steps_at(&o->steps, o->last->then[i]))); /* if it has one */
	p6_steps_prefetch_more(&o->steps, o->last->next);
}

static inline void take_bus(struct p6_time *t, const struct p6_leap_bus *b, uint64_t base)
{
	move_clock(&t->bus_clk, base, b->clk);
	move_clock(&t->memory_clk, base, b->memory);
	for (unsigned i = 0; i < b->n_read; i++)
		move_clock(&t->bus_queue[t->bus_queue_at++ % t->par.bus_queue], base, b->queue[i]);
}

static void take_rest(struct p6 *m, struct p6_leap *s, uint64_t base, uint64_t pc)
{
	struct p6_time *t = &m->time;

	if (s->has_front) {
		struct p6_leap_front *const f = p6_steps_front(s);

		t->front = front_of(f, base, pc);
		/* the branch was executed in this step: what leads into the path is the same each
		 * time */
		if (s->branch_clk != P6_LEAP_BEFORE)
			t->wrong_first = &f->first;
	}
	if (s->has_bus)
		take_bus(t, p6_steps_bus(&t->memo->steps, s), base);
}

void p6_memo_take_bus(struct p6 *m, const struct p6_leap *l)
{
	take_bus(&m->time, p6_steps_bus(&m->time.memo->steps, l), m->time.ren.next_clk);
}

static inline void take(struct p6 *m, struct p6_leap *s, uint64_t pc)
{
	struct p6_time *t = &m->time;
	struct p6_steps *steps = &t->memo->steps;
	const uint64_t base = t->ren.next_clk, retire_clk = t->retire_clk;

	__builtin_prefetch(p6_steps_at(
	    steps, s->then[0])); /* looked at when the next block has done its accesses */
	__builtin_prefetch(p6_steps_at(steps, s->then[1]));
	__builtin_prefetch(p6_steps_at(steps, s->later));
	p6_steps_prefetch_more(steps, s->next);
	if (s->times == P6_LEAP_UNUSED - 1)
		p6_memo_fold(m);
	if (s->times == P6_LEAP_UNUSED)
		p6_steps_use_first(steps, s);
	s->times++;
	t->ren.next_clk = base + s->clk;
	move_clock(&t->retire_clk, base, s->retire_clk);
	move_clock(&t->branch_clk, base, s->branch_clk);
	move_clock(&t->l2_clk, base, s->l2_clk);
	t->memo->reach = s->reach;
	if (s->has_front | s->has_bus)
		take_rest(m, s, base, pc);
	if (__builtin_expect(t->memo->owners != NULL, 0))
		p6_owners_used(t->memo->owners, m, (uint32_t)(s - steps->leap),
			       t->retire_clk - retire_clk);
}

/* The counts so far, of those that belong to clocks. */
static void begin(struct p6 *m, uint64_t pc)
{
	struct p6_memo *o = m->time.memo;
	const struct p6_time *t = &m->time;

	for (unsigned i = 0; i < o->n_wire; i++)
		o->before[i] = m->dyn[o->wire[i]];
	o->rename_clk = t->ren.next_clk;
	o->retire_clk = t->retire_clk;
	o->branch_clk = t->branch_clk;
	o->l2_clk = t->l2_clk;
	o->bus_clk = t->bus_clk;
	o->memory_clk = t->memory_clk;
	o->read_clk = t->read_clk;
	o->bus_at = t->bus_queue_at;
	o->from_pc = pc;
	o->is_making = true;
	if (!o->owners)
		return;
	ledger_begin_notes(m->ledger);
	for (unsigned i = 0; i < t->ren.n; i++)
		m->time.origin[i] = (uint8_t)(1 + i);
}

static inline bool find_step(struct p6 *m, uint64_t pc, uint32_t key, uint64_t outcome,
			     uint64_t next)
{
	struct p6_memo *o = m->time.memo;
	struct p6_leap *s = find(o, key, outcome);

	if (s) {
		take(m, s, pc);
		o->state = s->next;
		o->is_new = false;
		o->pc = next;
		o->n_miss = m->time.recent.n_miss;
		o->is_away = true;
		return true;
	}
	catch_up(m);
	o->leap.from = o->state;
	o->leap.block = key;
	o->leap.outcome = outcome;
	begin(m, pc);
	return false;
}

bool p6_memo_find(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next)
{
	struct p6_memo *o = m->time.memo;
	uint64_t outcome;

	o->is_making = false;
	if (!p6_outcome(m, &o->room, &o->pairs, &o->reach, &outcome)) {
		p6_memo_wake(m);
		return false;
	}
	return find_step(m, pc, key, outcome, next);
}

bool p6_memo_find_last(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next)
{
	struct p6_time *t = &m->time;
	const uint64_t base = t->ren.next_clk;
	struct p6_leap_rest r;

	if (!p6_memo_find(m, pc, key, next))
		return false;
	p6_steps_rest(&t->memo->steps, t->memo->last, &r);
	if (r.read.clk == P6_LEAP_BEFORE)
		return true;
	move_clock(&t->read_clk, base, r.read.clk);
	t->read_unretired = r.read.unretired;
	t->read_own = r.read.own;
	t->unread = r.read.unread;
	return true;
}

bool p6_memo_find_again(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next)
{
	m->time.memo->is_making = false;
	return find_step(m, pc, key, m->time.host.outcome, next);
}

static int16_t moved_by(uint64_t now, uint64_t before, uint64_t from, bool *fits)
{
	const int64_t by = (int64_t)(now - from);

	if (now == before)
		return P6_LEAP_BEFORE;
	*fits &= by > INT16_MIN && by <= INT16_MAX;
	return (int16_t)by;
}

void p6_memo_done(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;

	if (m->ledger)
		m->ledger->is_noting = false;
	if (!o || !o->is_making)
		return;
	o->n_moved = 0;
	for (unsigned i = 0; i < o->n_wire; i++) {
		const uint64_t by = m->dyn[o->wire[i]] - o->before[i];

		if (by)
			o->moved[o->n_moved++] = (struct p6_moved){(uint8_t)i, (uint32_t)by};
	}
	o->has_fit = note_front(&o->rest.front, &m->time, o->rename_clk, o->from_pc);
}

/* What the external bus did since; false: more than a step says. */
static bool note_bus(struct p6_memo *o, const struct p6_time *t)
{
	const uint32_t n = t->bus_queue_at - o->bus_at;
	bool fits = n <= P6_KEY_READS;

	o->leap.has_bus = n || t->bus_clk != o->bus_clk;
	o->rest.bus.n_read = (uint8_t)n;
	o->rest.bus.clk = moved_by(t->bus_clk, o->bus_clk, o->rename_clk, &fits);
	o->rest.bus.memory = moved_by(t->memory_clk, o->memory_clk, o->rename_clk, &fits);
	for (uint32_t i = 0; fits && i < n; i++)
		o->rest.bus.queue[i] = moved_by(t->bus_queue[(o->bus_at + i) % t->par.bus_queue],
						P6_NO_KEY, o->rename_clk, &fits);
	return fits;
}

/* And the reading of a counter. */
static bool note_read(struct p6_memo *o, const struct p6_time *t)
{
	bool fits = t->read_unretired <= UINT8_MAX && t->read_own <= UINT8_MAX;

	o->rest.read =
	    (struct p6_leap_read){moved_by(t->read_clk, o->read_clk, o->rename_clk, &fits),
				  (uint8_t)t->read_unretired, (uint8_t)t->read_own, t->unread};
	return fits;
}

/* The step that was made, as one that is kept; NULL: there is no room. */
static struct p6_leap *add(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;
	struct p6_leap *s = NULL;

	if (!o->owners || p6_owners_keep(o->owners, m, o->steps.n_leap))
		s = has_room(m, 1)
			? p6_steps_add(&o->steps, &o->leap, &o->rest, o->moved, o->n_moved)
			: NULL;
	return s;
}

void p6_memo_kept(struct p6 *m, uint64_t next)
{
	struct p6_memo *o = m->time.memo;
	const struct p6_time *t = &m->time;
	const uint64_t base = o ? o->rename_clk : 0;
	struct p6_leap *s, *l = o ? &o->leap : NULL;
	uint8_t bytes[P6_STATE_BYTES];
	bool fits = true, kept_once;
	uint64_t hash;
	unsigned n;

	if (!o || !o->is_making)
		return;
	o->is_making = false;
	o->state = MEMO_NONE;
	o->pc = next;
	n = p6_state_pack(m, next, bytes, &o->reach);
	if (!n || n > MEMO_MAX_STATE) {
		o->last = o->before_last = o->steps.leap;
		return;
	}
	hash = ask(o, bytes, n);
	fits &= t->ren.next_clk - base <= UINT16_MAX;
	l->clk = (uint16_t)(t->ren.next_clk - base);
	l->retire_clk = moved_by(t->retire_clk, o->retire_clk, base, &fits);
	l->branch_clk = moved_by(t->branch_clk, o->branch_clk, base, &fits);
	l->l2_clk = moved_by(t->l2_clk, o->l2_clk, base, &fits);
	fits &= note_bus(o, t);
	fits &= note_read(o, t);
	l->reach = o->reach;
	l->has_front = P6_MEMO_GUESS(l->block) == P6_GUESS_WRONG;
	if (!fits || (l->has_front && !o->has_fit)) {
		o->last = o->before_last = o->steps.leap;
		return;
	}
	kept_once = is_kept_once(m);
	s = kept_once ? add(m) : NULL; /* while the host brings what number_of() looks at */
	o->state = number_of(m, bytes, n, hash, kept_once);
	if (o->state == MEMO_NONE) {
		o->is_strange = true;
		o->last = o->before_last = o->steps.leap;
		return;
	}
	if (!s)
		s = add(m);
	if (!s) {
		empty(m);
		return;
	}
	s->next = o->state;
	if (o->last != o->steps.leap)
		p6_steps_link(&o->steps, o->last, s, p6_steps_tag(l->block, l->outcome));
	come_to(o, s);
}
