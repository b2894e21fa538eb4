/* places.h -- counts by place: the accounts of one server (`softpmu record`, decision 028).
 *
 * The model keeps a ledger by block and instruction. Here a block gets its place, a file and an
 * offset, when it is translated, because files come and go; and the ledger's postings become
 * counts of events by place. One table per process: that of the guest and, while vfork children
 * borrow its memory, one of each. With ses_config.keeps_threads the guest has a table per thread.
 *
 * COUNTING RULES   a count belongs to the process that runs, from the fork on. Counts in no posting
 *                  belong to the machine: the total less the sum over the places.
 * NOT MODELLED     processes that run beside their parent in its memory (clone with CLONE_VM):
 *                  they are counted as their parent.
 */
#ifndef SOFTPMU_SESSION_PLACES_H
#define SOFTPMU_SESSION_PLACES_H

#include <stdbool.h>
#include <sys/types.h>

#include "session/places/modes.h"
#include "session/session.h"
#include "session/totals/totals.h"
#include "wire/wire.h"
#include "x86/block.h"

struct ses_places;

/* Where a process's accounts lie in the memory of all servers. bytes 0: nowhere. pid: of the
 * process, 0 when it is not known. */
struct ses_places_at {
	uint64_t at, bytes;
	pid_t pid;
	uint64_t path_bytes;	  /* of its calling contexts, behind them; 0: none are kept */
	uint64_t replicate_bytes; /* of the replicates of its clocks, behind them; 0: none */
};

/* Open accounts for cfg's events. w: the wires of m, with `driven` filled. modes: of a machine, or
 * NULL. Returns 0, -SPMU_ENOMEM or -SPMU_ESYS; ses_places_close() may be called in any case. All
 * arguments are borrowed. */
int ses_places_open(struct ses_places **out, const struct ses_config *cfg, struct mdl *m,
		    const struct x86_store *store, const struct wires *w,
		    const struct ses_places_modes *modes);
void ses_places_close(struct ses_places *p);

/* Read the mappings in the records that the model is fed next. */
void ses_places_feed(struct ses_places *p, const uint8_t *bytes, size_t n);

/* Returns how many of the n bytes, whole records that the model is fed next, belong to one calling
 * context, and makes it the model's context. Without ses_config.keeps_paths: n. */
size_t ses_places_stretch(struct ses_places *p, const uint8_t *bytes, size_t n);

/* Give new blocks their places. The records of all mappings made before the translation of these
 * blocks must have been given to ses_places_feed(). */
void ses_places_settle(struct ses_places *p);

/* Add what was counted until now to the running process. Call it after mdl_finish(). */
void ses_places_take(struct ses_places *p);

/* With keeps_threads: what was counted until now belongs to the thread that ran, and what is
 * counted from here on to this one. Call it after mdl_finish(). Cost: a walk over the ledger. */
void ses_places_thread(struct ses_places *p, uint32_t thread);

/* Begin (shuts) or end a time in which nothing counts. What was counted since the last call is
 * booked first; if that call shut, it is dropped. With ses_config.function the region is at first
 * the function of that name. The first call with shuts false ends that: what the function counted
 * is dropped, and from there on the calls alone decide. Call it after mdl_finish(). */
void ses_places_shut(struct ses_places *p, bool shuts);

/* All block ids are void: forget the places of blocks. */
void ses_places_forget(struct ses_places *p);

/* ses_places_enter: a vfork child begins. ses_places_leave: it ends, and its accounts are deleted.
 * Call both after ses_places_take(). */
void ses_places_enter(struct ses_places *p);
void ses_places_leave(struct ses_places *p);

/* In a new server, of a forked process: what was counted until now is the parent's. was_vfork: of a
 * vfork child that executes a program; what was counted since the child began is its own. */
void ses_places_born(struct ses_places *p, bool was_vfork);

/* The running process ends, or the run does: put its accounts into the memory of all servers, and
 * return where they lie. wire: its totals. */
struct ses_places_at ses_places_end(struct ses_places *p, const char *birth, const char *program,
				    const uint64_t *wire);

/* As ses_places_end(), for the accounts of one thread; call it for each thread of the process.
 * *totals has the thread's totals. If the region is a function, they become what the thread counted
 * in it. */
struct ses_places_at ses_places_end_thread(struct ses_places *p, uint32_t thread, const char *birth,
					   const char *program, struct ses_totals *totals);

/* Returns true if the region is a function (ses_config.function), and no mark has ended that. */
bool ses_places_is_function(const struct ses_places *p);
/* Returns how often this process has called the function that the region is; 0 if it is none. */
uint64_t ses_places_n_calls(const struct ses_places *p);
/* If the region is a function, set wires and instructions of *t to what the running process counted
 * in it; else leave *t as it is. Call it after ses_places_take(). */
void ses_places_region(const struct ses_places *p, struct ses_totals *t);

/* Returns a copy of all bytes there, owned by the caller; NULL without memory. */
uint8_t *ses_places_read(const struct ses_places *p, struct ses_places_at at);

/* Returns true if counts were lost for want of memory. */
bool ses_places_are_lost(const struct ses_places *p);

#endif
