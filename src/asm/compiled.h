/* compiled.h -- the code of a compiled function: its instructions, its loops, and a piece of it as
 * the text that asm times.
 *
 * RULE     a loop goes from the target of a branch backwards to that branch; those with another
 *          loop inside are left out. A piece keeps its bytes, so it has the lengths and the order
 *          that the compiler gave it. It is timed without being run, for nobody knows its
 *          registers.
 */
#ifndef SOFTPMU_ASM_COMPILED_H
#define SOFTPMU_ASM_COMPILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asm/text.h"
#include "base/error.h"

#define ASM_MOST_LOOPS 64u

/* One instruction. */
struct asm_insn {
	uint32_t at;	 /* byte in the function */
	uint8_t n, term; /* bytes; enum x86_term */
	int64_t target;	 /* of a direct branch: byte in the function, perhaps outside; else -1 */
	char text[80];	 /* "1f: mov eax, [rdi]" */
};

struct asm_code {
	const uint8_t *bytes;  /* borrowed */
	unsigned bits;	       /* 32 or 64 */
	uint32_t address;      /* of the first byte; its last bits are asked for alone */
	struct asm_insn *insn; /* owned */
	size_t n;
};

/* A piece: instructions first to last, both included. */
struct asm_piece {
	size_t first, last;
	bool is_loop;
};

/* Decode n bytes. Returns 0 or -SPMU_ENOMEM; asm_code_free() in every case. */
int asm_code_decode(struct asm_code *c, const uint8_t *bytes, uint32_t n, unsigned bits,
		    uint32_t address);
void asm_code_free(struct asm_code *c);

/* The innermost loops, in their order. Returns their number, ASM_MOST_LOOPS at most. */
unsigned asm_code_loops(const struct asm_code *c, struct asm_piece out[ASM_MOST_LOOPS]);

/* The whole function without the return at its end. */
struct asm_piece asm_code_whole(const struct asm_code *c);

/* Make a piece the text that is timed. Returns 0; -SPMU_EINVAL with a sentence that says which
 * instruction cannot be timed (a call, a branch to an address in a register, a system call); or
 * -SPMU_ENOMEM. asm_text_free() in every case. */
int asm_code_text(const struct asm_code *c, const struct asm_piece *p, struct asm_text *out,
		  struct spmu_error *err);

#endif
