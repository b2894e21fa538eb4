/* against.c -- reads an older report and finds its counts. Rules are in against.h.
 *
 * The text is a sequence of objects: reports of stat --json, of which the last one holds, or lines
 * of perf's JSON. Each name is resolved on the processor first, so that two spellings of one event
 * meet.
 */
#include "report/against/against.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "report/against/inputs.h"
#include "report/json.h"

struct rpt_against {
	char *path;
	json_t *events; /* array of objects with "name" and, where it was counted, "value"; owned */
	json_t *inputs; /* as rpt_json_inputs() makes it, or NULL; owned */
	char cpu[64];	/* the processor whose events these are; "": not given */
};

/* All of f, NUL terminated: *text is the caller's. Returns 0, -SPMU_ENOMEM, -SPMU_EINVAL (too
 * large), -SPMU_ESYS. */
static int read_all(FILE *f, char **text, size_t *n)
{
	size_t room = 65536, did;

	*n = 0;
	*text = malloc(room);
	if (!*text)
		return -SPMU_ENOMEM;
	while ((did = fread(*text + *n, 1, room - 1 - *n, f)) > 0) {
		char *more;

		*n += did;
		if (*n > RPT_AGAINST_MOST)
			return -SPMU_EINVAL;
		if (*n + 1 < room)
			continue;
		more = realloc(*text, room *= 2);
		if (!more)
			return -SPMU_ENOMEM;
		*text = more;
	}
	(*text)[*n] = 0;
	return ferror(f) ? -SPMU_ESYS : 0;
}

/* The text of the file: *text is the caller's. Returns as rpt_against_open(). */
static int read_file(const char *path, char **text, size_t *n, struct spmu_error *err)
{
	FILE *f = fopen(path, "re");
	int rc;

	*text = NULL;
	if (!f)
		return spmu_fail(err, errno == ENOENT ? SPMU_ENOENT : SPMU_ESYS,
				 "--against %s: %s; softpmu stat --json -o %s makes it", path,
				 strerror(errno), path);
	rc = read_all(f, text, n);
	if (rc == -SPMU_ESYS)
		spmu_fail(err, -rc, "--against %s: cannot read it: %s", path, strerror(errno));
	else if (rc == -SPMU_EINVAL)
		spmu_fail(err, -rc, "--against %s: more than %u MiB, which is no report of stat",
			  path, RPT_AGAINST_MOST >> 20);
	else if (rc)
		spmu_fail(err, -rc, "out of memory");
	fclose(f);
	return rc;
}

/* A line of perf's JSON. */
static void take_line(struct rpt_against *a, const json_t *o)
{
	const char *name = json_string_value(json_object_get(o, "event"));
	const char *value = json_string_value(json_object_get(o, "counter-value"));
	json_t *event;
	char *end;
	double n;

	if (!name || !value || json_object_get(o, "interval") || json_object_get(o, "process") ||
	    json_object_get(o, "thread") || json_object_get(o, "region") ||
	    json_object_get(o, "processor"))
		return;
	n = strtod(value, &end);
	event = json_object();
	json_object_set_new(event, "name", json_string(name));
	if (end != value && n >= 0 && n < 1e18)
		json_object_set_new(event, "value", json_integer((json_int_t)n));
	json_array_append_new(a->events, event);
}

static void take_object(struct rpt_against *a, const json_t *o)
{
	json_t *events = json_object_get(o, "events"), *inputs = json_object_get(o, "inputs"),
	       *cpu = json_object_get(o, "cpu");

	if (!json_object_get(o, "schema") || !json_is_array(events)) {
		take_line(a, o);
		return;
	}
	json_decref(a->events);
	json_decref(a->inputs);
	a->events = json_incref(events);
	a->inputs = json_is_object(inputs) ? json_incref(inputs) : NULL;
	snprintf(a->cpu, sizeof(a->cpu), "%s", json_is_string(cpu) ? json_string_value(cpu) : "");
}

/* The objects of text[0..n). Returns false when that is no sequence of objects, or there is no
 * count among them. */
