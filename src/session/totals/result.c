/* result.c -- fills the result from the totals of all processes. Rules: result.h. Lists are
 * sorted by order of birth, because messages arrive in any order. */
#include "session/totals/result.h"

#include <stdlib.h>
#include <string.h>

#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "session/totals/counting.h"

static void count_totals(const struct ses_config *cfg, const struct ses_totals *t,
			 const struct wires *w, struct evt_count *out)
{
	struct wires *all = malloc(sizeof(*all));

	if (!all) {
		for (size_t i = 0; i < cfg->n_event; i++)
			out[i] =
			    (struct evt_count){.status = EVT_NOT_MODELLED, .why = "out of memory"};
		return;
	}
	*all = *w;
	memcpy(all->total, t->wire, sizeof(all->total));
	memcpy(all->half, t->half, sizeof(all->half));
	ses_count_events(cfg->model.cpu, cfg->event, cfg->n_event, all, out);
	free(all);
}

static int by_birth(const void *a, const void *b)
{
	return ses_compare_births(((const struct ses_process *)a)->birth,
				  ((const struct ses_process *)b)->birth);
}

static int by_thread(const void *a, const void *b)
{
	const struct ses_thread *s = a, *t = b;
	const int births = ses_compare_births(s->birth, t->birth);

	return births ? births : s->number < t->number ? -1 : s->number > t->number;
}

/* Returns 0 or -SPMU_ENOMEM. */
static int add_thread(const struct ses_config *cfg, const struct ses_ended *e,
		      const struct wires *w, struct ses_result *out)
{
	struct ses_thread *t = &out->thread[out->n_thread];

	t->count = calloc(cfg->n_event + 1, sizeof(*t->count));
	if (!t->count)
		return -SPMU_ENOMEM;
	out->n_thread++;
	memcpy(t->birth, e->member.birth, sizeof(t->birth));
	memcpy(t->program, e->member.program, sizeof(t->program));
	t->number = e->thread;
	t->instructions = e->totals.instructions;
	count_totals(cfg, &e->totals, w, t->count);
	return 0;
}

int ses_result_threads(const struct ses_config *cfg, const struct ses_member *first,
		       struct ses_threads *own, const struct ses_family *f, const struct wires *w,
		       struct ses_result *out)
{
	const size_t more = cfg->is_alone ? 0 : f->n_threads;
	struct ses_ended *e = calloc(1, sizeof(*e));
	int rc = e ? ses_threads_settle(own) : -SPMU_ENOMEM;

	if (!rc) {
		out->thread = calloc(ses_threads_n(own) + more, sizeof(*out->thread));
		rc = out->thread ? 0 : -SPMU_ENOMEM;
	}
	if (!rc)
		e->member = *first;
	for (uint32_t i = 0; !rc && i < ses_threads_n(own); i++) {
		e->thread = i;
		ses_threads_totals(own, i, &e->totals);
		rc = ses_threads_estimate(own, &e->totals);
		rc = rc ? rc : add_thread(cfg, e, w, out);
	}
	for (size_t i = 0; !rc && i < more; i++)
		rc = add_thread(cfg, &f->threads[i], w, out);
	if (!rc)
		qsort(out->thread, out->n_thread, sizeof(*out->thread), by_thread);
	free(e);
	return rc;
}

/* Returns 0 or -SPMU_ENOMEM. */
static int add_process(const struct ses_config *cfg, const struct ses_member *m,
		       const struct ses_totals *t, uint64_t digest, const struct wires *w,
		       struct ses_result *out, size_t i)
{
	struct ses_process *p = &out->process[i];

	p->count = calloc(cfg->n_event + 1, sizeof(*p->count));
	if (!p->count)
		return -SPMU_ENOMEM;
	memcpy(p->birth, m->birth, sizeof(p->birth));
	memcpy(p->program, m->program, sizeof(p->program));
	p->instructions = t->instructions;
	p->input_digest = digest;
	count_totals(cfg, t, w, p->count);
	return 0;
}

