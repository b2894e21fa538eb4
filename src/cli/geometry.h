/* geometry.h -- sizes of caches and TLBs as typed. */
#ifndef SOFTPMU_CLI_GEOMETRY_H
#define SOFTPMU_CLI_GEOMETRY_H

#include "session/session.h"

/* "32K:8:64" -> size, ways, line; a part that is left out is 0: the model takes the processor's
 * own. TLBs: "64:4" -> entries, ways. option: its name without dashes.
 * Returns 0 or -1 after a message. */
int cli_geometry(const char *option, const char *text, struct mdl_geom *out);

#endif
