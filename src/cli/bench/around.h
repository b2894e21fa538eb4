/* around.h -- what softpmu bench does around a run: commands of the user's that are not counted,
 * and a program that reads nothing and prints to nowhere. */
#ifndef SOFTPMU_CLI_BENCH_AROUND_H
#define SOFTPMU_CLI_BENCH_AROUND_H

#include <stdbool.h>

/* Standard input and output, put away. */
struct cli_bench_quiet {
	int kept[2]; /* descriptors, -1: not put away */
};

/* From now on standard input is empty, and standard output goes nowhere unless is_shown. */
void cli_bench_hush(struct cli_bench_quiet *q, bool is_shown);
void cli_bench_speak(struct cli_bench_quiet *q);

/* Run text, of this option, by a shell; NULL: nothing. Returns 0, or an exit code after a message
 * when it failed. */
int cli_bench_around(const char *option, const char *text, bool is_shown);

#endif
