/* retire.h -- unit retire: what instructions count whenever they retire, and their micro-ops.
 *
 * All of it depends on the instruction alone, not on the state of the machine.
 *
 * COUNTING RULES   as in retire.c and retire_uops.c.
 */
#ifndef SOFTPMU_MODEL_P6_RETIRE_H
#define SOFTPMU_MODEL_P6_RETIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "model/parts/tally.h"
#include "x86/block.h"

struct p6;
struct p6_form;

/* What a mnemonic is to the operation-kind events (retire_kinds.c). */
enum p6_kind {
	P6_K_FP_OP =
	    1 << 0,	   /* x87 computational: add sub mul div rem sqrt compare, transcendental */
	P6_K_MUL = 1 << 1, /* integer or x87 multiply */
	P6_K_DIV = 1 << 2, /* integer or x87 divide */
	P6_K_INT_MULDIV = 1 << 3,
	P6_K_MMX_MUL = 1 << 4, /* classes of B3H */
	P6_K_MMX_SHIFT = 1 << 5,
	P6_K_MMX_PACK = 1 << 6,
	P6_K_MMX_UNPACK = 1 << 7,
	P6_K_MMX_LOGICAL = 1 << 8,
	P6_K_MMX_ARITH = 1 << 9,
	P6_K_MMX_SAT = 1 << 10,
	P6_K_MMX_MOVE = 1 << 11, /* MOVD, MOVQ */
	P6_K_EMMS = 1 << 12,
	P6_K_SSE_SCALAR = 1 << 13,
	P6_K_SSE_PACKED = 1 << 14,
	P6_K_SSE_COMP = 1 << 15,
	P6_K_FENCE = 1 << 16, /* SFENCE, LFENCE, MFENCE and serialising instructions */
	P6_K_TRAP_CALL =
	    1 << 17, /* INT n, INT3, SYSCALL, SYSENTER, far transfers: retired as branches */
	P6_K_STRING_MOVS = 1 << 18,
	P6_K_STRING_STOS = 1 << 19,
	P6_K_SEG_FS = 1 << 20, /* LFS, LGS: the segment register is not an operand */
	P6_K_SEG_GS = 1 << 21,
	P6_K_PRE_NTA = 1 << 22, /* prefetches by hint */
	P6_K_PRE_T0 = 1 << 23,
	P6_K_PRE_T1 = 1 << 24,
	P6_K_PRE_T2 = 1 << 25,
	P6_K_NT_STORE = 1 << 26, /* weakly ordered stores */
	P6_K_HOST = 1 << 27,	 /* rounds as the host does, not as an exact rule says */
	P6_K_SSE_MMX = 1 << 28,	 /* of the MMX group, but came with SSE */
	P6_K_PORT = 1 << 29,	 /* reads or writes a port */
};

/* What the model keeps per mnemonic, found out when it is first met. */
struct p6_mnemonic {
	const char *name;
	uint32_t kinds;
	bool is_known; /* false: not looked up yet */
};

/* What is known of instructions; it grows as they are met. p6_close() frees it. */
struct p6_retire {
	const struct cat_uops *uops;  /* rows as cat_uops_table() has them; p6_mutate() sets it */
	struct cat_uops *own_uops;    /* a copy with the row that --mutate changes, or NULL */
	struct p6_mnemonic *mnemonic; /* by number; p6_mnemonic() fills it */
	uint32_t n_mnemonic;
	struct p6_form *form;	     /* hash table of micro-ops by form; retire_uops.c fills it */
	uint32_t n_form, form_slots; /* forms in it; its size, a power of two */
};

/* Facts about a mnemonic, looked up by name on its first use. The machine owns them: they stay
 * until p6_close(), but a later call may move them. Returns NULL only when memory is out. */
const struct p6_mnemonic *p6_mnemonic(struct p6 *m, uint16_t number);

/* Is n, of `kinds`, a control transfer for C4H and E0H? INT n, IRET and system calls are; the BTB
 * knows nothing of these. */
bool p6_is_transfer(const struct x86_insn *n, uint32_t kinds);

/* Add to t what instruction i of b counts whenever it retires, its references included; of a REP
 * form without its micro-ops and references, which depend on the count. Nothing is raised: blocks
 * sum this up once, when they are compiled, and multiply it by their executions. So nothing that
 * depends on the state of the machine may be added here. Adds nothing when memory is out. */
void p6_retire_count(struct p6 *m, const struct x86_block *b, unsigned i, struct tally *t);

/* Is this wire of p6_retire_count() one that the hardware counts when the instruction is executed,
 * not when it retires? An RDPMC sees the two at different times (time_reading.c). */
bool p6_is_of_execution(unsigned wire);

/* Micro-ops of an instruction. Returns 0 for REP forms, whose number depends on the count: see
 * p6_uops_rep(). Returns 1 when memory is out. *p0123 receives those that are not on port 4; 0 in
 * both of these cases. */
unsigned p6_uops(struct p6 *m, const struct x86_insn *n, unsigned *p0123);

/* Micro-ops of an instruction by ports. When is_known, the ports add up to uops, less what LOCK and
 * the second halves of compound classes add; else the sources give no ports, and only uops is
 * set. */
struct p6_split {
	uint16_t uops;
	uint16_t p0, p1, p01, p2, p3, p4;
	bool is_known;
};

/* *s: the micro-ops of n by ports; *timing: the row of the table, with the latency of what it
 * computes. A REP form gets one micro-op without ports here. The names in *timing are static. */
void p6_uops_split(struct p6 *m, const struct x86_insn *n, struct p6_split *s,
		   struct cat_p6_timing *timing);

/* Micro-ops of a REP string instruction of n iterations of `bytes` each; name: its mnemonic, as
 * movsb. is_fast: its fast form applies. Returns 1 at least, also when the table has no row. */
uint64_t p6_uops_rep(const struct p6 *m, const char *name, uint64_t n, unsigned bytes,
		     bool is_fast);

/* Returns how many of the micro-ops of the fast form do the copying: all but its beginning. */
uint64_t p6_uops_copied(const struct p6 *m, const char *name, uint64_t n, unsigned bytes);

/* Data references (load and store micro-ops) of one access of `bytes`: 8 bytes each, m80 two. */
static inline unsigned p6_pieces(unsigned bytes)
{
	return bytes <= 8 ? 1 : (bytes + 7) / 8;
}

#endif
