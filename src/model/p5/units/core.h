/* core.h -- units core, seg, fpu: what a mnemonic is to the events, and what one instruction counts
 * whenever it is executed, whatever the state of the machine.
 *
 * COUNTING RULES   each unit's are in its file.
 */
#ifndef SOFTPMU_MODEL_P5_CORE_H
#define SOFTPMU_MODEL_P5_CORE_H

#include <stdint.h>

#include "model/parts/tally.h"
#include "x86/block.h"

struct p5;

/* What a mnemonic is to the events. */
enum p5_kind {
	P5_K_FLOP = 1 << 0, /* x87 operations of 22H */
	P5_K_INT_MUL = 1 << 1,
	P5_K_TRANSFER = 1 << 2, /* leaves the straight line whenever it is executed */
	P5_K_SERIAL = 1 << 3,	/* treated as a branch by 12H although it is none */
	P5_K_RET = 1 << 4,	/* near or far, IRET not */
	P5_K_IO = 1 << 5,
	P5_K_OUT = 1 << 6,
	P5_K_MMX_SAT = 1 << 7,
	P5_K_EMMS = 1 << 8,
	P5_K_LATER = 1 << 9, /* integer and x87, but came with the P6 */
	P5_K_TRAP = 1 << 10, /* enters the kernel */
	P5_K_HOST = 1 << 11, /* rounds as the host does, not as an exact rule says */
	P5_K_FST = 1 << 12,
	P5_K_SSE_MMX = 1 << 13, /* of the MMX group, but came with SSE */
	P5_K_TABLE = 1 << 14,	/* loads a system-table register */
};

/* Kinds of mnemonics that were met. p5_kinds() fills it, p5_close() frees it. */
struct p5_core {
	uint32_t *kinds; /* enum p5_kind bits by mnemonic */
	uint32_t n_kinds;
};

struct p5_seg {
	uint64_t fs_base; /* base of FS; the stream says it (events.c), 0 for a new program */
};

/* enum p5_kind bits of a mnemonic (core_kinds.c). They are looked up by name on its first use and
 * kept in p5_core.kinds, which p5_close() frees. Cannot fail: without memory it is looked up each
 * time. */
uint32_t p5_kinds(struct p5 *m, uint16_t mnemonic);

/* Add what one execution of n counts to t; kinds: p5_kinds() of it. Each adds the wires of its
 * unit. */
void p5_core_count(const struct p5 *m, const struct x86_insn *n, uint32_t kinds, struct tally *t);
void p5_seg_count(const struct p5 *m, const struct x86_insn *n, uint32_t kinds, struct tally *t);
void p5_fpu_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);

#endif
