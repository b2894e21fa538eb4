/* jit_help.c -- what host code calls. */
#include "model/p5/jit.h"

#include "base/error.h"
#include "trace/record.h"

static uint64_t address_of(const struct p5_jit *j, uint32_t code)
{
	return (uint64_t)(uintptr_t)j->memory + code;
}

/* The block of the record that host code is doing. */
static struct p5_run run_of(struct p5 *m, const struct memo_step *first)
{
	return (struct p5_run){m->time.code[first->block], m->jit.at + 4, first->outcome >> 1, first->outcome & 1};
}

static struct memo_step *first_of(const struct p5_jit *j)
{
	return j->way.n ? j->way.turn[0].step : j->step;
}

/* Host code cannot go on: a block is finished here. Returns where host code goes on behind it. */
static uint64_t finish(struct p5 *m, struct memo_step *aside)
{
	struct p5_jit *j = &m->jit;
	const struct memo_step *first = first_of(j);
	struct p5_blk *b = m->blk[first->block];
	const struct p5_run x = run_of(m, first);

	m->memo.state = first->from;
	j->rc = p5_memo_go_on(m, &x, aside, &j->way);
	if (j->rc)
		return address_of(j, j->leave);
	b->n_exec++;
	m->n_insn += b->n_insn;
	m->n_taken += x.is_taken;
	j->at += trc_block_bytes(b->head);
	return p5_jit_next(m);
}

/* As p5_memo_turn(), in host code. Returns where that goes on. */
static uint64_t help_seen(struct p5 *m, uint64_t at, uint64_t seen)
{
	struct p5_jit *j = &m->jit;
	struct memo_step *aside;

	if (j->way.n == P5_MOST_ASIDE) {
		j->rc = -SPMU_ENOMEM; /* no block has so many looks */
		return address_of(j, j->leave);
	}
	aside = p5_memo_turn(m, &j->way, j->step, (unsigned)at, seen);
	if (!aside || aside->own < P5_JIT_FIRST_CODE)
		return finish(m, aside);
	j->step = aside;
	return address_of(j, aside->own);
}

/* What slots before the look noted is written, as p5_btb_go_on() does. */
static void note_before(struct p5 *m, const struct p5_jit_ask *a)
{
	if (!a->has_noted)
		return;
	m->btb.now += a->n;
	m->btb.had_flush = false;
	m->btb.prev_u = a->prev_u;
	m->btb.could_pair = a->could_pair;
}

/* The look saw `seen`, and the step says what is wanted. Returns 0 when that is the same, else where host code goes on. */
static uint64_t answer(struct p5 *m, const struct p5_jit_ask *a, uint64_t seen, uint64_t wanted)
{
	if (seen != wanted)
		return help_seen(m, a->at, seen);
	m->btb.now -= a->n_after;
	return 0;
}

/* Do the look in full. Returns as answer(). */
static uint64_t help_look(struct p5 *m, const struct p5_jit_ask *a)
{
	struct p5_jit *j = &m->jit;
	const struct p5_run x = run_of(m, first_of(j));
	const struct p5_act *act = (const struct p5_act *)memo_extra(j->step) + a->at;

	note_before(m, a);
	return answer(m, a, p5_memo_look(m, &x, act), act->seen);
}

/* The same for data at lin. */
static uint64_t help_data(struct p5 *m, const struct p5_jit_access *a, uint64_t lin)
{
	uint64_t seen;

	lin &= P5_LIN_MASK;
	if (a->is_in_line && !(lin & a->align_mask))
		seen = p5_dcache_see_in_line(m, lin, &a->op, &a->look);
	else
		seen = p5_dcache_see(m, lin, &a->op, &a->look);
	if (seen == a->seen)
		return 0;
	note_before(m, &a->ask);
	return help_seen(m, a->ask.at, seen);
}

/* The same for a code line. */
static uint64_t help_code(struct p5 *m, const struct p5_jit_fetch *f)
{
	const uint64_t seen = f->unit << 16 | p5_icache_see(m, f->unit, f->want);

	if (seen == f->seen)
		return 0;
	note_before(m, &f->ask);
	return help_seen(m, f->ask.at, seen);
}

/* The same for a branch. */
static uint64_t help_slot(struct p5 *m, struct p5_jit_branch *j)
{
	uint64_t key, seen;

	note_before(m, &j->ask);
	key = m->btb.is_by_pair ? m->btb.prev_u : j->slot.u_pc;
	seen = p5_btb_see(m, &j->slot);
	if (seen == j->seen && seen & P5_SLOT_TAKEN && m->btb.is_pair) {
		j->entry = p5_btb_find(&m->btb, key);
		j->entry = j->entry ? j->entry : &m->jit.nowhere;
	}
	return answer(m, &j->ask, seen, j->seen);
}

static void help_list(struct p5 *m, struct memo_step *s)
{
	memo_use(&m->memo.room, s);
}

/* The block of the record at p, of which the head must be there; NULL: it is no block that is known. */
static struct p5_blk *block_at(const struct p5 *m, const uint8_t *p)
{
	const uint32_t head = reader_u32(p);
	struct p5_blk *b = head < TRC_SPECIAL ? m->blk[trc_block_id(head)] : NULL;

	return b && b->head == head ? b : NULL;
}

uint64_t p5_jit_next(struct p5 *m)
{
	struct p5_jit *j = &m->jit;
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
	s = memo_follow(&o->room, o->last, o->state, trc_block_id(b->head),
			behind->pc << 1 | (b->is_jcc && behind->pc == b->target));
	if (!s || s->own < P5_JIT_FIRST_CODE)
		return leave;
	compared = j->memory + s->own + P5_JIT_NEXT_HEAD;
	head = reader_u32(compared);
	if (head == UINT32_MAX)
		memcpy(compared, &behind->head, sizeof(head));
	j->step = s;
	j->way.n = 0;
	return address_of(j, s->own + P5_JIT_NO_COMPARE);
}

void p5_jit_helpers(struct p5_jit *j)
{
	j->helper[P5_JIT_LOOK] = (uint64_t)(uintptr_t)help_look;
	j->helper[P5_JIT_CODE] = (uint64_t)(uintptr_t)help_code;
	j->helper[P5_JIT_SLOT] = (uint64_t)(uintptr_t)help_slot;
	j->helper[P5_JIT_DATA] = (uint64_t)(uintptr_t)help_data;
	j->helper[P5_JIT_LIST] = (uint64_t)(uintptr_t)help_list;
	j->helper[P5_JIT_NEXT] = (uint64_t)(uintptr_t)p5_jit_next;
}
