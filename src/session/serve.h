/* serve.h -- the softpmu side of a running guest: one thread that answers and consumes.
 *
 * Takes chunks of the ring in order, feeds the model, and answers requests between two chunks
 * (docs/decisions/004). What the guest writes is checked: it may be damaged or hostile.
 */
#ifndef SOFTPMU_SESSION_SERVE_H
#define SOFTPMU_SESSION_SERVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/model.h"
#include "session/areas.h"
#include "session/threads.h"
#include "session/trace_file.h"
#include "translate/translate.h"

struct ses_server {
	const struct ses_areas *areas;
	struct xlt *translator;
	struct x86_store *store;
	struct mdl *model;
	enum shr_tier tier;
	pid_t pid;
	struct ses_threads *threads; /* accounts per thread, or NULL */
	struct ses_trace *trace;   /* copy of the stream, or NULL */
	uint32_t forget_misses;    /* test hook: forget all translations every so many misses; 0 = never */

	bool is_ended;             /* REQ_EXIT came */
	bool is_refused;           /* REQ_REFUSE, or the guest broke the protocol; err has the sentence */
	int stop_signal;           /* SIGINT or SIGTERM ended the run; 0 = none */
	int wait_status;           /* of the guest process, once it is reaped */
	uint64_t trace_bytes, misses;
	uint32_t *over;            /* tier 1: executions that were counted but stopped early, per block */
	uint32_t n_over;
	struct spmu_error *err;    /* borrowed */
};

/* Serve until SIGINT or SIGTERM (blocked by the caller: ses_raise_limits) asks for an end, or the guest
 * ends by itself; then until the guest process is gone and reaped, and everything that it handed over is consumed.
 * Returns 0, or -SPMU_ENOTSUP / -SPMU_EPROTO when the run was refused (s->err has the sentence). */
int ses_serve(struct ses_server *s);

/* Tier 1: bring block counters into the model. Once before the counters are emptied, once at the end. */
void ses_collect_counts(struct ses_server *s);

#endif
