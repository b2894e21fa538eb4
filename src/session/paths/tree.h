/* tree.h -- the calling contexts of one process, as a tree: caller, callee and the place of the
 * call.
 *
 * A context is its caller's context, the place that it was called from, and the place where its
 * code begins. These three identify it.
 *
 * RULE    Recursion is folded: a function that is already on the way from the root gets a row of
 *         its own for its calls, and `to` is the context that it goes on in.
 * LIMITS  SES_MOST_CONTEXTS; when they are full, further calls go to `[deeper]`.
 */
#ifndef SOFTPMU_SESSION_TREE_H
#define SOFTPMU_SESSION_TREE_H

#include <stdbool.h>

#include "record/paths.h"

#define SES_MOST_CONTEXTS (1u << 20)

/* The first contexts: the process itself, code after a RET that no rule explains, and calls for
 * which there is no room. */
enum { SES_CONTEXT_ROOT, SES_CONTEXT_UNKNOWN, SES_CONTEXT_DEEPER, SES_N_CONTEXTS };

struct ses_context {
	struct rec_context is;	 /* its place in the file; .calls since they were taken last */
	uint32_t next;		 /* next context of equal hash, or 0 */
	uint32_t first, sibling; /* its first child, and its parent's next one; or 0 */
	/* It is in the region; it lies under a call of the function that the region is named after.
	 * The caller sets both; new contexts have their parent's. */
	bool is_in, is_under;
	bool is_alone; /* it is in no index */
	uint64_t back; /* of a call: where it returns to, an address; the caller sets it */
};

struct ses_tree {
	struct ses_context *at; /* owned; a caller comes before its callees */
	uint32_t n, room;
	uint32_t *index; /* by hash: a context, or 0; owned */
	uint32_t n_index;
};

/* Returns 0 or -SPMU_ENOMEM; ses_tree_close() may be called in any case. */
int ses_tree_open(struct ses_tree *t);
void ses_tree_close(struct ses_tree *t);

/* Find the context with the .parent, .kind, .site and .entry of *as, and add it if it is new.
 * Returns its number, or SES_CONTEXT_DEEPER if there is no room. */
uint32_t ses_tree_child(struct ses_tree *t, const struct rec_context *as);

/* Add such a context, which no later ses_tree_child() finds, whether there is one or not. Returns
 * as that. */
uint32_t ses_tree_alone(struct ses_tree *t, const struct rec_context *as);

#endif
