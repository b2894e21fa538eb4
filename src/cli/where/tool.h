/* tool.h -- another program's answer: git's, dpkg's. */
#ifndef SOFTPMU_CLI_TOOL_H
#define SOFTPMU_CLI_TOOL_H

#include <stddef.h>

#define CLI_MOST_OUTPUT (1u << 20)

/* Run argv[0], found by PATH. Returns what it prints on standard output, CLI_MOST_OUTPUT bytes at
 * most, with a NUL after them; *n receives the number of bytes. The caller frees it. NULL if the
 * program is not there or fails. */
char *cli_tool_output(char *const *argv, size_t *n);

#endif
