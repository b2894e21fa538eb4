/* tool.h -- another program's answer: git's, dpkg's. */
#ifndef SOFTPMU_CLI_TOOL_H
#define SOFTPMU_CLI_TOOL_H

#include <stddef.h>

#define CLI_MOST_OUTPUT (1u << 20)

/* What argv[0], found by PATH, prints on standard output, CLI_MOST_OUTPUT bytes at most, with a NUL
 * behind them; *n: bytes. The caller's; NULL when it is not there or fails. */
char *cli_tool_output(char *const *argv, size_t *n);

#endif
