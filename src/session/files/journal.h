/* journal.h -- the system calls of a run in a file, to find where another run's input differs.
 *
 * One line of text per call of a process: number of the thread, name, result, input digest
 * behind it. Counts are promised equal where digests are equal; where they are not, the first
 * line that differs says which call brought something else.
 */
#ifndef SOFTPMU_SESSION_JOURNAL_H
#define SOFTPMU_SESSION_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "session/session.h"

struct ses_journal;

/* Write to path, or compare with it when it exists. *out is owned by the caller. Returns 0;
 * -SPMU_ESYS (cannot be written or read), -SPMU_EPROTO (exists and is no journal), -SPMU_ENOMEM,
 * with a sentence. */
int ses_journal_open(const char *path, struct ses_journal **out, struct spmu_error *err);

/* Take the calls out of a chunk of whole records. Returns 0 or -SPMU_ESYS. Cost: 1 ns per
 * record. */
int ses_journal_feed(struct ses_journal *j, const uint8_t *bytes, size_t n);

/* *all, how other processes' journals came out (state NONE: there are none), with one more: the
 * first difference by order of birth, else what was written, else the same. */
void ses_journal_merge(struct ses_journal_end *all, const struct ses_journal_end *one);

/* The run is over: how it came out. Returns 0, or -SPMU_ESYS when something was not written. */
int ses_journal_end(struct ses_journal *j, struct ses_journal_end *out);

/* NULL is allowed. */
void ses_journal_close(struct ses_journal *j);

#endif
