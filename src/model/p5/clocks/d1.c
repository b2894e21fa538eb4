/* d1.c -- unit d1: decoding, prefixes, and the queue of the Pentium with MMX.
 *
 * COUNTING RULES   33H (counter 0): clocks in which D1 could have sent something on and had
 *                  nothing. 33H (counter 1): clocks in which D1 sent on a single instruction
 *                  because there was no other. Behind a misprediction D1 waits for the new stream
 *                  from the clock in which the branch left EX.
 * MODELLED         Pentium: one clock per prefix, in U, while the slot before goes on; so prefixes
 *                  hide behind what the two slots before wait or work longer than a clock. Pentium
 *                  with MMX: F pushes up to two instructions of at most 7 bytes in a clock
 *                  (prefixes not counted) into a queue of four; 66H and 67H keep F two clocks
 *                  longer, others one; a prefixed instruction is the first of its clock.
 * NOT MODELLED     fetches of 16 bytes that end inside an instruction cost what the front end says,
 *                  no more.
 * SOURCES          Intel 241428 (1997) 2.1; Intel 242816-003 (1997) 3.6.3, 3.7; Agner Fog.
 */
#include "model/p5/clocks/owner.h"
#include "model/p5/p5.h"
#include "model/p5/blocks/ledger.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t before(uint64_t clk, uint64_t n)
{
	return clk > n ? clk - n : 0;
}

/* Bytes at hand, in D1 clocks. */
static uint64_t fetched(struct p5 *m, const struct p5_fly *f, uint64_t at_clk)
{
	return p5_pf_ready(m, f->pc, f->bytes, at_clk + P5_D1_TO_EX) - P5_D1_TO_EX;
}

/* F pushes f into the queue. */
static uint64_t push(struct p5 *m, const struct p5_fly *f)
{
	struct p5_stages *s = &m->time.stages;
	const uint64_t room = s->taken_clk[s->n_pushed & 3];
	uint64_t clk = later(s->push_clk, room);
	bool is_shared = false;

	clk = fetched(m, f, clk);
	if (s->may_share && !f->op->decode_clk && f->op->bare <= 7 && clk <= s->push_clk) {
		is_shared = true;
		clk = s->push_clk;
	} else {
		clk = later(clk, s->push_clk + 1) + f->op->decode_clk;
	}
	s->push_clk = clk;
	s->may_share = !is_shared && f->op->bare <= 7 && !(f->op->flags & P5_OP_ALONE_IN_F);
	s->n_pushed = (s->n_pushed + 1) & 3;
	return clk;
}

void p5_d1_fetch(struct p5 *m, struct p5_fly *f)
{
	if (f->is_fetched)
		return;
	if (!f->is_asked && !f->is_marked)
		p5_look_note(m, f);
	f->ready_clk = m->cpu->has_mmx ? push(m, f) : fetched(m, f, m->time.stages.d2_clk);
	f->is_fetched = f->is_asked = true;
	p5_ledger_fly(m, f);
}

uint64_t p5_d1_done(const struct p5 *m, const struct p5_fly *u)
{
	const uint64_t start = later(m->time.stages.d2_clk, u->ready_clk);

	return start + 1 + (m->cpu->has_mmx ? 0 : u->op->decode_clk);
}

static void starve(struct p5 *m, const struct p5_fly *u)
{
	struct p5_stages *s = &m->time.stages;
	const uint64_t free_clk = later(s->d2_clk, before(s->ex_clk, 1));

	if (u->ready_clk > free_clk)
		P5_RAISE(m, D1_EMPTY, u->ready_clk - free_clk);
	if (s->was_single && u->ready_clk > s->single_clk)
		P5_RAISE(m, D1_SINGLE, 1);
}

/* Clocks that EX waits for D1 have two reasons, which are kept apart: bytes that came late, and
 * prefixes. */
static void tell_wait(struct p5 *m, const struct p5_fly *u, uint64_t ex_clk)
{
	const uint64_t now = m->time.now_clk, free_clk = m->time.stages.d2_clk;
	uint64_t lost = ex_clk > now ? ex_clk - now : 0;
	uint64_t prefix = u->op->decode_clk < lost ? u->op->decode_clk : lost;

	if (m->cpu->has_mmx && u->ready_clk <= free_clk)
		prefix = 0;
	m->time.wait[P5_WHY_PREFIX] += prefix;
	lost -= prefix;
	m->time.wait[P5_WHY_FETCH] += lost;
}

uint64_t p5_d1_issue(struct p5 *m, const struct p5_fly *u, const struct p5_fly *v)
{
	struct p5_stages *s = &m->time.stages;
	const uint64_t start_clk = later(s->d2_clk, u->ready_clk);
	const uint64_t d2_clk = later(p5_d1_done(m, u), s->ex_clk);

	if (m->cpu->has_mmx)
		starve(m, u);
	tell_wait(m, u, d2_clk + 1);
	s->was_single = !v;
	s->single_clk = start_clk;
	s->taken_clk[s->n_taken & 3] = start_clk;
	if (v)
		s->taken_clk[(s->n_taken + 1) & 3] = start_clk;
	s->n_taken = (s->n_taken + 1 + (v != NULL)) & 3;
	s->d2_clk = d2_clk;
	return d2_clk + 1;
}

void p5_d1_executed(struct p5 *m, uint64_t ex_clk, uint64_t end_clk, uint16_t late)
{
	struct p5_stages *s = &m->time.stages;

	s->ex_clk = ex_clk;
	s->late_clk = end_clk;
	s->late = late;
}

void p5_d1_flush(struct p5 *m, uint64_t clk)
{
	struct p5_stages *s = &m->time.stages;

	if (m->cpu->has_mmx && clk > s->late_clk + P5_D1_TO_EX)
		P5_RAISE(m, D1_EMPTY, clk - P5_D1_TO_EX - s->late_clk);
	s->d2_clk = before(clk, P5_D1_TO_EX);
	s->ex_clk = before(clk, 1);
	s->push_clk = before(clk, P5_D1_TO_EX + 1);
	s->may_share = s->was_single = false;
	s->n_pushed = s->n_taken;
}
