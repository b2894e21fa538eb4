/* geometry.h -- sizes of caches and TLBs as typed. */
#ifndef SOFTPMU_CLI_GEOMETRY_H
#define SOFTPMU_CLI_GEOMETRY_H

#include "session/session.h"

/* "32K:8:64" -> size, ways, line; a part that is left out is 0: the model takes the processor's
 * own. TLBs: "64:4" -> entries, ways. option: its name without dashes.
 * Returns 0 or -1 after a message. */
int cli_geometry(const char *option, const char *text, struct mdl_geom *out);

/* The parts that have one: the names of their options, in the order of struct ses_geometry. */
#define CLI_N_PARTS 5u
extern const char *const cli_part_name[CLI_N_PARTS];
struct mdl_geom *cli_part(struct ses_geometry *g, unsigned part);

/* What model has, and the other way around. */
struct ses_geometry cli_geometry_of(const struct mdl_config *model);
void cli_geometry_set(struct mdl_config *model, const struct ses_geometry *g);

#endif
