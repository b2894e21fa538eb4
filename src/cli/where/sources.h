/* sources.h -- options about names: of source files that lie elsewhere (--prefix OLD=NEW,
 * --source-dir DIR), and of inlined functions (--inline). */
#ifndef SOFTPMU_CLI_SOURCES_H
#define SOFTPMU_CLI_SOURCES_H

#include "names/names.h"
#include "names/paths.h"

struct cli_sources {
	const char *prefix[NM_MOST_PREFIXES];
	unsigned n_prefix;
	const char *directory; /* or NULL */
	bool shows_inlined;
};

/* Returns 1 taken, 0 not ours, -1 after a message. */
int cli_source_option(struct cli_sources *s, int option, const char *value);

/* As nm_open(), with these sources. NULL without memory. */
struct nm *cli_names(const struct cli_sources *s);

#endif
