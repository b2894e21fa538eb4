/* engine.c -- one counted run with the software backend: guest process, translator, model.
 *
 * The order of things: find the program, build the shared areas and the model, start the guest,
 * serve it until it is gone, read the wires. One cleanup label; every part accepts being half
 * built.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "model/model.h"
#include "session/serve/areas.h"
#include "session/totals/columns.h"
#include "session/totals/counting.h"
#include "session/machine/cpuid.h"
#include "session/inputs/inputs.h"
#include "session/serve/interval_book.h"
#include "session/machine/limits.h"
#include "session/machine/model_trouble.h"
#include "session/machine/probes.h"
#include "session/machine/workers.h"
#include "session/totals/processors.h"
#include "session/program/program.h"
#include "session/totals/remarks.h"
#include "session/totals/times.h"
#include "session/totals/result.h"
#include "session/serve/placed.h"
#include "session/serve/serve.h"
#include "session/session.h"
#include "session/program/spawn.h"
#include "session/program/start_data.h"
#include "session/serve/tally.h"
#include "trace/record.h"
#include "trace/share.h"
#include "translate/translate.h"

/* Everything that lives as long as one run. */
struct run {
	const struct ses_config *cfg;
	struct spmu_error *err;
	struct ses_program program;
	char **argv;
	struct ses_areas areas;
	struct ses_inherited inherited;
	struct ses_open_fds given; /* descriptors that were open before the run */
	struct x86_store *store;
	struct xlt *translator;
	struct xlt_shelf *shelf;
	struct mdl *model;
	struct wires *wires;
	struct ses_columns columns;
	struct ses_family family;
	struct ses_inputs *inputs; /* or NULL */
	struct ses_server server;
	int tier;	    /* what is counted: 1 counts, 2 structures, 3 time */
	bool lacks_threads; /* one thread works clocks out, because no others can be started */
	bool rises; /* 1 for now, and ready_tier from the moment when the program asks for it */
	struct ses_times times;
};

static const char *env_value(char *const *envp, const char *name)
{
	size_t n = strlen(name);

	for (; envp && *envp; envp++)
		if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=')
			return *envp + n + 1;
	return NULL;
}

/* 32-bit programs are of the time of the modelled processors and choose code by CPUID: they see the
 * modelled one as it was (decision 013). */
static int choose_isa(struct run *r, int *isa)
{
	const struct ses_program *p = &r->program;
	int asked = 0;

	*isa = (int)r->cfg->isa;
	if (r->cfg->isa == SES_ISA_AUTO) {
		asked = p->isa_level;
		*isa = p->is_32 ? SES_ISA_CPU : ses_default_isa(asked);
	}
	if (*isa == SES_ISA_CPU && !p->is_32)
		return spmu_fail(r->err, SPMU_ENOTSUP,
				 "--isa cpu: %s is a 64-bit program, which cannot run on a "
				 "processor without "
				 "SSE2; use v1, v2, v3, v4 or host",
				 p->path);
	return ses_check_isa(*isa, asked, ses_host_isa_level(), r->err);
}

static void fill_server(struct run *r)
{
	struct ses_member *m = &r->server.member;
	const char *slash = strrchr(r->program.path, '/');

	snprintf(m->birth, sizeof(m->birth), "1");
	snprintf(m->program, sizeof(m->program), "%.63s", slash ? slash + 1 : r->program.path);
	m->birth_hash = 1;
	r->server.cfg = r->cfg;
	r->server.areas = &r->areas;
	r->server.translator = r->translator;
	r->server.store = r->store;
	r->server.model = r->model;
	r->server.wires = r->wires;
	r->server.columns = r->columns.n ? &r->columns : NULL;
	r->server.family = &r->family;
	r->server.inputs = r->inputs;
	r->server.service = r->cfg->service;
	r->server.err = r->err;
	ses_ld_cache_program(&r->server.ld_cache, r->program.path, r->program.is_32,
			     env_value(r->cfg->envp, "LD_LIBRARY_PATH"),
			     env_value(r->cfg->envp, "LD_PRELOAD"));
	r->server.start_ns = ses_host_ns();
}

