/* refused.c -- says which events a program did not get, and why. Rules: refused.h. */
#include "perfev/refused.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "session/serve/reading.h"
#include "session/totals/counting.h"
#include "session/totals/remarks.h"

/* Nothing could be done with such an event but to learn whether there is one. */
static bool is_probe(const struct perf_event_attr *a)
{
	return a->disabled && !a->enable_on_exec && !a->inherit && !a->read_format &&
	       !a->sample_period && !a->exclude_hv;
}

/* The raw code of the event that counts what a name means, for the modelled family; 0: none. */
static unsigned raw_code(const struct cat_cpu *cpu, const struct cat_generic *g)
{
	if (!g->event || g->event->code > (cpu->family == CAT_P5 ? 0x3f : 0xff))
		return 0;
	if (cpu->family == CAT_P5)
		return g->event->code |
		       (g->event->counters == 3 ? 0u : (unsigned)g->event->counters << 8);
	return g->event->code | (unsigned)g->umask << 8;
}

/* Linux's driver has no event for the name; the processor may have one. */
static void say_no_driver(const struct cat_cpu *cpu, const char *name, char out[SES_REFUSAL_BYTES])
{
	const struct cat_generic *g = cat_find_generic_row(cpu, name);
	const unsigned raw = g ? raw_code(cpu, g) : 0;

	if (raw)
		snprintf(out, SES_REFUSAL_BYTES,
			 ", for which Linux's driver has no event; r%04x (%s) counts that", raw,
			 g->event->name);
	else if (g && g->event)
		snprintf(out, SES_REFUSAL_BYTES,
			 ", for which Linux's driver has no event; softpmu stat -e %s counts it",
			 name);
	else
		snprintf(out, SES_REFUSAL_BYTES, ": %.110s; softpmu list shows what there is",
			 g ? g->text : "no processor counts it");
}

/* The model that runs does not count the event. */
static void say_not_counted(const struct ses_server *s, const struct evt_event *e,
			    char out[SES_REFUSAL_BYTES])
{
	const int tier = ses_tier_of(s->cfg->model.cpu, e, 1), ready = s->cfg->ready_tier;
	const struct evt_count c = ses_read_event(s, e);
	char lower[SES_PROGRAM_BYTES];
	size_t n = 0;

	for (; e->event->name[n] && n + 1 < sizeof(lower); n++)
		lower[n] = (char)tolower((unsigned char)e->event->name[n]);
	lower[n] = 0;
	/* with -e the events choose the tier; without it the user did */
	if (tier > ready && !s->cfg->n_event)
		snprintf(out, SES_REFUSAL_BYTES,
			 ", which --tier %d leaves out: --tier %d counts it", tier - 1, tier);
	else if ((e->cmask || e->edge) && !e->watch)
		snprintf(out, SES_REFUSAL_BYTES,
			 " with a counter mask or edge, which must be known before: add -e "
			 "cpu/event=0x%02x,umask=0x%02x,cmask=%u%s%s/",
			 e->code & 0xff, e->umask, e->cmask, e->inv ? ",inv" : "",
			 e->edge ? ",edge" : "");
	else if (tier > ready)
		snprintf(out, SES_REFUSAL_BYTES, ", which this run does not count: add -e %s",
			 lower);
	else
		snprintf(out, SES_REFUSAL_BYTES, ": %.100s; softpmu explain %s says more",
			 c.why ? c.why : "it is not modelled", lower);
}

/* Why event e was refused with rc, and into `name` what the remark calls it. Returns false where
 * there is nothing to say. */
static bool say_why(struct ses_server *s, const struct pev_event *e, int rc,
		    char name[SES_PROGRAM_BYTES], char out[SES_REFUSAL_BYTES])
{
	const struct perf_event_attr *a = &e->attr;
	const struct cat_cpu *cpu = s->cfg->model.cpu;
	const size_t n = strlen(name);

	if (rc == -EOPNOTSUPP && a->precise_ip) {
		snprintf(name + n, SES_PROGRAM_BYTES - n, ":%.*s", (int)a->precise_ip, "ppp");
		snprintf(out, SES_REFUSAL_BYTES,
			 ": this processor has no precise samples, and softpmu's are at the "
			 "instruction without them; leave :%.*s away",
			 (int)a->precise_ip, "ppp");
	} else if (rc == -EOPNOTSUPP && a->exclude_user && !a->exclude_kernel) {
		snprintf(name + n, SES_PROGRAM_BYTES - n, ":k");
		snprintf(out, SES_REFUSAL_BYTES,
			 ": softpmu runs the program alone and nothing of a kernel; leave :k away");
	} else if (rc == -ENOENT && e->what.event.event) {
		snprintf(name, SES_PROGRAM_BYTES, "%s", e->what.event.event->name);
		say_not_counted(s, &e->what.event, out);
	} else if (rc == -ENOENT && a->type == PEV_PMU_TYPE) {
		snprintf(out, SES_REFUSAL_BYTES,
			 ", a code that no manual defines for %s; softpmu list shows what there is",
			 cpu->name);
	} else if (rc == -ENOENT || (rc == -EINVAL && a->type == PERF_TYPE_HARDWARE)) {
		say_no_driver(cpu, name, out);
	} else {
		return false;
	}
	return true;
}

void pev_note_refused(struct ses_server *s, const struct pev_event *e, int rc)
{
	char name[SES_PROGRAM_BYTES], perf_name[PEV_NAME_BYTES], why[SES_REFUSAL_BYTES];

	snprintf(name, sizeof(name), "%s", pev_name(&e->attr, perf_name));
	if (!*name || e->task == -1 || is_probe(&e->attr))
		return;
	if (!e->attr.precise_ip)
		pev_note_plain(s, e);
	if (say_why(s, e, rc, name, why))
		ses_remarks_refused(&s->remarks, name, why);
}

void pev_note_full(const struct pev_local *l, struct ses_server *s, const struct pev_event *e)
{
	char name[SES_PROGRAM_BYTES], perf_name[PEV_NAME_BYTES], why[SES_REFUSAL_BYTES];

	snprintf(name, sizeof(name), "%s", pev_name(&e->attr, perf_name));
	if (!*name && e->what.event.event)
		snprintf(name, sizeof(name), "%s", e->what.event.event->name);
	snprintf(why, sizeof(why),
		 " in a group that does not fit the %u counter%s of a %s; softpmu run --counters "
		 "all has one for each event, and without {} they take turns",
		 l->n_counters, l->n_counters == 1 ? "" : "s", s->cfg->model.cpu->name);
	ses_remarks_refused(&s->remarks, *name ? name : "an event", why);
}

void pev_note_opened(struct ses_server *s, const struct pev_event *e)
{
	char perf_name[PEV_NAME_BYTES];
	const char *name = pev_name(&e->attr, perf_name);

	ses_remarks_forget(&s->remarks, *name		      ? name
					: e->what.event.event ? e->what.event.event->name
							      : "an event");
}

void pev_note_plain(struct ses_server *s, const struct pev_event *e)
{
	char name[SES_PROGRAM_BYTES], perf_name[PEV_NAME_BYTES];

	for (int p = 1; p <= 3; p++) {
		snprintf(name, sizeof(name), "%s:%.*s", pev_name(&e->attr, perf_name), p, "ppp");
		ses_remarks_forget(&s->remarks, name);
	}
}
