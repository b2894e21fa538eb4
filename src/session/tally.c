#include "session/tally.h"

#include <string.h>

#include "trace/record.h"

void ses_tally_partials(struct ses_server *s, const uint8_t *p, size_t n)
{
	while (n >= 8) {
		uint32_t id, bytes, payload[2];

		memcpy(&id, p, 4);
		memcpy(&bytes, p + 4, 4);
		if (id < TRC_SPECIAL || bytes > n - 8)
			return;
		if (id - TRC_SPECIAL == TRC_PARTIAL && bytes >= 8) {
			memcpy(payload, p + 8, 8);
			if (payload[0] < s->n_over && payload[1] >= xlt_counted_at(s->translator, payload[0]))
				s->over[payload[0]]++;
		}
		p += 8 + bytes;
		n -= 8 + bytes;
	}
}

uint64_t ses_tally_instructions(struct ses_server *s)
{
	ses_tally_settle(s);
	return mdl_instructions(s->model);
}

static void settle_block(struct ses_server *s, uint64_t *counters, uint32_t i)
{
	const uint64_t times = xlt_times(counters, i);
	const uint64_t over = i < s->n_over ? s->over[i] : 0;

	if (times <= over)
		return;
	mdl_add_counts(s->model, i, times - over, xlt_taken(counters, i));
	ses_reading_block(s, i, times - over);
	xlt_clear_counters(counters, i);
	s->over[i] = 0;
}

void ses_tally_settle(struct ses_server *s)
{
	uint64_t *counters = s->areas->map[SES_AREA_COUNTER];
	const uint32_t n = xlt_n_blocks(s->translator);

	if (s->tier != SHR_TIER_COUNT)
		return;
	for (uint32_t i = 0; i < n; i += XLT_LOOK) { /* most were not executed since the last time */
		if (!xlt_has_run(counters, i))
			continue;
		for (uint32_t k = i; k < i + XLT_LOOK && k < n; k++)
			settle_block(s, counters, k);
	}
}

void ses_tally_totals(struct ses_server *s, struct ses_totals *t)
{
	const struct shr_ctl *c = ses_areas_ctl(s->areas);
	struct xlt_stats stats;

	ses_tally_settle(s);
	mdl_finish(s->model);
	xlt_get_stats(s->translator, &stats);
	memset(t, 0, sizeof(*t));
	t->instructions = mdl_instructions(s->model);
	t->guest.syscalls = c->n_syscalls;
	t->guest.signals = c->n_signals;
	t->guest.clock_looks = c->clock_looks;
	t->guest.time_looks = c->time_looks;
	t->guest.threads = c->n_threads;
	t->guest.outside_events = c->outside_events;
	t->blocks = stats.blocks;
	t->block_insns = stats.insns;
	t->misses = s->misses;
	t->trace_bytes = s->trace_bytes;
	memcpy(t->wire, s->wires->total, sizeof(t->wire));
	if (s->columns)
		ses_columns_tally(s->columns, t);
}
