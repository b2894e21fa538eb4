/* range.c -- a part of the program's instructions: the models are fed from the beginning, and what
 * they counted between the two ends is the result. Rules: player.h. */
#include "session/replay/player.h"

#include <string.h>

#include "session/files/trace_step.h"
#include "trace/record.h"

bool ses_player_has_range(const struct ses_player *p)
{
	return p->cfg->from_insn || p->cfg->to_insn || ses_player_has_marks(p->cfg);
}

/* The program has executed next_end instructions: the range begins or ends here. Looking moves no
 * clock. */
static void pass_end(struct ses_player *p)
{
	const uint64_t to = p->cfg->to_insn;
	struct ses_part *const own = &p->part[p->in.n_process];

	mdl_peek_all(p->model);
	p->is_over = p->next_end == to;
	ses_part_copy(p, p->is_over ? own : p->base);
	if (p->is_over)
		ses_part_subtract(p, own, p->base);
	p->next_end = to && !p->is_over ? to : UINT64_MAX;
	p->ends.has_begun = true;
}

/* Instructions [from, to) of the execution k. */
static int feed_piece(struct ses_player *p, const struct ses_trace_step *k, uint32_t from,
		      uint32_t to)
{
	const uint32_t bytes = 8u * x86_store_get(p->store, k->block)->n_slot;
	uint32_t piece[6 + 2 * X86_MAX_SLOTS] = {TRC_SPECIAL + TRC_PIECE, 16 + bytes, k->block,
						 from, to};

	memcpy(piece + 6, k->slots, bytes);
	return mdl_feed(p->model, (const uint8_t *)piece, 24 + bytes);
}

/* An execution in pieces, cut where the range begins or ends. */
static int feed_cut(struct ses_player *p, const struct ses_trace_step *k)
{
	int rc = 0;

	for (uint32_t from = 0, to; !rc && !p->is_over && from < k->insns; from = to) {
		const uint64_t room = p->next_end - p->position;

		to = room < k->insns - from ? from + (uint32_t)room : k->insns;
		rc = feed_piece(p, k, from, to);
		p->position += to - from;
		if (!rc && p->position == p->next_end)
			pass_end(p);
	}
	return rc;
}

/* Feed n bytes, which are whole records without marks, up to the end of the range. */
int ses_player_feed(struct ses_player *p, const uint8_t *bytes, size_t n)
{
	size_t begin = 0, at = 0, size;
	int rc = 0;

	while (ses_player_has_range(p) && !rc && !p->is_over && at < n) {
		struct ses_trace_step k;

		size = trc_record_bytes(bytes + at, n - at);
		ses_trace_step(p->store, bytes + at, size, &k);
		at += size;
		if (p->position + k.insns < p->next_end) {
			p->position += k.insns;
			continue;
		}
		if (k.slots && p->position + k.insns > p->next_end) {
			rc = mdl_feed(p->model, bytes + begin, at - size - begin);
			rc = rc ? rc : feed_cut(p, &k);
		} else {
			rc = mdl_feed(p->model, bytes + begin, at - begin);
			p->position += k.insns;
			if (!rc)
				pass_end(p);
		}
		begin = at;
	}
	return rc || p->is_over ? rc : ses_accounts_feed(p, bytes + begin, n - begin);
}
