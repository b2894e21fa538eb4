/* totals.h -- a report of `stat --json` as a record: its totals, and no places.
 *
 * TRUST   files come from strangers: at most CLI_MOST_TOTALS bytes are read, and each value is
 *         looked at before it is taken.
 */
#ifndef SOFTPMU_CLI_TOTALS_H
#define SOFTPMU_CLI_TOTALS_H

#include "record/file.h"

#define CLI_MOST_TOTALS (64u << 20)

/* Returns true if the file begins as JSON does; false also if it cannot be read. */
bool cli_totals_are(const char *path);

/* Read the last report in the file. Counts are means where it has several runs. Figures of the host
 * (task-clock) are left out. Returns 0, and the caller owns *out (rec_close()); else -SPMU_ESYS,
 * -SPMU_EINVAL (it is no report of stat) or -SPMU_ENOMEM with a sentence. */
int cli_totals_open(const char *path, struct rec **out, struct spmu_error *err);

/* Why two of them cannot be compared: the first setting that differs, in `out`; or NULL. */
const char *cli_totals_differ(const struct rec *old, const struct rec *new, char *out, size_t room);

#endif
