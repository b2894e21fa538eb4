/* event_name.c -- an event by its name, by its code, or by perf's name. Called by events.c and
 * event_part.c.
 *
 * The order decides which meaning a word has: a name of the catalog, perf's generic events, perf's
 * software events, rHEX, then a code. A code is hexadecimal even without 0x, as the manuals write
 * it. A word that is none of these is refused with the nearest name of the processor, or with the
 * processor that has it.
 */
#include "event/event_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/spelling.h"
#include "base/text.h"
#include "pmu/select.h"

/* Names of counter sets as libpfm4 and perf write them, and whose they are. Exact processor names
 * of the catalog are accepted as well. */
static const struct pmu_name {
	const char *name;
	int family; /* enum cat_family, -1 any */
	int class;  /* enum cat_cpu_class, -1 any of the family */
} pmu_names[] = {
    {"cpu", -1, -1},
    {"p5", CAT_P5, -1},
    {"p55c", CAT_P5, CAT_CLASS_P55C},
    {"p6", CAT_P6, -1},
    {"ppro", CAT_P6, CAT_CLASS_PPRO},
    {"pii", CAT_P6, CAT_CLASS_PII},
    {"piii", CAT_P6, CAT_CLASS_PIII},
    {"toy", CAT_TOY, -1},
};

bool event_is_any_pmu(const char *word)
{
	for (size_t i = 0; i < sizeof(pmu_names) / sizeof(pmu_names[0]); i++)
		if (!strcasecmp(word, pmu_names[i].name))
			return true;
	return cat_find_cpu(word) != NULL;
}

bool event_is_pmu(const struct event_text *t, const char *word)
{
	const struct cat_cpu *other;

	for (size_t i = 0; i < sizeof(pmu_names) / sizeof(pmu_names[0]); i++) {
		const struct pmu_name *p = &pmu_names[i];

		if (!strcasecmp(word, p->name))
			return (p->family < 0 || p->family == t->cpu->family) &&
			       (p->class < 0 || p->class == t->cpu->cpu_class);
	}
	other = cat_find_cpu(word);
	return other && other->cpu_class == t->cpu->cpu_class;
}

static void take_event(struct event_text *t, const struct cat_event *event)
{
	t->e.event = event;
	t->e.code = event->code;
}

/* "event X is not one of CPU; Y has it" or the nearest name. */
static int unknown(struct event_text *t, const char *name)
{
	size_t n;
	const struct cat_cpu *cpus = cat_cpus(&n);
	struct text have = {0};
	struct spelling_search near = {.word = name};
	char ask[SPELLING_TEXT];
	unsigned classes =
	    1u << CAT_CLASS_TOY; /* seen: processors of a class have the same events */
	int rc;

	for (size_t i = 0; i < n && t->err; i++) {
		if (classes & (1u << cpus[i].cpu_class))
			continue;
		classes |= 1u << cpus[i].cpu_class;
		if (!cat_find_event(&cpus[i], name, -1))
			continue;
		text_printf(&have, "%s%s", have.n ? ", " : "", cpus[i].name);
	}
	if (!t->err)
		rc = -SPMU_EINVAL;
	else if (have.n)
		rc = spmu_fail(t->err, SPMU_EINVAL,
			       "event %s: %s does not have it; try --cpu with one of: %s", name,
			       t->cpu->name, text_get(&have));
	else {
		cat_offer_events(t->cpu, &near);
		rc = spmu_fail(t->err, SPMU_EINVAL,
			       "event %s: no such event on %s%s (softpmu list --cpu %s shows all)",
			       name, t->cpu->name, spelling_ask(&near, "", ask), t->cpu->name);
	}
	text_free(&have);
	return rc;
}

int event_find_code(struct event_text *t, unsigned code)
{
	const struct cat_event *e0 = cat_find_event_code(t->cpu, code, 0);
	const struct cat_event *e1 = cat_find_event_code(t->cpu, code, 1);
	const struct cat_event *e = t->e.counter == 0 ? e0 : t->e.counter == 1 ? e1 : e0 ? e0 : e1;

	t->e.code = (uint16_t)code;
	t->e.event = NULL;
	if (t->e.counter < 0 && e0 && e1 && e0 != e1)
		return spmu_fail(t->err, SPMU_EINVAL,
				 "event 0x%02x means %s on counter 0 and %s on counter 1; write "
				 "0x%02x:c0 or 0x%02x:c1",
				 code, e0->name, e1->name, code, code);
	if (e) {
		t->e.event = e;
		return 0;
	}
	if (t->is_raw)
		return 0;
	if (e0 || e1)
		return spmu_fail(t->err, SPMU_EINVAL,
				 "event 0x%02x counts on counter %d only (%s); write 0x%02x:c%d",
				 code, e0 ? 0 : 1, (e0 ? e0 : e1)->name, code, e0 ? 0 : 1);
	return spmu_fail(
	    t->err, SPMU_EINVAL,
	    "event code 0x%02x is not defined on %s; softpmu list shows those that are, --raw "
	    "takes any code and prints <undefined>",
	    code, t->cpu->name);
}

