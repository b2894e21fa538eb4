/* journal.h -- the system calls of a run in a file, to find where another run's input differs.
 *
 * One line of text per call of a process: number of the thread, name, result, input digest after
 * the call. softpmu promises equal counts for equal digests. If digests differ, the first line that
 * differs names the call that brought different input.
 */
#ifndef SOFTPMU_SESSION_JOURNAL_H
#define SOFTPMU_SESSION_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "session/session.h"

struct ses_journal;

/* Write to path, or compare with it if it exists. *out is owned by the caller. Returns 0;
 * -SPMU_ESYS (cannot be written or read), -SPMU_EPROTO (exists and is no journal), -SPMU_ENOMEM,
 * with a sentence. */
int ses_journal_open(const char *path, struct ses_journal **out, struct spmu_error *err);

/* Take the calls out of a chunk of whole records. Returns 0 or -SPMU_ESYS. Cost: 1 ns per
 * record. */
int ses_journal_feed(struct ses_journal *j, const uint8_t *bytes, size_t n);

/* Merge the result of one more process's journal into *all (state NONE: there is none yet). A
 * difference wins, of several the first by order of birth; then WRITTEN, then SAME. */
void ses_journal_merge(struct ses_journal_end *all, const struct ses_journal_end *one);

/* The run has ended: set *out to the result. Returns 0, or -SPMU_ESYS when something was not
 * written. */
int ses_journal_end(struct ses_journal *j, struct ses_journal_end *out);

/* NULL is allowed. */
void ses_journal_close(struct ses_journal *j);

#endif
