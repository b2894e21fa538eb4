/* bank.c -- the two counters that RDPMC reads: an event and an offset to its count. Rules:
 * bank.h. */
#include "session/serve/bank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/count.h"
#include "pmu/p6_regs.h"
#include "session/totals/counting.h"
#include "session/totals/remarks.h"
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

/* Add the name to those that found no counter; "..." stands for what there is no room for. */
static void add_left_over(struct ses_bank *b, const char *name)
{
	const size_t at = strlen(b->left_over), room = sizeof(b->left_over) - at;

	if (at && !strcmp(b->left_over + at - 3, "..."))
		return;
	if (strlen(name) + sizeof(", ...") + 2 > room)
		snprintf(b->left_over + at, room, "%s...", at ? ", " : "");
	else
		snprintf(b->left_over + at, room, "%s%s", at ? ", " : "", name);
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
		if (plan.run[i] || plan.counter[i] < 0) {
			add_left_over(b, event[i].name);
			continue;
		}
		b->counter[plan.counter[i]].event = event[i];
		b->counter[plan.counter[i]].is_running = true;
		b->counter[plan.counter[i]].has_held = true;
		b->counter[plan.counter[i]].is_given = true;
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
	s->bank.counter[n].is_given = false;
	s->bank.counter[n].offset = value;
	if (!e)
		return;
	s->bank.counter[n].event = *e;
	s->bank.counter[n].has_held = true;
	s->bank.counter[n].offset -= count_on(s, e, cpu);
}

void ses_bank_note(struct ses_server *s, unsigned n)
{
	struct ses_remarks *r = &s->remarks;
	struct ses_remarks more = {.wants_isa = 0};

	if (!s->bank.counter[n].has_held && !r->idle_read_by[0]) {
		snprintf(more.idle_read_by, sizeof(more.idle_read_by), "%s", s->member.program);
		more.idle_counter = n;
	} else if (s->bank.counter[n].is_given && s->bank.left_over[0] && !r->left_over[0]) {
		memcpy(more.left_over, s->bank.left_over, sizeof(more.left_over));
	} else {
		return;
	}
	ses_remarks_merge(r, &more);
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
