/* paths.h -- what one process counted, calling context by calling context: as a tree, and as the
 * bytes of a record file (section "paths" behind the section of the process).
 *
 * COUNTING RULES   counts of all contexts and of the process's [machine] sum to its totals, event
 *                  by event. A context's counts are its own, without those that it calls.
 * TRUST            as process.h: sizes are checked before memory is asked for, and callers stand
 *                  before those that they call.
 */
#ifndef SOFTPMU_RECORD_PATHS_H
#define SOFTPMU_RECORD_PATHS_H

#include "record/process.h"

enum rec_path_kind {
	REC_PATH_ROOT,	  /* the process: number 0 alone; no code of its own */
	REC_PATH_UNKNOWN, /* behind a return that nobody called */
	REC_PATH_DEEPER,  /* what was called when there were too many contexts */
	REC_PATH_THREAD,  /* where a thread begins, and the process; no site */
	REC_PATH_CALL,
	REC_PATH_JUMP,	 /* a tail call */
	REC_PATH_SIGNAL, /* a handler; no site */
	REC_N_PATH_KINDS
};

struct rec_context {
	uint32_t parent; /* who called; before it in the list. Of number 0: 0 */
	uint32_t to;	 /* itself; or, of a recursive call, the context before it that goes on */
	uint8_t kind;	 /* enum rec_path_kind */
	struct rec_place site;	/* of the calling instruction */
	struct rec_place entry; /* where its code begins */
	uint64_t calls;
};

struct rec_paths {
	uint32_t n_event;
	char **object; /* n_object paths */
	uint32_t n_object;
	struct rec_context *context; /* n_context */
	uint32_t n_context;
	int64_t *count; /* by context, then event */
};

static inline const int64_t *rec_path_counts(const struct rec_paths *p, uint32_t context)
{
	return p->count + (size_t)context * p->n_event;
}

/* Append *p. Whatever lies in p is borrowed. */
void rec_paths_put(struct rec_bytes *out, const struct rec_paths *p);

/* Read what rec_paths_put() wrote, all of the n bytes; of: the process; left: as there. *p is the
 * caller's, to be freed in any case. Returns NULL, or why not: a static text behind "the record".
 */
const char *rec_paths_get(struct rec_paths *p, const uint8_t *bytes, size_t n,
			  const struct rec_process *of, uint64_t *left);
void rec_paths_free(struct rec_paths *p);

#endif