static bool is_hex(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!isxdigit((unsigned char)*s))
			return false;
	return true;
}

/* rHEX: the bits of the select register, as in perf's raw events. */
static int find_raw(struct event_text *t, const char *hex)
{
	unsigned long value = strtoul(hex, NULL, 16);
	struct pmu_select s = {0};

	if (strlen(hex) > 8)
		return spmu_fail(
		    t->err, SPMU_EINVAL,
		    "event %s: a raw event has at most 8 hexadecimal digits (the 32 bits of "
		    "PerfEvtSel), for example r00c0",
		    t->all);
	t->is_literal = true;
	if (t->cpu->family == CAT_P5) {
		if (value > 0x3f)
			return spmu_fail(t->err, SPMU_EINVAL,
					 "event %s: codes of the Pentium have 6 bits, 0x00 to 0x3f",
					 t->all);
		return event_find_code(t, (unsigned)value);
	}
	pmu_p6_decode((uint32_t)value, &s);
	t->e.umask = s.umask;
	t->has_umask = true;
	t->e.cmask = s.cmask;
	t->e.inv = s.inv;
	t->e.edge = s.edge;
	return event_find_code(t, s.code);
}

/* A name of perf's that no event of the processor stands for: a figure of the machine, or nothing.
 */
static bool find_perf_name(struct event_text *t, const char *name)
{
	const struct cat_software *software = cat_find_software(name);
	const struct cat_generic *generic = cat_find_generic_row(t->cpu, name);

	if (software) {
		t->e.software = software;
		t->e.is_time = software->figure == CAT_SW_TASK_CLOCK;
		t->e.why_not = software->figure == CAT_SW_NONE ? software->text : NULL;
	} else if (generic) {
		t->e.why_not = generic->event
				   ? "this model of the processor does not have the event"
				   : generic->text;
	}
	return software || generic;
}

/* The digits of an event code as manuals write it, always hexadecimal: 48, 48h, 0x48, c0. *n
 * receives their number. NULL when name is none. */
static const char *hex_digits(const char *name, size_t *n)
{
	const char *digits = name[0] == '0' && (name[1] == 'x' || name[1] == 'X') ? name + 2 : name;

	*n = strspn(digits, "0123456789abcdefABCDEF");
	if (!*n || (digits[*n] && strcasecmp(digits + *n, "h") != 0))
		return NULL;
	return digits;
}

bool evt_is_code(const char *word, unsigned *code)
{
	size_t n;
	const char *digits = hex_digits(word, &n);

	*code = digits && n <= 8 ? (unsigned)strtoul(digits, NULL, 16) : 256;
	return *code <= 0xff;
}

int event_find(struct event_text *t, const char *name)
{
	const struct cat_event *event = cat_find_event(t->cpu, name, t->e.counter);
	uint8_t umask;
	const char *digits;
	unsigned long code;
	size_t n;

	if (!*name)
		return spmu_fail(t->err, SPMU_EINVAL, "event list: an event is missing%s%s",
				 *t->all ? " in " : "", t->all);
	if (!event)
		event = cat_find_event(t->cpu, name, -1);
	if (event) {
		take_event(t, event);
		return 0;
	}
	event = cat_find_generic(t->cpu, name, &umask);
	if (event) {
		take_event(t, event);
		t->e.umask = umask;
		t->has_umask = true;
		return 0;
	}
	if (find_perf_name(t, name))
		return 0;
	if ((name[0] == 'r' || name[0] == 'R') && is_hex(name + 1))
		return find_raw(t, name + 1);
	digits = hex_digits(name, &n);
	if (digits) {
		code = strtoul(digits, NULL, 16);
		if (n > 8 || code > 0xff)
			return spmu_fail(t->err, SPMU_EINVAL,
					 "event %s: an event code has 8 bits, 0x00 to 0xff; with a "
					 "unit mask before it write r%.*s",
					 name, (int)n, digits);
		t->is_literal = true;
		return event_find_code(t, (unsigned)code);
	}
	return unknown(t, name);
}
