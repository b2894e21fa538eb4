/* wrong_tree.c -- wrong paths that were walked before. Rules and limits are in wrong_tree.h. */
#include "model/p6/memory.h"
#include "model/p6/wrong_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/wide_pages.h"
#include "model/p6/btb.h"

#define MOST_NODES  (1u << 16) /* then all paths are forgotten: 4 MB */
#define ROOTS	    (1u << 16) /* places, a power of two; as many paths as half of it */

/* Fields of p6_wrong_node.counts. No path is as long as 65535 of anything: room and clocks end it before. */
#define CHUNKS_AT   0
#define INSTS_AT    16
#define BRANCHES_AT 32
#define STALLS_AT   48

struct root {
	uint64_t pc, front;
	uint32_t node; /* as p6_wrong_node.next */
	bool is_used;
};

struct p6_wrong_tree {
	struct p6_wrong_node *node; /* number 0: none */
	uint32_t n_node;
	struct root *root;
	uint32_t n_root;
	uint16_t generation; /* from 1 on; UINT16_MAX: nobody may keep first nodes any more */
};

struct p6_wrong_tree *p6_wrong_tree_open(void)
{
	struct p6_wrong_tree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->node = wide_pages(MOST_NODES * sizeof(*t->node)); /* touched as they come */
	t->root = calloc(ROOTS, sizeof(*t->root));
	t->n_node = 1;
	t->generation = 1;
	if (!t->node || !t->root) {
		p6_wrong_tree_close(t);
		return NULL;
	}
	return t;
}

void p6_wrong_tree_close(struct p6_wrong_tree *t)
{
	if (!t)
		return;
	free(t->node);
	free(t->root);
	free(t);
}

void p6_wrong_tree_flush(struct p6_wrong_tree *t)
{
	if (!t || t->n_root == 0)
		return;
	memset(t->root, 0, ROOTS * sizeof(*t->root));
	t->n_root = 0;
	t->n_node = 1;
	t->generation += t->generation != UINT16_MAX;
}

/* ---- roots --------------------------------------------------------------------------------------------- */

/* All that fetch and decoders at pc remember, as a word; false: it does not fit. What is far enough back is one value. */
static bool word_of_front(const struct p6 *m, const struct p6_front *f, uint64_t pc, uint64_t branch_clk, uint64_t *word)
{
	const uint64_t left = branch_clk - f->clk, jump = f->clk - f->jump_clk, taken = m->time.par.taken_clk;
	uint64_t w = left << 8 | (jump < taken ? jump : taken);

	if (left > UINT16_MAX || taken > UINT8_MAX || f->jump_clk > f->clk)
		return false;
	if (f->is_fresh) {
		const uint64_t groups = f->jump_groups < 3 ? f->jump_groups : 3;

		*word = w << 8 | 1 | groups << 1 | (groups ? (uint64_t)f->jump_is_cut << 3 : (uint64_t)f->starts_aligned << 3);
		return true;
	}
	if (pc - f->block_begin > 63 || f->block_end - f->block_begin != m->time.par.fetch_bytes || f->slot > 15 ||
	    f->chunk - (pc >> 4) > 1)
		return false;
	w = w << 6 | (pc - f->block_begin);
	w = w << 4 | f->slot;
	w = w << 2 | (f->groups < 3 ? f->groups : 3);
	*word = w << 3 | (uint64_t)f->has_branch << 2 | (f->chunk - (pc >> 4)) << 1;
	return true;
}

bool p6_wrong_tree_root(struct p6 *m, uint64_t pc, const struct p6_front *f, uint64_t branch_clk, struct p6_wrong_at *at)
{
	struct p6_wrong_tree *t = m->time.wrong_tree;
	uint64_t front;
	uint32_t i;

	if (!t || !word_of_front(m, f, pc, branch_clk, &front))
		return false;
	if (t->n_root > ROOTS / 2)
		p6_wrong_tree_flush(t);
	i = (uint32_t)((pc ^ front << 20 ^ front >> 13) * 0x9e3779b97f4a7c15u >> 40) & (ROOTS - 1);
	for (; t->root[i].is_used; i = (i + 1) & (ROOTS - 1)) {
		if (t->root[i].pc == pc && t->root[i].front == front) {
			*at = (struct p6_wrong_at){0, i};
			return true;
		}
	}
	t->root[i] = (struct root){.pc = pc, .front = front, .is_used = true};
	t->n_root++;
	*at = (struct p6_wrong_at){0, i};
	return true;
}

static uint32_t *place(struct p6_wrong_tree *t, const struct p6_wrong_at *at)
{
	return at->node ? &t->node[at->node].next[at->exit] : &t->root[at->exit].node;
}

/* ---- walking again ------------------------------------------------------------------------------------- */

/* Are all lines of n in L1I? */
static bool lines_are_there(const struct p6 *m, const struct p6_wrong_node *n)
{
	const uint64_t last = (n->pc + n->bytes - 1) >> m->line_log2;

	for (uint64_t line = n->pc >> m->line_log2; line <= last; line++)
		if (!p6_ifu_has(m, line << m->line_log2))
			return false;
	return true;
}

/* What the BTB says at the end of n, without a jump that the host would have to guess. */
static inline enum p6_wrong_exit exit_of(const struct p6 *m, struct p6_wrong_node *n)
{
	const struct btb_entry *e = &m->btb.entry[n->btb & (BTB_MAX_ENTRIES - 1)];

	if (__builtin_expect(e->tag != n->branch, 0)) {
		const uint32_t at = n->branch ? btb_find(&m->btb, n->branch) : BTB_MISS;

		if (at == BTB_MISS)
			return n->branch ? P6_WRONG_UNKNOWN : P6_WRONG_TAKEN;
		n->btb = (uint16_t)at;
		e = &m->btb.entry[at];
	}
	return (enum p6_wrong_exit)((unsigned)n->is_conditional & (unsigned)(e->counter[e->history & 15] < 2));
}

