/* json.c -- the whole run as one typed object: integers stay integers, 64-bit hashes are
 * strings. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/version.h"
#include "report/against/against.h"
#include "report/against/inputs.h"
#include "report/json.h"

#define JSON_SCHEMA 1

/* Texts of the program's command line may hold any bytes; JSON wants UTF-8. */
json_t *rpt_json_text(const char *s)
{
	json_t *text = json_string(s);
	char out[1024];
	size_t n = 0;

	if (text)
		return text;
	for (; *s && n < sizeof(out) - 1; s++)
		out[n++] = (unsigned char)*s < 0x80 ? *s : '?';
	out[n] = 0;
	return json_string(out);
}

json_t *rpt_json_hex(uint64_t value)
{
	char out[17];

	snprintf(out, sizeof(out), "%016" PRIx64, value);
	return json_string(out);
}

static const char *status_word(enum evt_status status)
{
	switch (status) {
	case EVT_COUNTED: return "counted";
	case EVT_NOT_MODELLED: return "not modelled";
	case EVT_CANNOT_OCCUR: return "cannot occur";
	case EVT_TOO_FEW_SAMPLES: return "too few samples";
	case EVT_NOT_COUNTED: return "not counted";
	case EVT_NOT_SUPPORTED: return "not supported";
	default: return "undefined";
	}
}

bool rpt_json_has_code(const struct rpt_report *r, size_t i)
{
	const struct evt_event *e = &r->events->event[i];

	return e->event || (!r->machine && !e->software && !e->why_not);
}

/* As they stand behind a name, always in one order; :u is what a model counts without it. */
static const char *modifiers(const struct evt_event *e, char out[40])
{
	int n = snprintf(out, 40, "%s%s%s", e->kernel && !e->user ? ":k" : "",
			 e->edge ? ":edge" : "", e->inv ? ":inv" : "");

	if (e->cmask)
		n += snprintf(out + n, 40 - (size_t)n, ":c=%u", e->cmask);
	if (e->counter >= 0 && e->event && e->event->family == CAT_P5)
		n += snprintf(out + n, 40 - (size_t)n, ":c%d", e->counter);
	if (e->clock_reading)
		snprintf(out + n, 40 - (size_t)n, e->clock_reading == 1 ? ":occ" : ":clk");
	return out;
}

void rpt_json_event_code(const struct evt_event *e, json_t *o)
{
	char text[40];

	if (e->event)
		json_object_set_new(o, "event", json_string(e->event->name));
	if (e->software || e->why_not)
		return;
	json_object_set_new(o, "code", json_integer(e->code));
	json_object_set_new(o, "umask", json_integer(e->umask));
	if (*modifiers(e, text))
		json_object_set_new(o, "modifiers", json_string(text));
}

/* The interval at 95 % of an estimate. */
static void put_interval(const struct evt_count *c, json_t *o)
{
	const uint64_t below = c->half < c->value ? c->half : c->value;

	if (!c->half || c->status != EVT_COUNTED)
		return;
	json_object_set_new(o, "low", json_integer((json_int_t)(c->value - below)));
	json_object_set_new(o, "high", json_integer((json_int_t)(c->value + c->half)));
}

json_t *rpt_json_event(const struct rpt_report *r, size_t i)
{
	const struct evt_event *e = &r->events->event[i];
	const struct evt_count *c = &r->count[i];
	json_t *o = json_object();

	json_object_set_new(o, "name", rpt_json_text(e->name));
	if (rpt_json_has_code(r, i))
		rpt_json_event_code(e, o);
	if (e->is_time || !strcmp(rpt_unit(r, i), "ns"))
		json_object_set_new(o, "unit", json_string("ns"));
	if (r->run[0].share && c->status == EVT_COUNTED) {
		json_object_set_new(o, "counted_ns", json_real(rpt_counted_ns(r, i)));
		json_object_set_new(o, "counted_percent", json_real(rpt_counted_percent(r, i)));
	}
	if (e->group >= 0)
		json_object_set_new(o, "group", json_integer(e->group));
	if (r->plan && r->plan->counter[i] >= 0) {
		json_object_set_new(o, "counter_run", json_integer(r->plan->run[i]));
		json_object_set_new(o, "counter", json_integer(r->plan->counter[i]));
	}
	json_object_set_new(o, "status", json_string(status_word(c->status)));
	if (c->status == EVT_COUNTED)
		json_object_set_new(o, "value", json_integer((json_int_t)c->value));
	else
		json_object_set_new(o, "why", json_string(c->why ? c->why : ""));
	put_interval(c, o);
	if (r->run[0].n_cpu && c->status == EVT_COUNTED) {
		json_t *own = json_array();

		for (size_t k = 0; k < r->run[0].n_cpu; k++)
			json_array_append_new(
			    own, json_integer(
				     (json_int_t)r->run[0].cpu_count[k * r->events->n + i].value));
		json_object_set_new(o, "per_cpu", own);
	}
	if (r->n_run > 1 && c->status == EVT_COUNTED) {
		json_t *values = json_array();

		for (size_t k = 0; k < r->n_run; k++)
			json_array_append_new(values,
					      json_integer((json_int_t)r->run[k].count[i].value));
		json_object_set_new(o, "values", values);
		json_object_set_new(o, "spread_percent", json_real(rpt_spread_percent(r, i)));
	}
	rpt_against_json_event(r, i, o);
	return o;
}

