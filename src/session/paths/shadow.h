/* shadow.h -- the state of the walk over records, and its steps. For this folder alone; rules are
 * in paths.h.
 *
 * Where a transfer goes is known from the next block record; the state of the thread says what is
 * awaited of that block. A frame whose slot is odd is no return address but a boundary: a signal's
 * handler, or a stack that began by a RET. */
#ifndef SOFTPMU_SESSION_SHADOW_H
#define SOFTPMU_SESSION_SHADOW_H

#include "session/paths/frames.h"
#include "session/paths/marks.h"
#include "session/paths/paths.h"
#include "session/paths/sums.h"
#include "session/paths/tree.h"
#include "session/paths/visits.h"
#include "trace/record.h"

#define PTH_NO_BLOCK   UINT32_MAX
#define PTH_MOST_DEPTH 5u /* the process, and vfork children of children */

enum pth_leaves {
	LEAVES_NOT_KNOWN,
	LEAVES_ON,
	LEAVES_CALL,
	LEAVES_RET,
	LEAVES_JUMP,
	LEAVES_JUMP_IND,
	LEAVES_SYSCALL
};

/* What the next block of a thread decides. */
enum pth_awaited {
	AWAITED_START,
	AWAITED_NOTHING,
	AWAITED_CALL,
	AWAITED_BACK,
	AWAITED_RET,
	AWAITED_JUMP,
	AWAITED_HANDLER
};

/* A block, as far as paths ask. */
struct pth_block {
	uint64_t pc, target, fall;
	uint64_t disp;	      /* of the return address on the stack */
	struct rec_place at;  /* where it begins */
	uint16_t last_insn;   /* from there to the last instruction, bytes */
	uint8_t slot, n_slot; /* which slot of a record is added to disp */
	uint8_t leaves;	      /* enum pth_leaves */
	bool is_entry;	      /* a CALL has gone here */
	bool is_back;	      /* a RET has gone here, to behind a CALL */
	bool is_stub;	      /* it looks like a stub of the PLT */
	bool is_region;	      /* the region's function begins here */
	bool is_lazy;	      /* like what a stub goes on in that is not resolved yet */
	/* the context that it was in last, and its visit there */
	uint32_t round, context, visit;
	/* where its CALL went last, from which context, and what context that is */
	uint32_t went_from, went_to, went;
};

/* Where a thread is. All 0 is the beginning. */
struct pth_state {
	uint32_t frame, context;
	/* the block that was executed last; PTH_NO_BLOCK: it is forgotten, and `site` is the place
	 * of its last instruction */
	uint32_t last;
	uint8_t awaited;
	uint64_t slot; /* AWAITED_RET: that it read; AWAITED_BACK: where it should go */
	struct rec_place site;
	/* A stub is passed through, which was reached by a call or jump of this kind from this
	 * place; REC_PATH_ROOT: none is. */
	uint8_t through;
	uint32_t stub; /* its block */
	struct rec_place through_site;
};

struct ses_paths {
	const struct x86_store *store;
	const struct rec_place *of_block;
	struct pth_block *block; /* IDS, by id */
	struct ses_tree tree;
	struct ses_frames frames;
	struct ses_visits visits;
	struct ses_marks marks;
	struct ses_sums sums[PTH_MOST_DEPTH];
	/* of the guest's other threads; those of thread `whose` are sums[0]; owned */
	struct ses_sums *others;
	uint32_t n_others, whose;
	struct pth_state before[PTH_MOST_DEPTH]; /* of the thread that waits for a vfork child */
	unsigned depth;
	struct pth_state run, *thread; /* of the running thread; of the others, by number; owned */
	uint32_t number, n_thread;
	uint32_t round; /* visits were forgotten so often, and 1 */
	/* the region, if there is one; the calls of its function so far */
	struct ses_paths_of of;
	uint64_t n_calls, n_partial;
	bool is_lost;
};

static inline const struct rec_context *pth_context(const struct ses_paths *p, uint32_t context)
{
	return &p->tree.at[context].is;
}

/* Returns the number by which the model knows `context` (mdl_set_context()). */
static inline uint32_t pth_model_number(const struct ses_paths *p, uint32_t context)
{
	if (__builtin_expect(!p->of.begins, 1))
		return context;
	if (!p->tree.at[context].is_in)
		return MDL_OUTSIDE;
	return p->of.keeps_paths ? context : SES_CONTEXT_ROOT;
}

/* The place of the transfer that the running thread came by. */
struct rec_place pth_site(const struct ses_paths *p);

/* Go back to the frame, which the running thread has. */
static inline void pth_pop(struct ses_paths *p, uint32_t frame)
{
	p->run.context = p->frames.at[frame].context;
	p->run.frame = p->frames.at[frame].up;
}

static inline bool pth_is_boundary(const struct ses_frame *f)
{
	return f->slot & 1;
}

/* The running thread goes on with block id, which decides what was awaited. */
void pth_arrive(struct ses_paths *p, uint32_t id);

/* A signal's handler begins. */
void pth_interrupt(struct ses_paths *p);

/* The stub that is passed through, if there is one, becomes a context after all. */
void pth_end_through(struct ses_paths *p);

/* Execution goes on at pc, and no signal or thread is the reason: sigreturn, or a call that is done
 * again. */
void pth_go_on(struct ses_paths *p, uint64_t pc);

#endif
