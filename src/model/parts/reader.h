/* reader.h -- what models read from the record stream.
 *
 * Used by every model's loop, events and references. Inline: part of the hot path.
 *
 * COUNTING RULES   linear addresses are taken modulo 2^48.
 */
#ifndef SOFTPMU_MODEL_PARTS_READER_H
#define SOFTPMU_MODEL_PARTS_READER_H

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "x86/block.h"

#define READER_LIN_MASK ((1ull << 48) - 1)

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

/* Slot k of a record; slots: its values. */
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

/* Bytes of the payload of the event at p, which follows 8 bytes of head; -SPMU_EPROTO when it does not end
 * before `end`. */
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

#endif
