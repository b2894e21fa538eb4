/* memo.c -- blocks whose clocks are known.
 *
 * The step of a state and a block lists the looks that the block does, with what they saw when it
 * was found out. They are done; while each sees the same, the step holds. A look that sees
 * something else leads aside: to the step that goes on from there, or, when there is none yet, to
 * the pipes, which start over and replay what was seen so far.
 *
 * COUNTING RULES   see memo.h.
 */
#include "model/p5/host/host.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/p5/kept/memo_owners.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

void p5_memo_open(struct p5 *m, const struct mdl_config *cfg)
{
	bool has_special =
	    cfg->on_line || cfg->is_plain || cfg->timer_hz || cfg->p5.has_errata || cfg->n_uncached;

	for (unsigned i = 0; i < 4; i++)
		has_special |= cfg->p5.breakpoint[i].bytes != 0;
	m->memo.bytes = P5_MEMO_BYTES / (cfg->n_cpus ? cfg->n_cpus : 1);
	m->memo.is_eager = cfg->host_code_after;
	m->memo.none = (struct memo_step){.then = &m->memo.none};
	m->memo.is_on = m->time.is_on && !cfg->has_no_memo && !has_special;
}

void p5_memo_close(struct p5 *m)
{
	if (m->memo.is_open)
		memo_close(&m->memo.room);
	met_close(&m->memo.wanted);
	m->memo.is_open = m->memo.is_on = false;
}

void p5_memo_leave(struct p5 *m)
{
	unsigned n;

	if (!m->memo.state)
		return;
	p5_state_read(m, memo_state_bytes(&m->memo.room, m->memo.state, &n));
	m->memo.state = MEMO_NONE;
	m->memo.last = NULL;
}

void p5_memo_leave_waiting(struct p5 *m)
{
	unsigned n;

	if (m->memo.state && p5_state_waits(memo_state_bytes(&m->memo.room, m->memo.state, &n)))
		p5_memo_leave(m);
}

/* A step was used so often: so was its block executed. */
static void count_blocks(void *ctx, const struct memo_step *s)
{
	struct p5 *m = ctx;
	const struct memo_step *first = memo_step_at(&m->memo.room, s->first);
	struct p5_blk *b = m->blk[first->block];

	p5_owners_book(m, s, first->block, first->outcome & 1);
	b->n_exec += s->times;
	m->n_insn += s->times * b->n_insn;
	m->n_taken += s->times * (first->outcome & 1);
}

void p5_memo_count(struct p5 *m)
{
	if (m->memo.is_open)
		memo_take(&m->memo.room, m->dyn, count_blocks, m);
}

void p5_memo_replant(struct p5 *m, uint64_t least)
{
	struct memo *room = &m->memo.room;

	if (!m->memo.is_open)
		return;
	for (uint32_t id = room->used_head; id; id = memo_bulk(memo_step_at(room, id))->used_next) {
		const struct memo_step *s = memo_step_at(room, id);
		struct memo_step *first = memo_step_at(room, s->first);

		if (s == first || first->from == MEMO_NONE || s->times < least ||
		    s->times <= 2 * memo_step_at(room, s->from)->times)
			continue;
		memo_drop(room, first);
		first->own = 0; /* host code comes to it by guesses alone */
		m->memo.n_dropped++;
	}
}