/* Returns the highest tier that the first processor or a column needs. */
static int highest_tier(const struct ses_config *cfg)
{
	int tier = cfg->model.on_line || cfg->has_model_clock
		       ? 3
		       : ses_tier_of(cfg->model.cpu, cfg->event, cfg->n_event);

	if (cfg->ready_tier > tier && !cfg->rises)
		tier = cfg->ready_tier;
	for (size_t i = 0; i < cfg->n_column; i++) {
		const int own =
		    ses_tier_of(cfg->column[i].cpu, cfg->column[i].event, cfg->column[i].n_event);

		tier = own > tier ? own : tier;
	}
	if (cfg->model.p6.wrong_path == MDL_WRONG_LOADS)
		tier = 3;
	if (tier < 2 && (cfg->trace_file || (cfg->service && !cfg->rises) || cfg->keeps_threads ||
			 cfg->keeps_regions || cfg->keeps_paths || cfg->function ||
			 (cfg->intervals && cfg->intervals->every_insns)))
		tier = 2;
	return tier;
}

/* Returns true if a processor of this family counts clocks in this run. */
static bool is_timed(const struct ses_config *cfg, const uint8_t *wanted, enum cat_family family)
{
	size_t n;
	const struct cat_wire *w = cat_wires(&n);

	for (size_t i = 0; i < n && i < WIRE_N; i++)
		if (wanted[i] && w[i].family == family && w[i].tier == 3)
			return true;
	return cfg->model.on_line && cfg->model.cpu->family == family;
}

/* Choose which operands the translated code records, by the wires that are counted. */
static void choose_recording(const struct run *r, const struct mdl_config *model,
			     struct xlt_config *xlt)
{
	const struct ses_config *cfg = r->cfg;
	uint8_t wanted[WIRE_N] = {0};

	/* until it rises, nothing else is asked for */
	ses_wanted_wires(cfg->event, cfg->n_event, wanted);
	xlt->has_taken = wanted[WIRE_P5_CORE_TAKEN] || wanted[WIRE_P6_RETIRE_TAKEN];
	memcpy(wanted, model->wanted, sizeof(wanted));
	for (size_t i = 0; i < cfg->n_column; i++)
		ses_wanted_wires(cfg->column[i].event, cfg->column[i].n_event, wanted);
	if (!r->rises)
		xlt->has_taken = wanted[WIRE_P5_CORE_TAKEN] || wanted[WIRE_P6_RETIRE_TAKEN];
	if (r->tier < 2 && !r->rises)
		return;
	if (cfg->trace_file) { /* for any model that counts from it later */
		xlt->has_taken = true;
		xlt->has_assists = xlt->has_mmx_operands = xlt->has_x87_operands =
		    !cfg->is_trace_lean;
		return;
	}
	xlt->has_assists = wanted[WIRE_P6_FPU_ASSIST];
	xlt->has_mmx_operands = wanted[WIRE_P5_MMX_SATURATED];
	xlt->has_x87_operands = is_timed(cfg, wanted, CAT_P5);
	xlt->has_x87_control = !xlt->has_x87_operands && is_timed(cfg, wanted, CAT_P6);
}

/* Are counts of parts of the run wanted, each with clocks of its own? */
static bool has_parts(const struct ses_config *cfg)
{
	return cfg->keeps_threads || cfg->keeps_regions || ses_has_intervals(cfg->intervals);
}

/* Returns the number of worker threads for clocks. There are none if counts are read while the run
 * goes on: each reading would wait for the workers. */
static uint8_t workers(const struct run *r)
{
	const struct ses_config *cfg = r->cfg;

	if (cfg->has_model_clock || cfg->n_column || r->rises)
		return 0;
	if (has_parts(cfg) && !cfg->model.p6.sample_every)
		return 0;
	return ses_workers(cfg, r->tier);
}

/* Where the length of intervals is known, units lie so close that each interval has enough of
 * them. */
static void choose_distance(const struct ses_config *cfg, struct mdl_config *model)
{
	const uint64_t insns = cfg->intervals ? cfg->intervals->every_insns : 0;

	if (!insns)
		return;
	while (model->p6.sample_every > 1 && insns / model->p6.sample_every < MDL_PART_LEAST)
		model->p6.sample_every /= 2;
	model->p6.sample_is_open = false;
}

