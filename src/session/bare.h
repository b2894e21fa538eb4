/* bare.h -- counts of a whole machine (ses_bare): QEMU runs it, its stream feeds the models.
 *
 * COUNTING RULES   as a replay: one model for all that the machine's processor executes, from the
 *                  first instruction at bare_config.start on.
 */
#ifndef SOFTPMU_SESSION_BARE_H
#define SOFTPMU_SESSION_BARE_H

#include "bare/machine.h"
#include "session/session.h"

/* Run the machine of cfg->bare once and count with cfg's processor, settings and events. Blocks
 * until it ends: by itself, by the text that is waited for, by cfg->timeout_ms, by SIGINT or
 * SIGTERM, or when its processor halts for good. Returns as ses_run(); after an error the result
 * holds what was counted until then. */
int ses_bare(const struct ses_config *cfg, struct ses_result *result, struct spmu_error *err);

#endif
