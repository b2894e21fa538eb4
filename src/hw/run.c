/* run.c -- runs a program under the machine's counters. Rules are in run.h.
 *
 * The child is held until the counters are open: it waits for one byte on a pipe and then becomes
 * the program, and the kernel starts the counters at that exec (enable_on_exec). So nothing of
 * softpmu's own is counted. Another pipe, closed by a successful exec, carries the errno of one
 * that failed.
 */
#include "hw/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hw/counter.h"

/* A child that waits for one byte before it becomes the program. */
struct held {
	pid_t pid;
	int go;			      /* write a byte: exec */
	int failed;		      /* read: nothing when the exec was done, else its errno */
	sigset_t before;	      /* signals blocked before */
	struct sigaction child_ended; /* what was done at SIGCHLD before */
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In the child. Never returns. */
static void become_program(const struct hw_config *cfg, int go, int failed, const struct held *h)
{
	char byte;
	int what;

	if (read(go, &byte, 1) != 1) /* softpmu gave up */
		_exit(125);
	sigaction(SIGCHLD, &h->child_ended, NULL);
	sigprocmask(SIG_SETMASK, &h->before, NULL);
	execvpe(cfg->argv[0], cfg->argv, cfg->envp);
	what = errno;
	_exit(write(failed, &what, sizeof(what)) == sizeof(what) ? 127 : 126);
}

static int hold(const struct hw_config *cfg, struct held *h, struct spmu_error *err)
{
	int go[2] = {-1, -1}, failed[2] = {-1, -1};
	struct sigaction usual = {.sa_handler = SIG_DFL};
	sigset_t ours;

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		goto fail;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, &h->before);
	sigaction(SIGCHLD, &usual,
		  &h->child_ended); /* ignored, it would leave nothing to wait for */
	h->pid = fork();
	if (h->pid == 0) {
		close(go[1]);
		close(failed[0]);
		become_program(cfg, go[0], failed[1], h);
	}
	if (h->pid < 0) {
		sigaction(SIGCHLD, &h->child_ended, NULL);
		sigprocmask(SIG_SETMASK, &h->before, NULL);
		goto fail;
	}
	close(go[0]);
	close(failed[1]);
	h->go = go[1];
	h->failed = failed[0];
	return 0;
fail:
	spmu_fail(err, SPMU_ESYS, "the program could not be started: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		if (go[i] >= 0)
			close(go[i]);
		if (failed[i] >= 0)
			close(failed[i]);
	}
	return -SPMU_ESYS;
}

/* Let it go. Returns 0 or the errno of its exec. */
static int let_go(struct held *h)
{
	int what = 0;
	ssize_t n;

	if (write(h->go, "g", 1) != 1)
		return errno;
	do
		n = read(h->failed, &what, sizeof(what));
	while (n < 0 && errno == EINTR);
	return n == sizeof(what) ? what : 0;
}

/* Wait for its end; what is meant for us goes to it. */
static void wait_for(const struct held *h, struct ses_result *out, struct rusage *usage)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGCHLD);
	while (wait4(h->pid, &out->wait_status, WNOHANG, usage) == 0) {
		const int sig = sigwaitinfo(&ours, NULL);

		if (sig != SIGINT && sig != SIGTERM)
			continue;
		out->interrupted = true;
		out->interrupt_signal = sig;
		kill(h->pid, sig);
	}
}

static void release(struct held *h)
{
	struct timespec now = {0, 0};
	sigset_t child;

	close(h->go);
	close(h->failed);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &now); /* that of the program's end */
	sigaction(SIGCHLD, &h->child_ended, NULL);
	sigprocmask(SIG_SETMASK, &h->before, NULL);
}

/* Descriptor of the group that event i belongs to, -1 when it leads one. */
static int leader_of(const struct hw_events *events, size_t i, const int *fd)
{
	for (size_t k = 0; k < i; k++)
		if (events->event[i].group >= 0 && events->event[k].group == events->event[i].group)
			return fd[k];
	return -1;
}

static int cannot_open(const struct hw_events *events, size_t i, enum hw_refusal why, int error,
		       struct spmu_error *err)
{
	const char *name = events->event[i].name;

	switch (why) {
	case HW_NO_ROOM:
		return spmu_fail(err, SPMU_ENOTSUP,
				 "event %s: this processor cannot count it together with the "
				 "others of its { }; leave the braces "
				 "out, and the events take turns",
				 name);
	case HW_NOT_ALLOWED:
		return spmu_fail(err, SPMU_ESYS,
				 "event %s may not be counted here (kernel.perf_event_paranoid, or "
				 "a filter of system calls); "
				 "--backend soft counts without",
				 name);
	default: return spmu_fail(err, SPMU_ESYS, "event %s: %s", name, strerror(error));
	}
}

