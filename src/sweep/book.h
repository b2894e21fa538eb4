/* book.h -- the directory of a sweep: its plan (DIR/plan) and a file for each result. */
#ifndef SOFTPMU_SWEEP_BOOK_H
#define SOFTPMU_SWEEP_BOOK_H

#include "sweep/plan.h"

/* Add the lines of DIR/plan. Returns 0; -SPMU_ENOENT (there is none) and the other errors of
 * swp_plan_file(). */
int swp_book_read(const char *dir, struct swp_plan *plan, struct spmu_error *err);

/* Keep the checked plan in DIR, which is made where it is missing. The jobs of a plan
 * that is there already must be jobs of this one, where they have a result. Returns 0; -SPMU_EINVAL
 * (results of another plan), -SPMU_ESYS, -SPMU_ENOMEM with a sentence. */
int swp_book_keep(const char *dir, const struct swp_plan *plan, struct spmu_error *err);

/* Has job i a result? */
bool swp_book_has(const char *dir, const struct swp_plan *plan, size_t i);

#endif
