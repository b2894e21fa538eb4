/* start_data.h -- what the guest's runtime reads first: the program's path, arguments and
 * environment, and the machine that it presents (trace/share.h, struct shr_start). */
#ifndef SOFTPMU_SESSION_START_DATA_H
#define SOFTPMU_SESSION_START_DATA_H

#include "session/serve/areas.h"
#include "session/program/program.h"
#include "session/session.h"
#include "trace/share.h"

/* Write the start data into the control area. argv: of the program as it is executed (a script's
 * interpreter first), NULL terminated. isa: the level or SES_ISA_ value that CPUID shows, already
 * checked. Returns 0, or -SPMU_EEXEC with a sentence if arguments and environment are too long. */
int ses_start_fill(const struct ses_config *cfg, const struct ses_program *program,
		   char *const *argv, const struct ses_areas *areas, enum shr_tier tier, int isa,
		   struct spmu_error *err);

#endif
