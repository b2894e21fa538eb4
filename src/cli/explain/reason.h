/* reason.h -- the reasons that softpmu asm prints, by name. */
#ifndef SOFTPMU_CLI_EXPLAIN_REASON_H
#define SOFTPMU_CLI_EXPLAIN_REASON_H

#include <stdbool.h>

#include "catalog/catalog.h"

/* Print what a reason of asm's listings means and which event counts it, of cpu's family first,
 * then of the other; in any case, with blanks, - or _ between words. Returns false when there is
 * none of this name. */
bool cli_explain_reason(const struct cat_cpu *cpu, const char *name);

#endif
