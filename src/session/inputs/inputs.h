/* inputs.h -- the files that the processes of a run have read, by name and digest.
 *
 * RULE    the first digest of a name is kept, also if the file is written and read again.
 * TRUST   records are hostile: kinds, sizes and names are checked, and damaged ones are left out.
 */
#ifndef SOFTPMU_SESSION_INPUTS_H
#define SOFTPMU_SESSION_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "session/session.h"

/* A list of at most SES_MOST_INPUTS files. It lies in memory that this process shares with the
 * servers that it forks. Guests do not have it. */
struct ses_inputs;

/* An empty list. *out is owned by the caller (ses_inputs_close, in every process). Returns 0;
 * -SPMU_ESYS with a sentence. */
int ses_inputs_open(struct ses_inputs **out, struct spmu_error *err);
void ses_inputs_close(struct ses_inputs *list); /* NULL is fine */

/* Take the files out of n bytes of whole records. Several processes may do so at a time. Cost: 1 ns
 * per record. */
void ses_inputs_feed(struct ses_inputs *list, const uint8_t *bytes, size_t n);

/* Returns what the program finds on descriptor fd of this process, a static text: "terminal",
 * "pipe", "file", "/dev/null", "device", "socket", "directory", "nothing". */
const char *ses_stream_kind(int fd);

/* Put the files of the list into out->input. Returns 0 or -SPMU_ENOMEM. */
int ses_inputs_take(const struct ses_inputs *list, struct ses_result *out);

#endif
