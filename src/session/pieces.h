/* pieces.h -- executions of blocks fed to the model instruction by instruction (TRC_PIECE), for who must know which one counted.
 *
 * COUNTING RULES   pieces count what the block counts in one; only clocks may differ, because whoever reads between two pieces
 *                  ends the groups that instructions form in the pipes.
 */
#ifndef SOFTPMU_SESSION_PIECES_H
#define SOFTPMU_SESSION_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ses_server;

/* Has the block a REP instruction, which may count any number? */
bool ses_pieces_has_rep(const struct ses_server *s, uint32_t block);

/* Can the first `insns` instructions of the block be fed in pieces, whose values take up `room` bytes at most? */
bool ses_pieces_fit(const struct ses_server *s, uint32_t block, uint32_t insns, size_t room);

/* Execution goes on at the block's begin: what the one before it still had to learn of that is done. Returns as mdl_feed(). */
int ses_pieces_begin(struct ses_server *s, uint32_t block);

/* Instruction `insn` of the block, whose values are at `slots`. Returns as mdl_feed(). */
int ses_pieces_feed(struct ses_server *s, uint32_t block, uint32_t insn, const uint8_t *slots);

#endif