static bool take_text(struct rpt_against *a, const char *text, size_t n)
{
	json_error_t trouble = {0};
	size_t at = 0;

	while (at < n) {
		json_t *o = json_loadb(text + at, n - at, JSON_DISABLE_EOF_CHECK, &trouble);

		if (!o || trouble.position <= 0)
			return false;
		take_object(a, o);
		json_decref(o);
		at += (size_t)trouble.position;
		at += strspn(text + at, " \t\r\n");
	}
	return json_array_size(a->events) > 0;
}

int rpt_against_open(const char *path, struct rpt_against **out, struct spmu_error *err)
{
	struct rpt_against *a = calloc(1, sizeof(*a));
	char *text = NULL;
	size_t n = 0;
	int rc;

	*out = NULL;
	if (!a)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	rc = read_file(path, &text, &n, err);
	a->path = strdup(path);
	a->events = json_array();
	if (!rc && !a->path)
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (!rc && !take_text(a, text, n))
		rc = spmu_fail(err, SPMU_EINVAL,
			       "--against: %s is not a report of softpmu stat --json on one "
			       "processor; softpmu stat --json -o FILE makes one",
			       path);
	free(text);
	if (rc)
		rpt_against_close(a);
	else
		*out = a;
	return rc;
}

void rpt_against_close(struct rpt_against *a)
{
	if (!a)
		return;
	json_decref(a->events);
	json_decref(a->inputs);
	free(a->path);
	free(a);
}

char *rpt_against_events(const struct rpt_against *a)
{
	size_t room = 1, at = 0;
	char *list;

	for (size_t i = 0; i < json_array_size(a->events); i++)
		room +=
		    json_string_length(json_object_get(json_array_get(a->events, i), "name")) + 1;
	list = room > 1 ? malloc(room) : NULL;
	for (size_t i = 0; list && i < json_array_size(a->events); i++) {
		const char *name =
		    json_string_value(json_object_get(json_array_get(a->events, i), "name"));

		if (name && *name)
			at += (size_t)sprintf(list + at, "%s%s", at ? "," : "", name);
	}
	if (list && !at)
		list = (free(list), NULL);
	return list;
}

/* The old event e is what its name means on the processor, or what its name says alone. */
static int resolve(json_t *e, const struct cat_cpu *cpu)
{
	const char *name = json_string_value(json_object_get(e, "name"));
	struct evt_event is;
	struct spmu_error err;
	const int rc = name ? evt_parse_event(cpu, name, true, &is, &err) : -SPMU_EINVAL;

	json_object_del(e, "event");
	json_object_del(e, "code");
	json_object_del(e, "umask");
	json_object_del(e, "modifiers");
	if (!rc)
		rpt_json_event_code(&is, e);
	return rc == -SPMU_ENOMEM ? rc : 0;
}

int rpt_against_resolve(struct rpt_against *a, const struct cat_cpu *cpu)
{
	int rc = 0;

	for (size_t i = 0;
	     cpu && strcmp(a->cpu, cpu->name) && i < json_array_size(a->events) && !rc; i++)
		rc = resolve(json_array_get(a->events, i), cpu);
	return rc;
}

static bool is_same_text(const json_t *a, const json_t *b, const char *key)
{
	const char *x = json_string_value(json_object_get(a, key)),
		   *y = json_string_value(json_object_get(b, key));

	return !strcmp(x ? x : "", y ? y : "");
}

static bool is_same_number(const json_t *a, const json_t *b, const char *key)
{
	return json_integer_value(json_object_get(a, key)) ==
	       json_integer_value(json_object_get(b, key));
}

/* Returns true if the old event is the event with this name and code. Codes decide if both have
 * one. */
static bool is_event(const json_t *old, const char *name, const json_t *code)
{
	const char *own = json_string_value(json_object_get(old, "name"));

	if (json_object_get(old, "code") && json_object_get(code, "code"))
		return is_same_text(old, code, "event") && is_same_number(old, code, "code") &&
		       is_same_number(old, code, "umask") && is_same_text(old, code, "modifiers");
	return own && !strcasecmp(own, name);
}

