/* spawn.c -- starts the guest runtime in a child process, from a memory file. Rules: spawn.h. An
 * error before the runtime runs comes back through a pipe, so ses_spawn() returns it. */
#include "session/program/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/serve/birth.h"

extern const char ses_guest_image[], ses_guest_image_end[];

void ses_raise_limits(struct ses_inherited *in, bool hears_usr1)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	sigset_t stop;

	ses_limits_raise(in->limit);
	sigaction(SIGXFSZ, &ignore, &old);
	in->has_sigxfsz_ignored = old.sa_handler == SIG_IGN;
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGXCPU);
	sigaddset(&stop, SIGPROF); /* ses_limits_watch_time() */
	in->hears_usr1 = hears_usr1;
	if (hears_usr1)
		sigaddset(&stop, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &stop, &in->mask);
	in->has_time_limit = ses_limits_watch_time();
}

void ses_restore_limits(const struct ses_inherited *in)
{
	const struct timespec now = {0, 0};
	sigset_t late;

	sigemptyset(&late);
	sigaddset(&late, SIGUSR1);
	while (in->hears_usr1 && sigtimedwait(&late, NULL, &now) > 0)
		continue; /* the run is over: the report tells more */
	if (in->has_time_limit)
		ses_limits_leave_time();
	ses_limits_restore(in->limit);
	if (!in->has_sigxfsz_ignored)
		signal(SIGXFSZ, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &in->mask, NULL);
}

/* The runtime in a memory file of its own. Returns a descriptor; -1 with errno. */
static int open_image(void)
{
	const char *p = ses_guest_image;
	size_t left = (size_t)(ses_guest_image_end - ses_guest_image);
	int fd = memfd_create("softpmu-guest", MFD_CLOEXEC);

	while (fd >= 0 && left > 0) {
		ssize_t n = write(fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		p += n;
		left -= (size_t)n;
	}
	return fd;
}

/* In the child: everything the runtime and the program shall find. Never returns. */
static void become_guest(const int *given, const struct ses_inherited *in, pid_t parent,
			 int report_fd)
{
	char number[SHR_N_FDS][12];
	char *argv[SHR_N_FDS + 2] = {"softpmu-guest"};
	char *envp[1] = {NULL};
	int image = given[SHR_FD_IMAGE], what;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* until the runtime listens to the life pipe */
	if (getppid() != parent)
		_exit(125);
	for (int i = 0; i < SHR_N_FDS; i++) {
		int fd = given[i];

		/* few descriptors may be left: keep the number where that is possible */
		if (fd >= 3 ? fcntl(fd, F_SETFD, 0) < 0 : (fd = fcntl(fd, F_DUPFD, 3)) < 0)
			goto fail;
		snprintf(number[i], sizeof(number[i]), "%d", fd);
		argv[1 + i] = number[i];
	}
	ses_restore_limits(in);
	syscall(SYS_execveat, image, "", argv, envp, AT_EMPTY_PATH);
fail:
	what = errno;
	if (write(report_fd, &what, sizeof(what)) < 0)
		_exit(124);
	_exit(125);
}

/* Start the child. Returns 0, or an error number: nothing ran. */
static int start(const int *given, const struct ses_inherited *in, pid_t *pid)
{
	int report[2], what = 0;
	pid_t parent = getpid();
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) != 0)
		return errno;
	*pid = fork();
	if (*pid == 0)
		become_guest(given, in, parent, report[1]);
	what = errno;
	close(report[1]);
	if (*pid < 0) {
		close(report[0]);
		return what;
	}
	do
		n = read(report[0], &what, sizeof(what));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != sizeof(what))
		return 0;
	waitpid(*pid, NULL, 0);
	return what;
}

int ses_spawn(const struct ses_areas *a, const struct ses_inherited *in, struct ses_server *s,
	      struct spmu_error *err)
{
	struct ses_lines l;
	struct rlimit most;
	int given[SHR_N_FDS], what;

	if (ses_lines_open(&l))
		return spmu_fail(err, SPMU_ESYS, "cannot make a pipe: %s", strerror(errno));
	given[SHR_FD_MEMORY] = a->fd;
	given[SHR_FD_SOCKET] = l.sock[1];
	given[SHR_FD_LIFE] = l.life[0];
	given[SHR_FD_IMAGE] = open_image();
	what = given[SHR_FD_IMAGE] < 0 ? errno : start(given, in, &s->pid);
	if (given[SHR_FD_IMAGE] >= 0)
		close(given[SHR_FD_IMAGE]);
	if (!what) {
		s->sock = l.sock[0];
		s->life = l.life[1];
		l.sock[0] = l.life[1] = -1;
	}
	ses_lines_close(&l);
	if (!what)
		return 0;
	s->pid = 0;
	if (what == EAGAIN && !getrlimit(RLIMIT_NPROC, &most) && most.rlim_cur != RLIM_INFINITY)
		return spmu_fail(err, SPMU_ESYS,
				 "cannot start the program's process: ulimit -u allows this user "
				 "%llu processes and "
				 "threads, and as many run; raise it",
				 (unsigned long long)most.rlim_cur);
	return spmu_fail(err, SPMU_ESYS,
			 "cannot start the guest runtime from a descriptor: %s; try 'softpmu "
			 "doctor'",
			 strerror(what));
}
