/* event_find.c -- what one event is on this machine. */
#include <ctype.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/spelling.h"
#include "hw/events.h"
#include "hw/names.h"
#include "hw/pfm.h"
#include "hw/sysfs.h"
#include "pmu/select.h"
#include "event/events.h"

/* Cut ":ukh" off the end of name. Returns false when what stands there is something else. */
static bool cut_levels(char *name, struct hw_event *e)
{
	char *colon = strrchr(name, ':');

	e->user = true;
	e->kernel = e->hypervisor = false;
	if (!colon)
		return true;
	if (!colon[1] || strspn(colon + 1, "ukhUKH") != strlen(colon + 1))
		return false;
	e->user = strpbrk(colon + 1, "uU");
	e->kernel = strpbrk(colon + 1, "kK");
	e->hypervisor = strpbrk(colon + 1, "hH");
	*colon = 0;
	return true;
}

/* The event of the catalog that perf's name of this config is, for the metrics beside it. */
static void find_meaning(const struct hw_machine *m, const char *name, struct hw_event *e)
{
	size_t n;
	const struct cat_generic *g = cat_generics(&n);

	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(g[i].name, name) &&
		    (m->cpu ? g[i].driver && cat_cpu_has_event(m->cpu, g[i].driver)
			    : g[i].is_todays)) {
			e->meaning = m->cpu ? g[i].driver : g[i].event;
			e->umask = m->cpu ? g[i].driver_umask : g[i].umask;
			return;
		}
}

/* perf's name, or rHEX. */
static bool find_perf(const struct hw_machine *m, const char *name, struct hw_event *e)
{
	struct hw_name is;

	if (hw_find_name(name, &is)) {
		e->type = is.type;
		e->config = is.config;
		e->is_clock = is.is_clock;
		find_meaning(m, name, e);
		return true;
	}
	if ((name[0] != 'r' && name[0] != 'R') || !name[1] || strlen(name) > 17 ||
	    name[1 + strspn(name + 1, "0123456789abcdefABCDEF")])
		return false;
	e->type = PERF_TYPE_RAW;
	e->config = strtoull(name + 1, NULL, 16);
	return true;
}

/* Raw config of the P5, for which Linux never had a driver, as softpmu's own perf_event_open takes
 * it (perfev/what.h): bits 0 to 5 the event, 8 and 9 the counters that may count it (0: either), 16
 * occurrences, 17 clocks. */
static uint64_t encode_p5(const struct evt_event *s)
{
	const unsigned own = s->event ? s->event->counters & 3u : 3u;
	const unsigned counters = s->counter >= 0 ? 1u << s->counter : own == 3 ? 0 : own;

	return (s->code & 0x3fu) | counters << 8 | (uint64_t)(s->clock_reading == 1) << 16 |
	       (uint64_t)(s->clock_reading == 2) << 17;
}

/* An event with a register of its own has no code: its name among perf's. */
static bool encode_by_name(const struct evt_event *s, struct hw_event *e)
{
	size_t n;
	const struct cat_generic *g = cat_generics(&n);
	struct hw_name is;

	for (size_t i = 0; i < n; i++)
		if (g[i].driver == s->event && hw_find_name(g[i].name, &is)) {
			e->type = is.type;
			e->config = is.config;
			return true;
		}
	return false;
}

/* The code of an event of the catalog. Privilege levels go beside it. */
static void encode(const struct cat_cpu *cpu, const struct evt_event *s, struct hw_event *e)
{
	struct pmu_select sel = {.event = s->event,
				 .code = s->code,
				 .umask = s->umask,
				 .cmask = s->cmask,
				 .inv = s->inv,
				 .edge = s->edge,
				 .clock_reading = s->clock_reading};

	e->meaning = s->cmask || s->edge || s->clock_reading ? NULL : s->event;
	e->umask = s->umask;
	if (s->event && !(s->event->counters & 3u) && encode_by_name(s, e))
		return;
	e->type = PERF_TYPE_RAW;
	e->config = cpu->family == CAT_P5 ? encode_p5(s) : pmu_p6_encode(&sel);
}

/* An event of this machine's own catalog processor. Without :u and :k the grammar says both: here
 * that is u. */
static int find_own(const struct hw_machine *m, const char *text, bool is_raw, struct hw_event *e,
		    struct spmu_error *err)
{
	struct evt_event s;
	int rc = evt_parse_event(m->cpu, text, is_raw, &s, err);

	if (rc)
		return rc;
	encode(m->cpu, &s, e);
	e->user = s.user;
	e->kernel = s.kernel && !s.user;
	if (s.user && s.kernel) { /* both said, or neither */
		const char *both = strrchr(text, ':');

		e->kernel =
		    both && strchr(both, 'k') && strspn(both + 1, "ukUK") == strlen(both + 1);
	}
	return 0;
}

/* pmu/terms/ and levels behind it, with or without a colon. Returns 1 when it is one, and e is
 * filled; 0 when it is no such thing; a negative error. */
static int find_sysfs(const char *text, struct hw_event *e, struct spmu_error *err)
{
	char copy[sizeof(e->name)], *terms, *end;
	int rc;

	strcpy(copy, text);
	terms = strchr(copy, '/');
	end = terms ? strrchr(copy, '/') : NULL;
	if (!terms || end == terms)
		return 0;
	*terms++ = 0;
	*end++ = 0;
	end += *end == ':';
	if (strspn(end, "ukh") != strlen(end))
		return 0;
	rc = hw_sysfs_event(HW_SYSFS, copy, terms, e, err);
	if (rc)
		return rc == -SPMU_ENOENT ? 0 : rc;
	e->user = !*end || strchr(end, 'u');
	e->kernel = strchr(end, 'k');
	e->hypervisor = strchr(end, 'h');
	return 1;
}