/* Counts of a part of the run. */
static json_t *part_events(const struct rpt_report *r, const struct evt_count *count)
{
	json_t *events = json_array();

	for (size_t i = 0; i < r->events->n; i++) {
		json_t *e = json_object();

		json_object_set_new(e, "name", rpt_json_text(r->events->event[i].name));
		json_object_set_new(e, "status", json_string(status_word(count[i].status)));
		if (count[i].status == EVT_COUNTED)
			json_object_set_new(e, "value", json_integer((json_int_t)count[i].value));
		put_interval(&count[i], e);
		json_array_append_new(events, e);
	}
	return events;
}

static json_t *regions(const struct rpt_report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->run[0].n_region; i++) {
		const struct ses_region *one = &r->run[0].region[i];
		json_t *o = json_object();

		json_object_set_new(o, "name", rpt_json_text(one->name));
		json_object_set_new(o, "times", json_integer((json_int_t)one->n_times));
		json_object_set_new(o, "instructions", json_integer((json_int_t)one->instructions));
		json_object_set_new(o, "events", part_events(r, one->count));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *threads(const struct rpt_report *r)
{
	json_t *list = json_array();

	for (size_t t = 0; t < r->run[0].n_thread; t++) {
		const struct ses_thread *one = &r->run[0].thread[t];
		json_t *o = json_object(), *events = part_events(r, one->count);

		json_object_set_new(o, "process", json_string(one->birth));
		json_object_set_new(o, "number", json_integer((json_int_t)one->number));
		json_object_set_new(o, "instructions", json_integer((json_int_t)one->instructions));
		json_object_set_new(o, "events", events);
		json_array_append_new(list, o);
	}
	return list;
}

json_t *rpt_json_metrics(const struct rpt_report *r)
{
	json_t *list = json_array();

	for (size_t k = 0; r->metrics && k < r->metrics->n; k++) {
		const struct evt_metric *m = &r->metrics->metric[k];
		struct evt_value v = evt_formula_value(&m->formula, r->events, r->count);
		json_t *o = json_object();

		json_object_set_new(o, "name", json_string(m->row->name));
		json_object_set_new(o, "unit", json_string(m->row->unit));
		json_object_set_new(o, "formula", json_string(m->row->formula));
		if (v.status == EVT_COUNTED)
			json_object_set_new(o, "value", json_real((double)v.value));
		else
			json_object_set_new(o, "why", json_string(v.why ? v.why : ""));
		if (v.status == EVT_COUNTED && v.half > 0) {
			json_object_set_new(o, "low", json_real((double)(v.value - v.half)));
			json_object_set_new(o, "high", json_real((double)(v.value + v.half)));
		}
		json_array_append_new(list, o);
	}
	return list;
}

/* Counts of each process, of the first run. */
static json_t *processes(const struct rpt_report *r)
{
	const struct ses_result *run = &r->run[0];
	json_t *list = json_array();

	for (size_t i = 0; i < run->n_process; i++) {
		const struct ses_process *p = &run->process[i];
		json_t *o = json_object(), *counts = json_array();

		for (size_t k = 0; k < r->events->n; k++) {
			json_t *c = json_object();

			json_object_set_new(c, "name", rpt_json_text(r->events->event[k].name));
			json_object_set_new(c, "status",
					    json_string(status_word(p->count[k].status)));
			if (p->count[k].status == EVT_COUNTED)
				json_object_set_new(c, "value",
						    json_integer((json_int_t)p->count[k].value));
			json_array_append_new(counts, c);
		}
		json_object_set_new(o, "birth", json_string(p->birth));
		json_object_set_new(o, "program", rpt_json_text(p->program));
		json_object_set_new(o, "instructions", json_integer((json_int_t)p->instructions));
		json_object_set_new(o, "input_digest", rpt_json_hex(p->input_digest));
		json_object_set_new(o, "events", counts);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *left(const struct ses_result *run)
{
	json_t *list = json_array();

	for (size_t i = 0; i < run->n_left; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "pid", json_integer(run->left[i].pid));
		json_object_set_new(o, "program", rpt_json_text(run->left[i].program));
		json_array_append_new(list, o);
	}
	return list;
}

void rpt_json_range(json_t *o, const struct rpt_report *r)
{
	if (!r->from_insn && !r->to_insn && !r->from_mark && !r->to_mark)
		return;
	json_object_set_new(o, "from",
			    r->from_mark ? rpt_json_text(r->from_mark)
					 : json_integer((json_int_t)r->from_insn));
	if (r->to_mark)
		json_object_set_new(o, "to", rpt_json_text(r->to_mark));
	else if (r->to_insn)
		json_object_set_new(o, "to", json_integer((json_int_t)r->to_insn));
}

json_t *rpt_json_ending(const struct rpt_report *r)
{
	const struct ses_result *last = &r->run[r->n_run - 1];
	int status = last->wait_status;
	json_t *o = json_object();

	if (r->trouble)
		json_object_set_new(o, "trouble", rpt_json_text(r->trouble));
	if (WIFSIGNALED(status))
		json_object_set_new(o, "signal", json_integer(WTERMSIG(status)));
	else
		json_object_set_new(o, "exit", json_integer(WEXITSTATUS(status)));
	if (last->interrupted)
		json_object_set_new(o, "interrupted", json_true());
	if (last->n_left)
		json_object_set_new(o, last->interrupted ? "waited_for" : "left", left(last));
	return o;
}

static json_t *journal(const struct ses_journal_end *j)
{
	static const char *const state[] = {[SES_JOURNAL_WRITTEN] = "written",
					    [SES_JOURNAL_SAME] = "same",
					    [SES_JOURNAL_DIFFERS] = "differs"};
	json_t *o = json_object();

	json_object_set_new(o, "state", json_string(state[j->state]));
	json_object_set_new(o, "calls", json_integer((json_int_t)j->n));
	json_object_set_new(o, "processes", json_integer((json_int_t)j->n_process));
	if (j->state == SES_JOURNAL_DIFFERS) {
		json_object_set_new(o, "process", json_string(j->birth));
		json_object_set_new(o, "was", json_string(j->was));
		json_object_set_new(o, "is", json_string(j->is));
	}
	return o;
}

static json_t *shares(const struct ses_result *run)
{
	json_t *o = json_object();

	json_object_set_new(o, "instructions", json_integer((json_int_t)run->instructions));
	json_object_set_new(o, "later_instructions", json_integer((json_int_t)run->later.all));
	json_object_set_new(o, "host_dependent", json_integer((json_int_t)run->host_dependent));
	json_object_set_new(o, "system_calls", json_integer((json_int_t)run->syscalls));
	json_object_set_new(o, "signals", json_integer((json_int_t)run->signals));
	json_object_set_new(o, "processes", json_integer((json_int_t)run->n_process));
	json_object_set_new(o, "clock_looks", json_integer((json_int_t)run->clock_looks));
	json_object_set_new(o, "time_looks", json_integer((json_int_t)run->time_looks));
	json_object_set_new(o, "threads", json_integer((json_int_t)run->threads));
	if (run->journal.state != SES_JOURNAL_NONE)
		json_object_set_new(o, "journal", journal(&run->journal));
	json_object_set_new(o, "outside_events", json_integer((json_int_t)run->outside_events));
	json_object_set_new(o, "host_signals", json_integer((json_int_t)run->host_signals));
	return o;
}

json_t *rpt_json_times(const struct rpt_report *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "elapsed_s", json_real(rpt_mean_seconds(r, rpt_elapsed, NULL)));
	json_object_set_new(o, "user_s", json_real(rpt_mean_seconds(r, rpt_user, NULL)));
	json_object_set_new(o, "sys_s", json_real(rpt_mean_seconds(r, rpt_sys, NULL)));
	return o;
}

/* Add the members about the model, and about the program as the model saw it. */
static void put_model(const struct rpt_report *r, json_t *o)
{
	const struct ses_result *run = &r->run[0];
	char isa[8], clocks[32];

	if (r->sample_every) {
		snprintf(clocks, sizeof(clocks), "sampled:1/%u", r->sample_every);
		json_object_set_new(o, "clocks", json_string(clocks));
	}
	json_object_set_new(o, "cpu", json_string(r->cpu->name));
	json_object_set_new(o, "cpus", json_integer(r->n_cpus));
	json_object_set_new(o, "seed", json_integer((json_int_t)r->seed));
	rpt_json_range(o, r);
	json_object_set_new(o, "tier", json_integer(run->tier));
	json_object_set_new(o, "isa", json_string(rpt_isa(run->isa_level, isa)));
	json_object_set_new(o, "input_digest", rpt_json_hex(run->input_digest));
	if (r->wrong_path)
		json_object_set_new(o, "wrong_path", json_string(r->wrong_path));
}

static json_t *tags(const struct rpt_report *r)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < r->n_tag; i++) {
		const char *value = strchr(r->tag[i], '=');
		char *name = strndup(r->tag[i], (size_t)(value - r->tag[i]));

		if (name)
			json_object_set_new(o, name, rpt_json_text(value + 1));
		free(name);
	}
	return o;
}

