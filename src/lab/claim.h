/* claim.h -- arithmetic over the numbers of a lesson's table, and claims about it.
 *
 *   claim   := sum ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) sum [ "+-" sum ]
 *   sum     := product { ("+" | "-") product }
 *   product := factor { ("*" | "/") factor }
 *   factor  := number | [ run "." ] column | "(" sum ")" | "-" factor
 *
 * A column without a run is that of the row at hand: formulas of figures have such ones, claims
 * have none. A claim with +- holds when the sides differ by no more than that.
 */
#ifndef SOFTPMU_LAB_CLAIM_H
#define SOFTPMU_LAB_CLAIM_H

#include <stdbool.h>

#include "base/error.h"

/* The number of a column. run is NULL for the row at hand. Returns false when there is none. */
typedef bool lab_look(const void *own, const char *run, const char *column, double *out);

struct lab_verdict {
	double left, right;
	bool holds;
};

/* Work a formula out. Returns 0, or -SPMU_EINVAL with what is wrong with it or has no number. */
int lab_formula(const char *text, lab_look *look, const void *own, double *out,
		struct spmu_error *err);

/* Test a claim. Returns as lab_formula. */
int lab_claim_test(const char *text, lab_look *look, const void *own, struct lab_verdict *out,
		   struct spmu_error *err);

#endif
