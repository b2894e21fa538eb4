#include "session/serve.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/birth.h"
#include "session/own.h"
#include "session/replace.h"
#include "session/tally.h"
#include "trace/record.h"
#include "trace/wait.h"

#define NAP_NS 20000000ull /* longest sleep: a guest that dies without a word is noticed after it */
#define SHORT_NAP_NS 100000ull /* the guest said that it ends ... */
#define SHORT_NAPS 200u        /* ... and if it does not (the first process executes something else), enough of that */
#define ALERT_NAP_NS 500000ull /* other processes of the program may want an answer */
#define STOP_LOOK_TURNS 16u  /* look for SIGINT once in so many turns while there is work */
#define PART_LEAST 8u        /* questions on the guest's processor between two attempts to leave it ... */
#define PART_DOUBLINGS 9u    /* ... doubled so many times while they do not help */
#define OTHERS_MS 50       /* between two looks for SIGINT while only other servers are busy */
#define GRACE_TURNS 100u   /* naps between SIGTERM and SIGKILL: 2 s */

/* End the guest at once: all its processes listen to `life`. Numbers of processes in shared memory are the guest's word. */
static void kill_guest(struct ses_server *s)
{
	if (s->pid > 0 && !s->is_reaped)
		kill(s->pid, SIGKILL);
	if (s->life >= 0)
		s->life = (close(s->life), -1);
}

void ses_serve_refuse(struct ses_server *s, int code, const char *why)
{
	if (!s->is_refused && why)
		spmu_fail(s->err, code, "%s", why);
	s->is_refused = true;
	__atomic_store_n(&s->family->alarm->is_refused, 1, __ATOMIC_SEQ_CST);
	kill_guest(s);
}

/* ---- ring -------------------------------------------------------------------------------------- */

int ses_serve_feed_model(struct ses_server *s, const uint8_t *bytes, size_t n)
{
	ses_reading_feed(s, bytes, n);
	return s->threads ? ses_threads_feed(s->threads, bytes, n) : mdl_feed(s->model, bytes, n);
}

const uint8_t *ses_serve_chunk(const struct ses_server *s, uint32_t number)
{
	return (const uint8_t *)s->areas->map[SES_AREA_RING] + (size_t)(number % SHR_N_CHUNKS) * SHR_CHUNK_BYTES;
}

