/* host_help.c -- what host code calls. */
#include "model/p5/host/host.h"

#include <string.h>

#include "model/p5/kept/memo_owners.h"
#include "trace/record.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

static uint64_t address_of(const struct p5_host *j, uint32_t code)
{
	return (uint64_t)(uintptr_t)j->memory + code;
}

/* ---- looks in full --------------------------------------------------------------------------- */

/* The block of the record that host code is doing. */
static struct p5_run run_of(struct p5 *m)
{
	const struct memo_step *first = memo_step_at(&m->memo.room, m->host.step->first);

	return (struct p5_run){m->time.code[first->block], m->host.at + 4, first->outcome >> 1,
			       first->outcome & 1};
}

/* Do look number `at` of the step. Returns what was seen, as all of these. */
static uint64_t help_look(struct p5 *m, uint64_t at)
{
	const struct p5_run x = run_of(m);

	if (m->ledger)
		return p5_owners_look(m, &x, m->host.step, (unsigned)at);
	return p5_memo_look(m, &x, (const struct p5_act *)memo_extra(m->host.step) + at);
}

/* The access at lin that `what` says (enum p5_host_access). */
static __attribute__((noinline)) uint64_t data_in_full(struct p5 *m, uint64_t lin, uint32_t what)
{
	const struct p5_operand op = {what & P5_HOST_BYTES_MASK, 0, what & P5_HOST_LOCKED,
				      what & P5_HOST_MMX, what & P5_HOST_FST};
	const struct p5_look look = {what >> P5_HOST_PART_SHIFT & 127, what & P5_HOST_HALF,
				     what & P5_HOST_WRITE, what & P5_HOST_ASKS_FILL};

	if (what & P5_HOST_IN_LINE && !(lin & what >> P5_HOST_ALIGN_SHIFT))
		return p5_dcache_see_in_line(m, lin, &op, &look);
	return p5_dcache_see(m, lin, &op, &look);
}

/* Does the fast form of dcache.c do this access, when L1D has the fast shape? */
static inline bool is_fast(uint64_t lin, uint32_t what)
{
	return (what & (P5_HOST_IN_LINE | P5_HOST_MMX)) == P5_HOST_IN_LINE &&
	       !(lin & what >> P5_HOST_ALIGN_SHIFT);
}

static uint64_t help_data(struct p5 *m, uint64_t lin, uint32_t what)
{
	return data_in_full(m, lin & P5_LIN_MASK, what);
}

/* As help_data(), when L1D has the fast shape and two ways, or four. */
static uint64_t help_data_two(struct p5 *m, uint64_t lin, uint32_t what)
{
	lin &= P5_LIN_MASK;
	return LIKELY(is_fast(lin, what))
		   ? p5_dcache_see_two(m, lin, what & P5_HOST_WRITE, what & P5_HOST_ASKS_FILL)
		   : data_in_full(m, lin, what);
}

static uint64_t help_data_four(struct p5 *m, uint64_t lin, uint32_t what)
{
	lin &= P5_LIN_MASK;
	return LIKELY(is_fast(lin, what))
		   ? p5_dcache_see_four(m, lin, what & P5_HOST_WRITE, what & P5_HOST_ASKS_FILL)
		   : data_in_full(m, lin, what);
}

/* Code: byte number `want` of the unit is needed first. */
static uint64_t help_code(struct p5 *m, uint64_t unit, uint32_t want)
{
	return unit << 16 | p5_icache_see(m, unit, unit + want);
}

/* As help_code(), when L1I and L1D have the fast shape and two ways, or four. */
static uint64_t help_code_two(struct p5 *m, uint64_t unit, uint32_t want)
{
	return unit << 16 | p5_icache_see_two(m, unit, unit + want);
}

static uint64_t help_code_four(struct p5 *m, uint64_t unit, uint32_t want)
{
	return unit << 16 | p5_icache_see_four(m, unit, unit + want);
}

/* The slot from u_pc on that `what` says (enum p5_host_slot); execution goes on at next. */
static __attribute__((noinline)) uint64_t help_slot(struct p5 *m, uint64_t u_pc, uint64_t next,
						    uint32_t what)
{
	const bool with_v = what & P5_HOST_WITH_V;
	struct p5_slot s;
	uint64_t seen;

	s.u_pc = u_pc;
	s.pc = u_pc + (what >> P5_HOST_FROM_U_SHIFT & 15);
	s.bytes = what >> P5_HOST_LENGTH_SHIFT & 15;
	s.v_pc = with_v ? s.pc : 0;
	s.kind = what & P5_HOST_KIND_MASK;
	s.is_in_v = with_v;
	s.is_taken = what & P5_HOST_TAKEN;
	s.could_pair = what & P5_HOST_COULD_PAIR;
	s.fall = s.pc + s.bytes;
	s.next = next;
	seen = p5_btb_see(m, &s);
	return seen && what & P5_HOST_PASS ? seen | P5_SLOT_NOT_PASSED : seen;
}

/* As help_slot(), for slots that the fast forms of the BTB do. */
static uint64_t help_slot_pair(struct p5 *m, uint64_t u_pc, uint64_t next, uint32_t what)
{
	const uint64_t seen = p5_btb_see_pair(m, u_pc, next, what);

	return LIKELY(seen != P5_BTB_NOT_FAST) ? seen : help_slot(m, u_pc, next, what);
}

