/* pieces.c -- asks the model what a block or an instruction can count, and feeds an execution in
 * pieces. Rules: pieces.h. */
#include "session/serve/pieces.h"

#include <string.h>

#include "session/serve/serve.h"
#include "trace/record.h"
#include "x86/block.h"

static const struct x86_block *block_of(const struct ses_server *s, uint32_t block)
{
	return block < x86_store_count(s->store) ? x86_store_get(s->store, block) : NULL;
}

bool ses_pieces_has_rep(const struct ses_server *s, uint32_t block)
{
	const struct x86_block *b = block_of(s, block);

	return b && b->n_rep;
}

bool ses_pieces_bounds(const struct ses_server *s, uint32_t block, unsigned insn, uint64_t items,
		       struct mdl_bounds *most)
{
	const struct x86_block *b = block_of(s, block);

	if (!b || insn >= b->n_insn)
		return false;
	mdl_bounds(s->model, b, insn, items, most);
	return true;
}

bool ses_pieces_bounds_of_hits(const struct ses_server *s, uint32_t block, unsigned from,
			       unsigned to, struct mdl_bounds *most)
{
	const struct x86_block *b = block_of(s, block);

	if (!b || to > b->n_insn)
		return false;
	mdl_bounds_of_hits(s->model, b, from, to, most);
	return true;
}

bool ses_pieces_hit(const struct ses_server *s, uint32_t block, unsigned from, unsigned to,
		    const uint8_t *slots)
{
	return mdl_hits(s->model, block_of(s, block), from, to, slots);
}

bool ses_pieces_fit(const struct ses_server *s, uint32_t block, uint32_t insns, size_t room)
{
	const struct x86_block *b = block_of(s, block);

	return b && insns <= b->n_insn && 8u * b->n_slot <= room;
}

int ses_pieces_ahead(struct ses_server *s, uint64_t pc, uint32_t block, uint32_t insn)
{
	const struct x86_block *b = block_of(s, block);
	uint32_t ahead[6] = {TRC_SPECIAL + TRC_AHEAD, 16, 0, 0, b ? block : TRC_NO_BLOCK, insn};

	if (!b && block != TRC_NO_BLOCK)
		return 0; /* the model says so when it comes */
	if (b)
		pc = b->pc + b->insn[insn].pc_off;
	memcpy(ahead + 2, &pc, 8);
	return ses_serve_feed_model(s, (const uint8_t *)ahead, sizeof(ahead));
}

uint64_t ses_pieces_items(const struct ses_server *s, uint32_t block, unsigned insn,
			  const uint8_t *slots)
{
	const struct x86_block *b = block_of(s, block);
	uint64_t n = 0;

	if (b->insn[insn].flags & X86_I_REP && b->rep[b->insn[insn].rep].slot_count < b->n_slot)
		memcpy(&n, slots + 8u * b->rep[b->insn[insn].rep].slot_count, 8);
	return n;
}

int ses_pieces_feed(struct ses_server *s, uint32_t block, uint32_t from, uint32_t to,
		    const uint8_t *slots)
{
	const uint32_t bytes = 8u * block_of(s, block)->n_slot;
	uint32_t piece[6 + 2 * X86_MAX_SLOTS] = {TRC_SPECIAL + TRC_PIECE, 16 + bytes, block, from,
						 to};

	memcpy(piece + 6, slots, bytes);
	return ses_serve_feed_model(s, (const uint8_t *)piece, 24 + bytes);
}