/* As workers(); 0 if this user may not start so many threads and one more for the guest. */
static uint8_t startable_workers(struct run *r)
{
	const uint8_t n = workers(r);

	r->lacks_threads = n > 1 && !ses_can_start_threads(n + 1u);
	return r->lacks_threads ? 0 : n;
}

static int prepare(struct run *r)
{
	const struct ses_config *cfg = r->cfg;
	struct mdl_config model = cfg->model;
	struct xlt_config xlt = {.store = NULL};
	int rc, isa = 0, tier;

	rc = ses_find_program(cfg->argv[0], env_value(cfg->envp, "PATH"), &r->program, r->err);
	if (rc == 0)
		rc = ses_program_argv(&r->program, cfg->argv, cfg->argv0, &r->argv, r->err);
	if (rc != 0)
		return rc;
	ses_program_libraries(&r->program, env_value(cfg->envp, "LD_LIBRARY_PATH"));
	rc = choose_isa(r, &isa);
	if (rc == 0)
		rc = ses_areas_open(&r->areas, r->err);
	if (rc != 0)
		return rc;
	tier = highest_tier(cfg);
	r->tier = tier;
	r->rises = tier < 2 && cfg->rises;
	r->wires = calloc(1, sizeof(*r->wires));
	if (!r->wires || x86_store_open(&r->store) != 0)
		return spmu_fail(r->err, SPMU_ENOMEM, "out of memory");
	model.store = r->store;
	model.is_count_only = tier < 2 && !r->rises;
	model.is_waiting = r->rises;
	model.has_ledger = cfg->keeps_places;
	model.is_plain = (cfg->chaos & SHR_CHAOS_PLAIN_MODEL) != 0;
	model.p6.n_worker = startable_workers(r);
	if (!model.p6.n_worker)
		model.p6.sample_every = 0;
	choose_distance(cfg, &model);
	model.p6.sample_seed = (uint32_t)cfg->seed;
	model.p6.has_parts = has_parts(cfg);
	model.is_over = ses_serve_is_over;
	model.over_ctx = &r->server;
	model.has_no_host_code = (cfg->chaos & SHR_CHAOS_NO_HOST_CODE) != 0;
	/* kept timings of a Pentium do not say for whom they count */
	if (model.cpu->family == CAT_P5 && (cfg->keeps_paths || cfg->function))
		model.has_no_memo = 1;
	model.host_code_after = cfg->chaos & SHR_CHAOS_EAGER ? 2 : 0;
	ses_wanted_wires(cfg->event, cfg->n_event, model.wanted);
	ses_watches(cfg->event, cfg->n_event, &model);
	rc = ses_clock_open(&r->server.clock, cfg->model.cpu, cfg->has_model_clock, r->err);
	if (rc != 0)
		return rc;
	if (cfg->has_model_clock)
		ses_wanted_wires(&r->server.clock.cycles, 1, model.wanted);
	ses_wanted_up_to(cfg->ready_tier, model.wanted);
	rc = mdl_open(&model, r->wires, &r->model);
	if (rc != 0)
		return ses_model_trouble(&model, rc, r->err);
	rc = ses_columns_open(cfg, &model, r->model, &r->columns, r->err);
	if (rc != 0)
		return rc;
	r->server.has_papi = r->program.has_papi;
	r->server.tier = tier < 2 ? SHR_TIER_COUNT : SHR_TIER_STREAM;
	xlt.tier = r->server.tier;
	xlt.mode = r->program.is_32 ? X86_MODE_32 : X86_MODE_64;
	if (cfg->chaos & SHR_CHAOS_SHIFT && !r->program.is_32 && !r->program.shift)
		r->program.shift = SHR_SHIFT_OF_CHAOS;
	xlt.shift = r->program.shift;
	choose_recording(r, &model, &xlt);
	xlt.xsave_bytes = ses_xsave_bytes(isa);
	r->server.trace_flags = (xlt.has_assists ? TRC_FILE_CLASSES : 0u) |
				(xlt.has_x87_operands ? TRC_FILE_X87_OPERANDS : 0u) |
				(xlt.has_x87_control ? TRC_FILE_X87_CONTROL : 0u) |
				(xlt.has_mmx_operands ? TRC_FILE_MMX_OPERANDS : 0u) |
				(cfg->keeps_regions ? TRC_FILE_MARKS : 0u) |
				(uint32_t)xlt.xsave_bytes << TRC_FILE_XSAVE_SHIFT;
	xlt.code = r->areas.map[SES_AREA_CODE];
	xlt.tables = r->areas.map[SES_AREA_TABLES];
	xlt.store = r->store;
	if (!(cfg->chaos & SHR_CHAOS_NO_SHELF) && xlt_shelf_open(&r->shelf) == 0)
		xlt.shelf = r->shelf;
	xlt.max_insns = cfg->chaos & SHR_CHAOS_ONE_INSN ? 1 : 0;
	xlt.decodes_all = (cfg->chaos & SHR_CHAOS_NO_RECALL) != 0;
	xlt.lookahead = cfg->chaos & SHR_CHAOS_NO_AHEAD ? 1 : 0;
	r->server.forget_misses = cfg->chaos & SHR_CHAOS_FORGET ? SHR_CHAOS_FORGET_MISSES : 0;
	rc = xlt_open(&xlt, &r->translator);
	if (rc != 0)
		return spmu_fail(r->err, -rc, "out of memory");
	if (r->server.tier == SHR_TIER_COUNT) {
		r->server.n_over = SHR_MAX_BLOCKS;
		r->server.over = calloc(SHR_MAX_BLOCKS, sizeof(*r->server.over));
		if (!r->server.over)
			return spmu_fail(r->err, SPMU_ENOMEM, "out of memory");
	}
	rc = ses_family_open(&r->family, cfg->keeps_processes, r->err);
	r->family.has_time_limit = r->inherited.has_time_limit;
	if (rc == 0 && cfg->keeps_inputs)
		rc = ses_inputs_open(&r->inputs, r->err);
	if (rc != 0)
		return rc;
	rc = cfg->keeps_places
		 ? ses_places_open(&r->server.places, cfg, r->model, r->store, r->wires, NULL)
		 : 0;
	if (rc != 0)
		return spmu_fail(r->err, -rc,
				 rc == -SPMU_ESYS ? "cannot make a file in memory"
						  : "out of memory");
	fill_server(r);
	if (ses_bank_open(&r->server.bank, cfg->event, cfg->n_event))
		return spmu_fail(r->err, SPMU_ENOMEM, "out of memory");
	return ses_start_fill(cfg, &r->program, r->argv, &r->areas, r->server.tier, isa, r->err);
}

