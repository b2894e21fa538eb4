/* engines.h -- hands the commands of a sweep to an engine that runs commands: GNU parallel, xargs,
 * Slurm. softpmu schedules nothing itself. */
#ifndef SOFTPMU_CLI_ENGINES_H
#define SOFTPMU_CLI_ENGINES_H

#include "base/text.h"

/* Run the lines here, n at once (0: one for each processor). Returns 0, or an exit code after a
 * message when no engine could be started; how the jobs ended is not told. */
int cli_sweep_run(const struct text *lines, unsigned n);

/* Print a script for sbatch that runs the lines, n_job of them, which are kept in DIR. Returns an
 * exit code. */
int cli_sweep_slurm(const struct text *lines, size_t n_job, const char *dir);

#endif
