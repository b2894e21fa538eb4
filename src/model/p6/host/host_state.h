/* host_state.h -- what the host code of hot blocks keeps; see host.h. Part of struct p6. */
#ifndef SOFTPMU_MODEL_P6_HOST_STATE_H
#define SOFTPMU_MODEL_P6_HOST_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/btb.h"
#include "x86/emit.h"

#define P6_HOST_BYTES	  (64u << 20) /* code from below, data from above */
#define P6_HOST_PAGES	  (1u << 20)  /* pages that code may lie on: those with the lowest ids */
#define P6_HOST_MAX_LINES 6u	      /* of a block; larger ones stay with feed.c */
#define P6_HOST_MAX_REFS  24u
#define P6_HOST_MIN_EXEC  512u /* executions by feed.c before a block becomes host code */
/* More hot blocks than this, and the host's instruction cache misses cost more than the loop
 * (measured on cc1, which has 25000): all host code is dropped then. */
#define P6_HOST_MAX_BLOCKS 8192u

/* What host code calls (host_help.c). */
enum p6_host_helper {
	P6_HOST_CODE_PAGE,
	P6_HOST_FETCH,
	P6_HOST_PAGE, /* of the parts read_page and write_page */
	P6_HOST_MISS, /* of the part read_line */
	P6_HOST_LINE,
	P6_HOST_REF,
	P6_HOST_UNALIGNED,
	P6_HOST_BRANCH,
	P6_HOST_ENTER,
	P6_HOST_NEXT,
	P6_HOST_LOG,  /* of the part log_reference */
	P6_HOST_BOOK, /* of the part book_reference */
	P6_HOST_N_HELPERS
};

/* One successor known to the code: record head and jump. */
struct p6_host_slot {
	uint32_t head_at; /* immediate compared with the next record's head */
	uint32_t jump_at; /* displacement of the jump */
};

/* Where a block's host code may be entered: what of its code need not be looked at, because the
 * block before used it last. */
enum p6_host_entry {
	P6_HOST_ALL,
	P6_HOST_SAME_PAGE,
	P6_HOST_SAME_LINE,
	P6_HOST_SAME_LINES,
	P6_HOST_N_ENTRIES
};

/* Data of one block, in the data part; host code refers to it: usually to its first 64 bytes alone.
 */
struct p6_host_blk {
	uint64_t n_exec;
	struct btb_entry
	    *entry; /* where the BTB had the branch last, or an entry that matches nothing */
	/* of its lines in L1I: each of its pages, four times; at a multiple of 16 bytes */
	uint32_t tag[2][4];
	uint64_t *target; /* last target of an indirect branch: that entry's */
	uint64_t blk;	  /* arena offset of the compiled block */
	uint64_t
	    cut_exec; /* n_exec + 1 when the first of the lines of its first instruction missed */
	uint32_t head, id;
	uint32_t record_bytes;
	uint32_t n_insn;
	uint16_t first_in_page; /* number of its first line in its page */
	bool is_cut;		/* as in struct p6_blk */
	/* code offset by enum p6_host_entry; the head has been compared */
	uint32_t at[P6_HOST_N_ENTRIES];
	struct p6_host_slot taken, fall;
};

/* Whose the misses of host code were (host_ledger.h). */
#define P6_HOST_ROWS (1u << 17)
enum p6_host_row_kind { P6_ROW_REFERENCE, P6_ROW_LINE, P6_ROW_TRANSFER, P6_ROW_KINDS };
struct p6_host_row {
	uint32_t id;
	uint16_t insn, kind; /* enum p6_host_row_kind */
	uint64_t n[7];
};

/* By page id: where the ITLB had the page last, and what its use does to the replacement word. */
struct p6_host_page {
	const uint64_t *key;
	uint8_t keep, set;
	uint8_t pad[6];
};

/* By block id: how to get there. */
struct p6_host_target {
	uint64_t code; /* address of the body, 0 = not host code */
	uint64_t pc;
	uint32_t head, zero;
	struct p6_host_blk *blk;
};

