/* wrong_tree.c -- wrong paths that were walked before. Rules and limits are in wrong_tree.h. */
#include "model/p6/clocks/wrong/wrong_tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide_pages.h"
#include "model/p6/clocks/wrong/wrong_blocks.h"
#include "model/p6/units/btb.h"
#include "model/p6/units/ifu.h"
#include "model/p6/p6.h"

#define MOST_NODES (1u << 16) /* then all paths are forgotten: 4 MB */
#define ROOTS	   (1u << 16) /* places, a power of two; as many paths as half of it */

/* Fields of p6_wrong_node.counts. No path is as long as 65535 of anything: room and clocks end it
 * before. */
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
	uint64_t by_pc_changes; /* as p6_time.by_pc_changes, when its paths were walked */
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

/* All paths are void. */
static void flush(struct p6_wrong_tree *t)
{
	if (t->n_root == 0)
		return;
	memset(t->root, 0, ROOTS * sizeof(*t->root));
	t->n_root = 0;
	t->n_node = 1;
	t->generation += t->generation != UINT16_MAX;
}

/* The tree, without the paths that led through blocks that have changed; NULL: there is none. */
static struct p6_wrong_tree *tree_of(struct p6 *m)
{
	struct p6_wrong_tree *t = m->time.wrong_tree;

	if (t && t->by_pc_changes != m->time.by_pc_changes) {
		flush(t);
		t->by_pc_changes = m->time.by_pc_changes;
	}
	return t;
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* All that fetch and decoders at pc remember, as a word; false: it does not fit. What is far enough
 * back is one value. */
static bool word_of_front(const struct p6 *m, const struct p6_front *f, uint64_t pc,
			  uint64_t branch_clk, uint64_t *word)
{
	const uint64_t left = branch_clk - f->clk, jump = f->clk - f->jump_clk,
		       taken = m->time.par.taken_clk;
	uint64_t w = left << 8 | (jump < taken ? jump : taken);

	if (left > UINT16_MAX || taken > UINT8_MAX || f->jump_clk > f->clk)
		return false;
	if (f->is_fresh) {
		const uint64_t groups = f->jump_groups < 3 ? f->jump_groups : 3;

		*word = w << 8 | 1 | groups << 1 |
			(groups ? (uint64_t)f->jump_is_cut << 3 : (uint64_t)f->starts_aligned << 3);
		return true;
	}
	if (pc - f->block_begin > 63 || f->block_end - f->block_begin != m->time.par.fetch_bytes ||
	    f->slot > 15 || f->chunk - (pc >> 4) > 1)
		return false;
	w = w << 6 | (pc - f->block_begin);
	w = w << 4 | f->slot;
	w = w << 2 | (f->groups < 3 ? f->groups : 3);
	*word = w << 3 | (uint64_t)f->has_branch << 2 | (f->chunk - (pc >> 4)) << 1;
	return true;
}

bool p6_wrong_tree_root(struct p6 *m, uint64_t pc, const struct p6_front *f, uint64_t branch_clk,
			struct p6_wrong_at *at)
{
	struct p6_wrong_tree *t = tree_of(m);
	uint64_t front;
	uint32_t i;

	if (!t || !word_of_front(m, f, pc, branch_clk, &front))
		return false;
	if (t->n_root > ROOTS / 2)
		flush(t);
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

/* ---- walking again --------------------------------------------------------------------------- */

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
	const struct btb_entry *e = &m->btb.table.entry[n->btb & (BTB_MAX_ENTRIES - 1)];

