/* blk.h -- blocks as the loops over records work on them.
 *
 * PURPOSE          blocks/compile.c makes a struct p6_blk of each block once, from its facts
 *                  (x86/block.h). The loops read it at each execution of the block: what it counts,
 *                  its data references, its code lines.
 * COUNTING RULES   What a block counts whenever it is executed is its list of counts, added once
 *                  per execution. What depends on an address or on a state is done per record.
 * LIMITS           A struct p6_blk lies in p6_blocks.arena, until p6_forget_blocks() or p6_close().
 *                  Keep its position in the arena, not its address: the arena may move when a block
 *                  is compiled.
 */
#ifndef SOFTPMU_MODEL_P6_BLK_H
#define SOFTPMU_MODEL_P6_BLK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/parts/tally.h"

/* ---- static counts --------------------------------------------------------------------------- */

struct p6_count {
	uint16_t wire, n;
};

/* ---- compiled blocks ------------------------------------------------------------------------- */

/* One data reference: linear address = disp + slot value (unless P6_NO_SLOT) + rest; rest, when
 * is_more: (value of slot2 << shift, unless P6_NO_SLOT) + FS base (P6_MORE_FS). */
#define P6_NO_SLOT 0xff
struct p6_ref {
	int32_t disp;
	uint8_t slot, slot2;
	uint8_t align_mask; /* address bits that must be 0 for the fast path */
	uint8_t is_more;    /* P6_MORE_* bits and the shift */
	uint8_t access;	    /* enum p6_access */
	uint8_t kind;	    /* enum p6_ref_kind */
	uint8_t role;	    /* enum p6_role; in time, from P6_B_TIMED on */
	uint8_t insn;	    /* number of the instruction in its block */
};

#define P6_MORE	      1u /* any of the following */
#define P6_MORE_FS    2u
#define P6_MORE_SHIFT 4 /* scale of slot2 as a shift in bits 4 and 5 */

enum p6_access { P6_READ, P6_WRITE, P6_READ_WRITE, P6_LOCKED };

/* P6_NEVER: a reference of unusual size. P6_FAR: one of any size whose displacement does not fit in
 * disp. Neither takes the fast path. */
enum p6_ref_kind { P6_FAST_READ, P6_FAST_WRITE, P6_NEVER, P6_FAR };
#define P6_KINDS 4u

enum p6_blk_flag {
	P6_B_ORDER = 1, /* needs plain order: REP, weak stores, prefetches, DF */
	P6_B_WC = 2, /* fence, lock or serialising instruction: empties write-combining buffers */
	P6_B_FPMMX = 4,	 /* has x87 or MMX instructions */
	P6_B_ASSIST = 8, /* its record has operand classes */
	P6_B_TIMED = 16, /* in time: its templates are made */
	P6_B_FAST = 32,	 /* in time: time_access.c can do it at once in the fast shape */
	/* in time: its clocks depend on which upper parts of registers are known to be 0 */
	P6_B_ZERO = 128,
	/* in time: what it does to the structures, and the state before it, decide its clocks:
	 * steps can be kept of it */
	P6_B_KEPT = 64,
};

/* Header of a compiled block. Behind it lie n_ref struct p6_ref (p6_blk_refs()), then n_line bytes:
 * for each code line, how many references belong to instructions before the first one that touches
 * the line (p6_blk_lines()). In time or with a ledger n_line more bytes follow: the number of that
 * first instruction (p6_blk_line_insns()). */
struct p6_blk {
	uint64_t n_exec;
	uint64_t pc;	    /* 48-bit linear */
	int32_t target_rel; /* target of a direct transfer, relative to the end of the block */
	uint32_t head;	    /* of its records */
	uint32_t counts;    /* first struct p6_count */
	uint32_t zero_keep, zero_set; /* with P6_B_TIMED: of its templates (time_zero.h) */
	uint16_t bytes;		      /* of code */
	uint16_t btb;		      /* position where the BTB had the branch last */
	uint8_t n_count;
	uint8_t n_insn, n_ref;
	uint8_t n_line;
	uint8_t term;	      /* enum x86_term */
	uint8_t flags;	      /* enum p6_blk_flag */
	uint8_t fpmmx;	      /* first (bits 0..3) and last (4..7) of enum p6_fpmmx */
	uint8_t is_cut : 1;   /* its first instruction lies in two lines */
	uint8_t has_code : 1; /* it has host code (host.h) */
};

/* All blocks that were met. blocks/compile.c makes them, p6_forget_blocks() empties it and
 * p6_close() frees it. */
struct p6_blocks {
	/* by block id (TRC_ID_BITS): offset in the arena / 16, or P6_NO_ENTRY */
	uint32_t *position;
	uint32_t n_compiled; /* ids below it may have been compiled */
	uint8_t *arena;	     /* compiled blocks, each at a multiple of 16 bytes */
	size_t arena_used, arena_size;
	uint64_t arena_ready;	 /* bytes of it that are in memory */
	struct p6_count *counts; /* of all blocks: p6_blk.counts */
	uint32_t counts_used, counts_size;
	struct tally tally; /* scratch, all zero between uses */
};

/* Target of a conditional branch to the next instruction: no block lies there, TRC_TAKEN does. */
#define P6_NO_TARGET INT32_MAX

/* Address after the block; the last byte of its branch is one below. */
static inline uint64_t p6_blk_fall(const struct p6_blk *b)
{
	return b->pc + b->bytes;
}

static inline const struct p6_ref *p6_blk_refs(const struct p6_blk *b)
{
	return (const struct p6_ref *)(const void *)(b + 1);
}

/* What host code hands to a helper about a reference: its number k, and members of its struct
 * p6_ref. It is passed in a register. */
struct p6_access_what {
	uint8_t k, is_read, role, align_mask;
};

/* Returns it for reference r, the k-th of its block. */
static inline struct p6_access_what p6_access_what(const struct p6_ref *r, unsigned k)
{
	return (struct p6_access_what){(uint8_t)k, r->access == P6_READ, r->role, r->align_mask};
}

static inline const uint8_t *p6_blk_lines(const struct p6_blk *b)
{
	return (const uint8_t *)(p6_blk_refs(b) + b->n_ref);
}

/* In time or with a ledger: by code line, the number of the instruction that touches it first. */
static inline const uint8_t *p6_blk_line_insns(const struct p6_blk *b)
{
	return p6_blk_lines(b) + b->n_line;
}

#define P6_NO_ENTRY 0u

#endif
