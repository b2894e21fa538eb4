/* jit_write.h -- writing host code: the writer's state and its few forms. Private to jit*.c.
 *
 *   rbx  in struct p6       r12  record of this block, later the next one     r13  limit
 *   r14  outcome sums       r15  instructions          rbp  address of the reference at hand
 *   rdi  value of a slot    others: scratch
 *
 * Forms are given as bytes with their meaning beside them; addresses are relative to rbx (what lies in or
 * near struct p6) or to the code (the block's own data).
 */
#ifndef SOFTPMU_MODEL_P6_JIT_WRITE_H
#define SOFTPMU_MODEL_P6_JIT_WRITE_H

#include "model/p6/host/jit.h"

/* rbx lies so far behind the beginning of struct p6 that what is used most is reached by displacements of 8 bits (struct
 * p6_quick). */
#define P6_JIT_BASE 128
#define P6_JIT_MOV_RDI_M "\x48\x8d\x7b\x80" /* lea rdi, [rbx - P6_JIT_BASE] */

#define P6_MAX_COLD (4u * P6_JIT_MAX_REFS + 4u * P6_JIT_MAX_LINES + 4u)

/* What the cold part does. All but COLD_READ call a helper with the block and an argument. */
enum p6_cold_kind {
	COLD_READ,    /* calls the shared parts read_page (first jump) and read_line (second); goes on */
	COLD_SLOTS,   /* and the record's slots; goes on */
	COLD_MAY_END, /* the same; a true answer: the block is done */
	COLD_TEACH,   /* as COLD_SLOTS, of a conditional branch; the argument is its outcome; tries struct p6_jit.teach first */
	COLD_UNALIGNED, /* a read or store that is not aligned: when it lies in one line its pieces are counted, and it goes on as if it were
			 * aligned; else as COLD_MAY_END, with the linear address in rbp */
	COLD_WRITE,   /* and the linear address in rbp; the same; the first jump tries write_page first, the second write_line */
};

/* A piece of the cold part, which is written after the rest, and the jumps to it. */
struct p6_cold {
	uint32_t jump_at[2]; /* displacements; 0 = none */
	uint32_t back;       /* code offset to go on at */
	uint32_t again;      /* behind the jump */
	uint32_t argument;
	uint8_t helper;      /* enum p6_jit_helper */
	uint8_t kind;        /* enum p6_cold_kind */
	uint8_t base_slot;   /* what rdi is when it goes on: the value of this slot, or P6_NO_SLOT: anything */
};

struct p6_writer {
	struct p6 *m;
	struct x86_out *o;
	const struct p6_blk *b;
	struct p6_jit_blk *jb;
	struct p6_cold cold[P6_MAX_COLD];
	unsigned n_cold;
	uint8_t base_slot;  /* rdi holds the value of this slot; P6_NO_SLOT: nothing known */
	uint32_t order[2 * P6_JIT_MAX_LINES]; /* displacements of jumps to the form in order */
	unsigned n_order;
	uint32_t any_next[3];   /* displacements of jumps to the look-up of the next block */
	unsigned n_any_next;
	uint32_t full, stop; /* displacements of the jumps that leave after the block */
	bool is_in_order;   /* that form is being written */
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

/* A jump (op: its opcode, without the displacement) into a new piece of the cold part, which calls helper
 * with argument. */
void p6_write_jump_cold(struct p6_writer *w, const char *op, unsigned n, enum p6_jit_helper helper,
			uint32_t argument, enum p6_cold_kind kind);
#define JNE_COLD(w, helper, arg, kind) p6_write_jump_cold(w, "\x0f\x85", 2, helper, arg, kind)
#define JE_COLD(w, helper, arg, kind) p6_write_jump_cold(w, "\x0f\x84", 2, helper, arg, kind)

/* A jump, op of two bytes, to the form of the block in order, which is written later. */
void p6_write_jump_order(struct p6_writer *w, const char *op);

/* A second jump to the piece that the last jump went to. */
void p6_write_jump_same(struct p6_writer *w, const char *op, unsigned n);

/* All pieces of the cold part since number `from` come back here. */
void p6_write_come_back(struct p6_writer *w, unsigned from);

/* The cold part: every piece so far. */
void p6_write_cold(struct p6_writer *w);

/* What is told of the reference at hand gets these bits, if anything is. */
void p6_write_told(struct p6_writer *w, uint32_t bits);
/* The part tell_reference. */
void p6_write_tell_part(struct p6_writer *w);

/* call [helper] */
void p6_write_call(struct p6_writer *w, enum p6_jit_helper helper);

/* jit_memory.c: the page of the block's code line i is in the ITLB: note its use; or have it translated. */
void p6_write_page(struct p6_writer *w, unsigned i);
/* Code line i of the block is in L1I: note its use; or fetch it. */
void p6_write_line(struct p6_writer *w, unsigned i);
/* In its place in the cold part: fetch it by the part fetch_line; ZF is set when that did nothing. */
void p6_write_fetch(struct p6_writer *w, unsigned i);
/* Reference r, the k-th of the block, hits: note its use; or have it done in full. */
void p6_write_reference(struct p6_writer *w, const struct p6_ref *r, unsigned k);

/* The parts read_page, read_line, write_page, write_line, fetch_line of struct p6_jit. */
void p6_write_memory_parts(struct p6_writer *w);

/* A jump, op of two bytes, to `in full`, which comes later; at[]: displacements of those so far. */
#define P6_MOST_GIVE_UP 16u
void p6_write_give_up(struct p6_writer *w, const char *op, uint32_t *at, unsigned *n);

/* When accesses are told: eax = what is told of the reference at hand so far. */
void p6_write_told_so_far(struct p6_writer *w);

/* jit_serve.c: L1D's set rax does not have the line of page rcx, xmm0. It comes from r8, the set of L2, when L2 has it in state E or M, or, with
 * p6.is_flat, from memory; what goes from L1D is in state E, or, with p6.is_flat, in state M and L2 has it: as p6_dcu_read_miss_usual()
 * does it. Falls through when not, with rcx as it was. */
void p6_write_serve_line(struct p6_writer *w);
/* jit_page.c: the part read_page or write_page; it goes on at code offset line_part, or at known_part with the page's identity in xmm0
 * and the address of its first set of L2 in r8. */
void p6_write_page_part(struct p6_writer *w, uint32_t line_part, uint32_t known_part);

/* jit_transfer.c: the end of the block: on to the next record, the transfer resolved. */
void p6_write_transfer(struct p6_writer *w);
/* What it does seldom. */
void p6_write_transfer_cold(struct p6_writer *w);
/* In its place in the cold part: try struct p6_jit.teach; ZF is set when that did nothing. */
void p6_write_try_teach(struct p6_writer *w, bool is_taken);
/* jit_enter.c: in the place of c in the cold part, whose helper is P6_JIT_BRANCH or P6_JIT_ENTER: try struct p6_jit.enter and go on; falls
 * through when that did nothing. */
void p6_write_try_enter(struct p6_writer *w, const struct p6_cold *c);
/* The parts struct p6_jit.enter. */
void p6_write_enter_parts(struct p6_writer *w);
/* jit_transfer.c: the way in, and the parts that all blocks share. */
void p6_write_frame(struct p6_writer *w);

#endif
