/* startup.h -- what a program counts before main and behind it: the dynamic linker, and functions
 * of libc and of the compiler that nothing else calls (startup.def).
 *
 * NOT MODELLED   who called: the dynamic linker's work while main runs (dlopen, lazy binding)
 *                belongs to it, and what start-up calls in libc, or constructors, does not.
 */
#ifndef SOFTPMU_WHERE_STARTUP_H
#define SOFTPMU_WHERE_STARTUP_H

#include "where/where.h"

#define WHR_STARTUP "[start-up]"

/* Is the function of this object part of it? */
bool whr_is_startup(const char *function, const char *object);

/* Make the rows of start-up one row, whose function is WHR_STARTUP. t is summed by function or by
 * line. Returns its counts, one for each event, which t owns; NULL where nothing of start-up
 * counted. */
const int64_t *whr_fold_startup(struct whr_table *t);

#endif
