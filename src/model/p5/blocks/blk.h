/* blk.h -- blocks as the loops over records work on them.
 *
 * PURPOSE          compile.c makes a struct p5_blk of each block once, from its facts
 *                  (x86/block.h). The loops read it at each execution of the block.
 * COUNTING RULES   What a block counts whenever it is executed is its list of counts, added once
 *                  per execution. What depends on an address or on a state is done per record.
 * LIMITS           A struct p5_blk belongs to its machine (p5.blk) and lives until
 *                  p5_forget_blocks() or p5_close().
 */
#ifndef SOFTPMU_MODEL_P5_BLK_H
#define SOFTPMU_MODEL_P5_BLK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/tally.h"
#include "x86/block.h"

struct p5;

#define P5_NO_SLOT 0xff

/* One data reference: linear address = disp + slot value + (value of slot2 << shift) [+ FS
 * base]. */
struct p5_ref {
	uint64_t disp;
	uint16_t bytes;
	uint8_t slot, slot2; /* P5_NO_SLOT: none */
	uint8_t shift;
	uint8_t align_mask; /* address bits that must be 0 for the fast path */
	uint8_t access;	    /* enum p5_access, both for a read-modify-write */
	bool is_fast;	    /* may take the fast path: one line when aligned, not locked */
	bool has_fs, is_locked, is_mmx, is_fst;
};

struct p5_count {
	uint16_t wire, n;
};

enum p5_blk_flag {
	P5_B_ORDER = 1, /* needs plain order: REP, DF, masked references */
	P5_B_FPMMX = 2, /* has x87 or MMX instructions */
	P5_B_CLIP = 4,	/* its records hold operands of MMX instructions that saturate */
};

/* A compiled block; n_count struct p5_count follow the references. */
struct p5_blk {
	uint64_t n_exec;
	uint64_t pc;
	/* of a conditional branch; P5_NOWHERE when it is the address behind the branch, so that the
	 * next block does not show whether it was taken */
	uint64_t target;
	uint32_t head; /* of its records */
	uint8_t n_insn, n_ref, n_count;
	uint8_t flags; /* enum p5_blk_flag */
	uint8_t fpmmx; /* as p5_mmx_ends() returns */
	bool is_jcc;
	struct p5_ref ref[];
};

static inline struct p5_count *p5_blk_counts(const struct p5_blk *b)
{
	return (struct p5_count *)(void *)((uintptr_t)(b->ref + b->n_ref));
}

/* ---- compile.c ------------------------------------------------------------------------------- */

/* Reference r of xb as the fast paths want it. */
struct p5_ref p5_compile_ref(struct p5 *m, const struct x86_block *xb, const struct x86_ref *r);

/* Returns block `id`, compiled now when it is new; NULL when there is no such block or memory is
 * out. */
struct p5_blk *p5_meet(struct p5 *m, uint32_t id);

/* Add to t what instruction i of b counts whenever it is executed, its references included. */
void p5_count_insn(struct p5 *m, const struct x86_block *b, unsigned i, struct tally *t);

#endif
