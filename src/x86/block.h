/* block.h -- static facts of one translated block: what is known before it runs.
 *
 * Built once per block by x86_block_build() from the guest's bytes; the translator emits from it
 * and the models count from it, so that the two cannot disagree. Holds no machine state.
 *
 * COUNTING RULES   references stand in program order; inside one instruction in the order in which
 *                  the hardware performs them (reads before writes; PUSH m: read, then write).
 * MODELLED         every instruction that Zydis decodes; its operand facts with the corrections of
 *                  src/x86/fixups.c (each with its reason). Masked moves, gathers and scatters
 *                  reference the parts that their mask selects (struct x86_parts).
 * NOT MODELLED     parts of an XSAVE area that the instruction's mask leaves out (slots.c).
 * SOURCES          Intel SDM vol. 2; Zydis 4.0.0.
 */
#ifndef SOFTPMU_X86_BLOCK_H
#define SOFTPMU_X86_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_NO_REG    0xff
#define X86_NO_SLOT   0xff
#define X86_MAX_INSNS 64u  /* per block */
#define X86_MAX_SLOTS 100u /* per block */

/* Width of the code that is decoded: 64-bit mode, a flat 32-bit segment, or a 16-bit segment
 * (decoded and timed, never translated). */
enum x86_mode { X86_MODE_64 = 0, X86_MODE_32 = 1, X86_MODE_16 = 2 };

/* Kind of control transfer that ends a block. */
enum x86_term {
	X86_TERM_FALL = 0, /* no branch: the block is cut for size or before a special case */
	X86_TERM_JCC,	   /* conditional, JRCXZ and LOOPx included: target and fall-through */
	X86_TERM_JMP,	   /* direct */
	X86_TERM_CALL,	   /* direct */
	X86_TERM_JMP_IND,
	X86_TERM_CALL_IND,
	X86_TERM_RET,
	X86_TERM_SYSCALL,
	X86_TERM_EMULATE, /* the runtime executes the last instruction (CPUID, RDTSC, INT3, ...) */
};

/* Is it a control transfer, direct or not? */
static inline bool x86_is_transfer(unsigned term)
{
	return term != X86_TERM_FALL && term < X86_TERM_SYSCALL;
}

/* Instructions that cannot run in place: why the block ends before them (X86_TERM_EMULATE). */
enum x86_emulate {
	X86_EMU_NONE = 0,
	X86_EMU_CPUID,
	X86_EMU_RDTSC,
	X86_EMU_RDTSCP,
	X86_EMU_RDPMC,
	X86_EMU_XGETBV,
	X86_EMU_RDRAND,
	X86_EMU_RDSEED,
	X86_EMU_RDPID,
	X86_EMU_INT3,
	X86_EMU_INT1,
	X86_EMU_INT,
	X86_EMU_ILLEGAL,    /* raises #UD, or is not shown to the program */
	X86_EMU_PRIVILEGED, /* raises #GP in user mode */
	X86_EMU_RDFSBASE,
	X86_EMU_RDGSBASE,
	X86_EMU_WRFSBASE,
	X86_EMU_WRGSBASE,
	X86_EMU_POPF,
	X86_EMU_PUSHF,
	X86_EMU_STORE_SEG, /* 64-bit code: stores or pushes the selector in FS or GS */
	X86_EMU_STEP,	   /* the decoder does not know it */
	X86_EMU_LOAD_SEG,  /* MOV and POP to a segment register; in 64-bit code to FS or GS */
	X86_EMU_LOAD_FAR,  /* LES LDS LSS LFS LGS; in 64-bit code LFS and LGS */
	X86_EMU_FAR,	   /* far transfers; 32-bit code alone, from the next line on: */
	X86_EMU_SYSENTER,
	X86_EMU_BCD,
	X86_EMU_BOUND,
	X86_EMU_INTO,
	X86_EMU_ARPL,
	X86_EMU_STORE_TABLE, /* SGDT, SIDT */
	X86_EMU_XSAVE,	     /* XSAVE, XSAVEOPT, XSAVEC, XRSTOR: 64-bit code has more registers */
	/* string instruction or masked move that 64-bit code cannot do in place (fixups32.c) */
	X86_EMU_STRING,
	X86_EMU_REQUEST, /* it does nothing: the exchange that ends a client request (build.c) */
	/* it runs in place, then the runtime corrects the x87's instruction pointer */
	X86_EMU_X87_PC,
	X86_N_EMULATE
};

