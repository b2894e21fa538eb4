/* time_host.h -- blocks in time as host code: what time_turn.c does with a block, written out with
 * its facts as constants.
 *
 * A piece of host code makes the accesses of one execution, resolves the branch at its end, takes
 * the step that came behind the last one before, and jumps to the piece of the next block.
 * Everything that is not the usual case is a call of time_host_help.c, which does it as time_turn.c
 * does; in front of such a call nothing is half done.
 *
 *   time_host.c        opening, which blocks, running
 *   time_host_write.c  code lines and references
 *   time_host_end.c    transfers
 *   time_host_step.c   steps, and the parts that all blocks share
 *   time_host_help.c   what host code calls
 *
 * COUNTING RULES   those of time_turn.c; --memo off does without both (tests/engine/p6_memo.sh).
 * MODELLED         all code lines and their one page are there; aligned references of the line and
 *                  page used last in their sets, which have nothing to do with older stores and
 *                  misses; branches that the BTB knows and predicts, or that it lost and the
 *                  decoder puts right; one of the steps that came last behind this one, with at
 *                  most one access to say anything of.
 * NOT MODELLED     blocks over two pages, above 2 GiB, or that ask what is known of the upper parts
 *                  of registers: called as a whole.
 */
#ifndef SOFTPMU_MODEL_P6_TIME_HOST_H
#define SOFTPMU_MODEL_P6_TIME_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/btb.h"
#include "x86/emit.h"

struct p6;
struct p6_blk;
struct p6_leap;

/* code from below, what is seldom run from the middle on, data from above */
#define P6_TIME_HOST_BYTES   (32u << 20)
#define P6_TIME_HOST_COLD_AT (14u << 20)
/* of a block: larger ones are called as a whole, and those of more references */
#define P6_TIME_HOST_MAX_LINES 4u
#define P6_TIME_HOST_MAX_REFS  24u
/* executions by time_turn.c before a block becomes host code */
#define P6_TIME_HOST_MIN_EXEC 2048u
/* more would cost more misses of the host's instruction cache than they save */
#define P6_TIME_HOST_MAX_BLOCKS 8192u

/* What host code calls. */
enum p6_time_host_helper {
	P6_TIME_HOST_PAGE,    /* code */
	P6_TIME_HOST_REF,     /* a reference that is not aligned */
	P6_TIME_HOST_LOOK,    /* an aligned reference, not where the last one was */
	P6_TIME_HOST_LOG,     /* a reference of which the log has a word */
	P6_TIME_HOST_NEAR,    /* a reference that may have to do with older ones */
	P6_TIME_HOST_LINES,   /* a line of code is missing: all accesses of the block */
	P6_TIME_HOST_LOST,    /* a branch that the BTB does not have where it had it last */
	P6_TIME_HOST_OUTCOME, /* of the block's accesses */
	P6_TIME_HOST_BUS,     /* the external bus, of a step that has it */
	P6_TIME_HOST_FIND,
	P6_TIME_HOST_END,
	P6_TIME_HOST_BLOCK,
	P6_TIME_HOST_FPMMX,
	P6_TIME_HOST_N_HELPERS
};

/* What P6_TIME_HOST_LOST returns instead of a step's key. */
#define P6_TIME_HOST_FOUND UINT32_MAX	    /* the branch has an entry; host code knows it now */
#define P6_TIME_HOST_WRONG (UINT32_MAX - 1) /* nothing is done */

/* One successor known to the code: record head and jump. */
struct p6_time_host_slot {
	uint32_t
	    head_at; /* code offset of the number that the next record's head is compared with */
	uint32_t jump_at; /* code offset of the jump's displacement; 0: there is no successor */
};

/* Data of one block, in the data part. */
struct p6_time_host_blk {
	uint64_t n_exec; /* not yet in its struct p6_blk */
	struct btb_entry
	    *entry;	  /* where the BTB had the branch last, or an entry that matches nothing */
	uint64_t *target; /* that entry's last target */
	uint32_t blk;	  /* position of the compiled block */
	uint32_t id, head;
	uint32_t record_bytes;
	uint32_t body; /* code offset behind the counting of its arrival */
	struct p6_time_host_slot taken, fall;
};

/* By block id: how to get there. */
struct p6_time_host_target {
	uint64_t code; /* address: the block arrives; 0: no host code */
	uint64_t pc;
	uint32_t head, zero;
	struct p6_time_host_blk *blk;
};

struct p6_time_host {
	uint8_t *memory; /* P6_TIME_HOST_BYTES, writable and executable; NULL: not open */
	bool is_off;	 /* it shall not, or cannot, be opened */
	bool is_full;
	uint32_t min_exec;  /* executions by time_turn.c before a block becomes host code */
	struct x86_out out; /* code: next free byte */
	uint32_t cold;	    /* next free byte of code that is seldom run */
	uint32_t data_low;  /* data: lowest byte in use */
	uint32_t n_block;
	struct p6_time_host_target *target; /* by id */
	uint32_t n_target;
	/* code offsets of parts that all blocks share */
	uint32_t step; /* called, edx = key: take the step; it keeps rbp */
	/* rsi = the block at r12, of which nothing is done: all of it, then the next one */
	uint32_t block;
	uint32_t log; /* called, for a short load of which the log has a word */
	/* rsi = the block at r12, whose accesses are done: the rest of it, then the next one */
	uint32_t end;
	uint32_t leave; /* rsi = the block at r12, which waits */
	/* read and written by host code */
	struct p6_leap *last, *before; /* steps, as in struct p6_memo */
	uint64_t n_miss;	       /* misses in front of the block */
	uint64_t sums;		       /* of struct p6_outcomes */
	uint64_t outcome;	       /* of the block's accesses */
	uint64_t key;		       /* of the step that is looked for */
	uint64_t at, limit; /* record of the block that waits; where to stop: 0 at once */
	struct p6_time_host_blk *held; /* the block that waits */
	uint8_t keep[16], set[16];     /* replacement word by hit mask (1, 2, 4, 8) */
	struct btb_entry nowhere;      /* an entry that matches nothing */
	uint64_t no_target;
	uint64_t helper[P6_TIME_HOST_N_HELPERS];
	bool is_accessed; /* the accesses of `held` are done */
	bool is_lent;	  /* `last` and `before` are the ones that count */
	int rc;		  /* what went wrong */
};

/* Block b becomes host code. Nothing happens when it cannot. */
void p6_time_host_compile(struct p6 *m, struct p6_blk *b);

/* Host code of the block of `head`, or NULL. */
static inline struct p6_time_host_blk *p6_time_host_find(const struct p6_time_host *h,
							 uint32_t head)
{
	const uint32_t id = head & 0xfffff;

	return id < h->n_target && h->target[id].head == head ? h->target[id].blk : NULL;
}

/* Block b, whose record is at p and which waits, has host code, and the state in front of it is
 * known: it and those behind it are done as long as the record behind the one that waits lies below
 * limit. Returns the record of the block that waits then; *accessed: its accesses are done. */
const uint8_t *p6_time_host_run(struct p6 *m, const uint8_t *p, const uint8_t *limit,
				bool *accessed);

/* Bring the executions counted by host code into the compiled blocks. */
void p6_time_host_fold(struct p6 *m);

/* Drop all host code, whose executions were brought in. It may be made anew. */
void p6_time_host_close(struct p6 *m);

/* Fill in the table of helpers. */
void p6_time_host_helpers(struct p6_time_host *h);

#endif