	if (__builtin_expect(e->tag != n->branch, 0)) {
		const uint32_t at = n->branch ? btb_find(&m->btb.table, n->branch) : BTB_MISS;

		if (at == BTB_MISS)
			return n->branch ? P6_WRONG_UNKNOWN : P6_WRONG_TAKEN;
		n->btb = (uint16_t)at;
		e = &m->btb.table.entry[at];
	}
	return (enum p6_wrong_exit)((unsigned)n->is_conditional &
				    (unsigned)(e->counter[e->history & 15] < 2));
}

static inline void raise(struct p6 *m, uint64_t chunks, uint64_t insts, uint64_t branches,
			 uint64_t stalls, uint64_t unknown, uint64_t clear)
{
	P6_RAISE(m, IFU_CHUNK, chunks);
	P6_RAISE(m, DECODE_INST, insts);
	P6_RAISE(m, DECODE_BRANCH, branches);
	P6_RAISE(m, ILD_STALL, stalls);
	P6_RAISE(m, DECODE_BTB_MISS, unknown);
	P6_RAISE(m, DECODE_BACLEAR, clear);
}

#define LOW_48 0xffffffffffffu

/* Changes whenever a line or page of code, or an entry of the BTB, comes or goes: neither of the
 * two ever counts back, and none gets that far. */
static inline uint64_t epoch_of(const struct p6 *m)
{
	return (m->ifu.epoch + m->btb.table.n_entered + 1) & LOW_48;
}

static inline void put48(uint16_t to[3], uint64_t x)
{
	to[0] = (uint16_t)x;
	to[1] = (uint16_t)(x >> 16);
	to[2] = (uint16_t)(x >> 32);
}

static inline uint64_t get48(const uint16_t from[3])
{
	return (uint64_t)from[2] << 32 | (uint32_t)from[1] << 16 | from[0];
}

/* A path that began at pc went as `path` says, whose branches are there; counts: as in struct
 * p6_wrong_node. */
static void keep_path(const struct p6 *m, struct p6_wrong_path *path, uint64_t pc,
		      unsigned n_branch, uint64_t counts, uint64_t unknown, uint64_t clear)
{
	if (n_branch > P6_WRONG_BRANCHES || counts & 0xff00ff00ff00ff00u || unknown > UINT8_MAX ||
	    pc > LOW_48) {
		put48(path->epoch, 0);
		return;
	}
	put48(path->epoch, epoch_of(m));
	put48(path->pc, pc);
	path->n_branch = (uint8_t)n_branch;
	path->chunks = (uint8_t)(counts >> CHUNKS_AT);
	path->insts = (uint8_t)(counts >> INSTS_AT);
	path->branches = (uint8_t)(counts >> BRANCHES_AT);
	path->stalls = (uint8_t)(counts >> STALLS_AT);
	path->unknown = (uint8_t)unknown;
	path->clear = (uint8_t)clear;
}

/* The path that begins at pc goes as `path` says, if it does: counted. */
static inline bool walk_path(struct p6 *m, const struct p6_wrong_path *path, uint64_t pc)
{
	bool is_other = false;

	if (get48(path->epoch) != epoch_of(m) || get48(path->pc) != pc)
		return false;
	for (unsigned i = 0; i < path->n_branch; i++) {
		const struct btb_entry *e = &m->btb.table.entry[path->branch[i] >> 1];

		is_other |= (e->counter[e->history & 15] >= 2) != (path->branch[i] & 1);
	}
	if (is_other)
		return false;
	raise(m, path->chunks, path->insts, path->branches, path->stalls, path->unknown,
	      path->clear);
	return true;
}

/* The path from node `first` on, kept in *path if that is not NULL. Returns as
 * p6_wrong_tree_walk(). */
static inline bool walk_from(struct p6 *m, struct p6_wrong_tree *t, uint32_t first,
			     struct p6_wrong_path *path)
{
	uint64_t counts = 0, n_unknown = 0, n_clear = 0;
	unsigned n_branch = 0;
	bool is_whole = true;

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
			is_whole = false;
			break;
		}
		if (!n->is_known || (n->epoch != m->ifu.epoch && !lines_are_there(m, n)))
			return false;
		n->epoch = m->ifu.epoch;
		counts += n->counts;
		if (n->is_last)
			break;
		exit = exit_of(m, n);
		if (__builtin_expect(exit == P6_WRONG_UNKNOWN, 0)) {
			n_unknown++;
			n_clear += n->is_clear;
		} else if (path && n->is_conditional && n_branch++ < P6_WRONG_BRANCHES) {
			path->branch[n_branch - 1] =
			    (uint16_t)(n->btb << 1 | (exit == P6_WRONG_TAKEN));
		}
		id = n->next[exit];
	}
	raise(m, counts >> CHUNKS_AT & 0xffff, counts >> INSTS_AT & 0xffff,
	      counts >> BRANCHES_AT & 0xffff, counts >> STALLS_AT & 0xffff, n_unknown, n_clear);
	if (path)
		keep_path(m, path, t->node[first].pc, is_whole ? n_branch : UINT_MAX, counts,
			  n_unknown, n_clear);
	return true;
}

