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

/* What the cold part does. All but COLD_READ call a helper with the block and an argument. */
enum p6_cold_kind {
	/* calls the shared parts read_page (first jump) and read_line (second); goes on */
	COLD_READ,
	COLD_SLOTS,   /* and the record's slots; goes on */
	COLD_MAY_END, /* the same; a true answer: the block is done */
	/* as COLD_SLOTS, of a conditional branch; the argument is its outcome; tries struct
	 * p6_host.teach first */
	COLD_TEACH,
	/* a read or store that is not aligned: when it lies in one line its pieces are counted,
	 * and it goes on as if it were aligned; else as COLD_MAY_END, with the linear address in
	 * rbp */
	COLD_UNALIGNED,
	/* and the linear address in rbp; the same; the first jump tries write_page first, the
	 * second write_line */
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

/* Jumps into a new piece of the cold part, which calls helper with argument: when cc says so;
 * always. */
void p6_write_jcc_cold(struct p6_writer *w, enum x86_cc cc, enum p6_host_helper helper,
		       uint32_t argument, enum p6_cold_kind kind);
void p6_write_jmp_cold(struct p6_writer *w, enum p6_host_helper helper, uint32_t argument,
		       enum p6_cold_kind kind);

/* A second jump to the piece that the last one went to. */
void p6_write_jcc_same(struct p6_writer *w, enum x86_cc cc);

/* A jump to the form of the block in order, which is written later. */
void p6_write_jcc_in_order(struct p6_writer *w, enum x86_cc cc);

/* All pieces of the cold part since number `from` come back here. */
void p6_write_come_back(struct p6_writer *w, unsigned from);

/* The cold part: every piece so far. */
void p6_write_cold(struct p6_writer *w);

/* What is told of the reference at hand gets these bits, if anything is; with a ledger, `did` (enum
 * p6_did). */
void p6_write_log(struct p6_writer *w, uint32_t bits, uint32_t did);
/* Do the shared parts say what a reference did? */
bool p6_write_says(const struct p6_writer *w);
/* The part log_reference. */
void p6_write_log_part(struct p6_writer *w);

/* rdi = the machine, as helpers want it. */
void p6_write_machine(struct p6_writer *w);
/* Call the helper. */
void p6_write_call(struct p6_writer *w, enum p6_host_helper helper);

/* host_memory.c: the page of the block's code line i is in the ITLB: note its use; or have it
 * translated. */
void p6_write_page(struct p6_writer *w, unsigned i);
/* Code line i of the block is in L1I: note its use; or fetch it. */
void p6_write_line(struct p6_writer *w, unsigned i);
/* In its place in the cold part: fetch it by the part fetch_line; ZF is set when that did
 * nothing. */
void p6_write_fetch(struct p6_writer *w, unsigned i);
/* Reference r, the k-th of the block, hits: note its use; or have it done in full. */
void p6_write_reference(struct p6_writer *w, const struct p6_ref *r, unsigned k);

/* The parts read_page, read_line, write_page, write_line, fetch_line of struct p6_host. */
void p6_write_memory_parts(struct p6_writer *w);

/* When accesses are told, or with a ledger: eax = what is told of the reference at hand so far. */
void p6_write_log_so_far(struct p6_writer *w);

/* host_serve.c: L1D's set rax does not have the line of page rcx, xmm0. It comes from r8, the set
 * of L2, when L2 has it in state E or M, or, with p6.is_fast_miss, from memory; what goes from L1D
 * is in state E, or, with p6.is_fast_miss, in state M and L2 has it: as p6_dcu_read_miss_fast()
 * does it. Falls through when not, with rcx as it was. */
void p6_write_serve_line(struct p6_writer *w);
/* host_page.c: the part read_page or write_page; it goes on at code offset line_part, or at
 * known_part with the page's identity in xmm0 and the address of its first set of L2 in r8. */
void p6_write_page_part(struct p6_writer *w, uint32_t line_part, uint32_t known_part);

/* host_transfer.c: the end of the block: on to the next record, the transfer resolved. */
void p6_write_transfer(struct p6_writer *w);
/* What it does seldom. */
void p6_write_transfer_cold(struct p6_writer *w);
/* In its place in the cold part: try struct p6_host.teach; ZF is set when that did nothing. */
void p6_write_try_teach(struct p6_writer *w, bool is_taken);
/* host_enter.c: in the place of c in the cold part, whose helper is P6_HOST_BRANCH or
 * P6_HOST_ENTER: try struct p6_host.enter and go on; falls through when that did nothing. */
void p6_write_try_enter(struct p6_writer *w, struct p6_cold *c);
/* The parts struct p6_host.enter. */
void p6_write_enter_parts(struct p6_writer *w);
/* host_transfer.c: the way in, and the parts that all blocks share. */
void p6_write_frame(struct p6_writer *w);

#endif