/* Group of an instruction, for operation-kind events. */
enum x86_group {
	X86_GRP_INT = 0, /* general purpose */
	X86_GRP_X87,
	X86_GRP_MMX,   /* MMX registers, the integer part of SSE that works on them included */
	X86_GRP_SSE,   /* SSE of the Pentium III (single precision, XMM) */
	X86_GRP_LATER, /* SSE2 and later, AVX, BMI ...: the P6 family never had it */
};

enum x86_insn_flag {
	X86_I_BRANCH = 1 << 0, /* any control transfer */
	X86_I_COND = 1 << 1,   /* conditional */
	X86_I_CALL = 1 << 2,
	X86_I_RET = 1 << 3,
	X86_I_INDIRECT = 1 << 4, /* target from register or memory (RET not) */
	X86_I_REP = 1 << 5,	 /* REP, REPE or REPNE string instruction: see struct x86_rep */
	X86_I_LOCK = 1 << 6,	 /* LOCK prefix or XCHG with memory */
	X86_I_SEG_LOAD = 1 << 7, /* writes a segment register */
	X86_I_LONG_MODE =
	    1 << 8, /* form that exists only in 64-bit mode: REX.W or r8-r15 or sil.. */
	X86_I_SERIALIZE = 1 << 9,
	X86_I_STRING = 1 << 10,	 /* string instruction, with or without REP */
	X86_I_SETS_DF = 1 << 11, /* STD */
	X86_I_CLEARS_DF = 1 << 12,
	X86_I_FAR = 1 << 13, /* JMP, CALL or RET to another code segment */
	/* shift or rotate whose opcode says 1 (op[1] is that 1), not a byte of its own */
	X86_I_BY_ONE = 1 << 14,
};

enum x86_op_kind {
	X86_OP_NONE = 0,
	X86_OP_GPR, /* reg = hardware number 0..15 (AH..BH: 4..7 with bytes = 1 and `high`) */
	X86_OP_SEG, /* reg = ES CS SS DS FS GS = 0..5 */
	X86_OP_X87, /* reg = ST number */
	X86_OP_MMX,
	X86_OP_XMM,
	X86_OP_YMM,
	X86_OP_ZMM,
	X86_OP_MASK, /* AVX-512 k register */
	X86_OP_CR,   /* control or debug register */
	X86_OP_MEM,
	X86_OP_IMM, /* reg = 0, but the level of an ENTER for its second one */
};

/* One explicit operand, in the order of Intel's syntax (destination first). */
struct x86_op {
	uint8_t kind; /* enum x86_op_kind */
	uint8_t reg;
	uint16_t bytes; /* operand size in bytes; immediates: encoded size */
};

#define X86_MAX_OPS 4
struct x86_insn {
	uint16_t pc_off;   /* offset from the block's pc */
	uint8_t bytes;	   /* length of the instruction, 1..15 */
	uint8_t n_op;	   /* explicit operands */
	uint16_t mnemonic; /* x86_mnemonic_name() gives the text */
	uint8_t group;	   /* enum x86_group */
	uint8_t rep;	   /* index into block->rep when X86_I_REP, else 0 */
	uint32_t flags;	   /* enum x86_insn_flag */
	struct x86_op op[X86_MAX_OPS];
};

enum x86_ref_flag {
	X86_REF_READ = 1,
	X86_REF_WRITE = 2,	  /* both: read-modify-write, the read first */
	X86_REF_FS = 4,		  /* add the FS base */
	X86_REF_STACK = 8,	  /* implicit: PUSH, POP, CALL, RET ... */
	X86_REF_PREFETCH = 16,	  /* PREFETCHh: neither read nor write of data */
	X86_REF_NONTEMPORAL = 32, /* MOVNT*, MASKMOV*: weakly ordered store */
	X86_REF_REP = 64, /* repeated: see struct x86_rep of the instruction; first element here */
	X86_REF_PARTS = 256, /* parts of it only, or a gather: see struct x86_parts number `hint` */
	X86_REF_GS = 128,    /* add the program's GS base (0 unless set; not modelled further) */
};

/* One data reference. Linear address =
 *   disp + (slot != NO_SLOT ? value[slot] : 0) + (slot2 != NO_SLOT ? value[slot2] * scale : 0)
 *   [+ FS base], modulo 2^64; value[] = the record's slots. */