/* Event i of the report in the older one, or NULL. */
static const json_t *find_event(const struct rpt_report *r, size_t i)
{
	const struct evt_event *e = &r->events->event[i];
	const json_t *list = r->against->events, *found = NULL;
	json_t *code = json_object();

	if (rpt_json_has_code(r, i))
		rpt_json_event_code(e, code);
	for (size_t k = 0; k < json_array_size(list) && !found; k++)
		if (is_event(json_array_get(list, k), e->name, code))
			found = json_array_get(list, k);
	json_decref(code);
	return found;
}

bool rpt_against_was(const struct rpt_report *r, size_t i, struct evt_count *was)
{
	const json_t *old = find_event(r, i), *value = json_object_get(old, "value"),
		     *low = json_object_get(old, "low");

	*was = (struct evt_count){.status = EVT_NOT_COUNTED};
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return false;
	*was =
	    (struct evt_count){.value = (uint64_t)json_integer_value(value), .status = EVT_COUNTED};
	if (json_is_integer(low) && json_integer_value(low) >= 0 &&
	    json_integer_value(low) <= json_integer_value(value))
		was->half = (uint64_t)(json_integer_value(value) - json_integer_value(low));
	return true;
}

/* Two runs take their samples apart from each other. */
double rpt_against_half(const struct evt_count *was, const struct evt_count *is)
{
	return hypot((double)was->half, (double)is->half);
}

/* Returns true if the change is larger than the intervals of both counts explain. */
static bool is_changed(const struct evt_count *was, const struct evt_count *is)
{
	const uint64_t more =
	    is->value > was->value ? is->value - was->value : was->value - is->value;

	return was->half || is->half ? (double)more > rpt_against_half(was, is) : more != 0;
}

/* Returns true for a figure of the host (task-clock and the like), which differs from run to run.
 */
static bool is_of_host(const struct rpt_report *r, size_t i)
{
	return r->events->event[i].software != 0 || r->events->event[i].is_time;
}

static double percent(uint64_t was, uint64_t is)
{
	return 100 * ((double)is - (double)was) / (double)was;
}

/* "was 10,000, +3.35 %", of an estimate "+3.35 +-0.80 %", and "as before +-0.80 %" where the
 * intervals explain the change. */
static void say_part(const struct evt_count *was, const struct evt_count *is, const char *old,
		     char *out, size_t room)
{
	const double by = percent(was->value, is->value),
		     half = 100 * rpt_against_half(was, is) / (double)was->value;

	if (!is_changed(was, is))
		snprintf(out, room, "was %s, as before +-%.2f %%", old, half);
	else if (half > 0)
		snprintf(out, room, "was %s, %+.2f +-%.2f %%", old, by, half);
	else
		snprintf(out, room, "was %s, %+.2f %%", old, by);
}

bool rpt_against_text(const struct rpt_report *r, size_t i, char *out, size_t room)
{
	const struct evt_count *c = &r->count[i];
	struct evt_count was, more = {.status = EVT_COUNTED};
	char old[40], number[40];
	bool is_estimate, is_part;

	if (!rpt_against_was(r, i, &was)) {
		snprintf(out, room,
			 c->status == EVT_COUNTED || !find_event(r, i) ? "not counted then"
								       : "as before");
		return false;
	}
	rpt_value(r, i, &was, r->has_big_num, old);
	more.value = c->value > was.value ? c->value - was.value : was.value - c->value;
	rpt_value(r, i, &more, r->has_big_num, number);
	is_estimate = was.half || c->half;
	is_part = was.value && fabs(percent(was.value, c->value)) < 1e6;
	if (c->status != EVT_COUNTED)
		snprintf(out, room, "was %s", old);
	else if (!more.value && !is_estimate)
		snprintf(out, room, "as before");
	else if (is_part && (is_estimate || fabs(percent(was.value, c->value)) >= 0.01))
		say_part(&was, c, old, out, room);
	else
		snprintf(out, room, "was %s, %s%s", old, c->value > was.value ? "+" : "-", number);
	return c->status != EVT_COUNTED || (r->broken && r->broken[i]) ||
	       (is_changed(&was, c) &&
		100 * (double)more.value > RPT_AGAINST_PERCENT * (double)was.value);
}

