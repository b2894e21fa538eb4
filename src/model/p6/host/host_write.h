/* host_write.h -- writing host code: the writer's state, and the pieces that writers share.
 * Private to host*.c of this folder.
 *
 * REGISTERS of the code that is written
 *   rbx      in struct p6
 *   r12      record of this block, later the next one
 *   r13      limit of the records
 *   r14      outcome sums
 *   r15      instructions
 *   rbp      address of the reference at hand
 *   rdi      value of a slot
 *   others   scratch
 *
 * Memory is reached from rbx, by NEAR(), what lies in or near struct p6, and from the code, by
 * DATA(), the block's own data.
 */
#ifndef SOFTPMU_MODEL_P6_HOST_WRITE_H
#define SOFTPMU_MODEL_P6_HOST_WRITE_H

#include "model/p6/host/host.h"
#include "x86/asm.h"

/* rbx lies so far behind the beginning of struct p6 that what is used most is reached by
 * displacements of 8 bits (struct p6_fast_filters). */
#define P6_HOST_BASE 128

#define P6_MAX_COLD (4u * P6_HOST_MAX_REFS + 4u * P6_HOST_MAX_LINES + 4u)

/* What a piece of the cold part does. COLD_READ calls no helper of its own. The others call theirs
 * as helper(machine, block, argument, x); x is said below. "Goes on": jumps back behind the jump
 * that led to the piece. */
enum p6_cold_kind {
	/* The first jump calls the shared part read_page, the second read_line. Goes on. */
	COLD_READ,
	/* x: the slots of the record. Goes on. */
	COLD_SLOTS,
	/* x: the slots of the record. If the helper returns true, the block is done; else goes
	 * on. */
	COLD_MAY_END,
	/* A conditional branch; the argument is its outcome. Tries the part p6_host.teach first,
	 * then does as COLD_SLOTS. */
	COLD_TEACH,
	/* A read or store that is not aligned, at the linear address in rbp. When it lies in one
	 * line, counts its pieces and goes on as if it were aligned. Else x: that address. If the
	 * helper returns true, the block is done; else goes on. */
	COLD_UNALIGNED,
	/* A store at the linear address in rbp. The first jump tries the part write_page, the
	 * second write_line; goes on if that did it. Else x: that address. If the helper returns
	 * true, the block is done; else goes on. */
	COLD_WRITE,
};

/* A piece of the cold part, which is written after the rest, and the jumps to it. */
struct p6_cold {
	struct x86_label way_in[2]; /* the second one may be unused */
	struct x86_label back;	    /* where it goes on */
	struct x86_label again;	    /* behind the jump */
	uint32_t argument;
	uint8_t helper; /* enum p6_host_helper */
	uint8_t kind;	/* enum p6_cold_kind */
	/* what rdi is when it goes on: the value of this slot, or P6_NO_SLOT: anything */
	uint8_t base_slot;
};

struct p6_writer {
	struct p6 *m;
	struct x86_asm a;
	const struct p6_blk *b;
	struct p6_host_blk *jb;
	struct p6_cold cold[P6_MAX_COLD];
	unsigned n_cold;
	uint8_t base_slot;	   /* rdi holds the value of this slot; P6_NO_SLOT: nothing known */
	struct x86_label in_order; /* the form in order */
	struct x86_label any_next; /* the look-up of the next block */
	struct x86_label leave;	   /* leaves after the block */
	bool has_order;		   /* the form in order is jumped to */
	bool is_in_order;	   /* it is being written */
	/* with a ledger: the rows of its references, code lines and transfer */
	struct p6_host_row *ref_row[P6_HOST_MAX_REFS], *line_row[P6_HOST_MAX_LINES], *transfer_row;
};

/* A field of the set of a cache with four ways whose address is in reg. */
#define IN_SET(reg, field) MEM(reg, offsetof(struct cache_set_of_four, field))

/* Write a jump into a new piece of the cold part, which calls helper with argument. The first
 * function writes a jump that is taken when cc holds, the second one that is always taken. */
void p6_write_jcc_cold(struct p6_writer *w, enum x86_cc cc, enum p6_host_helper helper,
		       uint32_t argument, enum p6_cold_kind kind);
