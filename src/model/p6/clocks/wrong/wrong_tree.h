/* wrong_tree.h -- wrong paths that were walked before (wrong_tree.c).
 *
 * What a wrong path counts depends on where it begins, on the state of fetch and decoders there, on
 * how long it lasts, on which of its code lines L1I has, and on what the BTB says of its branches.
 * The first three lead to a node; a node is a block, with what decoding it counted; what the BTB
 * says at its end leads to the next. So walking a path again is a look at each of its lines and
 * branches.
 *
 * COUNTING RULES   those of wrong.c; --memo off does without it (tests/engine/p6_memo.sh).
 * NOT MODELLED     paths on which a line is missing: these are walked anew.
 */
#ifndef SOFTPMU_MODEL_P6_WRONG_TREE_H
#define SOFTPMU_MODEL_P6_WRONG_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct p6;
struct p6_front;
struct p6_tblk;

/* What the BTB said of the branch at the end of a block. */
enum p6_wrong_exit {
	P6_WRONG_TAKEN, /* it is known; or there is no branch */
	P6_WRONG_FALL,
	P6_WRONG_UNKNOWN, /* then the decoder's rule goes on, the same way each time */
	P6_WRONG_EXITS
};

/* One line of the host's cache: all that walking a path again asks, but for the BTB. */
struct p6_wrong_node {
	_Alignas(64) uint64_t pc;
	uint64_t branch;	       /* its last byte; 0: the block ends in none */
	uint64_t epoch;		       /* p6_ifu.epoch when all its lines were there last */
	uint64_t counts;	       /* four fields of 16 bits, see wrong_tree.c */
	uint32_t next[P6_WRONG_EXITS]; /* nodes; 0: not known, P6_WRONG_END: the path is over */
	uint16_t bytes;		       /* of code that are looked at */
	uint16_t btb;		       /* position where the BTB had the branch last */
	bool is_there;		       /* something was executed there */
	bool is_last;		       /* the path ends in it */
	bool is_known;		       /* the rest is filled in */
	bool is_conditional;
	bool is_clear; /* its branch, when the BTB does not know it, is taken */
};
_Static_assert(sizeof(struct p6_wrong_node) == 64, "one line of the host's cache");
#define P6_WRONG_END UINT32_MAX

/* A place in the tree: next[exit] of a node, or the root's. */
struct p6_wrong_at {
	uint32_t node, exit; /* node 0: `exit` is a place in the table of roots */
};

/* A path as it went last: the same again as long as no line or page of code and no entry of the BTB
 * came or went, and the BTB says the same of its conditional branches. Words of 2 bytes, so that it
 * fits beside a front in a line of the host's cache (memo_steps.h). */
#define P6_WRONG_BRANCHES 12u
struct p6_wrong_path {
	uint16_t
	    epoch[3];	/* of these comings and goings together, 48 bits of it; 0: none is kept */
	uint16_t pc[3]; /* where it begins, below 2^48 */
	uint16_t branch[P6_WRONG_BRANCHES]; /* position in the BTB << 1 | 1: taken */
	uint8_t n_branch;
	uint8_t chunks, insts, branches, stalls, unknown, clear; /* counts */
};

/* The first node of a path, kept by whoever always walks the same one, but for where it goes. All
 * 0: none. */
struct p6_wrong_first {
	uint16_t node, generation; /* a flush of the tree ends a generation */
	struct p6_wrong_path path;
};

/* A tree without paths; NULL when memory is out. Freed by p6_wrong_tree_close(), which takes NULL.
 */
struct p6_wrong_tree *p6_wrong_tree_open(void);
void p6_wrong_tree_close(struct p6_wrong_tree *t);

/* Where the path that begins at pc, with front end *f, until branch_clk, has its root: *at. Returns
 * false when there is no room for it, or it cannot be said. */
bool p6_wrong_tree_root(struct p6 *m, uint64_t pc, const struct p6_front *f, uint64_t branch_clk,
			struct p6_wrong_at *at);

/* Walk the path of root *at: counted. Returns false when some of it is not known; nothing is
 * counted then. */
bool p6_wrong_tree_walk(struct p6 *m, const struct p6_wrong_at *at);

/* The same from *first on, when the path begins at pc; first->path receives how it went. */
bool p6_wrong_tree_again(struct p6 *m, struct p6_wrong_first *first, uint64_t pc);
/* *first: of the path of root *at, if it has one. */
void p6_wrong_tree_first(const struct p6 *m, const struct p6_wrong_at *at,
			 struct p6_wrong_first *first);

/* While a path is walked in full: the node of the block at pc that comes behind *at, NULL when
 * there is no room. */
struct p6_wrong_node *p6_wrong_tree_node(struct p6 *m, const struct p6_wrong_at *at, uint64_t pc);
/* *at moves on to what lies behind this node by `exit`. */
void p6_wrong_tree_go(struct p6 *m, struct p6_wrong_at *at, const struct p6_wrong_node *node,
		      enum p6_wrong_exit exit);
/* The path is over at *at. */
void p6_wrong_tree_end(struct p6 *m, const struct p6_wrong_at *at);

/* What a path has counted, but for what the BTB says. */
struct p6_wrong_counts {
	uint64_t chunks, insts, branches, stalls;
};

struct p6_wrong_counts p6_wrong_tree_counts(const struct p6 *m);

/* Block b of node n, whose branch the BTB has at position `btb`, of whose code `bytes` were looked
 * at, all of it there, counted what was counted since *before. */
void p6_wrong_tree_keep(struct p6 *m, struct p6_wrong_node *n, const struct p6_tblk *b,
			uint16_t btb, const struct p6_wrong_counts *before, unsigned bytes,
			bool is_last);

#endif
