/* serve_answer.c -- requests of the guest, between two chunks. */
#include "session/serve/serve.h"

#include <stdio.h>
#include <string.h>

#include "session/serve/birth.h"
#include "session/serve/replace.h"
#include "session/serve/tally.h"
#include "trace/wait.h"

static void take_pages(struct ses_server *s, struct req_box *b)
{
	uint32_t n = b->n_pages;

	if (n > REQ_MAX_PAGES)
		n = REQ_MAX_PAGES;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t flags = b->page_flags[i];

		xlt_add_page(s->translator, b->page_addr[i], flags,
			     flags & REQ_PAGE_ABSENT ? NULL : b->pages[i]);
	}
}

/* Work of a model for an instruction that it meets for the first time, in elements of REP: with
 * clocks of a P6 a third of a microsecond. */
#define FIRST_WORK 8u

/* Returns the work for the new blocks, those from id n on. */
static uint64_t first_work(const struct ses_server *s, uint32_t n)
{
	uint64_t insns = 0;

	for (; s->tier == SHR_TIER_STREAM && n < xlt_n_blocks(s->translator); n++)
		insns += x86_store_get(s->store, n)->n_insn;
	return insns * FIRST_WORK;
}

static uint32_t answer_translate(struct ses_server *s, struct req_box *b)
{
	const uint32_t n_before = xlt_n_blocks(s->translator);
	struct xlt_answer answer = {0, 0, 0};
	int rc;

	s->misses++;
	take_pages(s, b);
	if (xlt_wants_forgetting(s->translator) ||
	    (s->forget_misses && s->misses % s->forget_misses == 0))
		return REQ_FULL;
	rc = xlt_translate(s->translator, b->arg[0], (uint32_t)b->arg[1], &answer);
	if (s->places)
		ses_places_settle(s->places);
	b->result[0] = answer.main_entry;
	b->result[1] = answer.indirect_entry;
	b->result[2] = first_work(s, n_before);
	switch (rc) {
	case 0: return REQ_OK;
	case -SPMU_ENOENT: b->result[0] = answer.page; return REQ_NEED_PAGE;
	case -SPMU_EEXEC:
		b->result[0] = answer.page > b->arg[0] ? answer.page : b->arg[0];
		return REQ_FAULT;
	case -SPMU_ENOMEM:
		if (xlt_wants_forgetting(s->translator))
			return REQ_FULL;
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
		return REQ_BAD;
	default: return REQ_BAD;
	}
}