/* The chunk with this number up to `whole`; what was read ahead of it is left out. */
static void feed(struct ses_server *s, uint32_t number, uint32_t whole)
{
	const uint8_t *p = ses_serve_chunk(s, number) + s->meet.fed;
	const uint32_t bytes = whole - s->meet.fed;
	int rc;

	if (whole > SHR_CHUNK_BYTES || whole < s->meet.fed) {
		ses_serve_refuse(s, SPMU_EPROTO, "the program damaged the shared trace; counting stopped there");
		return;
	}
	s->meet.fed = 0;
	if (!bytes)
		return;
	s->trace_bytes += bytes;
	if (s->trace && ses_trace_write(s->trace, p, bytes) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
	if (s->journal && ses_journal_feed(s->journal, p, bytes) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the journal; is the disk full?");
	if (s->tier == SHR_TIER_COUNT)
		ses_tally_partials(s, p, bytes);
	rc = s->service ? s->service->feed(s->service->ctx, s, p, bytes) : ses_serve_feed_model(s, p, bytes);
	if (rc == -SPMU_ENOTSUP)
		ses_serve_refuse(s, SPMU_ENOTSUP,
		                 "the program ran one string instruction over more memory than this "
		                 "version counts at once (16 GiB); counting stopped there");
	else if (rc != 0)
		ses_serve_refuse(s, SPMU_EPROTO, "the program damaged the shared trace; counting stopped there");
}

void ses_serve_feed_open(struct ses_server *s, uint32_t whole)
{
	if (whole <= s->meet.fed)
		return;
	feed(s, ses_areas_ctl(s->areas)->consumed, whole);
	s->meet.fed = whole;
}

bool ses_serve_take(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	const uint32_t consumed = c->consumed;
	const uint32_t produced = __atomic_load_n(&c->produced, __ATOMIC_ACQUIRE);

	if (produced == consumed)
		return false;
	if (produced - consumed > SHR_N_CHUNKS) {
		ses_serve_refuse(s, SPMU_EPROTO, "the program damaged the shared trace; counting stopped there");
		return false;
	}
	if (!s->is_refused)
		feed(s, consumed, __atomic_load_n(&c->chunk_bytes[consumed % SHR_N_CHUNKS], __ATOMIC_RELAXED));
	__atomic_store_n(&c->reader_cpu, (uint32_t)sched_getcpu(), __ATOMIC_RELAXED);
	__atomic_store_n(&c->consumed, consumed + 1, __ATOMIC_SEQ_CST);
	if (produced - consumed - 1 <= SHR_REFILL_CHUNKS && __atomic_load_n(&c->guest_sleeps, __ATOMIC_SEQ_CST))
		trc_futex_wake(&c->consumed);
	return true;
}

void ses_serve_drain(struct ses_server *s)
{
	while (ses_serve_take(s))
		;
}

/* The guest is gone. When it was killed, its last chunk was not handed over. */
static void drain_last(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	uint64_t open;
	uint32_t whole;

	ses_serve_drain(s);
	open = __atomic_load_n(&c->open_chunk, __ATOMIC_ACQUIRE);
	if (s->is_refused || open >> 32 != c->consumed + 1u)
		return;
	whole = (uint32_t)open & ~SHR_NOTE_TAKEN;
	if (whole < s->meet.fed)
		whole = s->meet.fed;
	if (s->tier == SHR_TIER_STREAM)
		whole = trc_whole_bytes(ses_serve_chunk(s, c->consumed), SHR_CHUNK_BYTES, whole);
	ses_serve_feed_open(s, whole);
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
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
		return REQ_BAD;
	default:
		return REQ_BAD;
	}
}

void ses_serve_start_empty(struct ses_server *s)
{
	if (s->over)
		memset(s->over, 0, xlt_n_blocks(s->translator) * sizeof(*s->over));
	xlt_forget_all(s->translator);
	mdl_forget_blocks(s->model);
	s->reading.n_left = 0;
	x86_store_clear(s->store);
}

uint32_t ses_serve_forget(struct ses_server *s, bool is_new_program)
{
	ses_serve_drain(s);
	ses_tally_settle(s);
	if (s->over)
		memset(s->over, 0, xlt_n_blocks(s->translator) * sizeof(*s->over));
	if (s->trace && ses_trace_forget_all(s->trace) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
	if (ses_areas_empty(s->areas) != 0) {
		ses_serve_refuse(s, SPMU_ESYS,
		                 "the host does not let shared memory be emptied (MADV_REMOVE), which a program "
		                 "with so much code needs");
		return REQ_BAD;
	}
	if (is_new_program)
		xlt_restart(s->translator, ses_areas_ctl(s->areas)->start.mode == SHR_MODE_32 ? X86_MODE_32 : X86_MODE_64);
	else
		xlt_forget_all(s->translator);
	mdl_forget_blocks(s->model);
	s->reading.n_left = 0;
	x86_store_clear(s->store);
	return REQ_OK;
}

/* From counts of executions to records. What was executed until now has been counted; caches and clocks begin here. */
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
	b->result[0] = ses_bank_value(s, (unsigned)b->arg[0], (uint32_t)b->arg[1], (uint32_t)b->arg[2]);
	return REQ_OK;
}

static uint32_t answer_region(struct ses_server *s, struct req_box *b)
{
	char text[REQ_TEXT_BYTES];

	if (!s->regions)
		return REQ_OK;
	memcpy(text, b->text, sizeof(text));
	text[sizeof(text) - 1] = 0;
	return ses_regions_do(s->regions, s, (enum req_region)b->arg[0], (uint32_t)b->arg[1], text) ? REQ_BAD : REQ_OK;
}

/* Has somebody else than the guest asked for something? */
static void look(struct ses_server *s)
{
	ses_gate_look(s);
	if (s->service)
		s->service->look(s->service->ctx, s);
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
		reply = ses_serve_forget(s, false);
		xlt_set_null_segments(s->translator, (unsigned)b->arg[0] & 15);
		break;
	case REQ_EXEC:
		reply = ses_replace(s);
		if (s->service && reply == REQ_OK)
			s->service->replaced(s->service->ctx, s);
		break;
	case REQ_PERF:
		reply = s->service ? s->service->ask(s->service->ctx, s) : REQ_BAD;
		break;
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
	case REQ_COUNTER:
		reply = answer_counter(s, b);
		break;
	case REQ_REGION:
		reply = answer_region(s, b);
		break;
	case REQ_FORK:
	case REQ_VFORK_EXEC:
		reply = (uint32_t)(b->op == REQ_FORK ? ses_birth_fork(s) : ses_birth_vfork_exec(s));
		if (reply == SES_BIRTH_NEW)
			return; /* nobody has asked the new server yet */
		break;
	case REQ_VFORK:
		reply = (uint32_t)ses_birth_vfork(s, b->arg[0] != 0);
		break;
	case REQ_MATE:
		reply = ses_mates_turn(s, (uint32_t)b->arg[0], (uint32_t)b->arg[1]) ? REQ_BAD : REQ_OK;
		break;
	case REQ_MATE_END:
		reply = ses_mates_end(s, (uint32_t)b->arg[0]) ? REQ_BAD : REQ_OK;
		break;
	case REQ_VFORK_END:
		reply = (uint32_t)ses_birth_vfork_end(s, b->arg[0] != 0);
		break;
	case REQ_REFUSE: {
		char text[REQ_TEXT_BYTES];

		memcpy(text, b->text, sizeof(text));
		text[sizeof(text) - 1] = 0;
		ses_serve_refuse(s, SPMU_ENOTSUP, text);
		return;
	}
	case REQ_WARN:
		fprintf(stderr, "softpmu: %.*s\n", (int)REQ_TEXT_BYTES - 1, b->text);
		break;
	case REQ_RISE:
		reply = rise(s);
		break;
	case REQ_THREADS:
		xlt_start_quantum(s->translator);
		reply = ses_serve_forget(s, false);
		break;
	case REQ_MEET:
		s->meet.is_here = true;
		look(s);
		s->meet.is_here = false;
		ses_meet_end(s);
		break;
	case REQ_EXIT:
		s->is_ended = true;
		ses_clock_ends(s);
		if (s->service)
			s->service->ended(s->service->ctx, s);
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
	const bool is_alert = s->cfg->gate || (s->service && s->service->is_busy(s->service->ctx));
	const uint64_t longest = is_alert ? ALERT_NAP_NS : NAP_NS;

	__atomic_store_n(&c->consumer_sleeps, 1, __ATOMIC_SEQ_CST);
	if (!has_work(s))
		trc_futex_wait(&c->doorbell, seen, s->is_ended && s->n_short++ < SHORT_NAPS ? SHORT_NAP_NS : longest);
	__atomic_store_n(&c->consumer_sleeps, 0, __ATOMIC_SEQ_CST);
}

/* Guest and server have met on one of several processors: who yields there lets the other one run, neither sleeps, and the
 * kernel moves neither. Who sleeps is woken on an idle processor, if there is one. Returns whether to sleep at once. */
static bool wants_to_part(struct ses_server *s)
{
	if (ses_areas_ctl(s->areas)->req.guest_cpu != (uint32_t)sched_getcpu()) {
		s->n_parting = s->part_in = 0;
		return false;
	}
	if (s->part_in) {
		s->part_in--;
		return false;
	}
	s->part_in = PART_LEAST << s->n_parting;
	if (s->n_parting < PART_DOUBLINGS)
		s->n_parting++;
	return true;
}

static int is_single_cpu(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1;
}

/* SIGTERM to the guest, and what wakes it when it is stopped. */
static void end_guest(struct ses_server *s)
{
	pid_t pid = s->pid > 0 ? s->pid : (pid_t)ses_areas_ctl(s->areas)->guest_pid;

	if (pid <= 1 || (s->pid <= 0 && !ses_is_own(s->areas, (uint32_t)pid)))
		return; /* the end of its life pipe comes next */
	kill(pid, SIGTERM);
	kill(pid, SIGCONT);
}

/* Has SIGINT or SIGTERM come to the first server? Then all know it. */
static void look_for_signal(struct ses_family *f)
{
	const struct timespec now = { 0, 0 };
	sigset_t stop;
	int signo;

	if (!f->is_first || f->alarm->stop_signal)
		return;
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	signo = sigtimedwait(&stop, NULL, &now);
	if (signo > 0)
		__atomic_store_n(&f->alarm->stop_signal, signo, __ATOMIC_SEQ_CST);
}

/* News from the user and from the other servers. When the user asked for the end, the guest gets SIGTERM and
 * a while to finish. */
static void look_around(struct ses_server *s)
{
	ses_family_hear(s->family);
	look_for_signal(s->family);
	if (!s->stop_signal) {
		s->stop_signal = __atomic_load_n(&s->family->alarm->stop_signal, __ATOMIC_RELAXED);
		if (s->stop_signal)
			end_guest(s);
	}
	if (__atomic_load_n(&s->family->alarm->is_refused, __ATOMIC_RELAXED))
		kill_guest(s);
}

/* Is the process gone whose descriptors lie in a table that others use, too? */
static bool is_watched_gone(struct ses_server *s)
{
	const uint32_t pid = ses_areas_ctl(s->areas)->watch_pid;
	struct pollfd p;

	if (pid <= 1 || pid > INT32_MAX)
		return false;
	if (s->watch < 0)
		s->watch = (int)syscall(SYS_pidfd_open, pid, 0);
	if (s->watch < 0)
		return errno == ESRCH;
	p = (struct pollfd){ .fd = s->watch, .events = POLLIN };
	return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

/* Is the guest process gone, and every other one in its memory? */
static bool is_gone(struct ses_server *s)
{
	struct pollfd p = { .fd = s->life };

	if (s->pid > 0) {
		if (!s->is_reaped)
			s->is_reaped = waitpid(s->pid, &s->wait_status, WNOHANG) == s->pid;
		if (!s->is_reaped || s->is_refused || !ses_areas_ctl(s->areas)->n_others)
			return s->is_reaped;
	} else if (!ses_areas_ctl(s->areas)->n_others && is_watched_gone(s)) {
		return true;
	}
	return s->life < 0 || (poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLNVAL));
}

int ses_serve(struct ses_server *s)
{
	struct trc_wait w = { 0, (uint32_t)is_single_cpu() };
	uint32_t naps_after_stop = 0, busy_turns = 0;
	bool is_killed = false;

	for (;;) {
		bool did = ses_serve_take(s);

		look(s);
		if (__atomic_load_n(&ses_areas_ctl(s->areas)->req.state, __ATOMIC_ACQUIRE) == REQ_ASKED &&
		    !s->is_refused) {
			answer(s);
			did = true;
			if (!w.is_single_cpu && wants_to_part(s))
				nap(s);
		}
		if (s->cfg->is_enough && *s->cfg->is_enough && !is_killed) {
			kill_guest(s);
			is_killed = true;
		}
		if (did) {
			w.turns = 0;
			if (++busy_turns % STOP_LOOK_TURNS == 0)
				look_around(s);
			continue;
		}
		if (!trc_wait_turn(&w))
			continue;
		look_around(s);
		if (is_gone(s)) {
			drain_last(s);
			if (s->service)
				s->service->ended(s->service->ctx, s);
			break;
		}
		if (s->stop_signal && ++naps_after_stop > GRACE_TURNS)
			kill_guest(s);
		nap(s);
	}
	if (s->is_refused)
		return -s->err->code;
	return 0;
}

int ses_serve_others(struct ses_server *s)
{
	while (ses_family_wait(s->family, OTHERS_MS))
		look_for_signal(s->family);
	if (!s->stop_signal)
		s->stop_signal = s->family->alarm->stop_signal;
	return -s->family->refusal.code;
}
