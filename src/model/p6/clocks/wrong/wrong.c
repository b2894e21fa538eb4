/* wrong.c -- what is fetched and decoded behind a mispredicted branch until it is executed.
 *
 * COUNTING RULES   chunks, instructions, branches, branches without BTB entry, redirections and the
 *                  length decoder's stalls on the wrong path count like those on the right one
 *                  (80H, 87H, D0H, E0H, E2H, E6H); clocks in which it waits for a line that L1I
 *                  does not have count in 86H.
 * MODELLED         straight on, direct jumps and calls, conditional branches as the BTB or the
 *                  decoder's rule predicts them, through code that was executed before; as many
 *                  micro-ops as the queue and an empty reorder buffer hold. Caches, TLBs, BTB and
 *                  return stack are looked at, never changed, but with --wrong-path loads
 *                  (wrong_loads.c). --wrong-path off: none of it.
 * NOT MODELLED     returns and indirect jumps on a wrong path (it ends there), code that never was
 *                  executed.
 * SOURCES          Intel 242816-003 table 7-2 (decoded events include wrong paths).
 */
#include "model/p6/clocks/templates.h"
#include "model/p6/units/btb.h"
#include "model/p6/units/btb_inline.h"
#include "model/p6/clocks/wrong/wrong_blocks.h"
#include "model/p6/clocks/wrong/wrong_tree.h"
#include "model/p6/clocks/decode.h"
#include "model/p6/units/ifu.h"

#include <stdlib.h>
#include <string.h>

/* Would the branch that ends b be taken, as the front end sees it? */
static bool is_predicted(const struct p6 *m, const struct p6_tblk *b, uint32_t at)
{
	const struct btb_entry *e;

	if (b->term != X86_TERM_JCC)
		return true;
	if (at == BTB_MISS)
		return b->target < b->fall;
	e = &m->btb.table.entry[at];
	return e->counter[e->history & 15] >= 2;
}

/* Is the code of the instruction at pc in L1I? *line: number of a line that is. */
static bool is_there(const struct p6 *m, uint64_t pc, unsigned bytes, uint64_t *line)
{
	for (uint64_t lin = pc;; lin = pc + bytes - 1) {
		if (lin >> m->line_log2 != *line && !p6_ifu_has(m, lin))
			return false;
		*line = lin >> m->line_log2;
		if (*line == (pc + bytes - 1) >> m->line_log2)
			return true;
	}
}

/* What decode_block() came to. */
struct decoded {
	uint64_t next;	 /* where the wrong path goes on, 0: nowhere */
	unsigned bytes;	 /* of its code that were looked at */
	bool is_missing; /* some of them were not there */
	bool is_cut;	 /* it was not decoded to its end, or nobody knows what follows */
	uint16_t btb;	 /* position where the BTB has its branch */
	enum p6_wrong_exit exit;
};

static struct decoded decode_block(struct p6 *m, const struct p6_tblk *b, uint64_t before_clk,
				   unsigned *room)
{
	const bool is_direct =
	    b->term == X86_TERM_JCC || b->term == X86_TERM_JMP || b->term == X86_TERM_CALL;
	struct decoded d = {.exit = P6_WRONG_TAKEN, .is_cut = true};
	uint64_t pc = b->pc, line = P6_NO_KEY;
	uint32_t at;

	for (unsigned i = 0; i < b->n_step; i++) {
		const struct p6_code *s = &b->code[i];

		if (m->time.wrong_mode == MDL_WRONG_LOADS) {
			m->time.front.clk = p6_wrong_fetch(m, s, pc, m->time.front.clk);
		} else if (!is_there(m, pc, s->bytes, &line)) {
			const uint64_t clk = m->time.front.clk;

			P6_RAISE_FOR(m, IFU_MEM_STALL, clk,
				     before_clk > clk ? before_clk - clk : 0);
			d.is_missing = true;
			return d;
		}
		d.bytes += s->bytes;
		if (s->n_uop > *room || !p6_decode_wrong(m, s, pc, before_clk))
			return d;
		if (b->more)
			p6_wrong_execute(m, b, i, m->time.front.clk, before_clk);
		*room -= s->n_uop;
		pc += s->bytes;
	}
	d.is_cut = b->term != X86_TERM_FALL && !is_direct;
	if (d.is_cut)
		return d;
	d.next = b->fall;
	if (b->term == X86_TERM_FALL)
		return d;
	at = p6_btb_position(m, b->fall - 1, &d.btb);
	P6_RAISE_AT(m, DECODE_BTB_MISS, m->time.front.clk, at == BTB_MISS);
	d.exit = at == BTB_MISS ? P6_WRONG_UNKNOWN : P6_WRONG_FALL;
	if (!is_predicted(m, b, at))
		return d;
	d.next = b->target;
	if (at == BTB_MISS) {
		P6_RAISE_AT(m, DECODE_BACLEAR, m->time.front.clk, 1);
		p6_decode_baclear(m);
	} else {
		d.exit = P6_WRONG_TAKEN;
		p6_decode_jump(m, b->fall);
	}
	return d;
}