int rpt_json(const struct rpt_report *r, FILE *out)
{
	const struct ses_result *run = &r->run[0];
	json_t *o = json_object(), *argv = json_array(), *events = json_array(),
	       *notes = json_array();
	char text[400];
	int rc;

	for (size_t i = 0; r->argv[i]; i++)
		json_array_append_new(argv, rpt_json_text(r->argv[i]));
	for (size_t i = 0; i < r->events->n; i++)
		json_array_append_new(events, rpt_json_event(r, i));
	for (unsigned i = 0; rpt_note(r, i, false, text, sizeof(text)); i++)
		json_array_append_new(notes, rpt_json_text(text));
	json_object_set_new(o, "schema", json_integer(JSON_SCHEMA));
	json_object_set_new(o, "version", json_string(SPMU_VERSION));
	json_object_set_new(o, "backend", json_string(r->machine ? "hw" : "soft"));
	json_object_set_new(o, "program", argv);
	if (r->n_tag)
		json_object_set_new(o, "tags", tags(r));
	json_object_set_new(o, "runs", json_integer((json_int_t)r->n_run));
	if (r->machine)
		json_object_set_new(o, "machine", json_string(r->machine));
	else
		put_model(r, o);
	json_object_set_new(o, "ending", rpt_json_ending(r));
	json_object_set_new(o, "events", events);
	if (run->n_thread)
		json_object_set_new(o, "threads", threads(r));
	if (run->region)
		json_object_set_new(o, "regions", regions(r));
	if (rpt_has_processes(r))
		json_object_set_new(o, "processes", processes(r));
	json_object_set_new(o, "metrics", rpt_json_metrics(r));
	if (!r->machine)
		json_object_set_new(o, "shares", shares(run));
	json_object_set_new(o, "time", rpt_json_times(r));
	json_object_set_new(o, "notes", notes);
	if (run->input)
		json_object_set_new(o, "inputs", rpt_json_inputs(r, run));
	if (r->against)
		json_object_set_new(o, "against", rpt_against_json(r));
	rc = json_dumpf(o, out,
			r->is_next_interval
			    ? JSON_COMPACT
			    : JSON_INDENT(2)); /* one line behind those of intervals */
	fputc('\n', out);
	json_decref(o);
	return rc ? -SPMU_ENOMEM : 0;
}

int rpt_interval_json(const struct rpt_report *r, FILE *out)
{
	json_t *o = json_object(), *events = json_array();
	int rc;

	for (size_t i = 0; i < r->events->n; i++)
		json_array_append_new(events, rpt_json_event(r, i));
	if (r->has_insn_intervals)
		json_object_set_new(o, "interval", json_integer(atoll(r->interval)));
	else
		json_object_set_new(o, "interval", json_real(atof(r->interval)));
	json_object_set_new(o, "events", events);
	json_object_set_new(o, "metrics", rpt_json_metrics(r));
	rc = json_dumpf(o, out, JSON_COMPACT);
	fputc('\n', out);
	json_decref(o);
	return rc ? -SPMU_ENOMEM : 0;
}