/* Fill in the counts of the columns, over all processes. Returns 0 or -SPMU_ENOMEM. */
static int fill_columns(struct run *r, const struct ses_totals *own, struct ses_result *out)
{
	struct ses_totals sum = *own;

	if (!r->cfg->is_alone)
		ses_totals_add(&sum, &r->family.sum);
	return r->columns.n ? ses_columns_fill(r->cfg, r->columns.wires, sum.column, out) : 0;
}

static void fill_result(struct run *r, const struct ses_totals *own, uint64_t digest,
			struct ses_result *out)
{
	ses_times_end(&r->times, out);
	ses_times_faults(&r->times, out);
	ses_result_fill(r->cfg, &r->server.member, own, digest, &r->family, r->wires, out);
	for (unsigned i = 0;
	     r->cfg->chaos & SHR_CHAOS_WIRES && i < SES_MAX_PATHS &&
	     (out->path[i].name = mdl_path(r->model, i, &out->path[i].entered)) != NULL;
	     i++)
		out->n_path = i + 1;
	out->wait_status = r->server.wait_status;
	out->isa_level = (int)ses_areas_ctl(&r->areas)->start.isa_level;
	out->remarks = r->server.remarks;
	ses_remarks_take(&out->remarks, ses_areas_ctl(&r->areas), r->server.member.program,
			 r->server.has_papi);
	if (!r->cfg->is_alone)
		ses_remarks_merge(&out->remarks, &r->family.remarks);
	out->tier = r->tier;
	out->lacks_threads = r->lacks_threads;
	out->has_model_clock = r->cfg->has_model_clock;
	out->is_timed_out = r->family.alarm->is_timed_out;
	out->interrupt_signal = out->is_timed_out ? 0 : r->server.stop_signal;
	if (!r->server.stop_signal && r->family.pressed_ns && WIFSIGNALED(out->wait_status) &&
	    WTERMSIG(out->wait_status) == SIGINT)
		out->interrupt_signal = SIGINT;
	out->interrupted = out->interrupt_signal != 0;
}