void p5_memo_forget(struct p5 *m)
{
	p5_memo_leave(m);
	p5_memo_count(m);
	if (m->memo.is_open)
		memo_flush(&m->memo.room);
	p5_host_forget(m);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* What is not there was wanted: was that often enough? */
static bool is_wanted(struct p5_memo *o, uint64_t hash, uint32_t enough)
{
	return o->is_eager || met_again(&o->wanted, hash, enough);
}

static bool is_cold(const struct p5 *m, const struct p5_code *c)
{
	return c->n_visit < P5_MEMO_VISITS && !m->memo.is_eager;
}

/* Is the step kept that a block from this state, or behind turn, is found to be? */
static bool is_worth_a_step(struct p5 *m, const struct p5_run *x, uint32_t from,
			    const struct p5_turn *turn)
{
	uint64_t hash;

	if (is_cold(m, x->code))
		return false;
	if (turn->step)
		hash = memo_mix(turn->seen,
				(uint64_t)memo_id(&m->memo.room, turn->step) << 32 | turn->at);
	else
		hash =
		    memo_mix(x->next << 1 | x->is_taken, (uint64_t)from << 32 | x->code->block->id);
	return is_wanted(&m->memo, hash, P5_MEMO_STEP_WANTED);
}

/* To look for timings of this block was in vain, or not. */
static void note_vain(struct p5_code *c, unsigned n)
{
	c->n_vain = (uint8_t)(c->n_vain + n < UINT8_MAX ? c->n_vain + n : UINT8_MAX);
}

static void note_found(struct p5_code *c)
{
	c->n_vain = (uint8_t)(c->n_vain > P5_MEMO_FOUND ? c->n_vain - P5_MEMO_FOUND : 0);
}

/* Was it so often that the state before the block is not looked for this time? */
static bool is_vain(const struct p5 *m, struct p5_code *c)
{
	return c->n_vain >= P5_MEMO_VAIN && !m->memo.is_eager &&
	       ++c->n_asked & (P5_MEMO_VAIN_ASKED - 1);
}

/* ---- finding out ----------------------------------------------------------------------------- */

/* What was seen on the way to turn `last` goes on the tape. */
static void wind(struct p5 *m, const struct p5_turn *last)
{
	const struct memo *room = &m->memo.room;
	struct p5_turn turn[P5_MOST_ACTS]; /* each step on the way has a look at least */
	struct p5_tape *t = &m->time.tape;
	unsigned n_turn = 0;

	t->n = t->at = 0;
	for (struct p5_turn k = *last; k.step;) {
		struct memo_step *s = k.step;

		if (n_turn == P5_MOST_ACTS)
			return; /* no way is that long */
		turn[n_turn++] = k;
		k = (struct p5_turn){NULL, s->outcome, s->block};
		if (s->first != memo_id(room, s))
			k.step = memo_step_at(room, s->from);
	}
	while (n_turn--) {
		const unsigned n = turn[n_turn].at + 1;

		if (t->n + n > P5_MOST_ACTS)
			return; /* no step is that long */
		memcpy(t->act + t->n, memo_extra(turn[n_turn].step), n * sizeof(t->act[0]));
		t->n += n;
		t->act[t->n - 1].seen = turn[n_turn].seen;
		if (t->act[t->n - 1].kind == P5_ACT_PASS)
			t->act[t->n - 1].kind = P5_ACT_SLOT;
	}
}

#define WIRES_AT_ONCE 8u

/* What the pipes counted since before[]; most wires did not move. */
static unsigned deltas(const struct p5 *m, const uint64_t *before, struct memo_delta *delta)
{
	unsigned n = 0;

	for (unsigned from = 0; from < WIRE_N; from += WIRES_AT_ONCE) {
		const unsigned to = from + WIRES_AT_ONCE < WIRE_N ? from + WIRES_AT_ONCE : WIRE_N;

		if (!memcmp(m->dyn + from, before + from, (to - from) * sizeof(*before)))
			continue;
		for (unsigned wire = from; wire < to; wire++)
			if (m->dyn[wire] != before[wire])
				delta[n++] = (struct memo_delta){
				    wire, (uint32_t)(m->dyn[wire] - before[wire])};
	}
	return n;
}

/* What is left of the room when blocks have theirs. */
static size_t left_of_room(const struct p5 *m)
{
	return memo_left(m->memo.bytes, (size_t)m->n_met * P5_MEMO_BLOCK_BYTES, P5_MEMO_LEAST_PART);
}

/* The room is full: all starts anew. Pages of it go back to the host when blocks took more than
 * half of it. */
static void empty(struct p5 *m)
{
	p5_memo_count(m);
	memo_flush_to(&m->memo.room, left_of_room(m) < m->memo.bytes / 2 ? 0 : m->memo.bytes);
	p5_host_forget(m);
	m->memo.state = MEMO_NONE;
	m->memo.last = NULL;
}

/* From here on the machine is in this state, and the structs are old. */
static void enter(struct p5 *m, uint32_t state, struct memo_step *last)
{
	m->memo.state = state;
	m->memo.last = last;
	m->time.pending.op = NULL;
}

/* The state that the structs are in, when it is known or worth it. */
static uint32_t state_if_worth(struct p5 *m)
{
	uint64_t bytes[MEMO_MAX_STATE / 8], hash;
	const unsigned n = p5_state_write(m, (uint8_t *)bytes);
	uint32_t state;

	if (!n)
		return MEMO_NONE;
	hash = memo_state_hash(&m->memo.room, bytes, n);
	state = memo_state_known(&m->memo.room, bytes, n, hash);
	if (state || !is_wanted(&m->memo, hash, P5_MEMO_STATE_WANTED))
		return state;
	if (memo_used(&m->memo.room) < left_of_room(m))
		state = memo_state_hashed(&m->memo.room, bytes, n, hash);
	if (!state && memo_used(&m->memo.room) > left_of_room(m) / 2)
		empty(m);
	return state;
}

/* The block was done, its looks are on the tape; those before `known` belong to the steps that led
 * here. */
static void keep(struct p5 *m, const struct p5_run *x, uint32_t from, const struct p5_turn *turn,
		 unsigned known, const uint64_t *before, uint64_t before_clk)
{
	struct p5_tape *t = &m->time.tape;
	struct p5_memo *o = &m->memo;
	uint64_t bytes[MEMO_MAX_STATE / 8];
	uint8_t extra[MEMO_MAX_EXTRA] __attribute__((aligned(8)));
	struct memo_delta delta[WIRE_N];
	struct memo_fact f = {.delta = delta};
	const uint64_t clk = m->time.now_clk - before_clk;
	const unsigned n = p5_state_write(m, (uint8_t *)bytes);
	struct memo_step *s;

	if (!n || t->is_lost || clk > UINT32_MAX)
		return;
	f.next = memo_state(&o->room, bytes, n);
	f.n_delta = deltas(m, before, delta);
	f.extra = t->act + known;
	f.n_extra = (unsigned)((t->n - known) * sizeof(t->act[0]));
	if (m->ledger) {
		const int more = p5_owners_write(m, known, extra + f.n_extra);

		if (more < 0)
			return;
		memcpy(extra, f.extra, f.n_extra);
		f.extra = extra;
		f.n_extra += (unsigned)more;
	}
	f.clk = (uint32_t)clk;
	if (!f.next || memo_used(&o->room) >= left_of_room(m)) {
		empty(m);
		return;
	}
	if (turn->step)
		s = memo_add_aside(&o->room, turn->step, turn->at, turn->seen, &f);
	else
		s = memo_add(&o->room, from, x->code->block->id, x->next << 1 | x->is_taken, &f);
	if (!s) {
		empty(m);
		return;
	}
	s->then = &o->none;
	enter(m, f.next, s);
}

/* Let the pipes do it, from the state before the block on, and keep what comes of it when that is
 * worth it. */
static int find_out(struct p5 *m, const struct p5_run *x, const struct p5_turn *turn)
{
	struct p5_tape *t = &m->time.tape;
	const uint32_t from = m->memo.state;
	const bool is_kept = is_worth_a_step(m, x, from, turn);
	const uint64_t before_clk = m->time.now_clk;
	uint64_t before[WIRE_N];
	unsigned known;
	int rc;

	p5_memo_leave(m);
	wind(m, turn);
	known = t->n;
	t->is_recording = is_kept;
	t->pc = x->code->block->pc;
	t->before = m->time.pending.op ? m->time.pending.bytes : 0;
	t->is_lost = t->before && m->time.pending.pc + t->before != t->pc;
	if (is_kept) {
		memcpy(before, m->dyn, sizeof(before));
		p5_owners_begin(m, known);
	}
	rc = p5_pipe_run(m, x->code->block, x->slots, 0, x->code->block->n_insn, x->next,
			 x->is_taken);
	if (!rc && x->next == P5_NOWHERE)
		rc = p5_pipe_drain(
		    m); /* nothing is there that could pair with its last instruction */
	t->is_recording = false;
	if (m->ledger)
		m->ledger->is_noting = false;
	m->memo.n_new++;
	m->memo.n_idle += !is_kept;
	if (!is_kept)
		note_vain(x->code, P5_MEMO_FOUND);
	if (!rc && is_kept)
		keep(m, x, from, turn, known, before, before_clk);
	t->n = t->at = 0;
	return rc;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The step held: the block is done. Its execution is counted by who brought it. */
static inline void use(struct p5 *m, const struct p5_run *x, struct memo_step *s)
{
	struct p5_blk *b = m->blk[x->code->block->id];

	memo_use(&m->memo.room, s);
	b->n_exec--;
	m->n_insn -= b->n_insn;
	m->n_taken -= x->is_taken;
	m->time.now_clk += s->clk;
	p5_owners_clock(m);
	m->memo.state = s->next;
	m->memo.last = s;
	m->memo.n_known++;
	memo_prefetch(s->then);
}

int p5_memo_go_on(struct p5 *m, const struct p5_run *x, struct memo_step *s,
		  const struct p5_turn *t)
{
	struct p5_turn turn = *t;

	while (s) {
		const struct p5_act *a = memo_extra(s), *const first = a;
		const struct p5_act *const end = a + p5_step_looks(m, s);
		uint64_t seen = 0;

		if (LIKELY(x->next != P5_NOWHERE))
			p5_host_visit(m, x, s);
		if (LIKELY(!m->ledger))
			while (a < end && (seen = p5_memo_look(m, x, a)) == a->seen)
				a++;
		else
			while (a < end &&
			       (seen = p5_owners_look(m, x, s, (unsigned)(a - first))) == a->seen)
				a++;
		if (a == end) {
			use(m, x, s);
			return 0;
		}
		turn = (struct p5_turn){s, seen, (unsigned)(a - first)};
		s = memo_aside(&m->memo.room, s, turn.at, seen);
	}
	return find_out(m, x, &turn);
}

static int run_known(struct p5 *m, const struct p5_run *x)
{
	struct p5_memo *o = &m->memo;
	const uint64_t outcome = x->next << 1 | x->is_taken;
	const uint32_t id = x->code->block->id;
	struct memo_step *s = o->last ? memo_follow(&o->room, o->last, o->state, id, outcome)
				      : memo_find(&o->room, o->state, id, outcome);

	return p5_memo_go_on(m, x, s, &(struct p5_turn){.step = NULL});
}

/* Make the room. */
static void open_room(struct p5_memo *o)
{
	o->is_open = true;
	o->is_on = !met_open(&o->wanted, P5_MEMO_WANTED) && !memo_open(&o->room, o->bytes);
}

/* Can the block be kept, in the state in which the machine is? */
static bool is_fit(struct p5 *m, struct p5_code *c, unsigned n)
{
	struct p5_memo *o = &m->memo;
	uint32_t state;

	c->n_visit += c->n_visit < P5_MEMO_VISITS;
	if (c != m->time.code[c->block->id] || c->has_order || n != c->block->n_insn ||
	    m->time.begun.is_on)
		return false;
	if (m->host.is_full) { /* what is hot now wants host code */
		p5_memo_leave(m);
		empty(m);
	}
	if (LIKELY(o->state))
		return true;
	if (is_cold(m, c) || is_vain(m, c))
		return false;
	if (!o->is_open)
		open_room(o);
	state = o->is_on ? state_if_worth(m) : MEMO_NONE;
	if (!state) {
		note_vain(c, 1);
		return false;
	}
	note_found(c);
	enter(m, state, NULL);
	return true;
}

int p5_memo_run(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned n,
		uint64_t next, bool is_taken)
{
	struct p5_code *c;

	if (!m->memo.is_on)
		return p5_pipe_run(m, b, slots, 0, n, next, is_taken);
	c = p5_code_of(m, b);
	if (!c)
		return -SPMU_ENOMEM;
	if (LIKELY(is_fit(m, c, n)))
		return run_known(m, &(struct p5_run){c, slots, next, is_taken});
	p5_memo_leave(m);
	m->memo.n_full++;
	return p5_pipe_run(m, b, slots, 0, n, next, is_taken);
}