bool rpt_against_metric(const struct rpt_report *r, const struct evt_metric *m, double *value)
{
	struct evt_count *was = calloc(r->events->n + 1, sizeof(*was));
	struct evt_value v;

	if (!was)
		return false;
	for (size_t i = 0; i < r->events->n; i++)
		rpt_against_was(r, i, &was[i]);
	v = evt_formula_value(&m->formula, r->events, was);
	free(was);
	*value = (double)v.value;
	return v.status == EVT_COUNTED;
}

struct rpt_compared rpt_against_compared(const struct rpt_report *r)
{
	struct rpt_compared c = {0};
	struct evt_count was;

	for (size_t i = 0; i < r->events->n; i++) {
		const bool has_now = r->count[i].status == EVT_COUNTED,
			   has_then = rpt_against_was(r, i, &was);

		if (is_of_host(r, i))
			continue;
		c.n += has_now && has_then;
		c.n_missing += has_now != has_then || (!has_now && !find_event(r, i));
		c.n_differ += has_now && has_then && is_changed(&was, &r->count[i]);
	}
	return c;
}

#define COUNTS_BYTES 128u /* room for what say_counts() writes */

/* Writes what became of the counts, as part of a sentence, to out. Returns out. */
static const char *say_counts(const struct rpt_report *r, char *out, size_t room)
{
	const struct rpt_compared c = rpt_against_compared(r);
	const size_t all = c.n + c.n_missing;

	if (!all)
		snprintf(out, room, "figures of this machine are not compared");
	else if (!c.n)
		snprintf(out, room, "%s counted then: nothing is compared",
			 text_noun(all, "the event was not", "none of the events was"));
	else if (c.n_missing)
		snprintf(out, room, "%zu of %zu events %s counted then and now, and %s", c.n, all,
			 text_noun(c.n, "was", "were"),
			 c.n_differ ? "their counts differ" : "their counts are as before");
	else
		snprintf(out, room, "%s",
			 c.n_differ ? "counts differ" : "every count is as before");
	return out;
}

/* Finds difference number `wanted` of those that rpt_inputs_differ() reports. */
struct pick {
	unsigned at, wanted;
	char text[RPT_DIFFERENCE_BYTES];
};

static void pick(void *ctx, const char *difference)
{
	struct pick *p = ctx;

	if (p->at++ == p->wanted)
		snprintf(p->text, sizeof(p->text), "%s", difference);
}

/* The sentence without a difference of the inputs. */
static void say_none(const struct rpt_report *r, const json_t *is, char *out, size_t room)
{
	const struct rpt_compared c = rpt_against_compared(r);
	char counts[COUNTS_BYTES], signals[RPT_SIGNALS_BYTES];

	if (c.n && !c.n_differ && !c.n_missing)
		snprintf(out, room, "against %.120s: every count and every input is as before",
			 r->against->path);
	else if (!c.n_differ)
		snprintf(out, room, "against %.120s: %s; every input is as before",
			 r->against->path, say_counts(r, counts, sizeof(counts)));
	else if (rpt_answers_differ(r->against->inputs, is))
		snprintf(out, room,
			 "against %.120s: counts differ, and no argument, variable or file does, "
			 "but what system calls "
			 "answered; --journal FILE, in both runs, names the first",
			 r->against->path);
	else
		snprintf(out, room,
			 "against %.120s: counts differ and no input does; times of files, clocks, "
			 "or %s may be why; --journal FILE, in both runs, names the first "
			 "call that differs",
			 r->against->path, rpt_signals_decide(is, signals));
}

/* The sentence with the first difference, and how many more there are. */
static void say_first(const struct rpt_report *r, const char *first, unsigned more, bool is_short,
		      char *out, size_t room)
{
	char others[64] = "", counts[128];
	const struct rpt_compared c = rpt_against_compared(r);

	if (more)
		snprintf(others, sizeof(others), "; %u more differ%s%s", more, more == 1 ? "s" : "",
			 !is_short   ? ""
			 : more == 1 ? " (-v names it)"
				     : " (-v names them)");
	snprintf(out, room, "against %.120s: %s%s; the first input: %s%s", r->against->path,
		 say_counts(r, counts, sizeof(counts)),
		 c.n && !c.n_differ ? ", inputs are not" : "", first, others);
}

