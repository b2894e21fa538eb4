/* wrong_tree.h -- wrong paths that were walked before (wrong_tree.c).
 *
 * PURPOSE          A wrong path is counted quickly when the same one was walked before. What it
 *                  counts depends on where it begins, on the state of fetch and decoders there, on
 *                  how long it lasts, on which of its code lines L1I has, and on what the BTB says
 *                  of its branches. The first three lead to a root. A node is a block of the path,
 *                  with what its decoding counted. What the BTB says of the branch at its end leads
 *                  to the next node. So walking a path again is a look at each of its lines and
 *                  branches.
 * COUNTING RULES   those of wrong.c. --memo off does without the tree and gives the same counts
 *                  (tests/engine/p6_memo.sh).
 * NOT MODELLED     Paths of which L1I lacks a line, and states of the front end that do not fit
 *                  into the key of a root: wrong.c walks these in full.
 * LIMITS           65536 nodes and 32768 paths. When there are more, all are forgotten.
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
	P6_WRONG_TAKEN, /* taken; or the block ends without a branch */
	P6_WRONG_FALL,	/* not taken */
	/* the BTB has no entry for it; the decoder's rule decides, the same way each time */
	P6_WRONG_UNKNOWN,
	P6_WRONG_EXITS
};

/* A block of a path. All that walking a path again reads of it, but for the BTB, lies in one line
 * of the host's cache. */
struct p6_wrong_node {
	_Alignas(64) uint64_t pc;
	uint64_t branch;	       /* its last byte; 0: the block ends in none */
	uint64_t epoch;		       /* p6_ifu.epoch when all its lines were there last */
	uint64_t counts;	       /* four fields of 16 bits, see wrong_tree.c */
	uint32_t next[P6_WRONG_EXITS]; /* nodes; 0: not known, P6_WRONG_END: the path is over */
	uint16_t bytes;		       /* of its code, as far as it was fetched */
	uint16_t btb;		       /* position where the BTB had the branch last */
	bool is_there;		       /* code at pc has been executed, so its block is known */
	bool is_last;		       /* the path ends in this block */
	bool is_known;		       /* the other members are filled in */
	bool is_conditional;
	bool is_clear; /* the decoder's rule takes its branch when the BTB does not know it */
};
_Static_assert(sizeof(struct p6_wrong_node) == 64, "one line of the host's cache");
#define P6_WRONG_END UINT32_MAX

/* A place in the tree: next[exit] of a node, or the root's. */
struct p6_wrong_at {
	uint32_t node, exit; /* node 0: `exit` is a place in the table of roots */
};

/* A path as it went last. It goes that way again as long as no line or page of code and no entry of
 * the BTB has come or gone, and the BTB says what it said of its conditional branches. Words of 2
 * bytes, so that it fits beside a front in a line of the host's cache (memo_steps.h). */
#define P6_WRONG_BRANCHES 12u
struct p6_wrong_path {
	uint16_t epoch[3]; /* how many have come or gone, in 48 bits; 0: no path is kept */
	uint16_t pc[3];	   /* where it begins, below 2^48 */
	uint16_t branch[P6_WRONG_BRANCHES]; /* position in the BTB << 1 | 1: taken */
	uint8_t n_branch;
	uint8_t chunks, insts, branches, stalls, unknown, clear; /* counts */
};

/* The first node of a path, and how the path went last. It is kept with a step whose wrong path
 * always has one root. All 0: there is none. */
struct p6_wrong_first {
	uint16_t node, generation; /* a flush of the tree ends a generation */
	struct p6_wrong_path path;
};

/* Returns a tree without paths; NULL when memory is out. p6_wrong_tree_close() frees it and takes
 * NULL. */
struct p6_wrong_tree *p6_wrong_tree_open(void);
void p6_wrong_tree_close(struct p6_wrong_tree *t);

/* Set *at to the root of the path that begins at pc with front end *f and lasts until branch_clk.
 * Returns false when there is no tree, or *f does not fit into the key of a root. */
bool p6_wrong_tree_root(struct p6 *m, uint64_t pc, const struct p6_front *f, uint64_t branch_clk,
			struct p6_wrong_at *at);

/* Count the path of root *at. Returns false, and counts nothing, when some of it is not known. */
bool p6_wrong_tree_walk(struct p6 *m, const struct p6_wrong_at *at);

/* Count the path whose first node is in *first and which begins at pc; first->path receives how it
 * went. Returns false, and counts nothing, when *first has no path of this tree, or another one, or
 * some of it is not known. */
bool p6_wrong_tree_again(struct p6 *m, struct p6_wrong_first *first, uint64_t pc);
/* Set *first to the first node of the path of root *at, if that has one. */
void p6_wrong_tree_first(const struct p6 *m, const struct p6_wrong_at *at,
			 struct p6_wrong_first *first);

/* ---- while a path is walked in full ---- */

/* Returns the node of the block at pc that comes behind *at, made when it is new. NULL when there
 * is no room: then all paths are forgotten. */
struct p6_wrong_node *p6_wrong_tree_node(struct p6 *m, const struct p6_wrong_at *at, uint64_t pc);
/* Move *at to the place behind this node that `exit` leads to. */
void p6_wrong_tree_go(struct p6 *m, struct p6_wrong_at *at, const struct p6_wrong_node *node,
		      enum p6_wrong_exit exit);
/* Note that the path is over at *at. */
void p6_wrong_tree_end(struct p6 *m, const struct p6_wrong_at *at);

/* What decoding a path has counted; what the BTB adds is worked out each time. */
struct p6_wrong_counts {
	uint64_t chunks, insts, branches, stalls;
};

struct p6_wrong_counts p6_wrong_tree_counts(const struct p6 *m);

/* Fill in node n, of block b. The BTB has its branch at position `btb`; `bytes` of its code were
 * fetched, and L1I had them all; it counted what was counted since *before. is_last: the path ends
 * in it. */
void p6_wrong_tree_keep(struct p6 *m, struct p6_wrong_node *n, const struct p6_tblk *b,
			uint16_t btb, const struct p6_wrong_counts *before, unsigned bytes,
			bool is_last);

#endif
