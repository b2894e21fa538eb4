/* event_part.c -- the parts behind an event's name: unit masks, levels, comparisons, counters.
 * Called by events.c.
 *
 * The order decides which meaning a part has: a unit mask of the event by its name, key=value, a
 * number, a word, then letters of perf, and letters that are one unit mask each. So :e and :i are
 * masks of the events that have them, and edge and inversion of others.
 */
#include "event/event_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* A number of C (0x.., 0.., decimal) that fills the whole word and is at most `max`. */
static bool is_number(const char *s, unsigned long max, unsigned *out)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	value = strtoul(s, &end, 0);
	if (*end || errno || value > max)
		return false;
	*out = (unsigned)value;
	return true;
}

static const struct cat_umask *find_umask(const struct cat_event *event, const char *name)
{
	if (!event)
		return NULL;
	for (unsigned i = 0; i < event->n_umask; i++)
		if (!strcasecmp(event->umask[i].name, name))
			return &event->umask[i];
	return NULL;
}

static void list_umasks(const struct cat_event *event, struct text *out)
{
	for (unsigned i = 0; i < event->n_umask; i++)
		text_printf(out, "%s%s (0x%02x)", i ? ", " : "", event->umask[i].name,
			    event->umask[i].value);
}

static int bad_umask(struct event_text *t, const char *given)
{
	const struct cat_event *event = t->e.event;
	struct text valid = {0};
	int rc;

	if (!event->n_umask)
		return spmu_fail(t->err, SPMU_EINVAL,
				 "event %s: %s has no unit masks, so :%s means nothing here; after "
				 "the name may stand u, k, e, i, c=N, c0, c1%s",
				 t->all, event->name, given,
				 t->cpu->family == CAT_P5 ? ", occ, clk" : "");
	list_umasks(event, &valid);
	rc = spmu_fail(t->err, SPMU_EINVAL, "event %s: %s has no unit mask %s; it takes %s: %s",
		       t->all, event->name, given,
		       event->umask_type == CAT_UMASK_BITS ? "any of these together"
							   : "one of these",
		       text_get(&valid));
	text_free(&valid);
	return rc;
}

static int add_umask(struct event_text *t, const struct cat_umask *mask)
{
	bool is_bits = t->e.event->umask_type == CAT_UMASK_BITS;

	if (t->has_umask && !is_bits && t->e.umask != mask->value)
		return spmu_fail(
		    t->err, SPMU_EINVAL,
		    "event %s: %s takes one unit mask at a time; count both as two events", t->all,
		    t->e.event->name);
	t->e.umask = is_bits && t->has_umask ? t->e.umask | mask->value : mask->value;
	t->has_umask = true;
	return 0;
}

static int set_cmask(struct event_text *t, const char *digits)
{
	unsigned value;

	if (t->cpu->family != CAT_P6)
		return spmu_fail(
		    t->err, SPMU_EINVAL,
		    "event %s: the counters of %s have no counter mask; leave :%s away", t->all,
		    t->cpu->name, digits);
	if (!is_number(digits, 255, &value))
		return spmu_fail(t->err, SPMU_EINVAL,
				 "event %s: a counter mask is a number from 0 to 255, not %s",
				 t->all, digits);
	t->e.cmask = (uint8_t)value;
	return 0;
}

/* gtN, leN of rabbit: clocks with more than N, or at most N, events. */
static int set_compare(struct event_text *t, const char *digits, bool is_le)
{
	unsigned value;

	if (t->cpu->family != CAT_P6 || !is_number(digits, 254, &value))
		return spmu_fail(
		    t->err, SPMU_EINVAL,
		    "event %s: gtN and leN compare with a number from 0 to 254 on a P6", t->all);
	t->e.cmask = (uint8_t)(value + 1);
	t->e.inv = is_le;
	return 0;
}

static void set_level(struct event_text *t, bool user, bool kernel)
{
	if (!t->has_level)
		t->e.user = t->e.kernel = false;
	t->has_level = true;
	t->e.user |= user;
	t->e.kernel |= kernel;
}

static int p6_only(struct event_text *t, const char *what)
{
	if (t->cpu->family == CAT_P6)
		return 0;
	return spmu_fail(t->err, SPMU_EINVAL, "event %s: the counters of %s have no %s", t->all,
			 t->cpu->name, what);
}

