/* stacks.h -- a record as stacks of functions with what was counted on top of each.
 *
 * COUNTING RULES   counts of all stacks sum to the record's totals, event by event. With call paths
 *                  a stack is a calling context, and what no instruction caused one of its own;
 *                  without them each instruction is a stack of one function.
 */
#ifndef SOFTPMU_WHERE_STACKS_H
#define SOFTPMU_WHERE_STACKS_H

#include "where/where.h"

#define WHR_NOBODY UINT32_MAX

/* A place in a file. Texts are the names' or the record's; "" and 0: not known. */
struct whr_spot {
	const char *object;
	uint64_t offset;
	const char *file;
	unsigned line;
};

struct whr_stack {
	uint32_t caller; /* a stack before this one, or WHR_NOBODY */
	uint32_t process;
	const char *function;
	struct whr_spot at;   /* where the function begins; without call paths the instruction */
	struct whr_spot site; /* the caller's instruction that called */
	const int64_t *count; /* n_event; the record's */
};

struct whr_stacks {
	uint32_t n_event;
	struct whr_stack *stack; /* owned */
	uint32_t n;
};

/* Returns 0 or -SPMU_ENOMEM; whr_stacks_free() may be called in any case. r and names are borrowed
 * for the life of *s. */
int whr_stacks_build(struct whr_stacks *s, const struct rec *r, struct nm *names);
void whr_stacks_free(struct whr_stacks *s);

#endif
