/* trace_facts.c -- writes and reads the texts of a trace. Rules: trace_facts.h. */
#include "session/files/trace_facts.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"

#define MOST_ARGS 65536u

static const char *const isa_word[] = {"host", "v1", "v2", "v3", "v4", "cpu"};

/* A string of JSON; bytes that are no UTF-8 become question marks. */
static json_t *text_of(const char *s)
{
	json_t *text = json_string(s);
	char *plain;

	if (text)
		return text;
	plain = strdup(s);
	for (char *p = plain; p && *p; p++)
		if (*p & 0x80)
			*p = '?';
	text = plain ? json_string(plain) : NULL;
	free(plain);
	return text;
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static char *written(json_t *o)
{
	char *text = o ? json_dumps(o, JSON_INDENT(1)) : NULL;

	json_decref(o);
	return text;
}

char *ses_trace_head_text(const struct ses_config *cfg, int isa_level)
{
	json_t *o = json_object(), *argv = json_array();

	for (size_t i = 0; cfg->argv[i]; i++)
		json_array_append_new(argv, text_of(cfg->argv[i]));
	json_object_set_new(o, "version", json_string(SPMU_VERSION));
	json_object_set_new(o, "cpu", json_string(cfg->model.cpu->name));
	json_object_set_new(o, "seen", json_string(ses_seen_cpu(cfg)->name));
	json_object_set_new(o, "isa", json_string(cfg->isa < 0 ? "auto" : isa_word[cfg->isa]));
	json_object_set_new(o, "isa_level", number((uint64_t)isa_level));
	json_object_set_new(o, "seed", number(cfg->seed));
	json_object_set_new(o, "phys_seed", number(cfg->model.phys_seed));
	json_object_set_new(o, "cpus", number(cfg->model.n_cpus ? cfg->model.n_cpus : 1));
	json_object_set_new(o, "quantum", number(cfg->quantum));
	json_object_set_new(o, "has_model_clock", json_boolean(cfg->has_model_clock));
	json_object_set_new(o, "is_pce_clear", json_boolean(cfg->is_pce_clear));
	json_object_set_new(o, "argv", argv);
	return written(o);
}

char *ses_trace_end_text(const struct ses_result *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "instructions", number(r->instructions));
	json_object_set_new(o, "input_digest", number(r->input_digest));
	json_object_set_new(o, "processes", number(r->n_process));
	json_object_set_new(o, "threads", number(r->threads));
	json_object_set_new(o, "system_calls", number(r->syscalls));
	json_object_set_new(o, "signals", number(r->signals));
	json_object_set_new(o, "clock_looks", number(r->clock_looks));
	json_object_set_new(o, "time_looks", number(r->time_looks));
	json_object_set_new(o, "outside_events", number(r->outside_events));
	json_object_set_new(o, "wait_status", number((uint64_t)r->wait_status));
	json_object_set_new(o, "interrupt_signal", number((uint64_t)r->interrupt_signal));
	json_object_set_new(o, "is_timed_out", json_boolean(r->is_timed_out));
	return written(o);
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint64_t number_of(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

/* Printable, so that a terminal shows what is there. */
static char *printable(const char *s)
{
	char *copy = strdup(s);

	for (char *p = copy; p && *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return copy;
}

static void take_word(const json_t *o, const char *key, char *out, size_t room)
{
	const char *text = json_string_value(json_object_get(o, key));
	char *copy = printable(text ? text : "");

	snprintf(out, room, "%s", copy ? copy : "");
	free(copy);
}

/* Returns 0, -SPMU_ENOMEM, or -SPMU_EPROTO for what is no list of arguments. */
static int take_argv(const json_t *list, struct ses_trace_facts *f)
{
	const size_t n = json_array_size(list);

	if (!n || n > MOST_ARGS)
		return -SPMU_EPROTO;
	f->argv = calloc(n + 1, sizeof(*f->argv));
	if (!f->argv)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (!text)
			return -SPMU_EPROTO;
		f->argv[i] = printable(text);
		if (!f->argv[i])
			return -SPMU_ENOMEM;
	}
	return 0;
}

static void take_end(const json_t *o, struct ses_trace_facts *f)
{
	f->has_end = json_object_get(o, "instructions") != NULL;
	f->instructions = number_of(o, "instructions");
	f->input_digest = number_of(o, "input_digest");
	f->processes = number_of(o, "processes");
	f->threads = number_of(o, "threads");
	f->syscalls = number_of(o, "system_calls");
	f->signals = number_of(o, "signals");
	f->clock_looks = number_of(o, "clock_looks");
	f->time_looks = number_of(o, "time_looks");
	f->outside_events = number_of(o, "outside_events");
	f->wait_status = (int)number_of(o, "wait_status");
	f->interrupt_signal = (int)(number_of(o, "interrupt_signal") & 127);
	f->is_timed_out = json_is_true(json_object_get(o, "is_timed_out"));
}

int ses_trace_facts_read(const char *path, const char *head, const char *end,
			 struct ses_trace_facts *out, struct spmu_error *err)
{
	json_t *h = head ? json_loads(head, 0, NULL) : NULL;
	json_t *e = end ? json_loads(end, 0, NULL) : NULL;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = json_is_object(h) ? take_argv(json_object_get(h, "argv"), out) : -SPMU_EPROTO;
	take_word(h, "version", out->version, sizeof(out->version));
	take_word(h, "cpu", out->cpu, sizeof(out->cpu));
	take_word(h, "seen", out->seen, sizeof(out->seen));
	take_word(h, "isa", out->isa, sizeof(out->isa));
	out->isa_level = (int)number_of(h, "isa_level");
	out->seed = number_of(h, "seed");
	out->phys_seed = number_of(h, "phys_seed");
	out->n_cpus = (uint32_t)number_of(h, "cpus");
	out->quantum = (uint32_t)number_of(h, "quantum");
	out->has_model_clock = json_is_true(json_object_get(h, "has_model_clock"));
	out->is_pce_clear = json_is_true(json_object_get(h, "is_pce_clear"));
	if (json_is_object(e))
		take_end(e, out);
	json_decref(h);
	json_decref(e);
	if (rc == -SPMU_ENOMEM)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (!rc && (!cat_find_cpu(out->cpu) || !cat_find_cpu(out->seen) || !out->n_cpus ||
		    out->n_cpus > MDL_MAX_CPUS))
		rc = -SPMU_EPROTO;
	return rc ? spmu_fail(err, SPMU_EPROTO,
			      "the trace '%s' does not say how it was made; make it anew with "
			      "softpmu trace",
			      path)
		  : 0;
}

void ses_trace_facts_free(struct ses_trace_facts *f)
{
	for (size_t i = 0; f->argv && f->argv[i]; i++)
		free(f->argv[i]);
	free(f->argv);
	f->argv = NULL;
}
