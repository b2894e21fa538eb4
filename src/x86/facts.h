/* facts.h -- what a model with time must know of one instruction beyond struct x86_insn.
 *
 * Taken from the block's bytes again, when a model with time compiles a block, so that runs without
 * time pay nothing. Neutral: registers, stacks, prefixes and lengths as the encoding and the
 * operation say, no processor's pipes.
 *
 * COUNTING RULES   a part of a general register is the whole register; AH is EAX. What may be
 *                  written counts as written.
 * MODELLED         general registers, status flags, MMX registers, the x87 stack, prefixes,
 *                  lengths.
 * NOT MODELLED     vector registers; rounding and exceptions.
 * SOURCES          Intel SDM vol. 2; Zydis 4.0.0 with src/x86/fixups.c.
 */
#ifndef SOFTPMU_X86_FACTS_H
#define SOFTPMU_X86_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/block.h"

/* Bits of x86_facts.prefixes. */
enum x86_prefix {
	X86_PFX_66 = 1 << 0, /* operand size, or part of the opcode of a later instruction */
	X86_PFX_67 = 1 << 1,
	X86_PFX_SEG = 1 << 2,
	X86_PFX_LOCK = 1 << 3,
	X86_PFX_REP = 1 << 4, /* F2 or F3, whatever it means */
	X86_PFX_REX = 1 << 5, /* and VEX, EVEX, XOP */
};

/* Opcode map. */
enum x86_map { X86_MAP_ONE = 0, X86_MAP_0F, X86_MAP_OTHER };

/* Who moves the stack pointer without naming it. */
enum x86_stack {
	X86_STACK_NONE = 0,
	X86_STACK_PUSH, /* PUSH of register, immediate, memory or segment, PUSHF, PUSHA */
	X86_STACK_POP,
	X86_STACK_CALL,
	X86_STACK_RET,
	X86_STACK_FRAME, /* ENTER, LEAVE */
};

/* What an x87 instruction does to the stack. */
enum x86_x87 {
	X86_X87_NONE = 0,
	X86_X87_LOAD,  /* pushes a value: memory, st(i), constants */
	X86_X87_STORE, /* to memory */
	X86_X87_MOVE,  /* FST st(i) */
	X86_X87_COMPUTE,
	X86_X87_COMPARE,  /* sets the status word only, or EFLAGS */
	X86_X87_EXCHANGE, /* FXCH */
	X86_X87_CONTROL,  /* neither reads nor writes a value: FNOP, FLDCW, FNSTSW, FFREE ... */
	X86_X87_STATE,	  /* the whole state: FNSAVE, FRSTOR, FNINIT */
};

struct x86_facts {
	uint16_t gpr_read; /* bit per register, addresses and the implicit stack pointer included */
	uint16_t gpr_written;
	/* those that form an address, LEA's included; the implicit stack pointer is not */
	uint16_t gpr_address;
	uint16_t flags_read, flags_written; /* EFLAGS bits (status flags only) */
	uint8_t stack;			    /* enum x86_stack */
	uint8_t mmx_read, mmx_written;	    /* bit per MMX register */
	bool has_memory; /* an explicit memory operand that is accessed (LEA has none) */
	/* x87 */
	uint8_t x87;	    /* enum x86_x87 */
	int8_t x87_push;    /* values pushed less values popped */
	uint8_t st_read;    /* bit i: st(i), numbered as before the instruction */
	uint8_t st_written; /* numbered as after it */
	/* encoding */
	uint8_t prefixes; /* enum x86_prefix */
	uint8_t n_prefix; /* bytes in front of opcode and escape, REX included */
	uint8_t map;	  /* enum x86_map */
	uint8_t opcode;	  /* its last byte */
	uint8_t reg;	  /* /digit or register field of ModRM; 8 = no ModRM */
	uint8_t disp_bytes, imm_bytes;
	uint8_t bare_bytes; /* length without prefixes; escape bytes belong to it */
};

/* Fill *f, which is the caller's, with the facts of instruction i of b. Returns false if b->code
 * does not hold an instruction of that length (a made-up block): *f is then a one-byte instruction
 * that touches nothing. Cost: about 0.5 us. */
bool x86_insn_facts(const struct x86_block *b, unsigned i, struct x86_facts *f);

/* Fill *f with the facts of the instruction at `bytes`, n of which are readable. Returns false if
 * the decoder does not know it, or if it is longer than n; do not use *f then. */
bool x86_bytes_facts(const uint8_t *bytes, unsigned n, enum x86_mode mode, struct x86_facts *f);

#endif
