/* pairs.h -- the rows of two records side by side: what a function or line counted before and now.
 *
 * RULE   Rows of functions and lines pair by their names, the path of the source and the last part
 *        of the object's path; then by the last part of either, because builds lie in different
 *        directories. Of what is left those pair whose name only one row of each side has: an
 *        executable may be called otherwise. And of the rest those whose name up to the parameters
 *        only one row of each side has.
 *        A function that is called otherwise (called.h) has its old name, and a line of a source
 *        has the number that it had (follow.h).
 */
#ifndef SOFTPMU_WHERE_PAIRS_H
#define SOFTPMU_WHERE_PAIRS_H

#include "where/called.h"
#include "where/where.h"

struct whr_pair {
	const struct whr_row *old, *new; /* one of them may be NULL: new, or gone */
};

struct whr_pairs {
	struct whr_pair *pair; /* owned */
	size_t n;
};

/* Pair the rows of two tables that were built alike. Rows that pair with the same row count once:
 * tables have no two rows of one name and path. names: functions that are called otherwise, or
 * NULL. Returns 0 or -SPMU_ENOMEM; whr_pairs_free() may be called in any case. Both tables are
 * borrowed.
 */
int whr_pair_up(struct whr_pairs *p, const struct whr_table *old, const struct whr_table *new,
		const struct whr_names *names);
void whr_pairs_free(struct whr_pairs *p);

/* By how much `event` changed. */
static inline int64_t whr_change(const struct whr_pair *p, uint32_t event)
{
	return (p->new ? p->new->count[event] : 0) - (p->old ? p->old->count[event] : 0);
}

/* Sort by the size of the change of `event`, then by name. */
void whr_pairs_sort(struct whr_pairs *p, uint32_t event);

#endif
