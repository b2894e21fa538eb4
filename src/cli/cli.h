/* cli.h -- what the subcommands share: exit codes, messages, the table of commands. */
#ifndef SOFTPMU_CLI_CLI_H
#define SOFTPMU_CLI_CLI_H

#include <stddef.h>

#include "base/error.h"
#include "catalog/catalog.h"

/* Exit codes of softpmu's own making; the program's own status passes through otherwise. */
#define CLI_FAILED	125
#define CLI_CANNOT_EXEC 126
#define CLI_NOT_FOUND	127

#define CLI_DEFAULT_CPU "pentium3"

/* One subcommand: argv[0] is its name. Returns the exit code. */
struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments; /* for --help */
	const char *text;      /* one line */
	char letter;	       /* its letter in options.def, 0: it has no options */
};

#define COMMAND(name, function, letter, arguments, text) int function(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

/* All commands, in the order of the help. */
const struct cli_command *cli_commands(size_t *n);

/* Print the options of a command; option: OPT_help, or OPT_help_all for those for experts, too. */
int cli_help(const char *command, int option);

/* Name of list number i, 0.., of softpmu list; NULL after the last. */
const char *cli_list_topic(size_t i);

/* Command by name, or NULL after a message. */
const struct cli_command *cli_find_command(const char *name);

/* Print "softpmu: TEXT" to stderr. Returns the exit code that belongs to err->code. */
int cli_complain(const struct spmu_error *err);

/* Print "softpmu: " and the text of `fmt` to stderr. Returns CLI_FAILED. */
int cli_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Returns the exit code that belongs to err->code; prints nothing. */
int cli_exit_code(const struct spmu_error *err);

/* Close stdout and say when not everything could be written. Returns `code`, or CLI_FAILED. */
int cli_close_stdout(int code);

/* Processor by name, as the value of --option. NULL after a message with the nearest name. */
const struct cat_cpu *cli_find_cpu(const char *option, const char *name);

#endif
