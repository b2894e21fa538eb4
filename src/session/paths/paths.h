/* paths.h -- call paths of one process: which calling context each record belongs to, and what
 * contexts counted (`softpmu record --stacks on`, decision 030).
 *
 * A shadow of the program's stacks is kept from the addresses that CALL writes and RET reads. They
 * stand in the records; jumps, signals and sigreturn carry no stack pointer.
 *
 * COUNTING RULES
 *   CALL        the next block belongs to a context of its own under the caller's. Frames whose
 *               slots lie at or below the new one are dead. A CALL to the instruction after it is
 *               no call: code uses it to learn its own address.
 *   RET         goes back to the frame whose slot it reads: that of the running stack, or of any
 *               other one whose return address is where the RET goes. Else to the nearest frame
 *               whose return address that is, of the running stack or, as Go moves stacks that
 *               grow, the last one of any. Else: a RET within a signal's handler goes on there;
 *               what is left goes on in [unknown].
 *   jump        to where a CALL has gone before is a tail call, a context under the one that jumps.
 *               A jump into another file (the dynamic linker's) hands the frame on: the new context
 *               takes the place of the one that jumped. An indirect jump to behind
 *               a CALL (longjmp) goes back to the nearest frame whose function made that call.
 *   stub        of the PLT: a block that does nothing but jump by way of a pointer, into any file
 *               or the dynamic linker. It is passed through: its instructions are the caller's,
 *               and the code that called or jumped to it called where it goes.
 *   signal      a handler is a context under what it interrupts; sigreturn goes back.
 *   thread      begins with its first block, under the process.
 *   region      with a function: what its contexts and all under them count. Of a call by number
 *               the contexts are its own. Calls that a call of it makes are not numbered. Without
 *               keeps_paths all of the region is one context.
 * LIMITS          tree.h, frames.h.
 * NOT MODELLED    a function that is entered by a jump alone, from the same file, is counted as the
 *                 function that jumped.
 */
#ifndef SOFTPMU_SESSION_PATHS_H
#define SOFTPMU_SESSION_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"
#include "record/paths.h"
#include "x86/block.h"

struct ses_paths;

/* The function that a region is named after. */
struct ses_paths_of {
	bool (*begins)(void *ctx, struct rec_place at); /* does it begin there? */
	void *ctx;
	uint64_t call;	  /* its call of this number alone, from 1; 0: all */
	bool keeps_paths; /* contexts of the region are told apart */
};

/* For counts of n_event events. of_block: places of the store's blocks, by id; each is right when a
 * record first names its block. of: a region, or begins NULL. Returns 0 or -SPMU_ENOMEM;
 * ses_paths_close() may be called in any case. store and of_block are borrowed. */
int ses_paths_open(struct ses_paths **out, const struct x86_store *store,
		   const struct rec_place *of_block, uint32_t n_event, struct ses_paths_of of);
void ses_paths_close(struct ses_paths *p);

/* Walk over the first records of [bytes, bytes + n) that belong to one context. Returns how many
 * bytes they are, at least one record, and sets *context, to MDL_OUTSIDE outside of the region.
 * Each record comes once, in order. Damaged records are passed over; the model reports them. */
size_t ses_paths_next(struct ses_paths *p, const uint8_t *bytes, size_t n, uint32_t *context);

/* Executions by context since the last call, sorted; valid until the next record. */
const struct mdl_visit *ses_paths_visits(struct ses_paths *p, size_t *n);

/* The counts of a context in the running process, n_event numbers; NULL without memory. */
int64_t *ses_paths_counts(struct ses_paths *p, uint32_t context);

/* Add the calls since the last time to the counts of the running process. With drops they are
 * dropped. */
void ses_paths_settle(struct ses_paths *p, bool drops);

/* There is no region any more. Call it after ses_paths_settle(). */
void ses_paths_end_region(struct ses_paths *p);

/* Returns how often the region's function was called. */
uint64_t ses_paths_n_calls(const struct ses_paths *p);
/* Returns the instructions of the region in blocks that were not executed to their end, since the
 * last call. */
uint64_t ses_paths_n_partial(struct ses_paths *p);

/* All block ids are void. Call it after ses_paths_visits(). */
void ses_paths_forget(struct ses_paths *p);

/* As ses_places_enter(), ses_places_leave() and, for counts that were not dropped and are the
 * child's own, ses_places_born(). */
void ses_paths_enter(struct ses_paths *p);
void ses_paths_leave(struct ses_paths *p);
void ses_paths_born(struct ses_paths *p, bool was_vfork);

/* With a table per thread: what is counted from here on belongs to this thread. At the beginning it
 * belongs to thread 0. Call it after ses_paths_settle(). ses_paths_put() and ses_paths_sum() are
 * about this thread, too. */
void ses_paths_thread(struct ses_paths *p, uint32_t thread);

/* Append the running process's contexts as rec_paths_put() does. name: paths of objects, by number;
 * rest: n_event counts that belong to no context; the root context gets them. */
void ses_paths_put(const struct ses_paths *p, char *const *name, const int64_t *rest,
		   struct rec_bytes *out);

/* Counts of the running process's contexts, added up, into sum[n_event]. */
void ses_paths_sum(const struct ses_paths *p, int64_t *sum);

/* Returns true if counts were lost for want of memory. */
bool ses_paths_are_lost(const struct ses_paths *p);

#endif