/* Letters of perf: u, k, and those that change nothing here. Returns 1 when all letters were
 * known. */
static int set_letters(struct event_text *t, const char *letters)
{
	if (!*letters || strspn(letters, "ukhHGISDWei") != strlen(letters))
		return 0;
	for (const char *s = letters; *s; s++) {
		if (*s == 'u' || *s == 'k')
			set_level(t, *s == 'u', *s == 'k');
		if ((*s == 'e' || *s == 'i') &&
		    p6_only(t, *s == 'e' ? "edge detection" : "inversion"))
			return -SPMU_EINVAL;
		if (*s == 'e')
			t->e.edge = true;
		if (*s == 'i')
			t->e.inv = true;
	}
	return 1;
}

static int set_counter(struct event_text *t, int counter)
{
	if (t->e.event && !(t->e.event->counters & (1u << counter)))
		return spmu_fail(t->err, SPMU_EINVAL,
				 "event %s: %s counts on counter %d only; write :c%d", t->all,
				 t->e.event->name, !counter, !counter);
	t->e.counter = (int8_t)counter;
	return 0;
}

/* key=value parts, after ":" and in pmu/.../ . Returns 1 when the key was one of them. */
static int set_value(struct event_text *t, const char *key, const char *value)
{
	unsigned n;
	int rc = 0;

	if (!strcasecmp(key, "c") || !strcasecmp(key, "cmask"))
		return (rc = set_cmask(t, *value ? value : "0")) ? rc : 1;
	if (!strcasecmp(key, "umask") || !strcasecmp(key, "mask")) {
		if (!is_number(value, 255, &n))
			return spmu_fail(
			    t->err, SPMU_EINVAL,
			    "event %s: a unit mask is a number from 0x00 to 0xff, not %s", t->all,
			    value);
		t->e.umask = (uint8_t)n;
		t->has_umask = true;
		return 1;
	}
	if (!is_number(*value ? value : "1", 1, &n))
		return 0;
	if (!strcasecmp(key, "u") || !strcasecmp(key, "usr"))
		set_level(t, n, false);
	else if (!strcasecmp(key, "k") || !strcasecmp(key, "os"))
		set_level(t, false, n);
	else if (!strcasecmp(key, "e") || !strcasecmp(key, "edge"))
		rc = n ? p6_only(t, "edge detection") : 0, t->e.edge = n;
	else if (!strcasecmp(key, "i") || !strcasecmp(key, "inv"))
		rc = n ? p6_only(t, "inversion") : 0, t->e.inv = n;
	else if (strcasecmp(key, "pc"))
		return 0;
	return rc ? rc : 1;
}

/* "mesi": letters that are unit masks, one each. */
static bool set_umask_letters(struct event_text *t, const char *letters)
{
	uint8_t mask = 0;

	if (!t->e.event || t->e.event->umask_type != CAT_UMASK_BITS || !letters[0])
		return false;
	for (const char *s = letters; *s; s++) {
		const struct cat_umask *m = find_umask(t->e.event, (char[]){*s, 0});

		if (!m)
			return false;
		mask |= m->value;
	}
	t->e.umask = t->has_umask ? t->e.umask | mask : mask;
	t->has_umask = true;
	return true;
}

