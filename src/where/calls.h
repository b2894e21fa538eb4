/* calls.h -- a record's calling contexts by function: what each counted with those that it called,
 * and who called whom.
 *
 * COUNTING RULES   a function's own counts and the machine's sum to the totals. Inclusive counts
 *                  are those of its contexts and of all contexts below, each once: below a context
 *                  of the same function they are not added again. A recursive call has its number
 *                  and no counts, for these are the outer call's.
 * RULE             a context is the function at its entry; what jumps to another function without
 *                  a sign of it counts as the one that jumped (session/paths/paths.h).
 */
#ifndef SOFTPMU_WHERE_CALLS_H
#define SOFTPMU_WHERE_CALLS_H

#include "where/where.h"

/* Texts are the names', valid until nm_close(), or the record's. */
struct whr_function {
	const char *function; /* or "[no symbol]", "[unknown]", "[deeper]", "[process]" */
	const char *object;   /* "" of the last three */
	const char *file;     /* of its first line, with has_lines; else "" */
	unsigned line;
	uint64_t calls;			 /* begins of threads and of handlers included */
	const int64_t *self, *inclusive; /* n_event each; owned by the calls */
};

/* All calls of one function by another, from one line; or from all, without lines. */
struct whr_call {
	uint32_t caller, callee; /* functions */
	const char *file;	 /* of the line; "" where it is not known */
	unsigned line;
	bool is_first; /* without a caller: a thread begins there */
	uint64_t calls;
	const int64_t *inclusive; /* n_event: what was counted in it and below */
};

struct whr_calls {
	uint32_t n_event;
	struct whr_function *function; /* owned; in the order in which they come */
	uint32_t n_function, room_function;
	struct whr_call *call; /* owned */
	uint32_t n_call, room_call;
	int64_t *self, *inclusive, *of_call; /* owned: counts */
	uint32_t *index, *call_index;	     /* owned: by hash */
	uint32_t n_index, n_call_index;
	const struct rec *rec; /* while it is built */
	struct nm *names;
	bool has_lines;
};

/* The function that a place of a process lies in, "[no symbol]" where none is known; and that of a
 * calling context, "[process]", "[unknown]" and "[deeper]" included. objects: what place->object
 * counts. Valid until nm_close() and rec_close(). */
const char *whr_place_name(const struct rec *r, uint32_t process, char *const *objects,
			   const struct rec_place *place, struct nm *names);
const char *whr_context_name(const struct rec *r, uint32_t process, uint32_t context,
			     struct nm *names);

/* Does r have calling contexts? */
bool whr_has_paths(const struct rec *r);

/* Sum the contexts of all processes. names: who knows them, asked for lines too with has_lines.
 * Returns 0 or -SPMU_ENOMEM; whr_calls_free() may be called in any case. r and names are borrowed
 * for the life of *c. */
int whr_calls_build(struct whr_calls *c, const struct rec *r, struct nm *names, bool has_lines);
void whr_calls_free(struct whr_calls *c);

#endif
