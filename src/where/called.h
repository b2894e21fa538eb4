/* called.h -- functions that have another name in one build than in another.
 *
 * RULE   Of the functions whose name only one build has, one of each pair when their names without
 *        parameters are equal; else when they lie in a file of the same name, and their lines, from
 *        the first one on, count the same of one event. Either holds only where no third function
 *        is alike. The object's last part is the same.
 */
#ifndef SOFTPMU_WHERE_CALLED_H
#define SOFTPMU_WHERE_CALLED_H

#include "where/where.h"

struct whr_called {
	const char *old, *new; /* names; of the tables */
	const char *object;    /* of the new row */
	bool is_renamed;       /* more than its parameters is another */
};

/* By name in the new build. All 0: none is known. */
struct whr_names {
	struct whr_called *called; /* owned */
	size_t n;
};

/* Find them in two tables by line, which are borrowed until whr_names_free(). Returns 0 or
 * -SPMU_ENOMEM; whr_names_free() may be called in any case. */
int whr_names_find(struct whr_names *names, const struct whr_table *old,
		   const struct whr_table *new);
void whr_names_free(struct whr_names *names);

/* What a function of the new build is called in the old one; NULL: it has no other name. */
const struct whr_called *whr_names_old(const struct whr_names *names, const struct whr_row *new);

#endif
