/* blocks.h -- the stretches of guest code that the plugin tells of, as static blocks.
 *
 * QEMU cuts code into stretches of its own; each becomes one or more blocks of the store, its
 * pieces. They are built when the stretch runs first. Equal code at one address and one privilege
 * level is one block, however often QEMU translates it.
 *
 * MODELLED         16- and 32-bit code. The width follows from the lengths that QEMU gives the
 *                  instructions, else from what its disassembler says, else from the code before.
 * TRUST            everything that comes in is checked; see stream.h.
 */
#ifndef SOFTPMU_BARE_BLOCKS_H
#define SOFTPMU_BARE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bare/stream.h"
#include "x86/block.h"

#define BARE_NO_BLOCK UINT32_MAX
#define BARE_NO_PLACE UINT32_MAX

/* One block of the store, or one instruction that the decoder does not know (BARE_NO_BLOCK). */
struct bare_piece {
	uint32_t block;
	uint32_t pc;
	uint16_t first, n_insn; /* of the stretch's instructions */
	uint8_t n_slot;
	bool is_rep; /* one repeated string instruction */
	/* of these: it reads at ESI, it uses EDI; is_swapped: EDI's access comes first (CMPS) */
	bool has_source, has_destination, is_swapped;
	uint32_t place; /* of its record in the image */
};

/* One value that a record holds: an address of instruction `insn`, which reads or writes. */
struct bare_slot {
	uint16_t insn;
	uint16_t bytes;
	bool is_write, is_both; /* both: reads, then writes there */
	uint32_t place;		/* in the image */
};

struct bare_stretch {
	uint32_t pc, n_code; /* n_code: bytes */
	uint16_t n_insn;
	uint8_t width; /* enum bare_width as QEMU's disassembler says */
	uint8_t ring;  /* privilege level, or BARE_NO_RING */
	bool is_built;
	uint8_t *size;	/* n_insn sizes, BARE_SIZE_COUNTED; then the code; owned */
	uint64_t *cuts; /* bit per instruction: a piece ends behind it; owned */
	/* Once it is built: */
	struct bare_piece *piece; /* owned */
	uint16_t n_piece, n_counted;
	struct bare_slot *slot; /* n_slot, in the order of the pieces; owned */
	uint16_t n_slot;
	uint8_t *image; /* the records of all pieces but a REP, one behind the other; owned */
	uint32_t n_image;
	/* What each access of a whole run goes to, as it was when one was matched: the word
	 * without its address, and the place in the image. NULL: none was yet. */
	uint32_t *known; /* 2 * n_known; owned */
	uint16_t n_known;
	uint8_t term;	       /* enum x86_term of the last piece */
	uint32_t fall, target; /* behind it; of a direct branch */
	bool never_ends;       /* its last instruction always faults (UD2) */
	bool is_trap;	       /* ... always ends, and QEMU tells none of its accesses (INT) */
	bool was_taken;	       /* its conditional branch, last time */
	int8_t df;	       /* direction flag behind it: 0, 1, or -1 as before */
};

struct bare_blocks;

/* store: where blocks go; borrowed. Returns NULL without memory. */
struct bare_blocks *bare_blocks_open(struct x86_store *store);
void bare_blocks_close(struct bare_blocks *b);

/* Take the payload of a BARE_BLOCK. Returns 0, -SPMU_EPROTO or -SPMU_ENOMEM. */
int bare_blocks_announce(struct bare_blocks *b, const uint8_t *payload, size_t bytes);

/* All stretches below `number` are gone. */
void bare_blocks_drop(struct bare_blocks *b, uint32_t number);

/* Set *out to stretch `number`, built. Returns 0; -SPMU_EPROTO when there is none; -SPMU_ENOMEM;
 * 1 when the store is full: the caller clears it, calls bare_blocks_forget() and asks again.
 * *out is valid until stretches are announced or dropped. */
int bare_blocks_get(struct bare_blocks *b, uint32_t number, struct bare_stretch **out);

/* As bare_blocks_get(), without building it; NULL when there is none. */
struct bare_stretch *bare_blocks_find(const struct bare_blocks *b, uint32_t number);

/* Let a piece end behind instruction i of s; s is built anew at the next bare_blocks_get().
 * Returns 0 or -SPMU_ENOMEM. */
int bare_blocks_cut(struct bare_stretch *s, unsigned i);

/* Returns the privilege level at which block `id` of the store runs, or BARE_NO_RING. */
uint8_t bare_blocks_ring(const struct bare_blocks *b, uint32_t id);

/* The store was cleared. */
void bare_blocks_forget(struct bare_blocks *b);

/* Size and offset of instruction i. */
static inline unsigned bare_size(const struct bare_stretch *s, unsigned i)
{
	return s->size[i] & ~BARE_SIZE_COUNTED;
}

#endif
