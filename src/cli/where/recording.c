/* recording.c -- writes a finished run as a record: settings, processes, files, JIT names, times.
 */
#include "cli/where/recording.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/version.h"
#include "cli/where/jit.h"
#include "names/names.h"
#include "report/json.h"
#include "report/report.h"
#include "session/serve/family.h"
#include "session/serve/gate.h"
#include "session/totals/counting.h"

#define VERSION 1

static void put_geometry(json_t *o, const char *name, const struct mdl_geom *g)
{
	char text[48];

	if (!g->size_bytes)
		return;
	snprintf(text, sizeof(text), "%u:%u:%u", g->size_bytes, g->ways, g->line_bytes);
	json_object_set_new(o, name, json_string(text));
}

static void put_ranges(json_t *o, const char *name, const struct mdl_range *range, uint32_t n)
{
	json_t *list = n ? json_array() : NULL;
	char text[48];

	for (uint32_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%llx-%llx", (unsigned long long)range[i].from,
			 (unsigned long long)range[i].to);
		json_array_append_new(list, json_string(text));
	}
	if (list)
		json_object_set_new(o, name, list);
}

/* Returns an object with the settings of the machine that differ from the processor's own, and of
 * what part of the run was counted. Records whose settings differ cannot be compared. */
static json_t *settings(const struct ses_config *cfg)
{
	const struct mdl_config *m = &cfg->model;
	json_t *o = json_object();
	char clocks[32];

	put_geometry(o, "l1i", &m->l1i);
	put_geometry(o, "l1d", &m->l1d);
	put_geometry(o, "l2", &m->l2);
	put_geometry(o, "itlb", &m->itlb);
	put_geometry(o, "dtlb", &m->dtlb);
	put_ranges(o, "uncached", m->uncached, m->n_uncached);
	put_ranges(o, "deferred", m->p6.deferred, m->p6.n_deferred);
	if (m->n_cpus > 1)
		json_object_set_new(o, "cpus", json_integer(m->n_cpus));
	if (m->replace)
		json_object_set_new(o, "replace", json_integer(m->replace));
	if (m->phys)
		json_object_set_new(o, "phys", json_integer(m->phys));
	if (m->phys == MDL_PHYS_RANDOM)
		json_object_set_new(o, "phys_seed", json_integer((json_int_t)m->phys_seed));
	if (!m->has_walks)
		json_object_set_new(o, "walks", json_false());
	if (m->p5.has_errata)
		json_object_set_new(o, "errata", json_true());
	if (m->p6.sample_every) {
		snprintf(clocks, sizeof(clocks), "sampled:1/%u", m->p6.sample_every);
		json_object_set_new(o, "clocks", json_string(clocks));
	}
	if (cfg->gate && cfg->gate->region)
		json_object_set_new(o, "region", rpt_json_text(cfg->gate->region));
	else if (cfg->gate)
		json_object_set_new(o, "part", json_true());
	return o;
}