/* An event of one of the catalog's processors, by its Intel name, an alias or a code, on a later
 * processor: is there a name of perf's that means the same today? Returns 1 yes; 0 no such event;
 * -1 an event, but nothing means the same. */
static int find_todays(const char *text, struct hw_event *e)
{
	static const char *const cpus[] = {"pentium3", "pentiumpro", "pentium-mmx", "pentium"};
	size_t n;
	const struct cat_generic *g = cat_generics(&n);
	int known = 0;

	for (size_t k = 0; k < sizeof(cpus) / sizeof(cpus[0]); k++) {
		struct evt_event s;
		struct hw_name is;

		if (evt_parse_event(cat_find_cpu(cpus[k]), text, false, &s, NULL) || !s.event)
			continue;
		known = -1;
		for (size_t i = 0; i < n && !s.cmask && !s.edge && !s.inv && !s.clock_reading;
		     i++) {
			if (g[i].event != s.event || g[i].umask != s.umask || !g[i].is_todays ||
			    !hw_find_name(g[i].name, &is))
				continue;
			e->type = is.type;
			e->config = is.config;
			e->meaning = s.event;
			e->umask = s.umask;
			return 1;
		}
	}
	return known;
}

static int find_pfm(struct hw_machine *m, const char *text, struct hw_event *e, const char **why)
{
	struct perf_event_attr attr = {0};

	if (!m->has_tried_pfm) {
		m->pfm = hw_pfm_open();
		m->has_tried_pfm = true;
	}
	*why = "libpfm4, which knows such names, is not here";
	if (!m->pfm || hw_pfm_encode(m->pfm, text, &attr, why))
		return -1;
	e->type = attr.type;
	e->config = attr.config;
	e->config1 = attr.config1;
	e->config2 = attr.config2;
	e->user = !attr.exclude_user;
	e->kernel = !attr.exclude_kernel;
	return 0;
}

/* Offer Intel's names of what processors of today count too. */
static void offer_todays(struct spelling_search *s)
{
	size_t n;
	const struct cat_generic *g = cat_generics(&n);

	for (size_t i = 0; i < n; i++)
		if (g[i].is_todays)
			spelling_offer(s, g[i].event->name);
}

/* A name of perf's that counts something like what `text` counts on one of the catalog's
 * processors; NULL: there is none. */
static const char *nearest_todays(const char *text)
{
	size_t n;
	const struct cat_generic *g = cat_generics(&n);
	const struct cat_cpu *cpu[] = {cat_find_cpu("pentium3"), cat_find_cpu("pentium-mmx")};
	struct evt_event s;
	struct hw_name is;

	for (size_t k = 0; k < sizeof(cpu) / sizeof(cpu[0]); k++) {
		if (evt_parse_event(cpu[k], text, false, &s, NULL) || !s.event)
			continue;
		for (size_t i = 0; i < n; i++)
			if (g[i].event == s.event && hw_find_name(g[i].name, &is))
				return g[i].name;
	}
	return NULL;
}

static int refuse(const struct hw_machine *m, const char *text, bool is_known, const char *why,
		  struct spmu_error *err)
{
	struct spelling_search s = {.word = text};
	const char *near = is_known ? nearest_todays(text) : NULL;
	char ask[SPELLING_TEXT];

	if (!err)
		return -SPMU_EINVAL;
	hw_names_offer(&s);
	offer_todays(&s);
	if (m->pfm)
		hw_pfm_offer(m->pfm, &s);
	if (near)
		return spmu_fail(
		    err, SPMU_EINVAL,
		    "event %s: this machine's %s has no event that means the same as the P6's or "
		    "the Pentium's; "
		    "nearest is %s, and softpmu's models count %s (stat --backend soft, run)",
		    text, m->name, near, text);
	if (is_known)
		return spmu_fail(err, SPMU_EINVAL,
				 "event %s: this machine's %s has no event that means the same as "
				 "the P6's or the Pentium's; "
				 "softpmu's models count it (stat --backend soft, run)%s",
				 text, m->name, spelling_ask(&s, "", ask));
	return spmu_fail(err, SPMU_EINVAL, "event %s: no such event on this machine's %s (%s)%s",
			 text, m->name, why, spelling_ask(&s, "", ask));
}

int hw_parse_event(struct hw_machine *m, const char *text, bool is_raw, struct hw_event *out,
		   struct spmu_error *err)
{
	struct hw_event e = {.group = -1};
	char name[sizeof(e.name)];
	const char *why;
	bool has_levels;
	int todays;

	if (strlen(text) >= sizeof(name))
		return spmu_fail(err, SPMU_EINVAL, "event %.40s...: longer than 127 characters",
				 text);
	strcpy(name, text);
	strcpy(e.name, text);
	has_levels = cut_levels(name, &e);
	if (has_levels && find_perf(m, name, &e))
		goto found;
	if (m->cpu) {
		int rc = find_own(m, text, is_raw, &e, err);

		if (rc)
			return rc;
		goto found;
	}
	todays = find_sysfs(text, &e, err);
	if (todays < 0)
		return todays;
	if (todays > 0)
		goto found;
	todays = find_todays(has_levels ? name : text, &e);
	if (todays > 0)
		goto found;
	if (find_pfm(m, text, &e, &why))
		return refuse(m, text, todays < 0, why, err);
found:
	*out = e;
	return 0;
}
