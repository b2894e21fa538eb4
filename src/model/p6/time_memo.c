/* time_memo.c -- steps from state to state. Rules and limits are in time_memo.h. */
#include "model/p6/time_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/p6/p6.h"
#include "model/p6/time_key.h"
#include "model/parts/memo.h"
#include "trace/record.h"

#define ALL_BYTES (160u << 20) /* of the machines of one system together */
#define AS_BEFORE INT32_MIN

/* What a step moves beside the clock of rename and counts: clocks, from that before it. */
struct leap {
	int32_t retire_clk, branch_clk, l2_clk; /* AS_BEFORE: not moved */
	uint32_t then_tag, aside_tag;		/* what the steps behind it are for, so that others need not be looked at */
	struct p6_reach reach;
	uint8_t n_read; /* of the external bus */
	bool has_bus;	/* the external bus moved: */
	bool has_front; /* it ends in a wrong path: */
	struct bus {
		int32_t clk, queue[P6_KEY_READS]; /* free then; the entries of its reads */
	} bus;
	struct p6_front front; /* of the wrong path, clocks and addresses from those of the state before */
};

/* What rename and later stages see of a micro-op. */
struct content {
	struct p6_uop uop;
	struct p6_step step;
};

struct p6_memo {
	struct memo room;
	uint32_t state;	  /* MEMO_NONE: not known */
	bool is_away;	  /* the tables are older than the state */
	uint64_t pc;	  /* where the state's next instruction lies */
	uint64_t n_miss;  /* misses in front of that */
	struct p6_reach reach;
	struct memo_step first, *last; /* the step before, or one that stands for none */
	/* a step that is being made: from this state, */
	uint32_t from, block;
	uint64_t outcome, rename_clk, retire_clk, branch_clk, l2_clk, bus_clk, from_pc;
	uint32_t bus_at;
	struct leap leap;
	struct memo_delta delta[WIRE_N];
	unsigned n_delta;
	bool is_making;
	/* counts that belong to clocks */
	uint16_t wire[WIRE_N];
	unsigned n_wire;
	uint64_t before[WIRE_N];
	/* contents, and a hash table of their numbers */
	struct content *content;
	uint32_t n_content, content_size;
	uint32_t *content_of;
	uint32_t content_mask;
};

/* ---- opening ------------------------------------------------------------------------------------------- */

int p6_memo_open(struct p6 *m)
{
	struct p6_memo *o = calloc(1, sizeof(*o));
	size_t n;
	const struct cat_wire *w = cat_wires(&n);

	if (!o)
		return -SPMU_ENOMEM;
	m->time.memo = o;
	o->last = &o->first;
	o->n_content = 1; /* 0: none */
	for (size_t i = 0; i < n && i < WIRE_N; i++)
		if (w[i].family == CAT_P6 && w[i].tier == 3 && i != WIRE_P6_CORE_CLK)
			o->wire[o->n_wire++] = (uint16_t)i;
	return memo_open(&o->room, ALL_BYTES / m->system->n);
}

void p6_memo_close(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;

	if (!o)
		return;
	memo_close(&o->room);
	free(o->content);
	free(o->content_of);
	free(o);
	m->time.memo = NULL;
}

/* ---- contents ------------------------------------------------------------------------------------------- */

static uint32_t hash_of(const struct content *c)
{
	const uint8_t *p = (const uint8_t *)c;
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < sizeof(*c); i++)
		h = (h ^ p[i]) * 16777619u;
	return h ^ h >> 15;
}

/* Where the number of *c is or would be. */
static uint32_t *content_slot(const struct p6_memo *o, const struct content *c)
{
	uint32_t at = hash_of(c) & o->content_mask;

	while (o->content_of[at] && memcmp(&o->content[o->content_of[at]], c, sizeof(*c)))
		at = (at + 1) & o->content_mask;
	return &o->content_of[at];
}

