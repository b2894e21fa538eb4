/* serve.c -- the loop of a server: what it waits for, and what ends it. */
#include "session/serve/serve.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session/serve/own.h"
#include "trace/wait.h"

#define NAP_NS 20000000ull /* longest sleep: a guest that dies silently is noticed after it */
/* After the guest said that it ends, the server takes at most SHORT_NAPS naps of SHORT_NAP_NS. It
 * may not end: the first process may execute another program. */
#define SHORT_NAP_NS	100000ull
#define SHORT_NAPS	200u
#define ALERT_NAP_NS	500000ull /* other processes of the program may want an answer */
#define STOP_LOOK_TURNS 16u	  /* while there is work, look for SIGINT once in so many turns */
/* Questions on the guest's processor between two attempts to leave it. The number doubles, at most
 * PART_DOUBLINGS times, while attempts do not help. */
#define PART_LEAST     8u
#define PART_DOUBLINGS 9u
#define OTHERS_MS      50 /* between two looks for SIGINT while only other servers are busy */
#define TWICE_NS       2000000000ull /* two SIGINT within this time end the run */
/* SIGINT by kill() within ONE_NS are one: timeout(1) sends one to the process and one to its group.
 * OWN_NS after it, the guest has one of its own if the group got it. */
#define ONE_NS	       200000000ull
#define OWN_NS	       50000000ull
#define GRACE_NS       2000000000ull /* between SIGTERM and SIGKILL */
#define SHORT_GRACE_NS 100000000ull  /* where processor time ends */

/* End the guest at once: all its processes listen to `life`. Numbers of processes in shared
 * memory are the guest's word. */
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
	const bool has_time = s->cfg->intervals && s->cfg->intervals->every_ns;
	const bool is_alert =
	    s->cfg->gate || has_time || (s->service && s->service->is_busy(s->service->ctx));
	const uint64_t longest = is_alert ? ALERT_NAP_NS : NAP_NS;

	__atomic_store_n(&c->consumer_sleeps, 1, __ATOMIC_SEQ_CST);
	if (!has_work(s))
		trc_futex_wait(&c->doorbell, seen,
			       s->is_ended && s->n_short++ < SHORT_NAPS ? SHORT_NAP_NS : longest);
	__atomic_store_n(&c->consumer_sleeps, 0, __ATOMIC_SEQ_CST);
}

/* Guest and server can meet on one of several processors. There each yields to the other, neither
 * sleeps, and so the kernel moves neither. A process that sleeps is woken on an idle processor, if
 * there is one. Returns true if the server should sleep at once to part from the guest. */
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

/* Send SIGTERM to the guest, and SIGCONT in case it is stopped. */
static void end_guest(struct ses_server *s)
{
	pid_t pid = s->pid > 0 ? s->pid : (pid_t)ses_areas_ctl(s->areas)->guest_pid;

	if (pid <= 1 || (s->pid <= 0 && !ses_is_own(s->areas, (uint32_t)pid)))
		return; /* the end of its life pipe comes next */
	kill(pid, SIGTERM);
	kill(pid, SIGCONT);
}

uint64_t ses_host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns true if the signal ends the run. A SIGINT is the program's, which handles it as without
 * softpmu: the terminal's key sends one to both; of one that was sent by kill() it is found out
 * (pass_on()). A second one ends the run. */
static bool is_meant(struct ses_family *f, const siginfo_t *info)
{
	const uint64_t now = ses_host_ns(), before = f->pressed_ns;
	const bool is_key = info->si_code == SI_KERNEL;

	if (info->si_signo != SIGINT)
		return true;
	if (!is_key && before && (now - before < ONE_NS || !f->is_quiet))
		return false;
	f->pressed_ns = now;
	f->is_quiet = false;
	if (before && now - before < TWICE_NS)
		return true;
	if (!is_key) {
		f->sent_ns = f->looked_ns;
		f->due_ns = now + OWN_NS;
	}
	return false;
}

/* Has a signal come that ends the run: to the first server, or at the end of this one's processor
 * time? Then all know it. */
