/* moves.h -- registers of code that is not executed, from one iteration to the next.
 *
 * RULE            ADD, SUB, INC, DEC and LEA of a register and a constant change it. One that a
 *                 loop changes otherwise as well, or only otherwise, has in each iteration the
 *                 value of the first. A register that moves by 64 bytes or more in an iteration
 *                 moves by one line (32 bytes) and the same place within the line instead, so that
 *                 data stay in L1D.
 * NOT MODELLED    copies of registers, constants that stand in registers, conditional changes.
 */
#ifndef SOFTPMU_ASM_MOVES_H
#define SOFTPMU_ASM_MOVES_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/insn.h"

/* What an instruction adds to a register. */
struct asm_step {
	uint8_t insn; /* of its block */
	uint8_t reg;
	int64_t by;
};

/* By how much a register moved in an iteration. */
struct asm_move {
	int64_t by, used; /* used: so much was timed */
};

struct asm_moves {
	uint64_t value[16]; /* of registers, now */
	uint64_t start[16], last[16];
	uint16_t unsteady; /* changed otherwise than by a constant */
	uint16_t pointers; /* that addresses are made of */
	struct asm_move move[16];
};

/* Returns true if the instruction adds a constant to a register; else notes which it changes.
 * The stack pointer is left alone. */
bool asm_moves_step(struct asm_moves *m, const struct x86_decoded *d, struct asm_step *out);

/* A pass begins: registers have their values of `start`. */
void asm_moves_begin(struct asm_moves *m);

/* An iteration ends. */
void asm_moves_turn(struct asm_moves *m);

#endif
