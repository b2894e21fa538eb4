/* count.c -- adds the wires that an event's unit mask selects. Rules are in count.h. */
#include "pmu/count.h"

#include <string.h>

#define WIDEST_OF_WHOLE 100 /* but a part of the CPI stack may be small beside it */
#define WIDEST_PART	4   /* an interval that is half as wide as its value says little */

int pmu_selects(const struct cat_event_wire *row, uint8_t umask)
{
	switch (row->umask_type) {
	case CAT_UMASK_BITS:
		return (row->mask & umask) == row->mask &&
		       !(row->unless && (row->unless & umask) == row->unless);
	case CAT_UMASK_FIXED:
	case CAT_UMASK_EXCLUSIVE: return row->mask == umask;
	default: return 1;
	}
}

int pmu_is_of_all_agents(const struct cat_event *e, uint8_t umask)
{
	for (unsigned i = 0; e && i < e->n_umask; i++)
		if (e->umask[i].value == umask && !strcmp(e->umask[i].name, "any"))
			return 1;
	return 0;
}

struct cat_reading pmu_reading_of(const struct pmu_select *s, unsigned wire)
{
	const bool is_other =
	    s->clock_reading && (s->clock_reading == 2) != (s->event->kind == CAT_DURATION);
	const struct cat_reading *other = is_other ? cat_other_reading(s->event->code, wire) : NULL;
	const struct cat_reading none = {WIRE_N, WIRE_N, WIRE_N, -1};

	if (wire >= WIRE_N || (is_other && !other))
		return none;
	return is_other ? *other : (struct cat_reading){(uint16_t)wire, (uint16_t)wire, WIRE_N, -1};
}

static struct pmu_reading no_reading(enum pmu_status status, const char *why)
{
	return (struct pmu_reading){.status = status, .why = why};
}

/* Why a wire of event e gives no number on cpu. */
static struct pmu_reading undriven(const struct cat_cpu *cpu, const struct cat_event *e,
				   unsigned wire)
{
	size_t n;
	const struct cat_wire *wires = cat_wires(&n);

	if (!cpu->l2.size_bytes && !strcmp(e->unit, "l2"))
		return no_reading(PMU_CANNOT_OCCUR, "this processor has no L2 cache");
	if (wire < n && wires[wire].tier >= 3)
		return no_reading(PMU_NOT_MODELLED,
				  "needs clocks, and no model of this processor raises it here");
	return no_reading(PMU_NOT_MODELLED,
			  "the model does not raise it; softpmu explain says what it needs");
}

/* All that event e counts under any unit mask: what one of them counts is a part of it. */
static uint64_t whole_of(const struct cat_event *e, const struct wires *w)
{
	uint64_t whole = 0;

	for (unsigned i = 0; i < e->n_wire; i++)
		whole += w->driven[e->wire[i].wire] ? w->total[e->wire[i].wire] : 0;
	return whole;
}

struct pmu_reading pmu_count(const struct cat_cpu *cpu, const struct pmu_select *s,
			     const struct wires *w)
{
	const struct cat_event *e = s->event;
	struct pmu_reading r = {.status = PMU_COUNTED};
	bool is_selected;

	if (!e)
		return no_reading(PMU_UNDEFINED, "the processor's manuals do not define this code");
	if (!s->user)
		return no_reading(PMU_NOT_MODELLED,
				  "softpmu runs the program's own instructions, not the kernel's");
	if (e->n_wire == 0)
		return no_reading(PMU_NOT_MODELLED,
				  cpu->family == CAT_P5
				      ? "the code is reserved, what it counts is not documented"
				      : "no model raises it yet");
	is_selected = !s->umask && e->umask_type == CAT_UMASK_BITS &&
		      cat_may_select_nothing(e); /* none of the bits counts nothing */
	for (unsigned i = 0; i < e->n_wire; i++) {
		const struct cat_reading reading = pmu_reading_of(s, e->wire[i].wire);

		if (!pmu_selects(&e->wire[i], s->umask))
			continue;
		is_selected = true;
		if (reading.wire >= WIRE_N)
			return no_reading(PMU_NOT_MODELLED,
					  "the model has no other reading of this event");
		if (!w->driven[reading.other])
			return undriven(cpu, e, reading.other);
		if (reading.minus < WIRE_N && !w->driven[reading.minus])
			return undriven(cpu, e, reading.minus);
		r.value += w->total[reading.other] -
			   (reading.minus < WIRE_N ? w->total[reading.minus] : 0);
		/* how errors of wires depend on each other is not known: the sum is the largest
		 * that it can be */
		r.half +=
		    w->half[reading.other] + (reading.minus < WIRE_N ? w->half[reading.minus] : 0);
	}
	if (!is_selected)
		return no_reading(PMU_NOT_MODELLED, "no model raises anything for this unit mask");
	if ((s->cmask || s->edge) && s->watch && w->driven[s->watch - 1])
		return (struct pmu_reading){.value = w->total[s->watch - 1], .status = PMU_COUNTED};
	if (s->cmask)
		return no_reading(PMU_NOT_MODELLED,
				  "a counter mask looks at single clocks: needs the timing model");
	if (s->edge)
		return no_reading(PMU_NOT_MODELLED,
				  "edges exist only in time: needs the timing model");
	if (r.half > r.value / WIDEST_PART && r.half > whole_of(e, w) / WIDEST_OF_WHOLE) {
		r.status = PMU_TOO_FEW_SAMPLES;
		r.why = "the samples differ too much; --clocks sampled:1/64 takes more, --clocks "
			"exact all";
	}
	return r;
}