/* An event does not exist here. Returns 0 when that is the event's fault, and not the machine's,
 * which has counters. */
static int not_here(struct spmu_error *err)
{
	struct spmu_error why;

	if (!hw_has_counters(&why))
		return 0;
	return spmu_fail(err, why.code, "%s; --backend soft counts on a model", why.text);
}

/* Open all on task pid. An event that the machine's counters do not have gets descriptor -1. */
static int open_all(const struct hw_events *events, pid_t pid, unsigned flags, int *fd,
		    struct spmu_error *err)
{
	bool has_asked = false;

	for (size_t i = 0; i < events->n; i++)
		fd[i] = -1;
	for (size_t i = 0; i < events->n; i++) {
		const int leader = leader_of(events, i, fd);
		enum hw_refusal why;
		int rc;

		fd[i] = hw_counter_open(&events->event[i], pid, leader,
					leader < 0 ? flags : flags & HW_INHERIT, &why);
		if (fd[i] < 0 && why != HW_NOT_HERE)
			return cannot_open(events, i, why, errno, err);
		rc = fd[i] < 0 && !has_asked ? not_here(err) : 0;
		has_asked |= fd[i] < 0;
		if (rc)
			return rc;
	}
	return 0;
}

static void close_all(int *fd, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

static void read_all(const int *fd, size_t n, struct ses_result *out)
{
	for (size_t i = 0; i < n; i++) {
		struct evt_count *c = &out->count[i];
		struct ses_share *share = &out->share[i];

		c->status = EVT_NOT_SUPPORTED;
		c->why = "this machine's counters do not have it";
		if (fd[i] < 0)
			continue;
		c->status = EVT_NOT_COUNTED;
		c->why = "it was never on a counter: too many events, too short a run, or counters "
			 "that somebody else holds";
		if (hw_counter_read(fd[i], &c->value, &share->enabled_ns, &share->running_ns) ||
		    !share->running_ns)
			continue;
		c->status = EVT_COUNTED;
		c->why = NULL;
		if (share->running_ns < share->enabled_ns)
			c->value =
			    (uint64_t)((long double)c->value * (long double)share->enabled_ns /
					   (long double)share->running_ns +
				       0.5L);
	}
}

static int cannot_run(const char *name, int what, struct spmu_error *err)
{
	return spmu_fail(err, what == ENOENT ? SPMU_ENOENT : SPMU_EEXEC, "%s: %s", name,
			 what == ENOENT ? "no such program" : strerror(what));
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int hw_run(const struct hw_config *cfg, struct ses_result *out, struct spmu_error *err)
{
	const size_t n = cfg->events->n;
	int *fd = calloc(n + 1, sizeof(*fd)), rc, what;
	struct rusage usage = {0};
	struct held h;
	double begin;

	memset(out, 0, sizeof(*out));
	out->count = calloc(n + 1, sizeof(*out->count));
	out->share = calloc(n + 1, sizeof(*out->share));
	if (!fd || !out->count || !out->share) {
		free(fd);
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for %zu events", n);
	}
	rc = hold(cfg, &h, err);
	if (rc)
		goto done;
	rc = open_all(cfg->events, h.pid,
		      HW_DISABLED | HW_ON_EXEC | (cfg->is_alone ? 0 : HW_INHERIT), fd, err);
	if (rc) {
		close(h.go);
		h.go = -1;
		wait4(h.pid, &out->wait_status, 0, NULL);
	} else {
		begin = seconds_now();
		what = let_go(&h);
		wait_for(&h, out, &usage);
		out->elapsed_s = seconds_now() - begin;
		out->user_s = seconds_of(usage.ru_utime);
		out->sys_s = seconds_of(usage.ru_stime);
		if (what)
			rc = cannot_run(cfg->argv[0], what, err);
		else
			read_all(fd, n, out);
	}
	release(&h);
	close_all(fd, n);
done:
	free(fd);
	if (rc)
		ses_result_free(out);
	return rc;
}

int hw_try_events(const struct hw_events *events, struct spmu_error *err)
{
	int *fd = calloc(events->n + 1, sizeof(*fd)), rc;

	if (!fd)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for %zu events", events->n);
	rc = open_all(events, 0, HW_DISABLED, fd, err);
	for (size_t i = 0; i < events->n && !rc; i++)
		if (fd[i] < 0)
			rc = spmu_fail(err, SPMU_ENOTSUP,
				       "event %s: the counters of this machine do not have it",
				       events->event[i].name);
	close_all(fd, events->n);
	free(fd);
	return rc;
}
