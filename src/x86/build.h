/* build.h -- from guest bytes to a static block.
 *
 * Used by translate. The builder owns large scratch arrays and is reused for every block.
 */
#ifndef SOFTPMU_X86_BUILD_H
#define SOFTPMU_X86_BUILD_H

#include "x86/block.h"
#include "x86/insn.h"
#include "x86/recall.h"

/* Where the builder gets guest code: bytes of the 4 KiB page at page_addr, or NULL when unknown. */
struct x86_code_source {
	const uint8_t *(*page)(void *ctx, uint64_t page_addr);
	void *ctx;
};

struct x86_build_limits {
	unsigned max_insns;   /* 1..X86_MAX_INSNS */
	bool is_single_store; /* end the block after an instruction that writes memory */
	bool has_slots;	      /* plan record slots (the stream is wanted) */
	/* 32-bit code: segment registers that are null, bit per number (ES 0, DS 3) */
	uint8_t null_segments;
	uint16_t xsave_bytes;  /* of an XSAVE area with the XCR0 that the program sees; 0 = 576 */
	bool has_assists;      /* and slots for operand classes of x87 and SSE instructions */
	bool has_x87_operands; /* and for the control word and the operands of x87 arithmetic */
	bool has_x87_control;  /* without those: for the control word of x87 divides */
	bool has_mmx_operands; /* and for the operands of MMX instructions that saturate */
	/* Somebody else tells every address, a linear one: each reference has a slot of its own,
	   each REP instruction those of its count and first addresses. pc is linear, too. 16- and
	   32-bit code. */
	bool has_addresses;
};

/* Registers that may stand in for r15: their encodings need no SIB byte and no displacement. */
#define X86_STAND_IN 0x4fcfu /* rax rcx rdx rbx rsi rdi r8-r11 r14 */

struct x86_builder {
	enum x86_mode mode;
	ZydisDecoder decoder;	   /* x86_builder_init() */
	struct x86_recall *recall; /* borrowed, set behind that; NULL = none. 64-bit code asks it */
	struct x86_decoded dec[X86_MAX_INSNS]; /* of the last block built */
	struct x86_insn insn[X86_MAX_INSNS];
	struct x86_ref ref[X86_MAX_INSNS * 4];
	struct x86_slot slot[X86_MAX_SLOTS + 1]; /* the last is for overflow */
	struct x86_rep rep[X86_MAX_INSNS];
	struct x86_parts parts[X86_MAX_INSNS];
	uint8_t code[X86_MAX_INSNS * 15];
	struct x86_block block; /* points into the arrays above */
	uint16_t gpr_used;	/* by any instruction of the block */
	bool uses_r15;
	uint64_t missing_page; /* set with -SPMU_ENOENT */
};

/* Make a builder usable for code of one mode; the rest of it needs no initial value. Cheap enough
 * to be called again for another mode. */
void x86_builder_init(struct x86_builder *b, enum x86_mode mode);

/* Build the block that starts at pc into b->block, which holds until the next call: its facts lie
 * in the arrays of b. Keep it by x86_store_add() or x86_block_copy(). Returns 0; -SPMU_ENOENT when
 * the first instruction lies on a page that the source does not have (b->missing_page). Cost: about
 * 0.4 us per instruction that is decoded, a fifth of it when it is recalled. */
int x86_block_build(struct x86_builder *b, uint64_t pc, const struct x86_code_source *src,
		    const struct x86_build_limits *lim);

/* Plan the slots of b->block and fill its references; called by x86_block_build. Returns the number
 * of instructions that fit into X86_MAX_SLOTS. */
unsigned x86_plan_slots(struct x86_builder *b, const struct x86_build_limits *lim);

/* How the operand class of an instruction is found, if it can need an assist. */
enum x86_assist {
	X86_ASSIST_NONE = 0,
	X86_ASSIST_X87,		/* flags of the status word */
	X86_ASSIST_X87_STORE,	/* the same and what was stored as single or double */
	X86_ASSIST_SSE_COMPARE, /* flags of MXCSR */
	X86_ASSIST_SSE_SCALAR,	/* the same and the lowest element of the destination */
	X86_ASSIST_SSE_PACKED,	/* the same and all elements */
	X86_ASSIST_STATUS,	/* none: it reads or writes the status of x87, SSE or both */
};
enum x86_assist x86_assist_of(const struct x86_decoded *d);

/* As x86_store_add() for facts that stay where they are until the store is cleared: only struct
 * x86_block is copied. The caller keeps the facts; the store would read freed memory if they went
 * before. Never for the block of a builder, whose arrays are used again. */
const struct x86_block *x86_store_lend(struct x86_store *s, const struct x86_block *b);

/* Bytes that all facts of b take, one behind the other, and a copy of them in so many bytes at
 * `to`, which is aligned as by malloc(). */
size_t x86_block_room(const struct x86_block *b);
struct x86_block *x86_block_copy(const struct x86_block *b, void *to);

#endif
