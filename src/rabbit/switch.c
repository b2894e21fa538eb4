/* switch.c -- rabbit's switches in one event. */
#include "rabbit/pairs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define ANY_AGENT 0x20u

/* Which switch sets the unit mask of an event. */
enum mask_switch { NO_MASK, MESI_MASK, AGENT_MASK, MMX_MASK };

static const struct cat_umask *mask_of(const struct cat_event *e, const char *name)
{
	for (unsigned i = 0; i < e->n_umask; i++)
		if (!strcasecmp(e->umask[i].name, name))
			return &e->umask[i];
	return NULL;
}

static enum mask_switch switch_of(const struct cat_event *e)
{
	if (e->umask_type != CAT_UMASK_BITS && e->umask_type != CAT_UMASK_EXCLUSIVE)
		return NO_MASK;
	if (mask_of(e, "M") && mask_of(e, "I"))
		return MESI_MASK;
	return mask_of(e, "self") && mask_of(e, "any") ? AGENT_MASK : MMX_MASK;
}

const char *rbt_mask_switch(const struct cat_event *e)
{
	static const char *const names[] = {[NO_MASK] = NULL,
					    [MESI_MASK] = "--mesi",
					    [AGENT_MASK] = "--bus_agent",
					    [MMX_MASK] = "--MMX"};

	return names[switch_of(e)];
}

static bool has_mask(const struct cat_event *e, unsigned umask)
{
	if (e->umask_type == CAT_UMASK_BITS)
		return umask || cat_may_select_nothing(e);
	for (unsigned i = 0; i < e->n_umask; i++)
		if (e->umask[i].value == umask)
			return true;
	return false;
}

static int bad_mask(const struct cat_event *e, unsigned umask, struct spmu_error *err)
{
	struct text have = {0};
	int rc;

	for (unsigned i = 0; i < e->n_umask; i++)
		text_printf(&have, "%s0x%x %s", i ? ", " : "", e->umask[i].value, e->umask[i].name);
	rc = spmu_fail(err, SPMU_EINVAL,
		       "event 0x%02x (%s): its unit mask would be 0x%02x, which it does not "
		       "have; it takes %s: %s",
		       e->code, e->name, umask,
		       e->umask_type == CAT_UMASK_BITS ? "any of these together" : "one of these",
		       text_get(&have));
	text_free(&have);
	return rc;
}

static int set_mask(const struct rbt_switches *s, int n, struct evt_event *e,
		    struct spmu_error *err)
{
	const struct cat_event *event = e->event;
	unsigned umask = e->umask;

	switch (switch_of(event)) {
	case MESI_MASK: umask &= s->mesi.is_given ? s->mesi.value[n] : 0xffu; break;
	case AGENT_MASK:
		umask &= s->bus_agent.is_given && !s->bus_agent.value[n] ? 0 : ANY_AGENT;
		break;
	case MMX_MASK:
		if (!s->mmx.is_given)
			return 0;
		/* one value of several: the switch says which, unless the event does */
		if (event->umask_type == CAT_UMASK_EXCLUSIVE && umask == event->default_umask)
			umask = s->mmx.value[n];
		else
			umask &= s->mmx.value[n];
		break;
	default: return 0;
	}
	if (!has_mask(event, umask))
		return bad_mask(event, umask, err);
	e->umask = (uint8_t)umask;
	return 0;
}

static int set_level(const struct rbt_switches *s, int n, struct evt_event *e,
		     struct spmu_error *err)
{
	e->kernel &= !s->os.is_given || s->os.value[n];
	e->user &= !s->usr.is_given || s->usr.value[n];
	if (e->user || e->kernel)
		return 0;
	return spmu_fail(
	    err, SPMU_EINVAL,
	    "event 0x%02x (%s): neither in user nor in kernel mode it counts nothing; leave "
	    "--os 0 or --usr 0 away",
	    e->code, e->event->name);
}

static int set_compare(const struct cat_cpu *cpu, const struct rbt_switches *s, int n,
		       struct evt_event *e, struct spmu_error *err)
{
	if (!s->compare.is_given)
		return 0;
	if (cpu->family != CAT_P6)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "--compare: the counters of %s have no counter mask; choose a P6 with -cpu",
		    cpu->name);
	e->cmask = s->compare.least[n];
	e->inv = s->compare.is_below[n];
	return 0;
}

static void set_duration(const struct cat_cpu *cpu, const struct rbt_switches *s, int n,
			 struct evt_event *e)
{
	if (!s->duration.is_given)
		return;
	if (cpu->family == CAT_P5)
		e->clock_reading = s->duration.value[n] ? 2 : 1;
	else if (e->event->kind != CAT_OCCURRENCE)
		e->edge = !s->duration.value[n];
}

/* The event with all that it was told, as -e of softpmu stat takes it. */
static void spell(struct evt_event *e)
{
	const struct cat_event *event = e->event;
	struct text t = {0};

	text_printf(&t, "%s", event->name);
	if (e->umask != event->default_umask)
		text_printf(&t, ":0x%02x", e->umask);
	if (e->cmask && e->inv)
		text_printf(&t, ":le%u", e->cmask - 1u);
	else if (e->cmask)
		text_printf(&t, ":gt%u", e->cmask - 1u);
	if (e->edge)
		text_printf(&t, ":e");
	if (!e->kernel || !e->user)
		text_printf(&t, e->user ? ":u" : ":k");
	if (e->clock_reading)
		text_printf(&t, e->clock_reading == 1 ? ":occ" : ":clk");
	snprintf(e->name, sizeof(e->name), "%s", text_get(&t));
	text_free(&t);
}

int rbt_event_switch(const struct cat_cpu *cpu, const struct rbt_switches *s, int n,
		     struct evt_event *e, struct spmu_error *err)
{
	int rc = set_level(s, n, e, err);

	if (!rc)
		rc = set_mask(s, n, e, err);
	if (!rc)
		rc = set_compare(cpu, s, n, e, err);
	if (rc)
		return rc;
	set_duration(cpu, s, n, e);
	spell(e);
	return 0;
}