static bool grow_contents(struct p6_memo *o)
{
	const uint32_t size = o->content_size ? 2 * o->content_size : 1024;
	struct content *c = realloc(o->content, size * sizeof(*c));
	uint32_t *of = calloc(2 * (size_t)size, sizeof(*of));

	if (c)
		o->content = c;
	if (!c || !of) {
		free(of);
		return false;
	}
	free(o->content_of);
	o->content_of = of;
	o->content_size = size;
	o->content_mask = 2 * size - 1;
	for (uint32_t i = 1; i < o->n_content; i++)
		*content_slot(o, &o->content[i]) = i;
	return true;
}

uint32_t p6_memo_content(struct p6 *m, const struct p6_uop *u, const struct p6_step *s)
{
	struct p6_memo *o = m->time.memo;
	struct content c;
	uint32_t *slot;

	if (!o || (o->n_content >= o->content_size && !grow_contents(o)))
		return 0;
	memset(&c, 0, sizeof(c));
	memcpy(&c.uop, u, sizeof(*u));
	memcpy(&c.step, s, sizeof(*s));
	/* what only the stages before rename look at */
	c.uop.insn = c.uop.ref = 0;
	c.uop.content = 0;
	c.step.first_uop = 0;
	c.step.control_slot = 0;
	c.step.n_uop = c.step.bytes = c.step.lcp_clk = c.step.prefix_clk = 0;
	c.step.is_microcoded = c.step.is_branch = c.step.may_be_bogus = false;
	slot = content_slot(o, &c);
	if (!*slot) {
		o->content[o->n_content] = c;
		*slot = o->n_content++;
	}
	return *slot;
}

void p6_memo_content_of(const struct p6 *m, uint32_t content, struct p6_uop *u, struct p6_step *s)
{
	const struct content *c = &m->time.memo->content[content];

	*u = c->uop;
	u->content = content;
	*s = c->step;
}

/* ---- states ------------------------------------------------------------------------------------------------ */

void p6_memo_fold(struct p6 *m)
{
	if (m->time.memo)
		memo_take(&m->time.memo->room, m->dyn);
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
	o->last = &o->first;
}

static void empty(struct p6 *m)
{
	p6_memo_wake(m);
	p6_memo_fold(m);
	memo_flush(&m->time.memo->room);
}

void p6_memo_forget(struct p6 *m)
{
	if (m->time.memo)
		empty(m);
}

/* The state of the tables, in front of pc; MEMO_NONE: it cannot be said, or there is no room. */
static uint32_t state_of_tables(struct p6 *m, uint64_t pc)
{
	struct p6_memo *o = m->time.memo;
	uint8_t bytes[P6_STATE_BYTES];
	const unsigned n = p6_state_pack(m, pc, bytes, &o->reach);
	uint32_t state;

	if (!n || n > MEMO_MAX_STATE)
		return MEMO_NONE;
	state = memo_state(&o->room, bytes, n);
	if (state == MEMO_NONE)
		empty(m);
	return state;
}

bool p6_memo_enter(struct p6 *m, uint64_t pc)
{
	struct p6_memo *o = m->time.memo;

	if (o->state != MEMO_NONE && o->pc != pc) {
		catch_up(m);
		o->state = MEMO_NONE;
	}
	if (o->state == MEMO_NONE) {
		o->last = &o->first;
			o->state = state_of_tables(m, pc);
		o->pc = pc;
		if (o->state == MEMO_NONE)
			return false;
	}
	o->n_miss = m->time.near.n_miss;
	m->time.near.stores = o->reach.stores;
	m->time.near.misses = o->reach.misses;
	return true;
}

/* ---- steps --------------------------------------------------------------------------------------------------- */

static void move_clock(uint64_t *clk, uint64_t from, int32_t by)
{
	if (by != AS_BEFORE)
		*clk = from + (uint64_t)(int64_t)by;
}

