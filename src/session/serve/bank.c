/* bank.c -- the two counters that RDPMC reads: an event and an offset to its count. Rules:
 * bank.h. */
#include "session/serve/bank.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/count.h"
#include "pmu/p6_regs.h"
#include "session/totals/counting.h"
#include "event/events.h"
#include "session/serve/reading.h"
#include "session/serve/serve.h"

#define COUNTER_MASK P6_CTR_MASK /* the P5's are as wide */

enum shr_rdpmc ses_bank_access(const struct cat_cpu *cpu, bool is_open)
{
	if (cpu->family == CAT_P5 && !cpu->has_mmx)
		return SHR_RDPMC_NONE;
	return is_open ? SHR_RDPMC_OPEN : SHR_RDPMC_CLOSED;
}

int ses_bank_open(struct ses_bank *b, const struct evt_event *event, size_t n_event)
{
	struct evt_events list = {.event = calloc(n_event + 1, sizeof(*event)), .n = n_event};
	struct evt_counter_plan plan = {0};
	const struct evt_event *chosen[SHR_N_COUNTERS];
	struct spmu_error err;
	unsigned n = 0;
	int rc = 0;

	memset(b, 0, sizeof(*b));
	if (!list.event)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < n_event; i++) {
		list.event[i] = event[i];
		list.event[i].group = -1;
	}
	if (evt_plan_counters(&list, SHR_N_COUNTERS, &plan, &err) == -SPMU_ENOMEM)
		rc = -SPMU_ENOMEM;
	for (size_t i = 0; plan.n_counters && i < n_event; i++) {
		if (plan.run[i] || plan.counter[i] < 0)
			continue;
		b->counter[plan.counter[i]].event = event[i];
		b->counter[plan.counter[i]].is_running = true;
		chosen[n++] = &event[i];
	}
	/* the list's order */
	if (n == 2 && evt_may_count_on(chosen[0], 0) && evt_may_count_on(chosen[1], 1)) {
		b->counter[0].event = *chosen[0];
		b->counter[1].event = *chosen[1];
	}
	evt_counter_plan_free(&plan);
	free(list.event);
	return rc;
}

/* Returns the count of e on modelled processor `cpu`. */
static uint64_t count_on(const struct ses_server *s, const struct evt_event *e, uint32_t cpu)
{
	struct evt_count count;
	struct wires own;

	if (s->cfg->model.n_cpus < 2 || s->tier != SHR_TIER_STREAM || cpu >= s->cfg->model.n_cpus ||
	    pmu_is_of_all_agents(e->event, e->umask))
		return ses_read_event(s, e).value;
	memcpy(own.driven, s->wires->driven, sizeof(own.driven));
	memset(own.total, 0, sizeof(own.total));
	memset(own.half, 0, sizeof(own.half));
	mdl_cpu_totals(s->model, cpu, own.total);
	ses_count_events(s->cfg->model.cpu, e, 1, &own, &count);
	return count.value;
}

void ses_bank_program(struct ses_server *s, unsigned n, const struct evt_event *e, uint64_t value,
		      uint32_t cpu)
{
	s->bank.counter[n].is_running = e != NULL;
	s->bank.counter[n].offset = value;
	if (!e)
		return;
	s->bank.counter[n].event = *e;
	s->bank.counter[n].offset -= count_on(s, e, cpu);
}

uint64_t ses_bank_value(const struct ses_server *s, unsigned n, uint32_t block, uint32_t cpu)
{
	const struct evt_event *e = &s->bank.counter[n].event;
	uint64_t value = s->bank.counter[n].offset;

	if (s->bank.counter[n].is_running)
		value +=
		    count_on(s, e, cpu) - (block != UINT32_MAX ? ses_read_unseen(s, e, block) : 0);
	return value & COUNTER_MASK;
}