static json_t *event_list(const struct evt_events *events, const struct ses_result *run)
{
	json_t *list = json_array();

	for (size_t i = 0; i < events->n; i++) {
		const struct evt_count *c = &run->count[i];
		/* rows have numbers, and tell how far they may be off */
		const bool has_number =
		    c->status == EVT_COUNTED || c->status == EVT_TOO_FEW_SAMPLES;
		json_t *o = json_object();

		json_object_set_new(o, "name", rpt_json_text(events->event[i].name));
		json_object_set_new(o, "total",
				    json_integer(has_number ? (json_int_t)c->value : 0));
		if (c->half)
			json_object_set_new(o, "half", json_integer((json_int_t)c->half));
		if (c->half && ses_is_clocks(&events->event[i]))
			json_object_set_new(o, "replicates", json_integer(MDL_REPLICATES));
		if (!has_number) {
			json_object_set_new(o, "status", json_string(rpt_status_text(c->status)));
			json_object_set_new(o, "why", json_string(c->why ? c->why : ""));
		}
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *meta(const struct cli_run *r, const struct evt_events *events,
		    const struct ses_result *run, const char *trouble)
{
	json_t *o = json_object(), *command = json_array();
	char isa[8];

	for (char *const *a = r->cfg.argv; *a; a++)
		json_array_append_new(command, rpt_json_text(*a));
	json_object_set_new(o, "version", json_integer(VERSION));
	json_object_set_new(o, "command", command);
	json_object_set_new(o, "cpu", json_string(r->cfg.model.cpu->name));
	json_object_set_new(o, "settings", settings(&r->cfg));
	json_object_set_new(o, "isa", json_string(rpt_isa(run->isa_level, isa)));
	json_object_set_new(o, "tier", json_integer(run->tier));
	json_object_set_new(o, "instructions", json_integer((json_int_t)run->instructions));
	json_object_set_new(o, "events", event_list(events, run));
	if (trouble)
		json_object_set_new(o, "trouble", rpt_json_text(trouble));
	if (run->interrupted)
		json_object_set_new(o, "interrupted", json_true());
	return o;
}

/* The files of all processes, by path; as they were when the program ran. */
static void put_object(json_t *all, struct nm *names, const struct ses_trace_in *trace,
		       const char *path)
{
	const struct ses_trace_object *then =
	    trace ? ses_trace_objects_find(&trace->objects, path) : NULL;
	struct nm_identity id;
	json_t *o;

	if (*path != '/' || json_object_get(all, path))
		return;
	if (then)
		id.bytes = then->size;
	else
		id = nm_identify(names, path);
	o = json_object();
	json_object_set_new(o, "bytes", json_integer((json_int_t)id.bytes));
	json_object_set_new(o, "build_id", json_string(then ? then->build_id : id.build_id));
	json_object_set_new(all, path, o);
}

static json_t *objects(const struct ses_result *run, const struct ses_trace_in *trace,
		       uint32_t n_event)
{
	struct nm *names = nm_open();
	json_t *all = json_object();

	for (size_t i = 0; i < run->n_placed && names; i++) {
		struct rec_process p;

		if (!rec_process_get(&p, run->placed[i].bytes, run->placed[i].n, n_event, NULL))
			for (uint32_t k = 0; k < p.n_object; k++)
				put_object(all, names, trace, p.object[k]);
		rec_process_free(&p);
	}
	nm_close(names);
	return all;
}

/* What the JIT compiler of a process wrote: into files, or into its trace. */
static void read_names(const struct ses_placed *placed, const struct ses_trace_in *trace,
		       struct ses_jit_names *names)
{
	char *lines;
	size_t n;

	if (!trace) {
		ses_jit_read(names, placed->pid);
		return;
	}
	lines = ses_trace_in_names(trace, ses_family_birth_hash(placed->birth), &n);
	if (lines)
		ses_jit_parse(names, lines);
}

/* Returns the names that JIT compilers gave to the code that they made, by process. */
static json_t *jit_names(const struct ses_result *run, const struct ses_trace_in *trace,
			 struct ses_jit_names *kernel, uint32_t n_event)
{
	json_t *all = json_object();

	for (size_t i = 0; i < run->n_placed; i++) {
		struct ses_jit_names lines = {0};
		struct rec_process p;
		json_t *names = NULL;

		if (!kernel)
			read_names(&run->placed[i], trace, &lines);
		if (!rec_process_get(&p, run->placed[i].bytes, run->placed[i].n, n_event, NULL))
			names = cli_jit_names(&p, kernel ? kernel : &lines);
		ses_jit_free(&lines);
		if (names)
			json_object_set_new(all, p.birth, names);
		rec_process_free(&p);
	}
	return all;
}

/* Returns an object with all that may differ between two runs whose counts are equal. */
static json_t *times(const struct ses_result *run)
{
	json_t *o = json_object();
	char host[256] = "", date[32] = "";
	const time_t now = time(NULL);
	struct tm utc;

	gethostname(host, sizeof(host) - 1);
	if (gmtime_r(&now, &utc))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
	json_object_set_new(o, "date", json_string(date));
	json_object_set_new(o, "host", rpt_json_text(host));
	json_object_set_new(o, "softpmu", json_string(SPMU_VERSION));
	json_object_set_new(o, "input_digest", rpt_json_hex(run->input_digest));
	json_object_set_new(o, "elapsed_s", json_real(run->elapsed_s));
	json_object_set_new(o, "user_s", json_real(run->user_s));
	json_object_set_new(o, "sys_s", json_real(run->sys_s));
	return o;
}

int cli_recording(struct rec_out *out, const struct cli_run *r, const struct evt_events *events,
		  const struct ses_result *run, const struct ses_trace_in *trace,
		  struct ses_jit_names *kernel, const char *trouble)
{
	json_t *names;

	rec_out_json(out, "meta", meta(r, events, run, trouble));
	for (size_t i = 0; i < run->n_placed; i++) {
		const struct ses_placed *p = &run->placed[i];

		rec_out_section(out, "process", p->bytes, p->n);
		if (p->n_path)
			rec_out_section(out, "paths", p->bytes + p->n, p->n_path);
		if (p->n_replicate)
			rec_out_section(out, "replicas", p->bytes + p->n + p->n_path,
					p->n_replicate);
	}
	rec_out_json(out, "objects", objects(run, trace, (uint32_t)events->n));
	names = jit_names(run, trace, kernel, (uint32_t)events->n);
	if (json_object_size(names))
		rec_out_json(out, "jit", names);
	else
		json_decref(names);
	rec_out_json(out, "times", times(run));
	return out->bytes.is_lost ? -SPMU_ENOMEM : 0;
}
