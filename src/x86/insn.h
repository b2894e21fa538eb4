/* insn.h -- one decoded instruction with corrected facts, for the block builder and the translator.
 *
 * Zydis decodes; src/x86/fixups.c corrects what Zydis 4.0.0 gets wrong for our purpose. Nothing
 * outside src/x86 and src/translate needs this header: models read struct x86_block.
 */
#ifndef SOFTPMU_X86_INSN_H
#define SOFTPMU_X86_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

#include "x86/block.h"

/* Status flags: the bits of EFLAGS. */
#define X86_FLAGS_ALL 0x8d5u /* OF SF ZF AF PF CF */
#define X86_FLAG_CF   0x001u

#define X86_RAX 0
#define X86_RCX 1
#define X86_RDX 2
#define X86_RBX 3
#define X86_RSP 4
#define X86_RBP 5
#define X86_RSI 6
#define X86_RDI 7
#define X86_R15 15

struct x86_decoded {
	ZydisDecodedInstruction z;
	uint64_t pc;
	uint8_t byte[16];      /* the instruction's bytes */
	uint16_t gpr_used;     /* bit per register read or written, implicit ones included */
	uint16_t gpr_written;  /* bit per register written, wholly or in part, perhaps */
	uint16_t gpr_explicit; /* bit per register that stands in an encoding field */
	uint32_t flags_read;   /* status flags it reads, or may leave unchanged */
	uint32_t flags_killed; /* status flags it certainly overwrites */
	uint8_t term;	       /* enum x86_term: how it ends a block; X86_TERM_FALL = it does not */
	uint8_t emulate;       /* enum x86_emulate: the runtime must execute it */
	int8_t mem;	       /* operand index of its ModRM memory operand, -1 none */
	bool is_unknown;       /* the decoder does not know it */
	bool writes_memory;
	bool is_32;    /* 32-bit or 16-bit code */
	bool is_bulky; /* its translation is long: the block ends behind it */
	bool is_null;  /* it refers to memory through a null selector: never does, but raises #GP */
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT]; /* z.operand_count of them */
};

/* Fill *decoder, which is the caller's and needs no freeing, for code of `mode`. x86_decode() wants
 * it. */
void x86_decoder_init(ZydisDecoder *decoder, enum x86_mode mode);

/* Decode one instruction and correct its facts.
 *
 * d        the caller's; wholly filled in when 0 is returned, else not to be used.
 * pc       guest address of the instruction.
 * bytes    n readable bytes of guest code at pc, n > 0; at most 15 are looked at.
 * Returns  0; -SPMU_ENOENT if the n bytes end inside the instruction. What the decoder does not
 *          know gives 0, too, with is_unknown set, length 1, and who executes it in `emulate`.
 * Cost     about 0.3 us. */
int x86_decode(const ZydisDecoder *decoder, struct x86_decoded *d, uint64_t pc,
	       const uint8_t *bytes, unsigned n);

/* Returns the hardware number (rax 0 ... r15 15) of a general register of any width; AH, CH, DH and
 * BH give 0..3. Returns -1 for any other register, and for ZYDIS_REGISTER_NONE. */
int x86_gpr_number(ZydisRegister reg);

/* Returns true if the memory operand is relative to FS or GS, and is accessed (LEA's is not). */
static inline bool x86_is_fs_gs(const ZydisDecodedOperand *op)
{
	return op->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
	       (op->mem.segment == ZYDIS_REGISTER_FS || op->mem.segment == ZYDIS_REGISTER_GS);
}

/* Returns true for BT, BTS, BTR or BTC with the bit offset in a register: it reaches beyond the
 * operand. */
static inline bool x86_is_bit_string(const struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTC: return d->op[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
	default: return false;
	}
}

/* The runtime executes the instruction, for reason `what` (enum x86_emulate). */
void x86_set_emulate(struct x86_decoded *d, uint8_t what);

/* 32-bit code: facts of the forms that 64-bit code does not have, and who executes them; called by
 * x86_fixup after the rules for 64-bit code. */
void x86_fixup_32(struct x86_decoded *d);

/* 32-bit code: returns true if d has a memory operand that goes through the checks of its segment.
 */
bool x86_asks_segments(const struct x86_decoded *d);

/* 32-bit code: the segment registers in null_segments (bit per number, ES CS SS DS = 0..3) are
 * null. */
void x86_fixup_null(struct x86_decoded *d, unsigned null_segments);

/* Correct the facts of d where Zydis 4.0.0 is wrong for us; called by x86_decode. */
void x86_fixup(struct x86_decoded *d);

#endif
