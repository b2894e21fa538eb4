/* pieces.h -- feeding the model a block instruction by instruction (TRC_PIECE), to know which
 * instruction counted.
 *
 * COUNTING RULES   the pieces together count what the block counts as a whole, and take the same
 *                  clocks. Looking between two pieces by ses_peek() changes nothing.
 */
#ifndef SOFTPMU_SESSION_PIECES_H
#define SOFTPMU_SESSION_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ask.h"
#include "model/model.h"

struct ses_server;

/* Returns true if the block has a REP instruction, whose counts have no bound before its number
 * of iterations is known. */
bool ses_pieces_has_rep(const struct ses_server *s, uint32_t block);

/* Set *most to the bound of instruction `insn` of the block; of a REP instruction with `items`
 * iterations (mdl_bounds()). Returns false if the block is not known, or does not have that
 * instruction. */
bool ses_pieces_bounds(const struct ses_server *s, uint32_t block, unsigned insn, uint64_t items,
		       struct mdl_bounds *most);

/* Set *most to the bound of instructions [from, to) together, provided that all hit
 * (mdl_bounds_of_hits()). Returns false when the block is not known. */
bool ses_pieces_bounds_of_hits(const struct ses_server *s, uint32_t block, unsigned from,
			       unsigned to, struct mdl_bounds *most);

/* Returns true if instructions [from, to), with the values at `slots`, would all hit now
 * (mdl_hits()), and the block can be fed in pieces. */
bool ses_pieces_hit(const struct ses_server *s, uint32_t block, unsigned from, unsigned to,
		    const uint8_t *slots);

/* Returns true if the first `insns` instructions of the block can be fed in pieces whose values
 * take at most `room` bytes. */
bool ses_pieces_fit(const struct ses_server *s, uint32_t block, uint32_t insns, size_t room);

/* Tell the model where execution goes on (TRC_AHEAD): at instruction `insn` of the block, or at
 * pc when the session does not know the block. Instructions that were waiting to know it now
 * count all of their own. Returns as mdl_feed(). */
int ses_pieces_ahead(struct ses_server *s, uint64_t pc, uint32_t block, uint32_t insn);

/* Returns the iterations that instruction `insn` has at most in the execution of the block whose
 * values are at `slots`: for REP the number that it began with, else 0. */
uint64_t ses_pieces_items(const struct ses_server *s, uint32_t block, unsigned insn,
			  const uint8_t *slots);

/* Feed instructions [from, to) of the block, with the values at `slots`, to the model. Returns
 * as mdl_feed(). */
int ses_pieces_feed(struct ses_server *s, uint32_t block, uint32_t from, uint32_t to,
		    const uint8_t *slots);

#endif