bool rpt_against_note(const struct rpt_report *r, unsigned i, bool is_short, char *out, size_t room)
{
	struct pick p = {.wanted = i};
	char counts[COUNTS_BYTES];
	json_t *is;
	unsigned n;

	if (!r->against || (i && is_short))
		return false;
	if (!r->against->inputs || !r->run[0].input) {
		snprintf(
		    out, room,
		    "against %.120s: %s; it keeps no inputs to compare with (stat --json does)",
		    r->against->path, say_counts(r, counts, sizeof(counts)));
		return !i;
	}
	is = rpt_json_inputs(r, &r->run[0]);
	n = rpt_inputs_differ(r->against->inputs, is, !is_short || !r->is_on_error, pick, &p);
	if (!n && is_short && rpt_against_compared(r).n_differ)
		n = rpt_inputs_differ(r->against->inputs, is, true, pick, &p);
	if (i)
		snprintf(out, room, "%s", p.text);
	else if (!n)
		say_none(r, is, out, room);
	else
		say_first(r, p.text, n - 1, is_short, out, room);
	json_decref(is);
	return !i || i < n;
}

void rpt_against_json_event(const struct rpt_report *r, size_t i, json_t *event)
{
	const struct evt_count *c = &r->count[i];
	struct evt_count was;

	if (!r->against || !rpt_against_was(r, i, &was))
		return;
	json_object_set_new(event, "was", json_integer((json_int_t)was.value));
	if (was.half) {
		json_object_set_new(event, "was_low",
				    json_integer((json_int_t)(was.value - was.half)));
		json_object_set_new(event, "was_high",
				    json_integer((json_int_t)(was.value + was.half)));
	}
	if (r->broken && r->broken[i])
		json_object_set_new(event, "broken", rpt_json_text(r->broken[i]));
	if (c->status != EVT_COUNTED || !was.value)
		return;
	json_object_set_new(event, "change_percent", json_real(percent(was.value, c->value)));
	if (was.half || c->half)
		json_object_set_new(event, "change_half_percent",
				    json_real(100 * rpt_against_half(&was, c) / (double)was.value));
}

const char *rpt_against_is_other(const struct rpt_report *r, char *out, size_t room)
{
	char first[RPT_DIFFERENCE_BYTES];
	bool is_other;
	json_t *is;

	if (r->machine && *r->against->cpu) {
		snprintf(out, room, "it is of a model of %.60s, not of this machine's counters",
			 r->against->cpu);
		return out;
	}
	if (!r->against->inputs || !r->run[0].input)
		return NULL;
	is = rpt_json_inputs(r, &r->run[0]);
	is_other = rpt_machines_differ(r->against->inputs, is, first);
	json_decref(is);
	snprintf(out, room, "%s", first);
	return is_other ? out : NULL;
}

static void append_difference(void *ctx, const char *difference)
{
	json_array_append_new(ctx, json_string(difference));
}

json_t *rpt_against_json(const struct rpt_report *r)
{
	const struct rpt_compared c = rpt_against_compared(r);
	json_t *o = json_object(), *list = json_array(), *is;

	json_object_set_new(o, "file", json_string(r->against->path));
	json_object_set_new(o, "counts_compared", json_integer((json_int_t)c.n));
	json_object_set_new(o, "counts_missing", json_integer((json_int_t)c.n_missing));
	json_object_set_new(o, "counts_differ", json_integer((json_int_t)c.n_differ));
	if (r->against->inputs && r->run[0].input) {
		is = rpt_json_inputs(r, &r->run[0]);
		rpt_inputs_differ(r->against->inputs, is, true, append_difference, list);
		json_object_set_new(o, "system_calls_differ",
				    json_boolean(rpt_answers_differ(r->against->inputs, is)));
		json_object_set(o, "inputs_differ", list);
		json_decref(is);
	}
	json_decref(list);
	return o;
}
