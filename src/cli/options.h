/* options.h -- the command line options, from options.def, read with getopt_long. */
#ifndef SOFTPMU_CLI_OPTIONS_H
#define SOFTPMU_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum cli_option {
	OPT_NONE = 0x100,
#define OPTION_GROUP(id, heading, is_expert)	       OPT_GROUP_##id,
#define OPTION(commands, name, letter, argument, text) OPT_##name,
#include "cli/options.def"
#undef OPTION
#undef OPTION_GROUP
	OPT_END
};

/* Next option of argv for the command with this letter ('S', 'R', 'C', 'L', 'E', 'A', 'B').
 * Returns an OPT_ constant with *value its argument (or NULL); OPT_END at the first argument that
 * is no option or after "--" (its index is then cli_first_argument()); -1 after a message. */
int cli_next_option(int argc, char **argv, char command, const char **value);
int cli_first_argument(void);

/* Go on behind the argument at which reading stopped: options may follow it. */
void cli_skip_argument(void);

/* The long name of an OPT_ constant, without dashes before it. */
void cli_option_name(int option, char out[32]);

/* Print the options of a command to stdout, in groups and at most 80 columns wide; those for
 * experts when is_all, else one line that says how to see them. name: of the command. */
void cli_print_options(char command, const char *name, bool is_all);

/* An option as shell completion needs it. */
struct cli_option_row {
	char name[32]; /* as typed after -- */
	char letter;   /* or 0 */
	int option;    /* OPT_ constant */
	bool has_argument;
	const char *text; /* one line, static */
};

/* Option number i, 0.., of those of a command. Returns false behind the last. */
bool cli_option_at(char command, size_t i, struct cli_option_row *out);

#endif
