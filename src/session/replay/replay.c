/* replay.c -- counts from a trace, without the program (ses_replay). Rules: player.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "session/replay/player.h"
#include "session/serve/family.h"
#include "session/totals/columns.h"
#include "session/totals/counting.h"
#include "session/totals/processors.h"
#include "session/totals/result.h"
#include "session/totals/times.h"

static void *shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int open_player(struct ses_player *p)
{
	int rc = ses_trace_look(p->path, &p->in, p->err);

	if (!rc)
		rc = ses_trace_facts_read(p->path, p->in.head, p->in.end, &p->facts, p->err);
	if (rc)
		return rc;
	p->guess = ses_guess_new();
	for (int i = 0; i < 2; i++)
		if (!p->guess || !ses_trace_reading_open(&p->reading[i], &p->in, p->guess))
			return spmu_fail(p->err, SPMU_ENOMEM, "out of memory");
	p->builder = malloc(sizeof(*p->builder));
	p->base = calloc(1, sizeof(*p->base));
	p->n_share = ses_player_n_share(p);
	p->told = shared(sizeof(*p->told));
	p->part = p->parts = shared(p->n_share * (p->in.n_process + 1) * sizeof(*p->parts));
	if (!p->builder || !p->base || !p->told || !p->parts || x86_store_open(&p->store) != 0)
		return spmu_fail(p->err, SPMU_ENOMEM, "out of memory");
	x86_builder_init(p->builder, X86_MODE_64);
	return 0;
}

static void close_player(struct ses_player *p)
{
	ses_accounts_close(p);
	mdl_close(p->model);
	x86_store_close(p->store);
	if (p->told)
		munmap(p->told, sizeof(*p->told));
	if (p->parts)
		munmap(p->parts, p->n_share * (p->in.n_process + 1) * sizeof(*p->parts));
	ses_trace_facts_free(&p->facts);
	ses_trace_shut(&p->in);
	for (size_t k = 0; k < SES_MOST_MACHINES; k++)
		free(p->wires[k]);
	free(p->base);
	free(p->builder);
	for (int i = 0; i < 2; i++)
		ses_trace_reading_shut(&p->reading[i]);
	ses_guess_free(p->guess);
	free(p);
}

/* Say what was wrong with the file. Returns 0 or the error. */
static int judge(struct ses_player *p)
{
	int rc = 0;

	for (size_t i = 0; i < p->n_share * (p->in.n_process + 1) && !rc; i++)
		rc = p->parts[i].rc;
	if (rc == -SPMU_ESYS)
		return spmu_fail(p->err, SPMU_ESYS,
				 "a process of the trace '%s' could not be "
				 "counted: no memory, or too many processes",
				 p->path);
	if (rc == -SPMU_ENOTSUP)
		return spmu_fail(p->err, SPMU_ENOTSUP,
				 "the trace '%s' has one string instruction over more memory than "
				 "this version counts at once; counting stopped there",
				 p->path);
	if (rc == -SPMU_ENOMEM)
		return spmu_fail(p->err, SPMU_ENOMEM, "out of memory");
	if (rc || (p->in.is_damaged && !p->is_over))
		return spmu_fail(p->err, SPMU_EPROTO,
				 "the trace '%s' is damaged; counting stopped there", p->path);
	if (!p->is_over && p->position < p->cfg->from_insn)
		return spmu_fail(p->err, SPMU_EINVAL,
				 "--from %llu: the program of '%s' executed %llu instructions",
				 (unsigned long long)p->cfg->from_insn, p->path,
				 (unsigned long long)p->position);
	rc = ses_player_judge_marks(p);
	if (!rc && !p->is_over && (p->in.is_cut || !p->in.end))
		return spmu_fail(p->err, SPMU_EPROTO,
				 "the trace '%s' ends early: the recording was killed, or the file "
				 "was cut; what is whole was counted",
				 p->path);
	return rc;
}

/* Returns 0 or -SPMU_ENOMEM. */
static int fill_columns(struct ses_player *p, const uint64_t (*more)[WIRE_N],
			struct ses_result *out)
{
	struct wires *wires[SES_MORE_COLUMNS] = {NULL};
	int rc = 0;

	for (size_t k = 0; k < p->cfg->n_column && !rc; k++) {
		wires[k] = calloc(1, sizeof(*wires[k]));
		if (wires[k])
			memcpy(wires[k]->driven, p->told->driven[k + 1], sizeof(wires[k]->driven));
		else
			rc = -SPMU_ENOMEM;
	}
	if (!rc)
		rc = ses_columns_fill(p->cfg, wires, more, out);
	for (size_t k = 0; k < p->cfg->n_column; k++)
		free(wires[k]);
	return rc;
}

