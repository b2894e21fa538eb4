/* tally.c -- reads the block counters (tier 1) and sums a guest's totals. Rules: tally.h. */
#include "session/serve/tally.h"

#include <string.h>

#include "trace/record.h"

/* Instructions a nanosecond that no processor executes, ten times over; and what a clock that is
 * read late may hide. */
#define MOST_PER_NS  100u
#define MOST_AT_ONCE 1000000000u

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
			if (payload[0] < s->n_over &&
			    payload[1] >= xlt_counted_at(s->translator, payload[0]))
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

/* Instructions that the program can have executed since it began, at most. The counters lie in
 * its memory, where it can write what it likes. */
static uint64_t most_now(const struct ses_server *s)
{
	return (ses_host_ns() - s->start_ns) * MOST_PER_NS + MOST_AT_ONCE;
}

/* Returns true if the guest can have executed a block of n instructions so many times, on top of
 * all it did before. most: instructions that are possible since the run began. */
static bool is_possible(const struct ses_server *s, uint64_t most, uint64_t times, uint64_t n)
{
	return s->n_settled <= most && times <= (most - s->n_settled) / n;
}

static void settle_block(struct ses_server *s, uint64_t *counters, uint32_t i, uint64_t most)
{
	const struct shr_tables *tab = s->areas->map[SES_AREA_TABLES];
	const uint64_t n = tab->block[i].n_insn ? tab->block[i].n_insn : 1;
	const uint64_t times = xlt_times(counters, i), taken = xlt_taken(counters, i);
	const uint64_t over = i < s->n_over ? s->over[i] : 0;

	if (times <= over)
		return;
	if (!is_possible(s, most, times > taken ? times : taken, n)) {
		ses_serve_refuse(s, SPMU_EPROTO, SES_DAMAGED);
		return;
	}
	s->n_settled += times * n;
	mdl_add_counts(s->model, i, times - over, taken);
	ses_reading_block(s, i, times - over);
	xlt_clear_counters(counters, i);
	s->over[i] = 0;
}

void ses_tally_settle(struct ses_server *s)
{
	uint64_t *counters = s->areas->map[SES_AREA_COUNTER];
	const uint32_t n = xlt_n_blocks(s->translator);
	uint64_t most;

	if (s->tier != SHR_TIER_COUNT)
		return;
	most = most_now(s);
	/* most were not executed since the last time */
	for (uint32_t i = 0; i < n; i += XLT_LOOK) {
		if (!xlt_has_run(counters, i))
			continue;
		for (uint32_t k = i; k < i + XLT_LOOK && k < n; k++)
			settle_block(s, counters, k, most);
	}
}

void ses_tally_totals(struct ses_server *s, struct ses_totals *t)
{
	const struct shr_ctl *c = ses_areas_ctl(s->areas);
	struct xlt_stats stats;

	ses_tally_settle(s);
	if (s->trace && ses_trace_finish(s->trace) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
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
	t->guest.host_signals = c->host_signals;
	t->blocks = stats.blocks;
	t->block_insns = stats.insns;
	t->misses = s->misses;
	t->trace_bytes = s->trace_bytes;
	memcpy(t->wire, s->wires->total, sizeof(t->wire));
	memcpy(t->half, s->wires->half, sizeof(t->half));
	if (mdl_part_now(s->model, t->part))
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	if (s->columns)
		ses_columns_tally(s->columns, t);
}