/* The path from `wrong` on, in full. at: its root, or NULL: it is not kept. */
static void walk(struct p6 *m, uint64_t wrong, uint64_t branch_clk, struct p6_wrong_at *at)
{
	unsigned room = m->time.par.queue_uops + m->time.par.rob;

	while (wrong && m->time.front.clk < branch_clk) {
		const struct p6_tblk *b = p6_wrong_find(m, wrong);
		struct p6_wrong_node *node = at ? p6_wrong_tree_node(m, at, wrong) : NULL;
		const struct p6_wrong_counts before = p6_wrong_tree_counts(m);
		struct decoded d;

		if (!node)
			at = NULL;
		else
			node->is_there = b != NULL;
		if (!b)
			return;
		d = decode_block(m, b, branch_clk, &room);
		if (d.is_missing)
			return;
		if (node && !node->is_known)
			p6_wrong_tree_keep(m, node, b, d.btb, &before, d.bytes, d.is_cut);
		if (d.is_cut)
			return;
		if (node)
			p6_wrong_tree_go(m, at, node, d.exit);
		wrong = d.next;
	}
	if (at)
		p6_wrong_tree_end(m, at);
}

void p6_wrong_path(struct p6 *m, uint64_t wrong, bool is_jump, uint64_t branch_clk)
{
	struct p6_time *t = &m->time;
	struct p6_wrong_first *const first = t->wrong_first;
	const struct p6_front right = t->front;
	struct p6_wrong_at at = {0, 0};

	t->wrong_first = NULL;
	if (!wrong || t->wrong_mode == MDL_WRONG_OFF)
		return;
	if (first && p6_wrong_tree_again(m, first, wrong))
		return;
	if (t->wrong_mode == MDL_WRONG_LOADS)
		t->known_right = t->known;
	if (is_jump)
		p6_decode_jump(m, t->front.block_begin + 1);
	if (t->front.clk < branch_clk) {
		const bool is_kept = p6_wrong_tree_root(m, wrong, &t->front, branch_clk, &at);
		const struct p6_wrong_at root = at;

		if (!is_kept || !p6_wrong_tree_walk(m, &at))
			walk(m, wrong, branch_clk, is_kept ? &at : NULL);
		if (is_kept && first)
			p6_wrong_tree_first(m, &root, first);
	}
	t->front = right;
	if (t->wrong_mode == MDL_WRONG_LOADS)
		t->known = t->known_right;
}

bool p6_time_predict(struct p6 *m, const struct p6_pending *p, uint64_t next, uint16_t *hint)
{
	uint32_t at;

	if (!x86_is_transfer(p->term))
		return false;
	at = p6_btb_position(m, p->fall - 1, hint);
	switch (p->term) {
	case X86_TERM_JCC: m->time.wrong = next == p->fall ? p->target : p->fall; break;
	case X86_TERM_JMP_IND:
	case X86_TERM_CALL_IND:
		m->time.wrong = at == BTB_MISS ? p->fall : m->btb.table.target[at];
		break;
	case X86_TERM_RET:
		m->time.wrong = m->btb.rsb.depth ? m->btb.rsb.entry[m->btb.rsb.top] : 0;
		break;
	default: m->time.wrong = 0; break;
	}
	return at != BTB_MISS;
}
