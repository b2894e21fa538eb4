/* tree.h -- the calling contexts of one record, or of two, as one tree of functions.
 *
 * COUNTING RULES   a node's counts are those of its function called on that path, and of all that
 *                  it called there. The root has the totals: what no path has, the machine's own
 *                  counts, is a node "[machine]" below it. Recursive calls are their outer call's.
 * RULE             processes are nodes below the root where there are several.
 */
#ifndef SOFTPMU_WHERE_TREE_H
#define SOFTPMU_WHERE_TREE_H

#include "where/calls.h"

#define WHR_TREE_EVENTS 4u

/* Texts are the names', the record's or the tree's. */
struct whr_node {
	const char *function, *object; /* object "": of no file */
	uint32_t parent;	       /* before it in the list; of the root 0 */
	uint32_t child, next; /* the first of its children, the next of its parent's; 0: none */
	int64_t count[2][WHR_TREE_EVENTS]; /* of the new and of the old record */
};

/* All 0 is empty; the events are the caller's to set. */
struct whr_tree {
	uint32_t event[WHR_TREE_EVENTS]; /* of the records */
	unsigned n_event;
	struct whr_node *node; /* owned */
	uint32_t n, room;
	uint32_t *index; /* owned: by hash, 1 + a node */
	uint32_t n_index;
	char **text; /* owned: names of processes */
	uint32_t n_text;
};

/* How a function of the old record is called in the new one: may write to its arguments. */
typedef void (*whr_rename)(void *to, const char **function, const char **object);

/* Add the contexts of r, which is the new record or, with is_old, the old one. rename may be NULL.
 * Returns 0 or -SPMU_ENOMEM; whr_tree_free() may be called in any case. */
int whr_tree_add(struct whr_tree *t, const struct rec *r, struct nm *names, bool is_old,
		 whr_rename rename, void *to);

/* Order the children of each node by their counts of the first event, the largest first. */
int whr_tree_sort(struct whr_tree *t);
void whr_tree_free(struct whr_tree *t);

#endif
