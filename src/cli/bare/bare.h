/* bare.h -- softpmu bare: which machine is counted, from the command line. */
#ifndef SOFTPMU_CLI_BARE_H
#define SOFTPMU_CLI_BARE_H

#include "bare/machine.h"
#include "cli/run_options.h"

/* Owned by the caller, who sets all to 0 and calls cli_bare_close(). */
struct cli_bare {
	struct bare_config cfg;
	const char *code, *mode;    /* --code, --mode; NULL: not given */
	bool has_no_os, has_no_usr; /* --os 0, --usr 0 */
	char plugin[4096], qemu[4096];
	const char *words[8]; /* what the report says is run, NULL terminated */
};

/* Take an option of bare's. Returns 1 taken, 0 not ours, -1 after a message. */
int cli_bare_option(struct cli_bare *b, int option, const char *value);

/* Does one of the options name a machine? */
bool cli_bare_is_meant(const struct cli_bare *b);

/* Options are read: make the machine's settings, and those of the run in r. Nothing may stand in
 * argv from `first` on. Returns 0 or an exit code after a message. */
int cli_bare_open(struct cli_bare *b, struct cli_run *r, int argc, char **argv, int first);

/* Let the events count the modes that --os and --usr leave; what one of them names itself stays.
 * Returns 0 or an exit code after a message. */
int cli_bare_modes(const struct cli_bare *b, struct evt_events *events);

void cli_bare_close(struct cli_bare *b);

#endif
