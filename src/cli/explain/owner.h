/* owner.h -- at which instruction an event is counted. */
#ifndef SOFTPMU_CLI_EXPLAIN_OWNER_H
#define SOFTPMU_CLI_EXPLAIN_OWNER_H

#include "catalog/catalog.h"

/* Print the line "counted at" of e: whose the counts of its wires are, as the catalog has it. A
 * machine that keeps no record of instructions (toy), and an event whose owner is not told, have no
 * such line. */
void cli_explain_owner(const struct cat_event *e);

/* A word for each owner of e's counts, in the order of its wires, blank-separated, as
 * catalog/README.md spells them; "" where there is none. Returns out. */
#define CLI_OWNERS_BYTES 64u
const char *cli_owner_words(const struct cat_event *e, char out[CLI_OWNERS_BYTES]);

#endif
