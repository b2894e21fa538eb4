/* jit_state.h -- what the host code of hot blocks keeps; see jit.h. Part of struct p6. */
#ifndef SOFTPMU_MODEL_P6_JIT_STATE_H
#define SOFTPMU_MODEL_P6_JIT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/btb.h"
#include "x86/emit.h"

#define P6_JIT_BYTES     (64u << 20) /* code from below, data from above */
#define P6_JIT_PAGES     (1u << 20)  /* pages that code may lie on: those with the lowest ids */
#define P6_JIT_MAX_LINES 6u          /* of a block; larger ones stay with feed.c */
#define P6_JIT_MAX_REFS  24u
#define P6_JIT_MIN_EXEC  512u        /* executions by feed.c before a block becomes host code */
/* More hot blocks than this, and the host's instruction cache misses cost more than the loop (measured on
 * cc1, which has 25000): all host code is dropped then. */
#define P6_JIT_MAX_BLOCKS 8192u

/* One successor known to the code: record head and jump. */
struct p6_jit_slot {
	uint32_t head_at;     /* immediate compared with the next record's head */
	uint32_t jump_at;     /* displacement of the jump */
};

/* Data of one block, in the data part; host code refers to it. */
struct p6_jit_blk {
	uint64_t n_exec;
	struct btb_entry *entry; /* where the BTB had the branch last, or an entry that matches nothing */
	uint64_t blk;            /* arena offset of the compiled block */
	uint64_t cut_exec;       /* n_exec when the first of the lines of its first instruction missed */
	uint32_t head, id;
	uint32_t body;           /* code offset; the head has been compared */
	struct p6_jit_slot taken, fall;
	uint32_t tag[4] __attribute__((aligned(16))); /* of its lines in L1I: the page, four times */
};

/* By page id: where the ITLB had the page last, and what its use does to the replacement word. */
struct p6_jit_page {
	const uint64_t *key;
	uint8_t keep, set;
	uint8_t pad[6];
};

/* By block id: how to get there. */
struct p6_jit_target {
	uint64_t code;        /* address of the body, 0 = not host code */
	uint64_t pc;
	uint32_t head, zero;
	struct p6_jit_blk *blk;
};

struct p6_jit {
	uint8_t *memory;      /* P6_JIT_BYTES, writable and executable */
	struct x86_out out;   /* code: next free byte */
	uint32_t data_low;    /* data: lowest byte in use */
	uint32_t leave;       /* code offset of the common way out */
	struct p6_jit_page *page;     /* by page id, behind the code's data */
	struct p6_jit_target *target; /* by id */
	uint32_t n_target;
	uint32_t min_exec;    /* executions by feed.c before a block becomes host code */
	uint32_t n_block;     /* blocks with host code */
	bool is_full;         /* too many blocks, or no room: to be dropped */
	/* read and written by host code, relative to struct p6 */
	uint64_t at, n_insn, sums; /* where it stopped, and its totals */
	uint32_t last;        /* id of the block it stopped after */
	uint8_t keep[16], set[16]; /* replacement word by hit mask (1, 2, 4, 8) */
	uint64_t taken_wrong;      /* outcome sums of a transfer that was mispredicted */
	uint64_t taken_sums[4], fall_sums[4]; /* outcome sums by two-bit counter */
	struct btb_entry nowhere; /* an entry that matches nothing */
};

#endif