void p6_write_jmp_cold(struct p6_writer *w, enum p6_host_helper helper, uint32_t argument,
		       enum p6_cold_kind kind);

/* Write a jump to the second way into the newest piece; it is taken when cc holds. */
void p6_write_jcc_same(struct p6_writer *w, enum x86_cc cc);

/* Write a jump to the form of the block in order, which is written later. */
void p6_write_jcc_in_order(struct p6_writer *w, enum x86_cc cc);

/* All pieces of the cold part from number `from` on go on here. */
void p6_write_come_back(struct p6_writer *w, unsigned from);

/* Write the cold part: all its pieces. */
void p6_write_cold(struct p6_writer *w);

/* Write code that notes what the reference at hand did: with a log it sets `bits` in
 * p6_log_writer.code; without a log and with a ledger it sets `did` (enum p6_did) in p6_host.did;
 * without both it writes nothing. */
void p6_write_log(struct p6_writer *w, uint32_t bits, uint32_t did);
/* Returns true if the shared parts return in eax what a reference did: with a log or a ledger. */
bool p6_write_says(const struct p6_writer *w);
/* Write the part log_reference. */
void p6_write_log_part(struct p6_writer *w);

/* Write rdi = the machine, as helpers want it. */
void p6_write_machine(struct p6_writer *w);
/* Write a call of the helper. */
void p6_write_call(struct p6_writer *w, enum p6_host_helper helper);

/* ---- host_memory.c; all of these write code that does what is said here ---- */

/* If the page of the block's code line i is in the ITLB, note its use; else have it translated. */
void p6_write_page(struct p6_writer *w, unsigned i);
/* If code line i of the block is in L1I, note its use; else have it fetched. */
void p6_write_line(struct p6_writer *w, unsigned i);
/* In the cold part: fetch code line i by the part fetch_line. ZF is set when that did nothing. */
void p6_write_fetch(struct p6_writer *w, unsigned i);
/* If reference r, the k-th of the block, hits, note its use; else have it done in full. */
void p6_write_reference(struct p6_writer *w, const struct p6_ref *r, unsigned k);

/* The parts read_page, read_line, write_page, write_line, fetch_line of struct p6_host. */
void p6_write_memory_parts(struct p6_writer *w);

/* eax = what the reference at hand has done so far, as p6_write_log() notes it; without a log and a
 * ledger nothing is written. */
void p6_write_log_so_far(struct p6_writer *w);

/* host_serve.c: L1D's set rax does not have the line of the page whose number is in rcx and whose
 * identity is in xmm0. Take the line from the set of L2 at r8, when L2 has it in state E or M, or,
 * with p6.is_fast_miss, from memory. The line that goes from L1D must be in state E, or, with
 * p6.is_fast_miss, in state M when L2 has it. All of this as p6_dcu_read_miss_fast() does it. In
 * any other case fall through, with rcx as it was. */
void p6_write_serve_line(struct p6_writer *w);
/* host_page.c: write the part read_page or write_page. It goes on at code offset line_part, or at
 * known_part with the page's identity in xmm0 and the address of its first set of L2 in r8. */
void p6_write_page_part(struct p6_writer *w, uint32_t line_part, uint32_t known_part);

/* host_transfer.c: write the end of the block, which resolves its transfer and jumps to the code of
 * the next record's block. */
void p6_write_transfer(struct p6_writer *w);
/* Write what the end of the block does seldom. */
void p6_write_transfer_cold(struct p6_writer *w);
/* In the cold part: try the part p6_host.teach. ZF is set when that did nothing. */
void p6_write_try_teach(struct p6_writer *w, bool is_taken);
/* host_enter.c: in piece c of the cold part, whose helper is P6_HOST_BRANCH or P6_HOST_ENTER: try
 * the part p6_host.enter and go on. Fall through when that did nothing. */
void p6_write_try_enter(struct p6_writer *w, struct p6_cold *c);
/* Write the parts p6_host.enter[]. */
void p6_write_enter_parts(struct p6_writer *w);
/* host_transfer.c: write the way in, and the parts that all blocks share. */
void p6_write_frame(struct p6_writer *w);

#endif
