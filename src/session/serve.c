#include "session/serve.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/record.h"
#include "trace/wait.h"

#define NAP_NS 20000000ull /* longest sleep: a guest that dies without a word is noticed after it */
#define SHORT_NAP_NS 100000ull /* the guest said that it ends */
#define STOP_LOOK_TURNS 16u  /* look for SIGINT once in so many turns while there is work */
#define GRACE_TURNS 100u   /* naps between SIGTERM and SIGKILL: 2 s */

static void refuse(struct ses_server *s, int code, const char *why)
{
	if (!s->is_refused)
		spmu_fail(s->err, code, "%s", why);
	s->is_refused = true;
	kill(s->pid, SIGKILL);
}

/* ---- ring -------------------------------------------------------------------------------------- */

/* Tier 1 has no block records, only events. An execution that stopped early (TRC_PARTIAL) is counted by
 * the model; when its block counter was raised all the same, that must be taken back. */
static void note_partials(struct ses_server *s, const uint8_t *p, size_t n)
{
	while (n >= 8) {
		uint32_t id, bytes, payload[2];

		memcpy(&id, p, 4);
		memcpy(&bytes, p + 4, 4);
		if (id < TRC_SPECIAL || bytes > n - 8)
			return;
		if (id - TRC_SPECIAL == TRC_PARTIAL && bytes >= 8) {
			memcpy(payload, p + 8, 8);
			if (payload[0] < s->n_over && payload[1] >= xlt_counted_at(s->translator, payload[0]))
				s->over[payload[0]]++;
		}
		p += 8 + bytes;
		n -= 8 + bytes;
	}
}

static void feed(struct ses_server *s, uint32_t number)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	uint32_t slot = number % SHR_N_CHUNKS;
	uint32_t bytes = __atomic_load_n(&c->chunk_bytes[slot], __ATOMIC_RELAXED);
	const uint8_t *p = (const uint8_t *)s->areas->map[SES_AREA_RING] + (size_t)slot * SHR_CHUNK_BYTES;
	int rc;

	if (bytes > SHR_CHUNK_BYTES) {
		refuse(s, SPMU_EPROTO, "the program damaged the shared trace; counting stopped there");
		return;
	}
	s->trace_bytes += bytes;
	if (s->trace && ses_trace_write(s->trace, p, bytes) != 0)
		refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
	if (s->tier == SHR_TIER_COUNT)
		note_partials(s, p, bytes);
	rc = s->threads ? ses_threads_feed(s->threads, p, bytes) : mdl_feed(s->model, p, bytes);
	if (rc == -SPMU_ENOTSUP)
		refuse(s, SPMU_ENOTSUP, "the program ran one string instruction over more memory than this "
		                        "version counts at once (16 GiB); counting stopped there");
	else if (rc != 0)
		refuse(s, SPMU_EPROTO, "the program damaged the shared trace; counting stopped there");
}

/* Consume every chunk that was handed over. Returns true when there was one. */
static bool drain(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	bool did = false;

	for (;;) {
		uint32_t consumed = c->consumed;
		uint32_t produced = __atomic_load_n(&c->produced, __ATOMIC_ACQUIRE);

		if (produced == consumed)
			return did;
		if (produced - consumed > SHR_N_CHUNKS) {
			refuse(s, SPMU_EPROTO, "the program damaged the shared trace; counting stopped there");
			return did;
		}
		if (!s->is_refused)
			feed(s, consumed);
		__atomic_store_n(&c->consumed, consumed + 1, __ATOMIC_SEQ_CST);
		if (produced - consumed - 1 <= SHR_REFILL_CHUNKS &&
		    __atomic_load_n(&c->guest_sleeps, __ATOMIC_SEQ_CST))
			trc_futex_wake(&c->consumed);
		did = true;
		if (__atomic_load_n(&c->req.state, __ATOMIC_RELAXED) == REQ_ASKED)
			return did; /* the guest waits: answer first */
	}
}

/* ---- requests ---------------------------------------------------------------------------------- */

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

static uint32_t answer_translate(struct ses_server *s, struct req_box *b)
{
	struct xlt_answer answer = { 0, 0, 0 };
	int rc;

	s->misses++;
	take_pages(s, b);
	if (xlt_wants_forgetting(s->translator) ||
	    (s->forget_misses && s->misses % s->forget_misses == 0))
		return REQ_FULL;
	rc = xlt_translate(s->translator, b->arg[0], (uint32_t)b->arg[1], &answer);
	b->result[0] = answer.main_entry;
	b->result[1] = answer.indirect_entry;
	switch (rc) {
	case 0:
		return REQ_OK;
	case -SPMU_ENOENT:
		b->result[0] = answer.page;
		return REQ_NEED_PAGE;
	case -SPMU_EEXEC:
		b->result[0] = answer.page > b->arg[0] ? answer.page : b->arg[0];
		return REQ_FAULT;
	case -SPMU_ENOMEM:
		if (xlt_wants_forgetting(s->translator))
			return REQ_FULL;
		refuse(s, SPMU_ENOMEM, "out of memory");
		return REQ_BAD;
	default:
		return REQ_BAD;
	}
}