/* Hand *m, of this server's guest, to tell() for each of its threads, with what the thread counted
 * and its accounts by place. Returns 0 or -SPMU_ENOMEM. */
static int end_threads(struct run *r, struct ses_message *m,
		       void (*tell)(struct ses_family *f, const struct ses_message *m))
{
	struct ses_threads *t = r->server.threads;
	struct ses_places *p = r->server.places;

	if (!r->cfg->keeps_threads)
		return 0;
	if (ses_threads_settle(t))
		return -SPMU_ENOMEM;
	if (p)
		ses_places_take(p);
	m->kind = SES_THREAD;
	for (m->thread = 0; m->thread < ses_threads_n(t); m->thread++) {
		char birth[SES_BIRTH_BYTES];

		ses_threads_totals(t, m->thread, &m->totals);
		if (ses_threads_estimate(t, &m->totals))
			return -SPMU_ENOMEM;
		ses_family_thread_birth(m, birth);
		if (p)
			m->places = ses_places_end_thread(p, m->thread, birth, m->member.program,
							  &m->totals);
		if (p && ses_places_is_function(p))
			ses_threads_replace(t, m->thread, &m->totals);
		m->places.pid = (pid_t)ses_areas_ctl(&r->areas)->guest_pid;
		tell(&r->family, m);
	}
	m->thread = 0;
	m->places = (struct ses_places_at){0};
	return 0;
}

/* With a region by function: what it counted in place of all that the guest did. */
static void take_region(struct run *r, struct ses_totals *t)
{
	if (!r->server.places || !ses_places_is_function(r->server.places))
		return;
	ses_places_take(r->server.places);
	ses_places_region(r->server.places, t);
}

/* Close the accounts by place of this server's guest; m->totals has all that it counted. Threads
 * have those that they did. */
static void end_places(struct run *r, struct ses_message *m)
{
	if (!r->server.places || r->cfg->keeps_threads)
		return;
	ses_places_take(r->server.places);
	m->places =
	    ses_places_end(r->server.places, m->member.birth, m->member.program, m->totals.wire);
	m->places.pid = (pid_t)ses_areas_ctl(&r->areas)->guest_pid;
}

/* In the first server: keep the accounts by place of its guest, which counted *own. Returns 0 or
 * -SPMU_ENOMEM. */
static int keep_own_places(struct run *r, const struct ses_totals *own)
{
	struct ses_message *m;
	int rc = 0;

	if (!r->server.places)
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -SPMU_ENOMEM;
	m->member = r->server.member;
	m->totals = *own;
	rc = end_threads(r, m, ses_family_keep_places);
	m->kind = SES_ENDED;
	end_places(r, m);
	if (!r->cfg->keeps_threads)
		ses_family_keep_places(&r->family, m);
	free(m);
	return rc;
}

/* What is estimated of *t, the counts of a process which began in the middle of its model's, is
 * that of a part. */
static void estimate_part(struct run *r, struct ses_totals *t)
{
	if (r->server.base.instructions && mdl_part_totals(r->model, t->part, t->wire, t->half))
		ses_serve_refuse(&r->server, SPMU_ENOMEM, "out of memory");
}

static int tell_region(void *ctx, const struct ses_message *m)
{
	ses_family_tell(ctx, m);
	return 0;
}

/* In a server that was forked: its guest is gone, or the run ends without it. The first server
 * learns what it counted. */
