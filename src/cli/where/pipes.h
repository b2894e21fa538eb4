/* pipes.h -- softpmu annotate --pipes: the loops of a function, as softpmu asm times them, beside
 * the averages of the run. */
#ifndef SOFTPMU_CLI_PIPES_H
#define SOFTPMU_CLI_PIPES_H

#include "cli/where/top.h"

/* Print the loops of the function that is called so, those that took most instructions first. t: a
 * table by address. Returns 0, an exit code after a message, or -1 when nothing is called so. */
int cli_pipes(const struct cli_top *t, const char *name, FILE *out);

/* Is the row's function called so, with or without its parameters? */
bool cli_is_function(const struct whr_row *row, const char *name);

#endif