/* Addresses and clocks of a front end, from others on; back: as they were. */
static struct p6_front moved(struct p6_front f, uint64_t clk, uint64_t pc, bool back)
{
	const uint64_t sign = back ? 1 : UINT64_MAX;

	f.clk += sign * clk;
	f.jump_clk += sign * clk;
	f.block_begin += sign * pc;
	f.block_end += sign * pc;
	f.chunk += sign * (pc >> 4);
	return f;
}

static inline void prefetch(const struct memo_step *s)
{
	__builtin_prefetch(s);
	__builtin_prefetch(s + 1);
}

static inline uint32_t tag_of(uint32_t block, uint64_t outcome)
{
	const uint64_t v = (outcome ^ outcome >> 29) * 0x9e3779b97f4a7c15u + block;

	return (uint32_t)(v ^ v >> 32) | 1;
}

static inline bool is_step(const struct memo_step *s, uint32_t from, uint32_t block, uint64_t outcome)
{
	return s->outcome == outcome && s->block == block && s->from == from;
}

/* s came behind the step before. */
static void link_step(struct p6_memo *o, struct memo_step *s, uint32_t tag)
{
	struct leap *l = memo_extra(o->last);

	if (o->last == &o->first)
		return;
	o->last->aside = o->last->then;
	l->aside_tag = l->then_tag;
	o->last->then = s;
	l->then_tag = tag;
}

static struct memo_step *find(struct p6_memo *o, uint32_t block, uint64_t outcome)
{
	const uint32_t tag = tag_of(block, outcome);
	struct memo_step *s;

	if (o->last != &o->first) {
		const struct leap *l = memo_extra(o->last);

		if (l->then_tag == tag && is_step(o->last->then, o->state, block, outcome))
			return o->last->then;
		if (l->aside_tag == tag && is_step(o->last->aside, o->state, block, outcome)) {
			s = o->last->aside;
			link_step(o, s, tag);
			return s;
		}
	}
	s = memo_find(&o->room, o->state, block, outcome);
	if (s)
		link_step(o, s, tag);
	return s;
}

static void take_bus(struct p6_time *t, const struct bus *b, unsigned n_read, uint64_t base)
{
	move_clock(&t->bus_clk, base, b->clk);
	for (unsigned i = 0; i < n_read; i++)
		move_clock(&t->bus_queue[t->bus_queue_at++ % t->par.bus_queue], base, b->queue[i]);
}

static void take(struct p6 *m, struct memo_step *s, uint64_t pc)
{
	struct p6_time *t = &m->time;
	const uint64_t base = t->ren.next_clk;
	const struct leap *l = memo_extra(s);

	memo_use(&t->memo->room, s);
	prefetch(s->then); /* one of them is looked at when the next block has done its accesses */
	prefetch(s->aside);
	t->ren.next_clk = base + s->clk;
	move_clock(&t->retire_clk, base, l->retire_clk);
	move_clock(&t->branch_clk, base, l->branch_clk);
	move_clock(&t->l2_clk, base, l->l2_clk);
	t->memo->reach = l->reach;
	if (l->has_bus)
		take_bus(t, &l->bus, l->n_read, base);
	if (l->has_front)
		t->front = moved(l->front, base, pc, true);
}

/* The counts so far, of those that belong to clocks. */
static void begin(struct p6 *m, const struct x86_block *b)
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
	o->bus_at = t->bus_queue_at;
	o->from_pc = b->pc;
	o->is_making = true;
}

bool p6_memo_find(struct p6 *m, const struct x86_block *b, uint32_t key, uint64_t next)
{
	struct p6_memo *o = m->time.memo;
	const uint32_t block = key << TRC_ID_BITS | b->id;
	struct memo_step *s;
	uint64_t outcome;

	o->is_making = false;
	if (!p6_outcome(m, &o->room, &o->reach, &outcome)) {
		p6_memo_wake(m);
		return false;
	}
	s = find(o, block, outcome);
	if (s) {
		take(m, s, b->pc);
		o->last = s;
		o->state = s->next;
		o->pc = next;
		o->n_miss = m->time.near.n_miss;
		o->is_away = true;
		return true;
	}
	catch_up(m);
	o->from = o->state;
	o->block = block;
	o->outcome = outcome;
	begin(m, b);
	return false;
}

