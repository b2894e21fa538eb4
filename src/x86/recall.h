/* recall.h -- instructions that were decoded before.
 *
 * Most instructions of a program are one of a few thousand, but for displacements and branch
 * distances. What x86_decode() and the builder made of such a one is kept and copied, with these
 * numbers changed: a fifth of the cost.
 *
 * KEPT      64-bit code without VEX and EVEX, by prefixes, opcode, ModRM, SIB and immediate. Only
 *           forms whose parts lie where recall.c expects them; what Zydis said of the first one
 *           decides that.
 * NOT KEPT  the last 14 bytes before an unknown page; what the decoder does not know. It is decoded
 *           as ever.
 * SAME      tests/unit/test_recall.c compares all that a caller reads with what decoding gives.
 */
#ifndef SOFTPMU_X86_RECALL_H
#define SOFTPMU_X86_RECALL_H

#include "x86/insn.h"

struct x86_recall;

/* Returns NULL when memory is out; without it everything is decoded, with the same result. The
 * caller closes it. 3 MiB of address space, touched as used. */
struct x86_recall *x86_recall_open(void);
void x86_recall_close(struct x86_recall *r);

/* The instruction at `bytes`, 15 of them, at pc: fills d, as x86_decode() does, and insn (pc_off
 * 0). Returns false when it is not known. Cost: about 40 ns. */
bool x86_recall(const struct x86_recall *r, uint64_t pc, const uint8_t *bytes,
		struct x86_decoded *d, struct x86_insn *insn);

/* Keep what decoding 64-bit code at `bytes` gave, if it is of a kind that can be kept and not new:
 * most of a short program's instructions never come again. */
void x86_remember(struct x86_recall *r, const uint8_t *bytes, const struct x86_decoded *d,
		  const struct x86_insn *insn);

#endif