__attribute__((noreturn)) static void end_server(struct run *r, int rc)
{
	const bool is_leaving = r->server.is_leaving;
	struct ses_message *m;
	int files;

	if (r->server.is_left)
		_exit(0);
	m = calloc(1, sizeof(*m));
	if (!m)
		_exit(125); /* the first server finds out */
	m->member = r->server.member;
	if (ses_areas_ctl(&r->areas)->guest_pid && end_threads(r, m, ses_family_tell))
		_exit(125);
	if (r->server.regions)
		ses_regions_tell(r->server.regions, tell_region, &r->family, m);
	m->pid = (pid_t)ses_areas_ctl(&r->areas)->guest_pid;
	m->kind = is_leaving ? SES_LEFT : m->pid ? SES_ENDED : SES_NEVER;
	m->input_digest = ses_areas_ctl(&r->areas)->input_digest;
	m->remarks = r->server.remarks;
	ses_remarks_take(&m->remarks, ses_areas_ctl(&r->areas), m->member.program,
			 r->server.has_papi);
	files = ses_serve_close_files(&r->server, &m->journal);
	if (files && !rc)
		rc = files;
	if (ses_mates_close(&r->server))
		_exit(125);
	ses_tally_totals(&r->server, &m->totals);
	if (r->server.is_refused && !rc)
		rc = -r->err->code;
	ses_gate_end(&r->server, &m->totals);
	ses_intervals_end(&r->server, &m->totals);
	ses_totals_subtract(&m->totals, &r->server.base);
	estimate_part(r, &m->totals);
	take_region(r, &m->totals);
	end_places(r, m);
	if (rc) {
		m->refused_code = -rc;
		memcpy(m->refusal, r->err->text, sizeof(m->refusal));
	}
	if (is_leaving)
		ses_left_detach(&r->given);
	ses_family_tell(&r->family, m);
	ses_family_leave(&r->family);
	free(m);
	if (is_leaving) {
		r->server.is_leaving = false;
		r->server.is_left = true;
		ses_serve(&r->server);
	}
	_exit(0);
}

static int serve_guest(struct run *r, struct ses_result *result)
{
	struct ses_totals own;
	uint64_t digest;
	struct ses_journal_end journal = {.state = SES_JOURNAL_NONE};
	int rc = ses_spawn(&r->areas, &r->inherited, &r->server, r->err), others, files;

	if (rc != 0)
		return rc;
	ses_gate_start(&r->server);
	rc = ses_serve(&r->server);
	if (!r->family.is_first)
		end_server(r, rc);
	if (ses_mates_close(&r->server) && !rc)
		rc = spmu_fail(r->err, SPMU_ENOMEM, "out of memory");
	ses_tally_totals(&r->server, &own);
	/* behind the first instruction the sentence names what refused the program */
	if (r->server.is_refused && !own.instructions)
		ses_probes_explain(r->err);
	if (r->server.is_refused && !rc)
		rc = -r->err->code;
	ses_gate_end(&r->server, &own);
	ses_intervals_end(&r->server, &own);
	ses_totals_subtract(&own, &r->server.base);
	estimate_part(r, &own);
	take_region(r, &own);
	if (keep_own_places(r, &own) && !rc)
		rc = spmu_fail(r->err, SPMU_ENOMEM, "out of memory");
	r->server.intervals.own = &own;
	digest = ses_areas_ctl(&r->areas)->input_digest;
	files = ses_serve_close_files(&r->server, &journal);
	if (files && !rc)
		rc = files;
	others = ses_serve_others(&r->server);
	ses_book_end(r->family.book, &r->server);
	if (others && !rc)
		rc = spmu_fail(r->err, -others, "%s", r->family.refusal.text);
	fill_result(r, &own, digest, result);
	if (r->server.places)
		result->n_function_calls = ses_places_n_calls(r->server.places);
	result->journal = r->family.journal;
	result->left = r->family.left;
	result->n_left = r->family.n_left;
	r->family.left = NULL;
	ses_journal_merge(&result->journal, &journal);
	if (r->inputs && ses_inputs_take(r->inputs, result) != 0)
		rc = spmu_fail(r->err, SPMU_ENOMEM, "out of memory");
	if (r->cfg->keeps_threads &&
	    ses_result_threads(r->cfg, &r->server.member, r->server.threads, &r->family, r->wires,
			       result) != 0)
		rc = spmu_fail(r->err, SPMU_ENOMEM, "out of memory");
	if ((result->n_process == 1 && ses_processors_fill(r->cfg, r->model, r->wires,
							   r->server.gate.cpu_off, result) != 0) ||
	    fill_columns(r, &own, result) != 0 ||
	    ses_placed_fill(r->cfg, &r->family, r->server.places, r->server.member.birth, result) !=
		0)
		rc = spmu_fail(r->err, SPMU_ENOMEM, "out of memory");
	ses_count_software(result, r->cfg->event, r->cfg->n_event, result->count);
	if (ses_serve_end_trace(&r->server, result) != 0 && !rc)
		rc = -r->err->code;
	for (size_t k = 0; k < result->n_column; k++)
		ses_count_software(result, r->cfg->column[k].event, r->cfg->column[k].n_event,
				   result->column[k].count);
	return rc;
}