static void look_for_signal(struct ses_family *f)
{
	const struct timespec now = {0, 0};
	uint64_t before_ns;
	siginfo_t info;
	sigset_t stop;

	if ((!f->is_first && !f->has_time_limit) || f->alarm->stop_signal)
		return;
	sigemptyset(&stop);
	sigaddset(&stop, SIGPROF); /* ses_limits_watch_time() */
	if (f->is_first) {
		sigaddset(&stop, SIGINT);
		sigaddset(&stop, SIGTERM);
		sigaddset(&stop, SIGXCPU);
		sigaddset(&stop, SIGUSR1); /* blocked when ses_config.intervals is there */
	}
	before_ns = ses_host_ns();
	if (sigtimedwait(&stop, &info, &now) <= 0) {
		f->looked_ns = before_ns;
		f->is_quiet = true;
		return;
	}
	if (info.si_signo == SIGPROF)
		__atomic_store_n(&f->alarm->stop_signal, SIGXCPU, __ATOMIC_SEQ_CST);
	else if (info.si_signo == SIGUSR1)
		__atomic_add_fetch(&f->alarm->asked, 1, __ATOMIC_SEQ_CST);
	else if (is_meant(f, &info))
		__atomic_store_n(&f->alarm->stop_signal, info.si_signo, __ATOMIC_SEQ_CST);
}

/* Pass a SIGINT that was sent to softpmu alone on to a program that does something with it. Of a
 * program that would not, it ends the run. */
static void pass_on(struct ses_server *s)
{
	struct ses_family *f = s->family;
	const struct shr_ctl *c;

	if (!f->is_first || !f->due_ns)
		return;
	c = ses_areas_ctl(s->areas);
	if (__atomic_load_n(&c->interrupt_ns, __ATOMIC_RELAXED) >= f->sent_ns) {
		f->due_ns = 0; /* it went to the group */
	} else if (ses_host_ns() >= f->due_ns) {
		f->due_ns = 0;
		f->has_passed_on = !s->is_reaped && c->hears_interrupt && kill(s->pid, SIGINT) == 0;
		if (!f->has_passed_on)
			__atomic_store_n(&f->alarm->stop_signal, SIGINT, __ATOMIC_SEQ_CST);
	}
}

/* As look_for_signal(); also ends the run when its time is over (--timeout). */
static void look_for_end(struct ses_server *s)
{
	struct ses_alarm *a = s->family->alarm;

	look_for_signal(s->family);
	pass_on(s);
	if (!s->family->is_first || !s->cfg->timeout_ms || a->stop_signal ||
	    ses_host_ns() - s->start_ns < (uint64_t)s->cfg->timeout_ms * 1000000u)
		return;
	a->is_timed_out = 1;
	__atomic_store_n(&a->stop_signal, SIGTERM, __ATOMIC_SEQ_CST);
}

/* Show this server's guest to the other servers; none is shown while other processes share its
 * memory. Then note whether the run is to end without it (left.h). */
static void show_guest(struct ses_server *s, bool is_idle)
{
	const struct shr_ctl *c = ses_areas_ctl(s->areas);

	if (s->family->is_first || s->is_left)
		return;
	ses_family_show(s->family, c->n_others ? 0 : (pid_t)c->guest_pid, s->member.program,
			is_idle);
	s->is_leaving = __atomic_load_n(&s->family->alarm->is_released, __ATOMIC_SEQ_CST) != 0;
}

/* Act on news from the user and from the other servers. If the user asked for the end, the guest
 * gets SIGTERM and GRACE_NS to finish. */
static void look_around(struct ses_server *s, bool is_idle)
{
	show_guest(s, is_idle);
	if (s->is_left)
		return;
	ses_family_hear(s->family);
	look_for_end(s);
	if (!s->stop_signal) {
		s->stop_signal = __atomic_load_n(&s->family->alarm->stop_signal, __ATOMIC_RELAXED);
		if (s->stop_signal) {
			s->stop_ns = ses_host_ns();
			end_guest(s);
		}
	} else if (ses_host_ns() - s->stop_ns >
		   (s->stop_signal == SIGXCPU ? SHORT_GRACE_NS : GRACE_NS)) {
		kill_guest(s);
	}
	if (__atomic_load_n(&s->family->alarm->is_refused, __ATOMIC_RELAXED))
		kill_guest(s);
}

/* Returns true if process shr_ctl.watch_pid is gone. It is set where other processes may hold the
 * guest's life pipe open, so that the pipe's end says nothing. */
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
	p = (struct pollfd){.fd = s->watch, .events = POLLIN};
	return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

