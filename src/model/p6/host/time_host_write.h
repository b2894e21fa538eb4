/* time_host_write.h -- writing host code of blocks in time: the writer's state. Private to
 * time_host*.c.
 *
 *   rbx  struct p6       r12  record of this block     r13  limit
 *   r14  the last step   r15  all steps                rbp  address of the reference at hand
 *   rdi  value of a slot  others: scratch
 */
#ifndef SOFTPMU_MODEL_P6_TIME_HOST_WRITE_H
#define SOFTPMU_MODEL_P6_TIME_HOST_WRITE_H

#include "model/p6/p6.h"
#include "model/parts/hostcode.h"

/* Where a reference is left to a helper. */
enum p6_time_host_aside {
	P6_TIME_HOST_NOT_ALIGNED,
	P6_TIME_HOST_ELSEWHERE,
	P6_TIME_HOST_NOT_ALONE,
	P6_TIME_HOST_N_ASIDE
};

/* A reference's calls of helpers, written behind the rest. */
struct p6_time_host_cold {
	uint32_t jump[P6_TIME_HOST_N_ASIDE][3]; /* displacements of jumps to them */
	uint8_t n_jump[P6_TIME_HOST_N_ASIDE];
	uint32_t hit,
	    back;  /* code offsets to go on at: when it was an ordinary hit, and when all is done */
	uint8_t k; /* its number */
	uint8_t base_slot; /* what rdi is then: the value of this slot, or P6_NO_SLOT: anything */
};

/* A branch that the BTB may have lost. */
struct p6_time_host_lost {
	/* displacement of the jump to its call; code offset to go on at when it has an entry
	 * again */
	uint32_t jump, retry;
	/* code offset at which the step of key edx is called, when the decoder's rule was right;
	 * 0: the rest of the block is left to a helper then */
	uint32_t step;
	bool is_taken;
};

struct p6_time_host_writer {
	struct hostcode code;
	struct p6 *m;
	struct p6_time_host *host;
	const struct p6_blk *b;
	struct p6_time_host_blk *hb;
	struct p6_time_host_cold cold[P6_TIME_HOST_MAX_REFS];
	unsigned n_cold;
	/* displacements of jumps taken when a line of code is not there */
	uint32_t missing[P6_TIME_HOST_MAX_LINES];
	unsigned n_missing;
	struct p6_time_host_lost lost[2];
	unsigned n_lost;
	uint32_t end; /* code offset: the rest of the block is left to a helper */
	uint32_t page,
	    page_back; /* the jump to where the page of code is asked for, and where that goes on */
	uint8_t base_slot; /* rdi holds the value of this slot; P6_NO_SLOT: nothing known */
};

/* ---- each of these writes code that does what is said ---- */

/* If all code lines of the block are in L1I, in the page of their ITLB set that was used last, note
 * their use; else call a helper that does all accesses. */
void p6_time_host_write_lines(struct p6_time_host_writer *w);
/* Do the references. */
void p6_time_host_write_references(struct p6_time_host_writer *w);
/* The pieces that the references jump to. done: code offset of the block's end. */
void p6_time_host_write_cold(struct p6_time_host_writer *w, uint32_t done);

/* The part that all blocks share for a short load of which the log has a word: rsi = rbp, edx =
 * which load, rcx = the word. */
void p6_time_host_write_log(struct p6_time_host_writer *w);

/* Count the execution of the block. */
void p6_time_host_write_arrival(struct p6_time_host_writer *w);
/* Resolve the block's transfer, take its step, and go on to the next block. */
void p6_time_host_write_end(struct p6_time_host_writer *w);
/* What that end jumps to when the BTB has lost the branch. */
void p6_time_host_write_lost(struct p6_time_host_writer *w);
/* Set rsi to the block's data, and jump to a shared part. */
void p6_time_host_write_shared(struct p6_time_host_writer *w, uint32_t part);
/* The way in, and the parts that all blocks share. */
void p6_time_host_write_frame(struct p6_time_host_writer *w);

/* A jump (op of two bytes) that is patched later. Returns where its displacement is. */
static inline uint32_t p6_time_host_jump(struct p6_time_host_writer *w, const char *op)
{
	return hostcode_jump(&w->code, op, 2, 0);
}

#endif