static void list(const struct ses_config *cfg, const struct ses_member *first,
		 const struct ses_totals *own, uint64_t own_digest, const struct ses_family *f,
		 const struct wires *w, struct ses_result *out)
{
	size_t n = f->n_list + 1;
	int rc;

	out->process = calloc(n, sizeof(*out->process));
	if (!out->process)
		return;
	out->n_process = n;
	rc = add_process(cfg, first, own, own_digest, w, out, 0);
	for (size_t i = 0; i < f->n_list && !rc; i++)
		rc = add_process(cfg, &f->list[i].member, &f->list[i].totals,
				 f->list[i].input_digest, w, out, i + 1);
	if (!rc) {
		qsort(out->process, n, sizeof(*out->process), by_birth);
		return;
	}
	for (size_t i = 0; i < n; i++) /* out of memory: no list */
		free(out->process[i].count);
	free(out->process);
	out->process = NULL;
}

void ses_result_fill(const struct ses_config *cfg, const struct ses_member *first,
		     const struct ses_totals *own, uint64_t own_digest,
		     const struct ses_family *family, const struct wires *w, struct ses_result *out)
{
	struct ses_totals *sum = malloc(sizeof(*sum));

	if (!sum)
		return;
	*sum = *own;
	if (!cfg->is_alone)
		ses_totals_add(sum, &family->sum);
	count_totals(cfg, sum, w, out->count);
	memcpy(out->wire_total, sum->wire, sizeof(out->wire_total));
	memcpy(out->wire_driven, w->driven, sizeof(out->wire_driven));
	out->instructions = sum->instructions;
	out->later = ses_later_of(sum->wire);
	out->host_dependent =
	    sum->wire[WIRE_P5_CORE_HOST_DEPENDENT] + sum->wire[WIRE_P6_RETIRE_HOST_DEPENDENT];
	out->syscalls = sum->guest.syscalls;
	out->signals = sum->guest.signals;
	out->clock_looks = sum->guest.clock_looks;
	out->time_looks = sum->guest.time_looks;
	out->threads = sum->guest.threads;
	out->outside_events = sum->guest.outside_events;
	out->host_signals = sum->guest.host_signals;
	out->blocks = sum->blocks;
	out->block_insns = sum->block_insns;
	out->misses = sum->misses;
	out->trace_bytes = sum->trace_bytes;
	out->input_digest = ses_family_digest(family, own_digest);
	out->n_process = 1 + family->n_ended;
	if (cfg->keeps_processes)
		list(cfg, first, own, own_digest, family, w, out);
	free(sum);
}

void ses_result_free(struct ses_result *result)
{
	for (size_t i = 0; i < result->n_thread; i++)
		free(result->thread[i].count);
	for (size_t i = 0; i < result->n_region; i++)
		free(result->region[i].count);
	free(result->region);
	result->region = NULL;
	result->n_region = 0;
	free(result->thread);
	for (size_t i = 0; result->process && i < result->n_process; i++)
		free(result->process[i].count);
	free(result->process);
	result->process = NULL;
	free(result->input);
	result->input = NULL;
	result->n_input = 0;
	for (size_t i = 0; i < result->n_placed; i++)
		free(result->placed[i].bytes);
	free(result->placed);
	result->placed = NULL;
	result->n_placed = 0;
	free(result->left);
	result->left = NULL;
	result->n_left = 0;
	for (size_t i = 0; i < result->n_column; i++)
		free(result->column[i].count);
	free(result->column);
	result->column = NULL;
	result->n_column = 0;
	free(result->count);
	free(result->share);
	result->share = NULL;
	free(result->cpu_count);
	result->cpu_count = NULL;
	result->n_cpu = 0;
	result->thread = NULL;
	result->n_thread = 0;
	result->count = NULL;
}
