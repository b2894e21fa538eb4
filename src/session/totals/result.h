/* result.h -- fills struct ses_result from the totals of all processes of a run. */
#ifndef SOFTPMU_SESSION_RESULT_H
#define SOFTPMU_SESSION_RESULT_H

#include "session/serve/family.h"
#include "session/session.h"
#include "session/totals/threads.h"

/* Fill in the counts and sums of *out. own: the totals of the first process; first: its name;
 * own_digest: the digest of its input; w: the wires of its model, which say which are driven.
 * out->count has room for cfg->n_event. */
void ses_result_fill(const struct ses_config *cfg, const struct ses_member *first,
		     const struct ses_totals *own, uint64_t own_digest,
		     const struct ses_family *family, const struct wires *w,
		     struct ses_result *out);

/* Fill out->thread: the first process's own threads, and unless cfg->is_alone those of the others.
 * Returns 0 or -SPMU_ENOMEM. */
int ses_result_threads(const struct ses_config *cfg, const struct ses_member *first,
		       struct ses_threads *own, const struct ses_family *f, const struct wires *w,
		       struct ses_result *out);

#endif