static void release(struct run *r)
{
	if (r->server.sock >= 0)
		close(r->server.sock);
	if (r->server.life >= 0)
		close(r->server.life);
	if (r->server.watch >= 0)
		close(r->server.watch);
	ses_inputs_close(r->inputs);
	ses_book_close(r->family.book);
	ses_family_close(&r->family);
	ses_trace_close(r->server.trace);
	ses_journal_close(r->server.journal);
	ses_threads_close(r->server.threads);
	ses_gate_close(&r->server.gate);
	ses_regions_close(r->server.regions);
	ses_places_close(r->server.places);
	ses_ld_cache_free(&r->server.ld_cache);
	free(r->server.over);
	xlt_close(r->translator);
	mdl_close(r->model);
	ses_columns_close(&r->columns);
	x86_store_close(r->store);
	xlt_shelf_close(r->shelf);
	free(r->wires);
	ses_areas_close(&r->areas);
	ses_open_fds_free(&r->given);
	free(r->argv);
	ses_program_free(&r->program);
	free(r);
}
/* Another thread of the guest runs. */
static void change_thread(void *server, uint32_t thread)
{
	struct ses_server *s = server;

	if (s->places && s->cfg->keeps_threads)
		ses_places_thread(s->places, thread);
	ses_gate_follow(s, thread);
}

int ses_run(const struct ses_config *cfg, struct ses_result *result, struct spmu_error *err)
{
	struct run *r = calloc(1, sizeof(*r));
	struct ses_inherited inherited;
	int rc;

	memset(result, 0, sizeof(*result));
	result->count = calloc(cfg->n_event + 1, sizeof(*result->count));
	if (!r || !result->count) {
		free(r);
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	r->cfg = cfg;
	r->err = err;
	r->areas.fd = -1;
	r->family.send = r->family.hear = -1;
	r->server.sock = r->server.life = r->server.watch = -1;
	ses_times_begin(&r->times);
	ses_open_fds_note(&r->given);
	ses_raise_limits(&inherited, cfg->intervals != NULL);
	r->inherited = inherited;
	rc = ses_limits_check(err);
	if (rc == 0)
		rc = prepare(r);
	if (rc == 0)
		rc = ses_serve_open_files(&r->server);
	if (rc == 0 && (cfg->keeps_threads || cfg->keeps_regions) &&
	    ses_threads_open(r->model, r->wires, &r->server.threads) != 0)
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (rc == 0 && r->server.threads)
		ses_threads_watch(r->server.threads, change_thread, &r->server);
	if (rc == 0 && cfg->keeps_regions && ses_regions_open(r->model, &r->server.regions) != 0)
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (rc == 0 && cfg->intervals && ses_book_open(&r->family.book) != 0)
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (rc == 0)
		rc = serve_guest(r, result);
	if (rc == 0 && r->server.regions &&
	    ses_regions_end(r->server.regions, cfg, r->wires, &r->family, result) != 0)
		rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	if (rc == -SPMU_ENOMEM)
		ses_limits_blame(err);
	release(r);
	ses_restore_limits(&inherited);
	return rc;
}
