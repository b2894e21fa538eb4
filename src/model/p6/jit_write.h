/* jit_write.h -- writing host code: the writer's state and its few forms. Private to jit*.c.
 *
 *   rbx  struct p6          r12  record of this block, later the next one     r13  limit
 *   r14  outcome sums       r15  instructions          rbp  address of the reference at hand
 *   others: scratch
 *
 * Forms are given as bytes with their meaning beside them; addresses are relative to rbx (what lies in or
 * near struct p6) or to the code (the block's own data).
 */
#ifndef SOFTPMU_MODEL_P6_JIT_WRITE_H
#define SOFTPMU_MODEL_P6_JIT_WRITE_H

#include "model/p6/jit.h"

#define P6_MAX_COLD (3u * P6_JIT_MAX_REFS + P6_JIT_MAX_LINES + 4u)

/* What the cold part passes to a helper as its fourth argument, and does with the answer. */
enum p6_cold_kind {
	COLD_SLOTS,         /* the record's slots; goes on */
	COLD_SLOTS_OR_END,  /* the same; a true answer ends the block */
	COLD_ADDRESS_OR_END,/* the linear address in rbp; a true answer ends the block */
	COLD_PAGE,          /* the linear address in rbp; the answer is a page id for edx, rax = rbp */
};

/* One jump into the cold part, which is written after the rest. */
struct p6_cold {
	uint32_t jump_at;   /* displacement of the jump */
	uint32_t back;      /* code offset to go on at */
	uint64_t argument;
	uint64_t helper;    /* address */
	enum p6_cold_kind kind;
};

struct p6_writer {
	struct p6 *m;
	struct x86_out *o;
	const struct p6_blk *b;
	struct p6_jit_blk *jb;
	struct p6_cold cold[P6_MAX_COLD];
	unsigned n_cold;
	bool is_bad;        /* something is out of reach */
};

/* Raw bytes. */
void p6_write_bytes(struct p6_writer *w, const char *p, unsigned n);
#define CODE(w, s) p6_write_bytes(w, s, sizeof(s) - 1)

/* Displacement of host address p from rbx; sets is_bad when it is out of reach. */
uint32_t p6_write_from_m(struct p6_writer *w, const void *p);

/* Bytes that end with the ModRM byte (and SIB) of a form, then p as a displacement from rbx. */
void p6_write_with_m(struct p6_writer *w, const char *op, unsigned n, const void *p);
#define CODE_M(w, s, p) p6_write_with_m(w, s, sizeof(s) - 1, p)

/* The same relative to the code itself; after: bytes of immediate that follow. */
void p6_write_with_data(struct p6_writer *w, const char *op, unsigned n, const void *p, unsigned after);
#define CODE_DATA(w, s, p, after) p6_write_with_data(w, s, sizeof(s) - 1, p, after)

/* A conditional jump (op: its opcode) into the cold part, which calls helper with argument. */
void p6_write_jump_cold(struct p6_writer *w, const char *op, unsigned n, void *helper, uint64_t argument,
			enum p6_cold_kind kind);
#define JNE_COLD(w, helper, arg, kind) p6_write_jump_cold(w, "\x0f\x85", 2, (void *)(uintptr_t)(helper), arg, kind)
#define JE_COLD(w, helper, arg, kind) p6_write_jump_cold(w, "\x0f\x84", 2, (void *)(uintptr_t)(helper), arg, kind)

/* All cold jumps written since number `from` come back here. */
void p6_write_come_back(struct p6_writer *w, unsigned from);

/* The cold part: every jump written so far. transfer: code offset of the end of the block. */
void p6_write_cold(struct p6_writer *w, uint32_t transfer);

/* jit_memory.c: the page of the block's code is in the ITLB: note its use; or have it translated. */
void p6_write_page(struct p6_writer *w);
/* Code line i of the block is in L1I: note its use; or fetch it. */
void p6_write_line(struct p6_writer *w, unsigned i);
/* Reference r, the k-th of the block, hits: note its use; or have it done in full. */
void p6_write_reference(struct p6_writer *w, const struct p6_ref *r, unsigned k);

/* jit_transfer.c: the end of the block: on to the next record, the transfer resolved. */
void p6_write_transfer(struct p6_writer *w);

#endif