void ses_serve_start_empty(struct ses_server *s)
{
	if (s->over)
		memset(s->over, 0, xlt_n_blocks(s->translator) * sizeof(*s->over));
	xlt_forget_all(s->translator);
	if (s->trace && ses_trace_forget_all(s->trace) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
	mdl_forget_blocks(s->model);
	if (s->places)
		ses_places_forget(s->places);
	s->reading.n_left = 0;
	x86_store_clear(s->store);
}

uint32_t ses_serve_forget(struct ses_server *s, bool is_new_program)
{
	/* the guest may write there */
	const volatile struct shr_start *start = &ses_areas_ctl(s->areas)->start;
	const uint64_t shift = start->shift;

	ses_serve_drain(s);
	ses_tally_settle(s);
	if (s->places) {
		ses_places_take(s->places);
		ses_places_forget(s->places);
	}
	if (s->over)
		memset(s->over, 0, xlt_n_blocks(s->translator) * sizeof(*s->over));
	if (s->trace && ses_trace_forget_all(s->trace) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
	if (ses_areas_empty(s->areas) != 0) {
		ses_serve_refuse(s, SPMU_ESYS,
				 "the host does not let shared memory be emptied (MADV_REMOVE), "
				 "which a program "
				 "with so much code needs");
		return REQ_BAD;
	}
	if (is_new_program)
		xlt_restart(s->translator, start->mode == SHR_MODE_32 ? X86_MODE_32 : X86_MODE_64,
			    shr_is_shift(shift) ? shift : 0);
	else
		xlt_forget_all(s->translator);
	mdl_forget_blocks(s->model);
	s->reading.n_left = 0;
	x86_store_clear(s->store);
	return REQ_OK;
}

/* From counts of executions to records. What was executed until now has been counted; caches and
 * clocks begin here. */
static uint32_t rise(struct ses_server *s)
{
	if (s->tier == SHR_TIER_STREAM || !s->cfg->rises)
		return REQ_BAD;
	ses_serve_drain(s);
	ses_tally_settle(s);
	mdl_begin(s->model);
	s->tier = SHR_TIER_STREAM;
	ses_areas_ctl(s->areas)->open_chunk = 0; /* it is no stream */
	xlt_start_stream(s->translator);
	return ses_serve_forget(s, false);
}

static uint32_t answer_counter(struct ses_server *s, struct req_box *b)
{
	if (b->arg[0] >= SHR_N_COUNTERS || b->arg[1] >= xlt_n_blocks(s->translator))
		return REQ_BAD;
	ses_read(s);
	ses_bank_note(s, (unsigned)b->arg[0]);
	b->result[0] =
	    ses_bank_value(s, (unsigned)b->arg[0], (uint32_t)b->arg[1], (uint32_t)b->arg[2]);
	return REQ_OK;
}

/* The program wants to know what it counted in a region. */
static uint32_t answer_counts(struct ses_server *s, struct req_box *b, const char *name)
{
	double count[REQ_PAGE_BYTES / sizeof(double)] = {0};
	struct ses_region_answer answer;

	if (ses_regions_get(s->regions, s->cfg, s->wires, (uint32_t)b->arg[1], name, count,
			    REQ_PAGE_BYTES / sizeof(double), &answer))
		return REQ_BAD;
	memcpy(b->pages[0], count, sizeof(count));
	b->result[0] = answer.n_times;
	b->result[1] = answer.n_events;
	memcpy(&b->result[2], &answer.seconds, sizeof(answer.seconds));
	return REQ_OK;
}

static uint32_t answer_region(struct ses_server *s, struct req_box *b)
{
	const enum req_region what = (enum req_region)b->arg[0];
	const uint32_t thread = (uint32_t)b->arg[1];
	char name[SES_REGION_NAME];
	int rc;

	if (!s->regions)
		return REQ_OK;
	memcpy(name, b->text, sizeof(name));
	name[sizeof(name) - 1] = 0;
	if (what == REQ_REGION_GET)
		return answer_counts(s, b, name);
	/* all that was executed is fed before a region is open: the gate follows changes of thread
	 */
	if (mdl_has_parts(s->model))
		ses_serve_drain(s); /* an estimate at each mark would take too long */
	else
		ses_read(s);
	ses_serve_trace_region(s, what, thread, name);
	rc = ses_regions_do(s->regions, s->threads, what, thread, name);
	if (rc == -SPMU_ENOMEM)
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	if (rc)
		return REQ_BAD;
	ses_gate_follow(s, thread);
	return REQ_OK;
}

void ses_serve_look(struct ses_server *s)
{
	ses_gate_look(s);
	ses_intervals_look(s);
	ses_progress_look(s);
	if (s->service)
		s->service->look(s->service->ctx, s);
}

void ses_serve_answer(struct ses_server *s)
{
	struct req_box *b = &ses_areas_ctl(s->areas)->req;
	uint32_t reply = REQ_OK;

	memset(b->result, 0, sizeof(b->result));
	if (b->whole)
		ses_serve_up_to(s, b->whole);
	switch (b->op) {
	case REQ_TRANSLATE: reply = answer_translate(s, b); break;
	case REQ_INVALIDATE: xlt_invalidate(s->translator, b->arg[0], b->arg[1]); break;
	case REQ_FORGET_ALL:
		reply = ses_serve_forget(s, false);
		xlt_set_null_segments(s->translator, (unsigned)b->arg[0] & 15);
		break;
	case REQ_EXEC:
		reply = ses_replace(s);
		if (s->service && reply == REQ_OK)
			s->service->replaced(s->service->ctx, s);
		break;
	case REQ_PERF: reply = s->service ? s->service->ask(s->service->ctx, s) : REQ_BAD; break;
	case REQ_SLEPT:
		ses_clock_slept(s, b->arg[0]);
		if (s->service)
			s->service->slept(s->service->ctx, s);
		/* fall through */
	case REQ_CLOCK: {
		const struct ses_time now = ses_clock_now(s);

		b->result[0] = now.stamp;
		b->result[1] = now.elapsed_ns;
		b->result[2] = now.executed_ns;
		b->result[3] = s->clock.children_ns;
		break;
	}
	case REQ_REAPED:
		b->result[0] = ses_clock_reaped(s, (pid_t)b->arg[0]);
		if (s->service)
			s->service->slept(s->service->ctx, s);
		break;
	case REQ_COUNTER: reply = answer_counter(s, b); break;
	case REQ_REGION: reply = answer_region(s, b); break;
	case REQ_FORK:
	case REQ_VFORK_EXEC:
		reply = (uint32_t)(b->op == REQ_FORK ? ses_birth_fork(s) : ses_birth_vfork_exec(s));
		if (reply == SES_BIRTH_NEW)
			return; /* this is the new server: its guest has asked nothing yet */
		break;
	case REQ_VFORK: reply = (uint32_t)ses_birth_vfork(s, b->arg[0] != 0); break;
	case REQ_MATE:
		reply =
		    ses_mates_turn(s, (uint32_t)b->arg[0], (uint32_t)b->arg[1]) ? REQ_BAD : REQ_OK;
		break;
	case REQ_MATE_END: reply = ses_mates_end(s, (uint32_t)b->arg[0]) ? REQ_BAD : REQ_OK; break;
	case REQ_VFORK_END:
		reply = (uint32_t)ses_birth_vfork_end(s, b->arg[0] != 0, (uint32_t)b->arg[1]);
		break;
	case REQ_REFUSE: {
		char text[REQ_TEXT_BYTES];

		memcpy(text, b->text, sizeof(text));
		text[sizeof(text) - 1] = 0;
		ses_serve_refuse(s, SPMU_ENOTSUP, text);
		return;
	}
	case REQ_WARN: fprintf(stderr, "softpmu: %.*s\n", (int)REQ_TEXT_BYTES - 1, b->text); break;
	case REQ_RISE: reply = rise(s); break;
	case REQ_THREADS:
		xlt_start_quantum(s->translator);
		reply = ses_serve_forget(s, false);
		break;
	case REQ_HEADS:
		xlt_start_heads(s->translator);
		reply = ses_serve_forget(s, false);
		break;
	case REQ_LD_CACHE: reply = ses_ld_cache_answer(s); break;
	case REQ_MEET:
		s->meet.is_here = true;
		ses_serve_look(s);
		s->meet.is_here = false;
		ses_meet_end(s);
		break;
	case REQ_EXIT:
		s->is_ended = true;
		ses_clock_ends(s);
		if (s->service)
			s->service->ended(s->service->ctx, s);
		break;
	default: reply = REQ_BAD; break;
	}
	b->answer = reply;
	__atomic_store_n(&b->state, REQ_ANSWERED, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&b->guest_sleeps, __ATOMIC_SEQ_CST))
		trc_futex_wake(&b->state);
}
