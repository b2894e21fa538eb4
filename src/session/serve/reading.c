/* reading.c -- reads counts while the guest runs. Rules: reading.h. If few blocks were executed
 * since the last reading, only their counts are added; else the model walks over all blocks. */
#include "session/serve/reading.h"

#include <string.h>

#include "model/ask.h"
#include "session/totals/counting.h"
#include "session/serve/serve.h"
#include "session/serve/tally.h"
#include "trace/record.h"

/* Account is kept of so many executions per block that there is: beyond that a walk over all
 * blocks is cheaper. */
#define KEPT_PER_BLOCK 1u

void ses_reading_block(struct ses_server *s, uint32_t id, uint64_t times)
{
	struct ses_reading *r = &s->reading;

	if (!r->n_left)
		return;
	r->n_left--;
	mdl_add_once(s->model, id, times, r->executed);
}

void ses_reading_feed(struct ses_server *s, const uint8_t *p, size_t n)
{
	while (s->reading.n_left && n >= 4) {
		uint32_t head, size;
		size_t bytes;

		memcpy(&head, p, sizeof(head));
		bytes = trc_block_bytes(head);
		if (head >= TRC_SPECIAL) {
			if (n < 8)
				return;
			memcpy(&size, p + 4, sizeof(size));
			bytes = 8 + (size_t)size;
		}
		if (bytes > n)
			return; /* damaged: the model says so */
		if (head < TRC_SPECIAL)
			ses_reading_block(s, trc_block_id(head), 1);
		p += bytes;
		n -= bytes;
	}
}

void ses_read(struct ses_server *s)
{
	ses_serve_drain(s);
	ses_read_fed(s);
}

void ses_read_fed(struct ses_server *s)
{
	struct ses_reading *r = &s->reading;
	/* it counts blocks as they come */
	const bool is_plain = s->cfg->chaos & SHR_CHAOS_PLAIN_MODEL;

	ses_tally_settle(s);
	if (r->n_left && !is_plain) {
		mdl_finish_with(s->model, r->executed);
	} else {
		mdl_finish(s->model);
		mdl_executions(s->model, r->executed);
	}
	r->n_left = 1 + KEPT_PER_BLOCK * xlt_n_blocks(s->translator);
}

void ses_peek(struct ses_server *s)
{
	struct ses_reading *r = &s->reading;

	if (s->tier != SHR_TIER_STREAM) {
		ses_read_fed(s);
		return;
	}
	if (!r->n_left || s->cfg->chaos & SHR_CHAOS_PLAIN_MODEL)
		mdl_executions(s->model, r->executed);
	r->n_left = 1 + KEPT_PER_BLOCK * xlt_n_blocks(s->translator);
	mdl_peek(s->model, r->executed);
}

struct evt_count ses_read_event(const struct ses_server *s, const struct evt_event *e)
{
	struct evt_count count;

	ses_count_events(s->cfg->model.cpu, e, 1, s->wires, &count);
	return count;
}

uint64_t ses_read_unseen(const struct ses_server *s, const struct evt_event *e, uint32_t id)
{
	return ses_unseen(s->model, e, id);
}
