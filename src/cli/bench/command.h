/* command.h -- a command line of softpmu bench, as words to execute.
 *
 * RULE   blanks part words; quotes and the backslash mean what they mean to a shell. A line with
 *        what only a shell does (pipes, redirections, variables, patterns, assignments) is run by
 *        sh -c, and so are all others of the comparison then, because the shell is counted with
 *        it.
 */
#ifndef SOFTPMU_CLI_BENCH_COMMAND_H
#define SOFTPMU_CLI_BENCH_COMMAND_H

#include <stdbool.h>

/* Owned by the caller, who calls cli_bench_command_free(). */
struct cli_bench_command {
	const char *text; /* as typed; borrowed */
	const char *name; /* as shown: of -n, or the text; borrowed */
	char **argv;	  /* NULL terminated */
	char *words;	  /* what argv points to */
};

/* Take the line apart; by_shell: make it sh's. Returns 0, or an exit code after a message. */
int cli_bench_command(struct cli_bench_command *c, const char *text, bool by_shell);
void cli_bench_command_free(struct cli_bench_command *c);

/* Returns true if only a shell can run the line. */
bool cli_bench_needs_shell(const char *text);

#endif