static uint64_t help_slot_bank(struct p5 *m, uint64_t u_pc, uint64_t next, uint32_t what)
{
	const uint64_t seen = p5_btb_see_fast(m, u_pc, next, what);

	return LIKELY(seen != P5_BTB_NOT_FAST) ? seen : help_slot(m, u_pc, next, what);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Look number `at` of the step saw `seen`, which is not what it says, and there is no host code
 * that goes on: the block is finished here. Returns where host code goes on behind it. */
static uint64_t help_turn(struct p5 *m, uint64_t at, uint64_t seen)
{
	struct p5_host *j = &m->host;
	const struct p5_turn turn = {j->step, seen, (unsigned)at};
	const struct memo_step *first = memo_step_at(&m->memo.room, j->step->first);
	struct memo_step *aside = memo_aside(&m->memo.room, j->step, turn.at, seen);
	struct p5_blk *b = m->blk[first->block];
	const struct p5_run x = run_of(m);

	if (aside && aside->own >= P5_HOST_FIRST_CODE) { /* it stood far behind */
		j->step = aside;
		return address_of(j, aside->own);
	}
	m->memo.state = first->from;
	p5_owners_clock(m);
	j->rc = p5_memo_go_on(m, &x, aside, &turn);
	if (j->rc)
		return address_of(j, j->leave);
	b->n_exec++;
	m->n_insn += b->n_insn;
	m->n_taken += x.is_taken;
	if (m->ledger)
		ledger_book(m->ledger, first->block, b->n_insn - 1u);
	j->at += trc_block_bytes(b->head);
	return p5_host_next(m);
}

static void help_list(struct p5 *m, struct memo_step *s)
{
	memo_use(&m->memo.room, s);
}

/* The block of the record at p, of which the head must be there; NULL: it is no block that is
 * known. */
static struct p5_blk *block_at(const struct p5 *m, const uint8_t *p)
{
	const uint32_t head = reader_u32(p);
	struct p5_blk *b = head < TRC_SPECIAL ? m->blk[trc_block_id(head)] : NULL;

	return b && b->head == head ? b : NULL;
}

static inline bool is_behind(const struct p5 *m, const struct memo_step *s, uint32_t block,
			     uint64_t outcome)
{
	return s->outcome == outcome && s->block == block && s->from == m->memo.state;
}

/* The step of this block and outcome behind `last`, or NULL. What `last` guesses becomes better. */
static inline struct memo_step *step_behind(struct p5 *m, struct memo_step *last, uint32_t block,
					    uint64_t outcome)
{
	struct memo *room = &m->memo.room;
	struct memo_step *s = last->then;

	if (is_behind(m, s, block, outcome))
		return s;
	s = memo_step_at(room, last->or_then);
	if (last->or_then &&
	    is_behind(m, s, block, outcome)) { /* which host code finds, too, but for one in some */
		last->or_then = last->then == &m->memo.none ? 0 : memo_id(room, last->then);
		last->then = s;
		return s;
	}
	s = memo_find(room, m->memo.state, block, outcome);
	if (!s)
		return NULL;
	if (last->then->own < P5_HOST_FIRST_CODE)
		last->then = s;
	else if (memo_step_at(room, last->or_then)->own < P5_HOST_FIRST_CODE ||
		 ++m->host.n_wrong % P5_HOST_KEPT_GUESSES == 0)
		last->or_then = memo_id(room, s);
	return s;
}

uint64_t p5_host_next(struct p5 *m)
{
	struct p5_host *j = &m->host;
	struct p5_memo *o = &m->memo;
	const uint64_t leave = address_of(j, j->leave);
	const struct p5_blk *b, *behind;
	struct memo_step *s;
	uint8_t *compared;
	uint32_t head;

	if (o->last)
		o->state = o->last->next;
	if (!o->last || j->at >= j->limit)
		return leave;
	b = block_at(m, j->at);
	behind = b ? block_at(m, j->at + trc_block_bytes(b->head)) : NULL;
	if (!behind)
		return leave;
	s = step_behind(m, o->last, trc_block_id(b->head),
			behind->pc << 1 | (b->is_jcc && behind->pc == b->target));
	if (!s || s->own < P5_HOST_FIRST_CODE)
		return leave;
	compared = j->memory + s->own + P5_HOST_NEXT_HEAD;
	head = reader_u32(compared);
	if (head == UINT32_MAX)
		memcpy(compared, &behind->head, sizeof(head));
	j->step = s;
	return address_of(j, s->own + P5_HOST_NO_COMPARE);
}

/* The one for caches of the fast shape with two ways or four, or that for all others. */
static uint64_t by_ways(unsigned ways, void *two, void *four, void *other)
{
	return (uint64_t)(uintptr_t)(ways == 2 ? two : ways == 4 ? four : other);
}

void p5_host_helpers(struct p5 *m)
{
	struct p5_host *j = &m->host;

	j->helper[P5_HOST_LOOK] = (uint64_t)(uintptr_t)help_look;
	j->helper[P5_HOST_CODE] =
	    by_ways(p5_icache_fast_ways(m), help_code_two, help_code_four, help_code);
	j->helper[P5_HOST_SLOT] = m->btb.is_pair ? (uint64_t)(uintptr_t)help_slot_pair
						 : (uint64_t)(uintptr_t)help_slot_bank;
	j->helper[P5_HOST_DATA] =
	    by_ways(p5_dcache_fast_ways(m), help_data_two, help_data_four, help_data);
	j->helper[P5_HOST_TURN] = (uint64_t)(uintptr_t)help_turn;
	j->helper[P5_HOST_LIST] = (uint64_t)(uintptr_t)help_list;
	j->helper[P5_HOST_NEXT] = (uint64_t)(uintptr_t)p5_host_next;
}
