/* output.h -- -o FILE of commands that write a whole file at once. */
#ifndef SOFTPMU_CLI_OUTPUT_H
#define SOFTPMU_CLI_OUTPUT_H

#include <stddef.h>

/* Write n bytes to the file `path`, or with "-" to standard output. A file that was there stays
 * until the new one is whole. command: for the message. Returns 0, or CLI_FAILED after a message.
 */
int cli_save(const char *command, const char *path, const char *bytes, size_t n);

#endif
