/* no_such.h -- the sentence about a group or metric that a processor does not have. */
#ifndef SOFTPMU_EVENT_NO_SUCH_H
#define SOFTPMU_EVENT_NO_SUCH_H

#include "base/error.h"
#include "base/spelling.h"
#include "catalog/catalog.h"

/* `name` is no row of this kind ("group", "metric") on cpu; s: was offered the names that are.
 * Returns -SPMU_EINVAL with a sentence that names the nearest one, if there is one, and the list.
 */
int evt_no_such(const char *kind, const char *name, const struct cat_cpu *cpu,
		const struct spelling_search *s, struct spmu_error *err);

#endif
