/* placed.h -- the accounts by place of all processes, for the result. */
#ifndef SOFTPMU_SESSION_PLACED_H
#define SOFTPMU_SESSION_PLACED_H

#include "session/serve/family.h"

/* Copy the accounts by place that f knows of into *out; with is_alone those of the process that was
 * born as `own`. places NULL: none were kept. Returns 0, or -SPMU_ENOMEM, also where accounts were
 * lost for want of memory. */
int ses_placed_fill(const struct ses_config *cfg, const struct ses_family *f,
		    const struct ses_places *places, const char *own, struct ses_result *out);

#endif
