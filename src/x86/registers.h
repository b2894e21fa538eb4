/* registers.h -- which parts of which registers an instruction reads and writes, for a model that
 * renames them.
 *
 * Beside x86/facts.h, which knows whole registers: a processor with renaming tells AL, AH, AX and
 * EAX apart.
 *
 * MODELLED         general registers by part; vector registers by lower and upper half.
 * NOT MODELLED     vector registers 16 to 31 apart from 0 to 15; halves above 128 bits apart from
 *                  the upper one.
 * SOURCES          Intel SDM vol. 2; Zydis 4.0.0 with src/x86/fixups.c.
 */
#ifndef SOFTPMU_X86_REGISTERS_H
#define SOFTPMU_X86_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/block.h"

/* One general register that an instruction names or implies. */
struct x86_reg_part {
	uint8_t reg;   /* 0..15 */
	uint8_t bytes; /* 1, 2, 4 or 8 */
	bool is_high;  /* AH, CH, DH, BH */
	bool is_read, is_written;
	bool is_address; /* it forms an address */
};

#define X86_MAX_REG_PARTS 10
struct x86_registers {
	struct x86_reg_part part[X86_MAX_REG_PARTS];
	uint8_t n_part;
	uint8_t vector_bytes;		      /* of the widest vector register, 0: none */
	uint16_t vector_read, vector_written; /* bit per register */
	bool is_same_source;		      /* two operands, and both are the same register */
};

/* Registers of instruction i of b; nothing when its bytes cannot be decoded. Cost: about 0.5 us. */
void x86_insn_registers(const struct x86_block *b, unsigned i, struct x86_registers *r);

#endif
