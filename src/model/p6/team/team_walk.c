/* team_walk.c -- heads of records, one after the other. Rules are in team_walk.h. */
#include "model/p6/team/team_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "model/parts/reader.h"
#include "trace/record.h"
#include "x86/block.h"

#define IDS	    (1u << TRC_ID_BITS)
#define TEAM_BRANCH 0x80u
#define AHEAD_BYTES 1024 /* records come from another processor's caches */
_Static_assert(X86_MAX_INSNS < TEAM_BRANCH, "in a byte");

int team_walk_open(struct team_walk *w, const struct x86_store *store, unsigned stretch_log2)
{
	*w = (struct team_walk){
	    .store = store, .insns = blank_pages(IDS), .stretch_log2 = stretch_log2};
	team_walk_begin(w, 0);
	return w->insns ? 0 : -SPMU_ENOMEM;
}

void team_walk_close(struct team_walk *w)
{
	blank_pages_free(w->insns, IDS);
	free(w->block);
	w->insns = NULL;
	w->block = NULL;
}

void team_walk_forget(struct team_walk *w)
{
	for (size_t i = 0; i < w->n_block; i++)
		w->insns[w->block[i].id] = 0;
	w->n_block = 0;
	w->is_due = false;
}

int team_walk_meet(struct team_walk *w, uint64_t bogus)
{
	const struct x86_block *b = x86_store_get(w->store, w->new_id);

	if (w->n_block == w->room) {
		const size_t room = w->room ? 2 * w->room : 4096;
		struct team_block *more = realloc(w->block, room * sizeof(*more));

		if (!more)
			return -SPMU_ENOMEM;
		w->block = more;
		w->room = room;
	}
	w->block[w->n_block++] = (struct team_block){bogus, w->new_id};
	w->insns[w->new_id] = (uint8_t)(b->n_insn | (x86_is_transfer(b->term) ? TEAM_BRANCH : 0));
	return 0;
}

static bool can_be(const struct team_walk *w, uint32_t id)
{
	return id < IDS && id < x86_store_count(w->store);
}

/* What an event at p tells of a block of which some was executed; block NULL: it is none such, or
 * the scout will complain. */
static struct reader_piece piece_of(const struct team_walk *w, const uint8_t *p, uint32_t size)
{
	const uint32_t kind = reader_u32(p) - TRC_SPECIAL;
	struct reader_piece e = {.from = 0};

	if ((kind != TRC_PARTIAL && kind != TRC_PIECE) ||
	    reader_piece(w->store, p + 8, size, kind == TRC_PIECE, &e) || !can_be(w, e.block->id))
		e.block = NULL;
	return e;
}

void team_walk_begin(struct team_walk *w, uint64_t n_insn)
{
	w->stretch_end = ((n_insn >> w->stretch_log2) + 1) << w->stretch_log2;
	w->is_due = false;
}

void team_walk_until(struct team_walk *w, uint64_t stretch_end)
{
	w->stretch_end = stretch_end;
	w->is_due = false;
}

void team_walk_pass(struct team_walk *w, uint32_t id, uint64_t n_insn)
{
	w->is_due = w->insns[id] & TEAM_BRANCH && n_insn >= w->stretch_end;
}

/* Why does the walk stop in front of the event at p, of `bytes` bytes? */
static enum team_stop look_at_event(struct team_walk *w, const uint8_t *p,
				    const struct reader_piece *e)
{
	if (reader_u32(p) - TRC_SPECIAL == TRC_EXEC && !w->is_exec) {
		w->is_exec = true;
		return TEAM_EXEC;
	}
	w->is_exec = false;
	if (!e->block)
		return TEAM_ALL;
	w->new_id = e->block->id;
	w->next_pc = e->block->pc;
	if (w->is_due && !e->from)
		return TEAM_STRETCH;
	return w->insns[w->new_id] ? TEAM_ALL : TEAM_BLOCK;
}

/* Behind the event at p. */
static void pass_event(struct team_walk *w, const uint8_t *p, const struct reader_piece *e,
		       uint64_t *n_insn)
{
	*n_insn += e->block ? e->to - e->from : reader_u32(p) - TRC_SPECIAL == TRC_UNKNOWN_INSN;
	w->is_due = e->block && e->to == e->block->n_insn && x86_is_transfer(e->block->term) &&
		    *n_insn >= w->stretch_end;
}

const uint8_t *team_walk(struct team_walk *w, uint64_t n_insn, const uint8_t *p, const uint8_t *end,
			 enum team_stop *stop)
{
	uint64_t bytes;

	*stop = TEAM_ALL;
	for (; (bytes = trc_record_bytes(p, (uint64_t)(end - p))) != 0; p += bytes) {
		const uint32_t head = reader_u32(p), id = trc_block_id(head);

		if (head >= TRC_SPECIAL) {
			const struct reader_piece e = piece_of(w, p, (uint32_t)bytes - 8);

			*stop = look_at_event(w, p, &e);
			if (*stop != TEAM_ALL)
				return p;
			pass_event(w, p, &e, &n_insn);
			continue;
		}
		if (!w->insns[id] || w->is_due) {
			if (!can_be(w, id))
				break;
			*stop = w->is_due ? TEAM_STRETCH : TEAM_BLOCK;
			w->next_pc = x86_store_get(w->store, id)->pc;
			w->new_id = id;
			return p;
		}
		__builtin_prefetch(p + AHEAD_BYTES);
		n_insn += w->insns[id] & (TEAM_BRANCH - 1);
		w->is_due = w->insns[id] & TEAM_BRANCH && n_insn >= w->stretch_end;
	}
	return end;
}