/* What the trace says about the run. */
static void fill_facts(const struct ses_player *p, struct ses_result *out)
{
	const struct ses_trace_facts *f = &p->facts;

	if (!out->process)
		out->n_process = f->has_end ? f->processes : p->in.n_process;
	out->syscalls = f->syscalls;
	out->signals = f->signals;
	out->clock_looks = f->clock_looks;
	out->time_looks = f->time_looks;
	out->threads = f->threads;
	out->outside_events = f->outside_events;
	out->input_digest = f->input_digest;
	out->wait_status = f->wait_status;
	out->interrupt_signal = f->interrupt_signal;
	out->interrupted = f->interrupt_signal != 0;
	out->is_timed_out = f->is_timed_out;
	out->isa_level = f->isa_level;
	out->has_model_clock = f->has_model_clock;
	out->trace_bytes = p->in.raw;
	/* a list without files: reports say the settings that were counted with beside it */
	if (p->cfg->keeps_inputs)
		out->input = calloc(1, sizeof(*out->input));
}

static int fill(struct ses_player *p, struct ses_result *out)
{
	struct ses_totals *own = &p->part[p->in.n_process].totals;
	struct ses_family *family = calloc(1, sizeof(*family));
	uint64_t(*more)[WIRE_N] = calloc(SES_MORE_COLUMNS, sizeof(*more));
	int rc = family && more ? 0 : -SPMU_ENOMEM;

	if (!rc) {
		family->send = family->hear = -1;
		family->keeps_list = p->cfg->keeps_processes;
		ses_parts_add_up(p, &family->sum, more);
		rc = ses_accounts_hear(p, family);
		ses_accounts_function(p, own);
		ses_result_fill(p->cfg, &p->accounts.now, own, p->accounts.digest, family,
				p->wires[0], out);
		fill_facts(p, out);
	}
	if (!rc && p->cfg->n_column)
		rc = fill_columns(p, more, out);
	if (!rc && p->accounts.is_wanted)
		rc = ses_accounts_fill(p, family, own, out);
	if (family)
		ses_family_close(family);
	free(more);
	free(family);
	return rc;
}

/* The highest tier of all machines, and 2 at least: there are records. */
static int tier_of(const struct ses_config *cfg)
{
	int tier = ses_tier_of(cfg->model.cpu, cfg->event, cfg->n_event);

	for (size_t i = 0; i < cfg->n_column; i++) {
		const struct ses_column *c = &cfg->column[i];
		const int own = ses_tier_of(c->cpu, c->event, c->n_event);

		tier = own > tier ? own : tier;
	}
	/* a recording says what its run would have needed */
	if (cfg->keeps_places && !cfg->keeps_threads && !cfg->keeps_paths && !cfg->keeps_regions)
		return tier;
	return tier < 2 ? 2 : tier;
}

/* What is kept apart needs names, which older traces do not have. */
static int refuse_nameless(struct ses_player *p)
{
	const struct ses_config *cfg = p->cfg;

	if ((cfg->keeps_regions || ses_player_has_marks(cfg)) && !p->in.has_marks)
		return spmu_fail(
		    p->err, SPMU_ENOTSUP,
		    "the trace '%s' has no marks of regions: an older softpmu wrote it, "
		    "or stat --trace without --per-region; make it anew with softpmu "
		    "trace",
		    p->path);
	if (p->in.has_members ||
	    (!cfg->keeps_places && !cfg->keeps_threads && !cfg->keeps_processes))
		return 0;
	return spmu_fail(p->err, SPMU_ENOTSUP,
			 "the trace '%s' is of an older softpmu, and does not say which process is "
			 "which; make it anew with softpmu trace",
			 p->path);
}

/* Clocks need the operands of x87 divides, and on a Pentium those of all x87 instructions. */
static int refuse_lean(struct ses_player *p, int tier)
{
	if (tier < 3 || p->in.flags & TRC_FILE_X87_OPERANDS)
		return 0;
	return spmu_fail(p->err, SPMU_ENOTSUP,
			 "the trace '%s' was made by softpmu trace --lean and has no operands, "
			 "which clocks need; ask for events of tier 2 (--all --tier 2), or make it "
			 "anew without --lean",
			 p->path);
}

int ses_replay(const struct ses_config *cfg, const char *path, struct ses_result *result,
	       struct spmu_error *err)
{
	struct ses_player *p = calloc(1, sizeof(*p));
	struct ses_times times;
	int rc;

	memset(result, 0, sizeof(*result));
	result->count = calloc(cfg->n_event + 1, sizeof(*result->count));
	if (!p || !result->count) {
		free(p);
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	ses_times_begin(&times);
	p->cfg = cfg;
	p->path = path;
	p->err = err;
	p->in.fd = -1;
	result->tier = tier_of(cfg);
	rc = open_player(p);
	if (!rc)
		rc = refuse_nameless(p);
	if (!rc)
		rc = refuse_lean(p, result->tier);
	if (!rc)
		rc = ses_player_shares(p, result->tier);
	if (!rc) {
		rc = judge(p);
		if (fill(p, result) != 0 ||
		    (p->in.n_process == 1 && !ses_player_has_range(p) &&
		     ses_processors_fill(cfg, p->model, p->wires[0], NULL, result) != 0))
			rc = spmu_fail(err, SPMU_ENOMEM, "out of memory");
	}
	ses_times_end(&times, result);
	close_player(p);
	return rc;
}
