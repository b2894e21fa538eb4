/* trace_file.h -- the record stream in a file, and a run read from a file.
 *
 * The file holds the bytes of the ring (trace/record.h), with each block's code before its first
 * use. So another model, or other events, can count from it without the program.
 */
#ifndef SOFTPMU_SESSION_TRACE_FILE_H
#define SOFTPMU_SESSION_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/model.h"

struct ses_trace;

/* Create the file. store: where the blocks of the run are; borrowed. flags: enum trc_file_flag.
 * *out is owned by the caller. Returns 0; -SPMU_ESYS with a sentence; -SPMU_ENOMEM. */
int ses_trace_create(const char *path, const struct x86_store *store, uint32_t flags,
		     struct ses_trace **out, struct spmu_error *err);

/* Append the blocks that are new, then one chunk of whole records. Returns 0 or -SPMU_ESYS. */
int ses_trace_write(struct ses_trace *t, const uint8_t *bytes, size_t n);

/* The store is about to be cleared: block ids start anew. Returns 0 or -SPMU_ESYS. */
int ses_trace_forget_all(struct ses_trace *t);

/* Flush and close; NULL is allowed. Returns 0, or -SPMU_ESYS when something was not written. */
int ses_trace_close(struct ses_trace *t);

/* Feed a trace file to model m. store: the model's own, filled here with the file's blocks; it
 * must be empty. *flags receives those of the file. The file is untrusted. Returns 0;
 * -SPMU_ESYS, -SPMU_ENOENT (cannot be read), -SPMU_EPROTO (not a trace, another
 * version, or damaged; the model has counted what came before the damage), with a sentence. */
int ses_trace_replay(const char *path, struct x86_store *store, struct mdl *m, uint32_t *flags,
                     struct spmu_error *err);

#endif