struct x86_ref {
	uint64_t disp;
	uint16_t bytes; /* size of the access; X86_REF_REP: size of one element */
	uint16_t flags; /* enum x86_ref_flag */
	uint8_t insn;	/* index of its instruction */
	uint8_t slot, slot2;
	uint8_t scale; /* 1, 2, 4, 8 */
	uint8_t
	    hint; /* PREFETCHh: 0 NTA, 1 T0, 2 T1, 3 T2, 4 W (PREFETCHW); X86_REF_PARTS: index */
};

/* Which parts of a memory operand are touched. Element i counts when bit i of value[slot_mask] is
 * set. */
enum x86_parts_kind {
	X86_PARTS_RANGE,  /* from the first to the last element that counts, as one access */
	X86_PARTS_ANY,	  /* all of it when any element counts (broadcast) */
	X86_PARTS_PACKED, /* as many elements as count, from its start on */
	X86_PARTS_EACH,	  /* each at the address + index * scale (gather, scatter) */
};
struct x86_parts {
	uint8_t kind; /* enum x86_parts_kind */
	uint8_t n;    /* elements, 1..64 */
	uint8_t element_bytes;
	uint8_t slot_mask;
	uint8_t
	    slot_index; /* EACH: first of the slots that hold the indices one behind the other */
	uint8_t index_bytes; /* EACH: 4 or 8, signed */
	uint8_t scale;
	uint8_t is_address32; /* EACH: sums are modulo 2^32 */
};

/* One repeated string instruction. The number of iterations is value[slot_count] before the
 * instruction, less value[slot_after] when slot_after is not NO_SLOT (REPE/REPNE CMPS, SCAS). */
struct x86_rep {
	uint8_t insn;
	uint8_t slot_count;
	uint8_t slot_after;
	uint8_t element_bytes;
	uint8_t slot_src,
	    slot_dst;	      /* addresses of first elements (RSI, RDI), NO_SLOT when unused */
	uint8_t is_address32; /* 67h: count and addresses are 32 bits wide */
	uint8_t is_address16; /* the same, 16 bits: slot_count holds more */
};

/* What a slot of the record holds. Planned by src/x86/slots.c, emitted by src/translate. */
enum x86_slot_kind {
	X86_SLOT_REG, /* value of general register `reg` before instruction `insn` */
	/* effective address of the memory operand of `insn`, before it; reg > 0: of operand reg
	 * - 1 */
	X86_SLOT_ADDRESS,
	X86_SLOT_MASK_K, /* AVX-512 mask register `reg`; element = bytes of it, 2 or 8 */
	/* sign bits of the elements (of `element` bytes) of vector register `reg` */
	X86_SLOT_MASK_SIGN,
	X86_SLOT_VECTOR, /* 8 bytes, number `element`, of vector register `reg` */
	/* Operand values, when asked for (x86_build_limits.has_x87_operands, .has_x87_control,
	   .has_mmx_operands). */
	/* of x87 arithmetic: see X86_X87_CONTROL_AT and the like; reg = i of its second ST(i) */
	X86_SLOT_X87,
	/* of x87 divides: the control word at X86_X87_CONTROL_AT, all else 0 */
	X86_SLOT_X87_CONTROL,
	X86_SLOT_MMX, /* MMX register `reg`; element = enum x86_clip */
	/* the memory operand; reg = its bytes, 2 or 4 (sign-extended) or 8; element = 1: an
	 * integer of the x87 */
	X86_SLOT_MEMORY,
	/* from here on: after the instruction */
	X86_SLOT_REG_AFTER, /* value of `reg` after instruction `insn` */
	/* Operand classes, when asked for (x86_build_limits.has_assists); all after `insn`. */
	X86_SLOT_FSW_AFTER,    /* low 16 bits: x87 status word; DE, UE and SF are those of `insn` */
	X86_SLOT_MEMORY_AFTER, /* the memory operand; reg = its bytes, 4 (sign-extended) or 8 */
	X86_SLOT_MXCSR_AFTER,  /* low 32 bits: MXCSR; DE and UE are those of `insn` */
	X86_SLOT_XMM_LOW_AFTER,	 /* lower half of XMM register `reg` */
	X86_SLOT_XMM_HIGH_AFTER, /* upper half */
};
struct x86_slot {
	uint8_t kind, insn, reg, ref;
	uint8_t element;
	uint8_t vector; /* bytes of the vector register */
	/* X86_SLOT_REG: nothing before `insn` writes that register, so it is the value with
	 * which the block begins */
	bool is_entry;
};

