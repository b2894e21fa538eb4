/* lab_run.h -- the runs of a lesson: what softpmu stat would count with the lesson's options. */
#ifndef SOFTPMU_CLI_LAB_RUN_H
#define SOFTPMU_CLI_LAB_RUN_H

#include "base/text.h"
#include "lab/table.h"

/* Run every program of the table's lesson on the table's processor, the try's, too, and fill the
 * table's rows. Its programs are written to a temporary directory, which is gone behind. Returns
 * 0, or an exit code after a message. */
int cli_lab_run(struct lab_table *t);

#endif