int event_part(struct event_text *t, const char *part)
{
	const struct cat_umask *mask = find_umask(t->e.event, part);
	const char *equals = strchr(part, '=');
	char key[16];
	unsigned n;
	int rc;

	if (mask)
		return add_umask(t, mask);
	if (equals && (size_t)(equals - part) < sizeof(key)) {
		memcpy(key, part, (size_t)(equals - part));
		key[equals - part] = 0;
		rc = set_value(t, key, equals + 1);
		if (rc)
			return rc < 0 ? rc : 0;
	}
	if (is_number(part, 255, &n)) {
		t->e.umask = (uint8_t)n;
		t->has_umask = true;
		return 0;
	}
	if (!strcasecmp(part, "c0") || !strcasecmp(part, "c1"))
		return set_counter(t, part[1] - '0');
	if (!strcasecmp(part, "edge"))
		return t->e.edge = true, p6_only(t, "edge detection");
	if (!strcasecmp(part, "inv"))
		return t->e.inv = true, p6_only(t, "inversion");
	if (!strncasecmp(part, "gt", 2) || !strncasecmp(part, "le", 2))
		if (isdigit((unsigned char)part[2]))
			return set_compare(t, part + 2, part[0] == 'l' || part[0] == 'L');
	if (!strcasecmp(part, "occ") || !strcasecmp(part, "clk")) {
		if (t->cpu->family != CAT_P5)
			return spmu_fail(t->err, SPMU_EINVAL,
					 "event %s: :%s is a switch of the Pentium's counters; %s "
					 "has :e (edge)",
					 t->all, part, t->cpu->name);
		t->e.clock_reading = tolower((unsigned char)part[0]) == 'o' ? 1 : 2;
		return 0;
	}
	rc = set_letters(t, part);
	if (rc)
		return rc < 0 ? rc : 0;
	if (set_umask_letters(t, part))
		return 0;
	if (part[0] && strspn(part, "ukpPhH") == strlen(part))
		return spmu_fail(t->err, SPMU_EINVAL,
				 "event %s: :%s asks for precise samples, which these processors "
				 "do not take; counts are exact without it",
				 t->all, part);
	if (t->e.event)
		return bad_umask(t, *part ? part : "(nothing)");
	return spmu_fail(t->err, SPMU_EINVAL,
			 "event %s: :%s is neither a unit mask nor one of u, k, e, i, c=N, c0, c1",
			 t->all, part);
}

int event_term(struct event_text *t, char *term)
{
	char *value = strchr(term, '=');
	unsigned n;
	int rc;

	if (value)
		*value++ = 0;
	if (!strcasecmp(term, "event")) {
		if (!value || !is_number(value, 255, &n))
			return spmu_fail(t->err, SPMU_EINVAL,
					 "event %s: event= takes a code from 0x00 to 0xff", t->all);
		t->is_literal = true;
		return event_find_code(t, n);
	}
	if (!strcasecmp(term, "config")) {
		unsigned config;
		char raw[16] = "r";

		if (!value || !is_number(value, 0xffffffff, &config))
			return spmu_fail(
			    t->err, SPMU_EINVAL,
			    "event %s: config= takes the 32 bits of PerfEvtSel as a number",
			    t->all);
		for (int i = 0; i < 8; i++)
			raw[1 + i] = "0123456789abcdef"[(config >> (28 - 4 * i)) & 15];
		return event_find(t, raw);
	}
	if (!strcasecmp(term, "name")) {
		size_t length = value ? strlen(value) : 0;

		if (length == 0 || length >= sizeof(t->e.name))
			return spmu_fail(t->err, SPMU_EINVAL,
					 "event %s: name= takes 1 to 127 characters", t->all);
		memcpy(t->e.name, value, length + 1);
		return 0;
	}
	rc = set_value(t, term, value ? value : "");
	if (rc)
		return rc < 0 ? rc : 0;
	if (!value && !t->e.event && !t->is_literal)
		return event_find(t, term);
	return spmu_fail(
	    t->err, SPMU_EINVAL,
	    "event %s: term %s is unknown; there are event, umask, cmask, inv, edge, pc, "
	    "config, name",
	    t->all, term);
}

/* Is the mask one that the event has? */
static bool has_mask(const struct cat_event *event, uint8_t umask)
{
	uint8_t bits = 0;

	if (event->umask_type == CAT_UMASK_NONE)
		return umask == 0;
	if (!umask && !cat_may_select_nothing(event))
		return false;
	for (unsigned i = 0; i < event->n_umask; i++) {
		if (event->umask[i].value == umask)
			return true;
		bits |= event->umask[i].value;
	}
	return event->umask_type == CAT_UMASK_BITS && !(umask & ~bits);
}

int event_finish(struct event_text *t)
{
	const struct cat_event *event = t->e.event;
	char given[8] = "0x00";

	if (!event)
		return 0;
	if (!t->has_umask && !t->is_literal)
		t->e.umask = event->default_umask;
	if (t->e.counter >= 0 && set_counter(t, t->e.counter))
		return -SPMU_EINVAL;
	if (has_mask(event, t->e.umask) || (t->is_literal && event->umask_type == CAT_UMASK_NONE))
		return 0;
	if (t->is_raw) {
		t->e.event = NULL;
		return 0;
	}
	given[2] = "0123456789abcdef"[t->e.umask >> 4];
	given[3] = "0123456789abcdef"[t->e.umask & 15];
	return bad_umask(t, given);
}