struct p6_host {
	uint8_t *memory;    /* P6_HOST_BYTES, writable and executable */
	struct x86_out out; /* code: next free byte */
	uint32_t data_low;  /* data: lowest byte in use */
	/* code offsets of parts that all blocks share (host_transfer.c) */
	uint32_t leave_after; /* rsi = p6_host_blk: stop after this block */
	uint32_t any_next; /* rsi = p6_host_blk, eax = head of the next record: look its code up */
	/* called: a reference to the address in rbp, page number in rcx, rdx = its DTLB set; they
	 * keep rdi */
	uint32_t
	    read_page; /* its page was not used last in the DTLB: look it up, then as read_line */
	/* rax = set of L1D << 5; its page was used last in the DTLB. Any way may hit; what
	 * host_serve.c can do is done in place, the rest by a helper. With a log or a ledger, eax
	 * = what the reference did (host_write.h) */
	uint32_t read_line;
	uint32_t write_page; /* as read_page, then as write_line */
	/* as read_line, for a store to a line in M, or in E when L1I has nothing of it; for any
	 * other line nothing is done, and ZF is set */
	uint32_t write_line;
	/* eax = set of L1I << 5, which does not have the line of page esi; r8d = offset of the
	 * set of L2 that it would be in: fetch it, when that is the usual case; else nothing is
	 * done, and ZF is set */
	uint32_t fetch_line;
	/* by outcome; rcx = entry of a conditional branch, eax = its address: teach it, and sum
	 * what the prediction was worth; when the entry is another branch's nothing is done, and
	 * ZF is set */
	uint32_t teach[2];
	/* by outcome; a transfer at address eax, of block data rsi, gets an entry in the BTB
	 * with last target rdx; when it has one or a way of its set is empty nothing is done,
	 * and ZF is set. 0 = there is no such part */
	uint32_t enter[2];
	/* reference esi >> 16 of the record at r12 did eax, which is not 0: write it to the log;
	 * keeps rdi */
	uint32_t log_reference;
	/* a reference did eax, which is not 0: add it to its row rsi, for the ledger; keeps rdi */
	uint32_t book_reference;
	uint32_t ended; /* rsi = p6_host_blk: a helper did all references that were left of it */
	struct p6_host_page *page; /* by page id, behind the code's data */
	struct p6_host_row *row;   /* P6_HOST_ROWS, behind the pages */
	uint32_t n_row;
	/* With contexts in which nothing counts (LEDGER_OUTSIDE) host code does either only
	 * records of such contexts (is_outside; what its rows hold is thrown away) or only the
	 * others. The loops do the rest: n_other grows by its bytes, and falls by the bytes that
	 * host code does, down to 0. */
	bool is_outside;
	uint64_t n_other;
	uint32_t did; /* what the reference at hand did so far (enum p6_did) */
	uint16_t cell[P6_ROW_KINDS][7]
		     [2];	       /* of the ledger, by counter of a row; or LEDGER_NO_CELL */
	struct p6_host_target *target; /* by id */
	uint32_t n_target;
	uint32_t min_exec; /* executions by feed.c before a block becomes host code */
	uint32_t n_block;  /* blocks with host code */
	bool is_full;	   /* too many blocks, or no room: to be dropped */
	/* read and written by host code, relative to struct p6 */
	uint64_t at, sums; /* where it stopped, and its totals */
	/* instructions from p6.stop_insn on: negative until then, where it ends at the latest
	 * with p6.can_stop */
	uint64_t n_insn;
	uint32_t last; /* id of the block it stopped after */
	/* by replacement word of a set of L1D, which is even: the bits of the way to replace in
	 * cache_meta.m and s, and all of n_empty */
	uint64_t victim[16];
	uint8_t victim_at[16],
	    victim_next[16];	  /* by that word: the way as an offset, and the word after it */
	uint64_t taken_wrong;	  /* outcome sums of a transfer that was mispredicted */
	struct btb_entry nowhere; /* an entry that matches nothing */
	uint64_t no_target;
	uint64_t helper[P6_HOST_N_HELPERS]; /* addresses, by enum p6_host_helper */
};

/* Host code of the block of `head`, or NULL. */
static inline struct p6_host_target *p6_host_find(const struct p6_host *j, uint32_t head)
{
	uint32_t id = head & 0xfffff;

	if (id >= j->n_target || j->target[id].head != head)
		return NULL;
	return &j->target[id];
}

#endif