/* No translation shall exist any more. What was executed is counted first. */
static uint32_t answer_forget_all(struct ses_server *s)
{
	while (drain(s))
		;
	ses_collect_counts(s);
	if (s->over)
		memset(s->over, 0, xlt_n_blocks(s->translator) * sizeof(*s->over));
	if (s->trace && ses_trace_forget_all(s->trace) != 0)
		refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
	if (ses_areas_empty(s->areas) != 0) {
		refuse(s, SPMU_ESYS, "the host does not let shared memory be emptied (MADV_REMOVE), which a program "
		                     "with so much code needs");
		return REQ_BAD;
	}
	xlt_forget_all(s->translator);
	mdl_forget_blocks(s->model);
	x86_store_clear(s->store);
	return REQ_OK;
}

static uint64_t instructions_so_far(struct ses_server *s)
{
	uint64_t sum = mdl_instructions(s->model);

	if (s->tier == SHR_TIER_COUNT) {
		const uint64_t *counters = s->areas->map[SES_AREA_COUNTER];
		const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];

		for (uint32_t i = 0; i < xlt_n_blocks(s->translator); i++)
			sum += (xlt_times(counters, i) - (i < s->n_over ? s->over[i] : 0)) * t->block[i].n_insn;
	}
	return sum;
}

static void answer(struct ses_server *s)
{
	struct req_box *b = &ses_areas_ctl(s->areas)->req;
	uint32_t reply = REQ_OK;

	switch (b->op) {
	case REQ_TRANSLATE:
		reply = answer_translate(s, b);
		break;
	case REQ_INVALIDATE:
		xlt_invalidate(s->translator, b->arg[0], b->arg[1]);
		break;
	case REQ_FORGET_ALL:
		reply = answer_forget_all(s);
		break;
	case REQ_CLOCK:
		while (drain(s) && __atomic_load_n(&ses_areas_ctl(s->areas)->produced, __ATOMIC_ACQUIRE) !=
		                           ses_areas_ctl(s->areas)->consumed)
			;
		b->result[0] = instructions_so_far(s);
		break;
	case REQ_REFUSE: {
		char text[REQ_TEXT_BYTES];

		memcpy(text, b->text, sizeof(text));
		text[sizeof(text) - 1] = 0;
		refuse(s, SPMU_ENOTSUP, text);
		return;
	}
	case REQ_WARN:
		fprintf(stderr, "softpmu: %.*s\n", (int)REQ_TEXT_BYTES - 1, b->text);
		break;
	case REQ_THREADS:
		xlt_start_quantum(s->translator);
		reply = answer_forget_all(s);
		break;
	case REQ_EXIT:
		s->is_ended = true;
		break;
	default:
		reply = REQ_BAD;
		break;
	}
	b->answer = reply;
	__atomic_store_n(&b->state, REQ_ANSWERED, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&b->guest_sleeps, __ATOMIC_SEQ_CST))
		trc_futex_wake(&b->state);
}

/* ---- loop -------------------------------------------------------------------------------------- */

static bool has_work(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);

	return __atomic_load_n(&c->produced, __ATOMIC_SEQ_CST) != c->consumed ||
	       __atomic_load_n(&c->req.state, __ATOMIC_SEQ_CST) == REQ_ASKED;
}

static void nap(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	uint32_t seen = __atomic_load_n(&c->doorbell, __ATOMIC_SEQ_CST);

	__atomic_store_n(&c->consumer_sleeps, 1, __ATOMIC_SEQ_CST);
	if (!has_work(s))
		trc_futex_wait(&c->doorbell, seen, s->is_ended ? SHORT_NAP_NS : NAP_NS);
	__atomic_store_n(&c->consumer_sleeps, 0, __ATOMIC_SEQ_CST);
}

static int is_single_cpu(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1;
}

/* Did the user ask for the end? Then the guest gets SIGTERM and a while to finish. */
static void look_for_stop(struct ses_server *s)
{
	const struct timespec now = { 0, 0 };
	sigset_t stop;
	int signo;

	if (s->stop_signal)
		return;
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	signo = sigtimedwait(&stop, NULL, &now);
	if (signo <= 0)
		return;
	s->stop_signal = signo;
	kill(s->pid, SIGTERM);
	kill(s->pid, SIGCONT);
}

int ses_serve(struct ses_server *s)
{
	struct trc_wait w = { 0, (uint32_t)is_single_cpu() };
	uint32_t naps_after_stop = 0, busy_turns = 0;

	for (;;) {
		bool did = drain(s);

		if (__atomic_load_n(&ses_areas_ctl(s->areas)->req.state, __ATOMIC_ACQUIRE) == REQ_ASKED &&
		    !s->is_refused) {
			answer(s);
			did = true;
		}
		if (did) {
			w.turns = 0;
			if (++busy_turns % STOP_LOOK_TURNS == 0)
				look_for_stop(s);
			continue;
		}
		if (!trc_wait_turn(&w))
			continue;
		look_for_stop(s);
		if (waitpid(s->pid, &s->wait_status, WNOHANG) == s->pid) {
			drain(s);
			break;
		}
		if (s->stop_signal && ++naps_after_stop > GRACE_TURNS)
			kill(s->pid, SIGKILL);
		nap(s);
	}
	if (s->is_refused)
		return -s->err->code;
	return 0;
}

void ses_collect_counts(struct ses_server *s)
{
	const uint64_t *counters = s->areas->map[SES_AREA_COUNTER];

	if (s->tier != SHR_TIER_COUNT)
		return;
	for (uint32_t i = 0; i < xlt_n_blocks(s->translator); i++) {
		uint64_t times = xlt_times(counters, i);
		uint64_t over = i < s->n_over ? s->over[i] : 0;

		if (times > over)
			mdl_add_counts(s->model, i, times - over, xlt_taken(counters, i));
	}
}
