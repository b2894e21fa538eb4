/* hostcode.h -- writing host code of a model by hand: forms as bytes, with operands relative to
 * the machine.
 *
 * Used by the P6's blocks in time (p6/host/time_host_*.c) alone; all other host code is written
 * by the assembler of x86/asm.h. rbx holds the address `base` while the code runs, so that what
 * lies near it is reached by a displacement of 32 bits.
 *
 * COUNTING RULES   none; what the code does is its writer's matter.
 * NOT MODELLED     room: the writer checks it before.
 */
#ifndef SOFTPMU_MODEL_PARTS_HOSTCODE_H
#define SOFTPMU_MODEL_PARTS_HOSTCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/emit.h"

struct hostcode {
	struct x86_out *out;
	const void *base;
	bool is_bad; /* something is out of reach: the code must not run */
};

/* Raw bytes. */
static inline void hostcode_bytes(struct hostcode *h, const char *p, unsigned n)
{
	emit_bytes(h->out, p, n);
}
#define CODE(h, s) hostcode_bytes(h, s, sizeof(s) - 1)

/* Bytes that end with the ModRM byte (and SIB) of a form, then p as a displacement from rbx. */
static inline void hostcode_with_base(struct hostcode *h, const char *op, unsigned n, const void *p)
{
	const int64_t d = (const uint8_t *)p - (const uint8_t *)h->base;

	h->is_bad |= d != (int32_t)d;
	emit_bytes(h->out, op, n);
	emit32(h->out, (uint32_t)d);
}
#define CODE_AT(h, s, p) hostcode_with_base(h, s, sizeof(s) - 1, p)

/* As hostcode_with_base(), with p relative to the code itself, for data beside it; nothing follows
 * in the instruction. */
static inline void hostcode_with_data(struct hostcode *h, const char *op, unsigned n, const void *p)
{
	emit_bytes(h->out, op, n);
	emit32(h->out, (uint32_t)((const uint8_t *)p - (h->out->base + h->out->off + 4)));
}
#define CODE_DATA(h, s, p) hostcode_with_data(h, s, sizeof(s) - 1, p)

/* A jump or call (op: all but its displacement) to code offset `to`; 0: it is patched later.
 * Returns where its displacement is. */
static inline uint32_t hostcode_jump(struct hostcode *h, const char *op, unsigned n, uint32_t to)
{
	emit_bytes(h->out, op, n);
	emit32(h->out, to - (h->out->off + 4));
	return h->out->off - 4;
}
#define JUMP(h, s, to) hostcode_jump(h, s, sizeof(s) - 1, to)

/* The jump whose displacement is at code offset `at` lands here. */
static inline void hostcode_land(struct hostcode *h, uint32_t at)
{
	emit_patch(h->out->base, at, h->out->off);
}

#endif