static int32_t moved_by(uint64_t now, uint64_t before, uint64_t from, bool *fits)
{
	const int64_t by = (int64_t)(now - from);

	if (now == before)
		return AS_BEFORE;
	*fits &= by > INT32_MIN && by <= INT32_MAX;
	return (int32_t)by;
}

void p6_memo_done(struct p6 *m)
{
	struct p6_memo *o = m->time.memo;

	if (!o || !o->is_making)
		return;
	o->n_delta = 0;
	for (unsigned i = 0; i < o->n_wire; i++)
		if (m->dyn[o->wire[i]] != o->before[i])
			o->delta[o->n_delta++] =
			    (struct memo_delta){o->wire[i], (uint32_t)(m->dyn[o->wire[i]] - o->before[i])};
	o->leap.front = moved(m->time.front, o->rename_clk, o->from_pc, false);
}

/* What the external bus did since; false: more than a step says. */
static bool note_bus(struct p6_memo *o, const struct p6_time *t)
{
	const uint32_t n = t->bus_queue_at - o->bus_at;
	bool fits = n <= P6_KEY_READS;

	o->leap.has_bus = n || t->bus_clk != o->bus_clk;
	o->leap.n_read = (uint8_t)n;
	o->leap.bus.clk = moved_by(t->bus_clk, o->bus_clk, o->rename_clk, &fits);
	for (uint32_t i = 0; fits && i < n; i++)
		o->leap.bus.queue[i] = moved_by(t->bus_queue[(o->bus_at + i) % t->par.bus_queue], P6_NO_KEY, o->rename_clk, &fits);
	return fits;
}

static unsigned leap_bytes(const struct leap *l)
{
	return l->has_front ? sizeof(*l) : l->has_bus ? offsetof(struct leap, front) : offsetof(struct leap, bus);
}

void p6_memo_kept(struct p6 *m, uint64_t next)
{
	struct p6_memo *o = m->time.memo;
	const struct p6_time *t = &m->time;
	const uint64_t base = o ? o->rename_clk : 0;
	bool fits = true;
	struct memo_fact f;
	struct memo_step *s;

	if (!o || !o->is_making)
		return;
	o->is_making = false;
	o->state = state_of_tables(m, next);
	o->pc = next;
	o->leap.retire_clk = moved_by(t->retire_clk, o->retire_clk, base, &fits);
	o->leap.branch_clk = moved_by(t->branch_clk, o->branch_clk, base, &fits);
	o->leap.l2_clk = moved_by(t->l2_clk, o->l2_clk, base, &fits);
	fits &= note_bus(o, t);
	o->leap.reach = o->reach;
	o->leap.has_front = (o->block >> TRC_ID_BITS & 7) == P6_MEMO_KEY(P6_GUESS_WRONG, 0, 0) ||
			    (o->block >> TRC_ID_BITS & 7) == P6_MEMO_KEY(P6_GUESS_WRONG, 1, 0);
	f = (struct memo_fact){.delta = o->delta,
			       .n_delta = o->n_delta,
			       .extra = &o->leap,
			       .n_extra = leap_bytes(&o->leap),
			       .next = o->state,
			       .clk = (uint32_t)(t->ren.next_clk - base)};
	if (o->state == MEMO_NONE || !fits || t->ren.next_clk - base > UINT32_MAX) {
		o->state = MEMO_NONE;
		o->last = &o->first;
		return;
	}
	s = memo_add(&o->room, o->from, o->block, o->outcome, &f);
	if (!s) {
		empty(m);
		return;
	}
	link_step(o, s, tag_of(o->block, o->outcome));
	o->last = s;
}