/* Bits of an X86_SLOT_X87 value: where each part begins. Exponents are 16 bits with the sign on
 * top. */
#define X86_X87_CONTROL_AT 0u  /* control word */
#define X86_X87_FIRST_AT   16u /* exponent of ST(0) */
#define X86_X87_SECOND_AT  32u /* exponent of ST(reg) */
#define X86_X87_FIRST_HAS  48u /* 1: the significand of ST(0) is not 0 */
#define X86_X87_SECOND_HAS 56u

/* How an MMX instruction saturates. Its operands are two slots: the destination's, with this as
 * `element`, then the source's (X86_SLOT_MMX or X86_SLOT_MEMORY). */
enum x86_clip {
	X86_CLIP_NONE = 0,
	X86_CLIP_ADD_S8,
	X86_CLIP_ADD_S16,
	X86_CLIP_ADD_U8,
	X86_CLIP_ADD_U16,
	X86_CLIP_SUB_S8,
	X86_CLIP_SUB_S16,
	X86_CLIP_SUB_U8,
	X86_CLIP_SUB_U16,
	X86_CLIP_PACK_S16_S8,
	X86_CLIP_PACK_S32_S16,
	X86_CLIP_PACK_S16_U8,
};

/* All facts of one block. Arrays belong to the block's arena; nothing changes after building. */
struct x86_block {
	uint64_t pc;
	uint64_t target; /* direct JMP, CALL, JCC: where to; else 0 */
	uint64_t fall;	 /* address after the block (return address of a CALL) */
	uint32_t id;	 /* block id in the stream; index in the store */
	uint16_t bytes;	 /* guest bytes covered */
	uint8_t n_insn, n_ref, n_slot, n_rep, n_parts;
	uint8_t term;		 /* enum x86_term */
	uint8_t emulate;	 /* enum x86_emulate */
	uint8_t mode;		 /* enum x86_mode */
	bool is_before_rdpmc;	 /* the instruction at `fall` was one when the block was built */
	const uint8_t *code;	 /* the guest's `bytes` bytes */
	struct x86_insn *insn;	 /* n_insn */
	struct x86_ref *ref;	 /* n_ref, program order */
	struct x86_slot *slot;	 /* n_slot */
	struct x86_rep *rep;	 /* n_rep */
	struct x86_parts *parts; /* n_parts */
};

/* Value of slot s of b (X86_SLOT_ADDRESS) in front of its instruction, with these 16 general
 * registers, by number. Returns false where registers alone do not say it: bit strings, XLAT, FS
 * and GS of 32-bit code. Cost: an instruction is decoded. */
bool x86_operand_address(const struct x86_block *b, const struct x86_slot *s, const uint64_t *reg,
			 uint64_t *address);

/* Text of a mnemonic, lower case, as Zydis spells it ("add", "cmovnle", "fadd"). Never NULL. */
const char *x86_mnemonic_name(uint16_t mnemonic);

/* Number of a mnemonic by its lower-case text, or 0 when there is none. Cost: a search; for tables.
 */
uint16_t x86_mnemonic_number(const char *name);

/* ---- the store: block id -> facts ------------------------------------------------------------ */

struct x86_store;

/* Blocks known so far. An id below the number stays until x86_store_clear(). */
uint32_t x86_store_count(const struct x86_store *s);

/* Facts of block `id` < x86_store_count(), which is not checked here. Owned by the store, and valid
 * until x86_store_clear(). */
const struct x86_block *x86_store_get(const struct x86_store *s, uint32_t id);

/* Make an empty store; the caller closes it, after all that keep facts of it. Returns 0 or
 * -SPMU_ENOMEM. */
int x86_store_open(struct x86_store **out);
void x86_store_close(struct x86_store *s);

/* Copy a block into the store; its id becomes the number of blocks there before.
 * Returns the stored block, NULL when memory is out. */
const struct x86_block *x86_store_add(struct x86_store *s, const struct x86_block *b);

/* Times that the store was cleared. */
uint32_t x86_store_clears(const struct x86_store *s);

/* Free all blocks; ids start anew. Whoever keeps facts by id must have forgotten them before
 * (models: mdl_forget_blocks()): he would read freed memory, or count a new block as an old one. */
void x86_store_clear(struct x86_store *s);

#endif