/* The path from node `first` on. Returns as p6_wrong_tree_walk(). */
static inline bool walk_from(struct p6 *m, struct p6_wrong_tree *t, uint32_t first)
{
	uint64_t counts = 0, n_unknown = 0, n_clear = 0;

	_Static_assert(P6_WRONG_TAKEN == 0 && P6_WRONG_FALL == 1, "as exit_of() has it");
	for (uint32_t id = first; id != P6_WRONG_END;) {
		struct p6_wrong_node *n = &t->node[id];
		enum p6_wrong_exit exit;

		if (!id)
			return false;
		/* which of them is next says a look at the BTB */
		__builtin_prefetch(&t->node[n->next[P6_WRONG_TAKEN] & (MOST_NODES - 1)]);
		__builtin_prefetch(&t->node[n->next[P6_WRONG_FALL] & (MOST_NODES - 1)]);
		if (!n->is_there) {
			if (p6_wrong_find(m, n->pc))
				return false;
			break;
		}
		if (!n->is_known || (n->epoch != m->code_epoch && !lines_are_there(m, n)))
			return false;
		n->epoch = m->code_epoch;
		counts += n->counts;
		if (n->is_last)
			break;
		exit = exit_of(m, n);
		if (__builtin_expect(exit == P6_WRONG_UNKNOWN, 0)) {
			n_unknown++;
			n_clear += n->is_clear;
		}
		id = n->next[exit];
	}
	P6_RAISE(m, IFU_CHUNK, counts >> CHUNKS_AT & 0xffff);
	P6_RAISE(m, DECODE_INST, counts >> INSTS_AT & 0xffff);
	P6_RAISE(m, DECODE_BRANCH, counts >> BRANCHES_AT & 0xffff);
	P6_RAISE(m, ILD_STALL, counts >> STALLS_AT & 0xffff);
	P6_RAISE(m, DECODE_BTB_MISS, n_unknown);
	P6_RAISE(m, DECODE_BACLEAR, n_clear);
	return true;
}

bool p6_wrong_tree_walk(struct p6 *m, const struct p6_wrong_at *at)
{
	return walk_from(m, m->time.wrong_tree, *place(m->time.wrong_tree, at));
}

bool p6_wrong_tree_again(struct p6 *m, const struct p6_wrong_first *first, uint64_t pc)
{
	struct p6_wrong_tree *t = m->time.wrong_tree;

	return t && first->node && first->generation == t->generation && t->node[first->node].pc == pc && walk_from(m, t, first->node);
}

void p6_wrong_tree_first(const struct p6 *m, const struct p6_wrong_at *at, struct p6_wrong_first *first)
{
	struct p6_wrong_tree *t = m->time.wrong_tree;
	const uint32_t id = *place(t, at);

	_Static_assert(MOST_NODES <= UINT16_MAX + 1, "numbers of 16 bits");
	if (id && id != P6_WRONG_END && t->generation != UINT16_MAX)
		*first = (struct p6_wrong_first){(uint16_t)id, t->generation};
}

/* ---- walking in full ----------------------------------------------------------------------------------- */

struct p6_wrong_node *p6_wrong_tree_node(struct p6 *m, const struct p6_wrong_at *at, uint64_t pc)
{
	struct p6_wrong_tree *t = m->time.wrong_tree;
	const uint32_t id = *place(t, at);

	if (id && id != P6_WRONG_END)
		return &t->node[id];
	if (t->n_node == MOST_NODES) {
		p6_wrong_tree_flush(t);
		return NULL;
	}
	*place(t, at) = t->n_node;
	t->node[t->n_node] = (struct p6_wrong_node){.pc = pc};
	return &t->node[t->n_node++];
}

void p6_wrong_tree_go(struct p6 *m, struct p6_wrong_at *at, const struct p6_wrong_node *node, enum p6_wrong_exit exit)
{
	*at = (struct p6_wrong_at){(uint32_t)(node - m->time.wrong_tree->node), exit};
}

void p6_wrong_tree_end(struct p6 *m, const struct p6_wrong_at *at)
{
	*place(m->time.wrong_tree, at) = P6_WRONG_END;
}

struct p6_wrong_counts p6_wrong_tree_counts(const struct p6 *m)
{
	const uint64_t *n = m->dyn;

	return (struct p6_wrong_counts){n[WIRE_P6_IFU_CHUNK], n[WIRE_P6_DECODE_INST], n[WIRE_P6_DECODE_BRANCH],
					n[WIRE_P6_ILD_STALL]};
}

void p6_wrong_tree_keep(struct p6 *m, struct p6_wrong_node *n, const struct p6_tblk *b, uint16_t btb,
			const struct p6_wrong_counts *before, unsigned bytes, bool is_last)
{
	const struct p6_wrong_counts now = p6_wrong_tree_counts(m);

	n->counts = (now.chunks - before->chunks) << CHUNKS_AT | (now.insts - before->insts) << INSTS_AT |
		    (now.branches - before->branches) << BRANCHES_AT | (now.stalls - before->stalls) << STALLS_AT;
	n->bytes = (uint16_t)bytes;
	n->epoch = m->code_epoch;
	n->is_last = is_last;
	n->branch = b->term == X86_TERM_FALL ? 0 : b->fall - 1;
	n->btb = btb;
	n->is_conditional = b->term == X86_TERM_JCC;
	n->is_clear = !n->is_conditional || b->target < b->fall;
	n->is_known = true;
}
