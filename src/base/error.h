/* error.h -- error numbers and the one sentence that goes with them.
 *
 * Fallible functions return 0 or -SPMU_E...; the text (what was asked, why not, what to try) goes
 * into a struct spmu_error that the caller owns. The library never prints and never exits. Numbers
 * and struct are public: <softpmu/error.h>.
 */
#ifndef SOFTPMU_BASE_ERROR_H
#define SOFTPMU_BASE_ERROR_H

#include <softpmu/error.h>

/* Record a failure; fmt as in printf. err may be NULL. Returns -code. */
int spmu_fail(struct spmu_error *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