/* Returns true if the guest process and all other processes in its memory are gone. */
static bool is_gone(struct ses_server *s)
{
	struct pollfd p = {.fd = s->life};

	if (s->pid > 0) {
		const pid_t session = s->is_reaped ? 0 : getsid(s->pid);

		if (session > 0)
			s->family->alarm->session = session;
		if (!s->is_reaped)
			s->is_reaped = waitpid(s->pid, &s->wait_status, WNOHANG) == s->pid;
		if (!s->is_reaped || s->is_refused || !ses_areas_ctl(s->areas)->n_others)
			return s->is_reaped;
	} else if (!ses_areas_ctl(s->areas)->n_others && is_watched_gone(s)) {
		return true;
	}
	return s->life < 0 || (poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLNVAL));
}

bool ses_serve_is_over(void *ctx)
{
	struct ses_server *s = ctx;

	look_around(s, false);
	if (s->stop_signal || s->is_refused || s->is_leaving ||
	    (s->cfg->is_enough && *s->cfg->is_enough))
		return true;
	/* A guest that is gone in a system call may have ended itself there, at a place that the
	 * host does not decide: then the rest of the records counts. */
	return !s->is_ended &&
	       !__atomic_load_n(&ses_areas_ctl(s->areas)->is_out, __ATOMIC_SEQ_CST) && is_gone(s);
}

/* A runtime that gives up asks softpmu to say why. If it has ended that way and no question came,
 * the program has overwritten the question. */
static void say_why(struct ses_server *s)
{
	if (s->pid > 0 && s->is_reaped && !s->is_ended && !s->is_refused &&
	    WIFEXITED(s->wait_status) && WEXITSTATUS(s->wait_status) == REQ_GAVE_UP)
		ses_serve_refuse(s, SPMU_EPROTO, SES_DAMAGED);
}

int ses_serve(struct ses_server *s)
{
	struct trc_wait w = {.is_single_cpu = (uint32_t)is_single_cpu()};
	uint32_t busy_turns = 0;
	bool is_killed = false;

	for (;;) {
		bool did = ses_serve_take(s);

		ses_serve_look(s);
		if (__atomic_load_n(&ses_areas_ctl(s->areas)->req.state, __ATOMIC_ACQUIRE) ==
			REQ_ASKED &&
		    !s->is_refused) {
			ses_serve_answer(s);
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
				look_around(s, false);
			if (s->is_leaving)
				return 0;
			continue;
		}
		if (!trc_wait_turn(&w))
			continue;
		look_around(s, true);
		if (s->is_leaving)
			return 0;
		if (is_gone(s)) {
			ses_serve_drain_last(s);
			say_why(s);
			if (s->service)
				s->service->ended(s->service->ctx, s);
			break;
		}
		nap(s);
	}
	if (s->is_refused)
		return -s->err->code;
	return 0;
}

/* Returns true if the run may end now, whichever processes are left. */
static bool is_enough(const struct ses_server *s)
{
	const struct ses_alarm *a = s->family->alarm;

	if (a->stop_signal || a->is_refused || s->family->refusal.code)
		return false; /* all end */
	return s->cfg->wait == SES_WAIT_FIRST ||
	       (s->cfg->wait == SES_WAIT_AUTO && ses_family_is_settled(s->family));
}

/* The first guest was the only one that got a SIGINT. Where it died of that (a shell does so in the
 * end, though it has a handler), the others end, too. */
static void end_with_first(struct ses_server *s)
{
	struct ses_alarm *a = s->family->alarm;

	if (s->family->has_passed_on && !a->stop_signal && WIFSIGNALED(s->wait_status) &&
	    WTERMSIG(s->wait_status) == SIGINT)
		__atomic_store_n(&a->stop_signal, SIGINT, __ATOMIC_SEQ_CST);
}

int ses_serve_others(struct ses_server *s)
{
	struct ses_alarm *a = s->family->alarm;
	bool is_named = a->stop_signal != 0;
	unsigned n_turns = 0;

	__atomic_store_n(&a->is_waiting, 1, __ATOMIC_SEQ_CST);
	do {
		look_for_end(s);
		if (n_turns++) /* those that end by themselves are gone by now */
			end_with_first(s);
		ses_intervals_look(s);
		ses_progress_look(s);
		if (a->stop_signal && !is_named) {
			ses_family_name_left(s->family);
			is_named = true;
		}
		if (is_enough(s))
			__atomic_store_n(&a->is_released, 1, __ATOMIC_SEQ_CST);
	} while (ses_family_wait(s->family, OTHERS_MS));
	/* the signal may have been sent to this process, too: the report names it */
	look_for_signal(s->family);
	if (!s->stop_signal)
		s->stop_signal = a->stop_signal;
	return -s->family->refusal.code;
}
