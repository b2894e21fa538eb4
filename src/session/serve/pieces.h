/* pieces.h -- executions of blocks fed to the model instruction by instruction (TRC_PIECE), for who must know which one counted.
 *
 * COUNTING RULES   pieces count what the block counts in one, and take its clocks; whoever looks between two pieces by ses_peek()
 *                  changes nothing.
 */
#ifndef SOFTPMU_SESSION_PIECES_H
#define SOFTPMU_SESSION_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ask.h"
#include "model/model.h"

struct ses_server;

/* Has the block a REP instruction, which may count any number? */
bool ses_pieces_has_rep(const struct ses_server *s, uint32_t block);

/* What instruction `insn` of the block can count at most; of REP with `items` iterations (mdl_most()). Returns false behind the last instruction, and where
 * the block is not known. */
bool ses_pieces_most(const struct ses_server *s, uint32_t block, unsigned insn, uint64_t items, struct mdl_most *most);

/* The same of instructions [from, to) together if they hit (mdl_most_of_hits()). Returns false where the block is not known. */
bool ses_pieces_most_of_hits(const struct ses_server *s, uint32_t block, unsigned from, unsigned to, struct mdl_most *most);

/* Would they now, with values at `slots` (mdl_hits())? The block can be fed in pieces. */
bool ses_pieces_hit(const struct ses_server *s, uint32_t block, unsigned from, unsigned to, const uint8_t *slots);

/* Can the first `insns` instructions of the block be fed in pieces, whose values take up `room` bytes at most? */
bool ses_pieces_fit(const struct ses_server *s, uint32_t block, uint32_t insns, size_t room);

/* Execution goes on at instruction `insn` of the block (not known to the session: at pc): what is behind still had to learn that, and counts all of
 * its own then (TRC_AHEAD). Returns as mdl_feed(). */
int ses_pieces_ahead(struct ses_server *s, uint64_t pc, uint32_t block, uint32_t insn);

/* Most iterations of instruction `insn` of an execution of the block, whose values are at `slots`: of REP what it began with, else 0. */
uint64_t ses_pieces_items(const struct ses_server *s, uint32_t block, unsigned insn, const uint8_t *slots);

/* Instructions [from, to) of the block, whose values are at `slots`. Returns as mdl_feed(). */
int ses_pieces_feed(struct ses_server *s, uint32_t block, uint32_t from, uint32_t to, const uint8_t *slots);

#endif
