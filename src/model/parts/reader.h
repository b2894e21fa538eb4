/* reader.h -- what models read from the record stream.
 *
 * Used by every model's loop, events and references. Inline: part of the hot path.
 *
 * COUNTING RULES   linear addresses are taken modulo 2^48.
 */
#ifndef SOFTPMU_MODEL_PARTS_READER_H
#define SOFTPMU_MODEL_PARTS_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "x86/block.h"

#define READER_LIN_MASK ((1ull << 48) - 1)

/* 4 or 8 bytes at p, of any alignment. The caller has made sure that they are there. */
static inline uint32_t reader_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static inline uint64_t reader_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

/* Slot k of a record; slots: its values. The caller has compared k with the slots of the block, and
 * the record with the bytes that are left: nothing is checked here. */
static inline uint64_t reader_slot(const uint8_t *slots, size_t k)
{
	return reader_u64(slots + 8 * k);
}

/* Linear address of reference k of b with a record's slots. */
static inline uint64_t reader_address(const struct x86_block *b, unsigned k, const uint8_t *slots,
				      uint64_t fs_base)
{
	const struct x86_ref *r = &b->ref[k];
	uint64_t lin = r->disp;

	if (r->slot < b->n_slot)
		lin += reader_slot(slots, r->slot);
	if (r->slot2 < b->n_slot)
		lin += reader_slot(slots, r->slot2) * r->scale;
	if (r->flags & X86_REF_FS)
		lin += fs_base;
	return lin & READER_LIN_MASK;
}

/* Bytes of the payload of the event at p, which follows 8 bytes of head; -SPMU_EPROTO when it does
 * not end before `end`. */
static inline int64_t reader_event(const uint8_t *p, const uint8_t *end)
{
	uint32_t size;

	if (end - p < 8)
		return -SPMU_EPROTO;
	size = reader_u32(p + 4);
	if (size & 3 || size > (uint64_t)(end - p - 8))
		return -SPMU_EPROTO;
	return size;
}

/* An execution of some instructions [from, to) of a block. */
struct reader_piece {
	const struct x86_block *block;
	unsigned from, to;
	const uint8_t *slots; /* values of the whole block, in the stream */
};

/* The payload of TRC_PARTIAL, or (is_piece) of TRC_PIECE: `size` bytes at p. Returns 0, or
 * -SPMU_EPROTO when there is no such block or it has not so many instructions or values. */
static inline int reader_piece(const struct x86_store *store, const uint8_t *p, uint32_t size,
			       bool is_piece, struct reader_piece *out)
{
	const uint32_t head = is_piece ? 16 : 8;

	if (size < head || reader_u32(p) >= x86_store_count(store))
		return -SPMU_EPROTO;
	out->block = x86_store_get(store, reader_u32(p));
	out->from = is_piece ? reader_u32(p + 4) : 0;
	out->to = reader_u32(p + (is_piece ? 8 : 4));
	out->slots = p + head;
	if ((is_piece && out->from >= out->to) || out->to > out->block->n_insn ||
	    size - head < 8u * out->block->n_slot)
		return -SPMU_EPROTO;
	return 0;
}

#endif