bool p6_wrong_tree_walk(struct p6 *m, const struct p6_wrong_at *at)
{
	return walk_from(m, m->time.wrong_tree, *place(m->time.wrong_tree, at), NULL);
}

bool p6_wrong_tree_again(struct p6 *m, struct p6_wrong_first *first, uint64_t pc)
{
	struct p6_wrong_tree *t = tree_of(m);

	if (!t || !first->node || first->generation != t->generation)
		return false;
	if (walk_path(m, &first->path, pc))
		return true;
	put48(first->path.epoch, 0);
	return t->node[first->node].pc == pc && walk_from(m, t, first->node, &first->path);
}

void p6_wrong_tree_first(const struct p6 *m, const struct p6_wrong_at *at,
			 struct p6_wrong_first *first)
{
	struct p6_wrong_tree *t = m->time.wrong_tree;
	const uint32_t id = *place(t, at);

	_Static_assert(MOST_NODES <= UINT16_MAX + 1, "numbers of 16 bits");
	if (id && id != P6_WRONG_END && t->generation != UINT16_MAX)
		*first = (struct p6_wrong_first){.node = (uint16_t)id, .generation = t->generation};
}

/* ---- walking in full ------------------------------------------------------------------------- */

struct p6_wrong_node *p6_wrong_tree_node(struct p6 *m, const struct p6_wrong_at *at, uint64_t pc)
{
	struct p6_wrong_tree *t = m->time.wrong_tree;
	const uint32_t id = *place(t, at);

	if (id && id != P6_WRONG_END)
		return &t->node[id];
	if (t->n_node == MOST_NODES) {
		flush(t);
		return NULL;
	}
	*place(t, at) = t->n_node;
	t->node[t->n_node] = (struct p6_wrong_node){.pc = pc};
	return &t->node[t->n_node++];
}

void p6_wrong_tree_go(struct p6 *m, struct p6_wrong_at *at, const struct p6_wrong_node *node,
		      enum p6_wrong_exit exit)
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

	return (struct p6_wrong_counts){n[WIRE_P6_IFU_CHUNK], n[WIRE_P6_DECODE_INST],
					n[WIRE_P6_DECODE_BRANCH], n[WIRE_P6_ILD_STALL]};
}

void p6_wrong_tree_keep(struct p6 *m, struct p6_wrong_node *n, const struct p6_tblk *b,
			uint16_t btb, const struct p6_wrong_counts *before, unsigned bytes,
			bool is_last)
{
	const struct p6_wrong_counts now = p6_wrong_tree_counts(m);

	n->counts = (now.chunks - before->chunks) << CHUNKS_AT |
		    (now.insts - before->insts) << INSTS_AT |
		    (now.branches - before->branches) << BRANCHES_AT |
		    (now.stalls - before->stalls) << STALLS_AT;
	n->bytes = (uint16_t)bytes;
	n->epoch = m->ifu.epoch;
	n->is_last = is_last;
	n->branch = b->term == X86_TERM_FALL ? 0 : b->fall - 1;
	n->btb = btb;
	n->is_conditional = b->term == X86_TERM_JCC;
	n->is_clear = !n->is_conditional || b->target < b->fall;
	n->is_known = true;
}
