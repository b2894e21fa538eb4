/* wrong.c -- what is fetched and decoded behind a mispredicted branch until it is executed.
 *
 * COUNTING RULES   chunks, instructions, branches, branches without BTB entry, redirections and the length decoder's
 *                  stalls on the wrong path count like those on the right one (80H, 87H, D0H, E0H, E2H, E6H);
 *                  clocks in which it waits for a line that L1I does not have count in 86H.
 * MODELLED         straight on, direct jumps and calls, conditional branches as the BTB or the decoder's rule predicts
 *                  them, through code that was translated; as many micro-ops as the queue and an empty reorder
 *                  buffer hold. Caches, TLBs, BTB and return stack are looked at, never changed.
 * NOT MODELLED     returns and indirect jumps on a wrong path (it ends there), code that never was translated,
 *                  loads (--wrong-path loads).
 * SOURCES          Intel 242816-003 table 7-2 (decoded events include wrong paths).
 */
#include "model/p6/p6.h"

#include <stdlib.h>
#include <string.h>

static uint32_t slot_of(const struct p6_time *t, uint64_t pc)
{
	return (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 40) & (t->by_pc_slots - 1);
}

static void enter(struct p6 *m, uint32_t id)
{
	struct p6_time *t = &m->time;
	const uint64_t pc = x86_store_get(m->store, id)->pc;
	uint32_t at = slot_of(t, pc);

	while (t->by_pc[at] && x86_store_get(m->store, t->by_pc[at] - 1)->pc != pc)
		at = (at + 1) & (t->by_pc_slots - 1);
	t->by_pc[at] = id + 1; /* the youngest block at an address is the valid one */
}

/* Take in the blocks that were translated since. Returns false when memory is out. */
static bool take_in(struct p6 *m)
{
	struct p6_time *t = &m->time;
	const uint32_t n = x86_store_count(m->store);

	if (2 * n > t->by_pc_slots) {
		uint32_t slots = t->by_pc_slots ? t->by_pc_slots : 1024, *more;

		while (slots < 4 * n)
			slots *= 2;
		more = calloc(slots, sizeof(*more));
		if (!more)
			return false;
		free(t->by_pc);
		t->by_pc = more;
		t->by_pc_slots = slots;
		t->n_by_pc = 0;
	}
	while (t->n_by_pc < n)
		enter(m, t->n_by_pc++);
	return true;
}

void p6_wrong_forget(struct p6 *m)
{
	if (m->time.by_pc)
		memset(m->time.by_pc, 0, m->time.by_pc_slots * sizeof(*m->time.by_pc));
	m->time.n_by_pc = 0;
}

static const struct x86_block *find_block(const struct p6 *m, uint64_t pc)
{
	const struct p6_time *t = &m->time;

	if (!t->by_pc_slots)
		return NULL;
	for (uint32_t at = slot_of(t, pc); t->by_pc[at]; at = (at + 1) & (t->by_pc_slots - 1)) {
		const struct x86_block *b = x86_store_get(m->store, t->by_pc[at] - 1);

		if (b->pc == pc)
			return b;
	}
	return NULL;
}

/* Would the branch that ends b be taken, as the front end sees it? */
static bool is_predicted(const struct p6 *m, const struct x86_block *b, uint32_t at)
{
	const struct btb_entry *e;

	if (b->term != X86_TERM_JCC)
		return true;
	if (at == BTB_MISS)
		return b->target < b->fall;
	e = &m->btb.entry[at];
	return e->counter[e->history & 15] >= 2;
}

/* Decode block b. Returns where the wrong path goes on, 0: nowhere. */
static uint64_t decode_block(struct p6 *m, const struct x86_block *b, uint64_t before_clk, unsigned *room)
{
	const struct p6_tblk *t = p6_template(m, b);
	const bool is_direct = b->term == X86_TERM_JCC || b->term == X86_TERM_JMP || b->term == X86_TERM_CALL;
	uint32_t at;

	if (!t)
		return 0;
	for (unsigned i = 0; i < t->n_step; i++) {
		const struct p6_step *s = &t->step[i];
		const uint64_t pc = b->pc + b->insn[i].pc_off;

		if (!p6_ifu_has(m, pc) || !p6_ifu_has(m, pc + s->bytes - 1)) {
			const uint64_t clk = m->time.front.clk;

			P6_RAISE(m, IFU_MEM_STALL, before_clk > clk ? before_clk - clk : 0);
			return 0;
		}
		if (s->n_uop > *room || !p6_decode_wrong(m, s, pc, before_clk))
			return 0;
		*room -= s->n_uop;
	}
	if (b->term == X86_TERM_FALL)
		return b->fall;
	if (!is_direct)
		return 0;
	at = btb_find(&m->btb, b->fall - 1);
	P6_RAISE(m, DECODE_BTB_MISS, at == BTB_MISS);
	if (!is_predicted(m, b, at))
		return b->fall;
	if (at == BTB_MISS) {
		P6_RAISE(m, DECODE_BACLEAR, 1);
		p6_decode_baclear(m);
	} else {
		p6_decode_jump(m, b->fall);
	}
	return b->target;
}

void p6_wrong_path(struct p6 *m, uint64_t wrong, bool is_jump, uint64_t branch_clk)
{
	struct p6_time *t = &m->time;
	const struct p6_front right = t->front;
	unsigned room = t->par.queue_uops + t->par.rob;

	if (!wrong || !take_in(m))
		return;
	if (is_jump)
		p6_decode_jump(m, t->front.block_begin + 1);
	while (wrong && t->front.clk < branch_clk) {
		const struct x86_block *b = find_block(m, wrong);

		wrong = b ? decode_block(m, b, branch_clk, &room) : 0;
	}
	t->front = right;
}
