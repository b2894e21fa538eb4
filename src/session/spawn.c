#include "session/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void ses_raise_limits(struct ses_inherited *in)
{
	struct rlimit r;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	sigset_t stop;

	getrlimit(RLIMIT_NOFILE, &in->nofile);
	getrlimit(RLIMIT_FSIZE, &in->fsize);
	r = (struct rlimit){ in->nofile.rlim_max, in->nofile.rlim_max };
	setrlimit(RLIMIT_NOFILE, &r);
	r = (struct rlimit){ in->fsize.rlim_max, in->fsize.rlim_max };
	setrlimit(RLIMIT_FSIZE, &r);
	sigaction(SIGXFSZ, &ignore, &old);
	in->has_sigxfsz_ignored = old.sa_handler == SIG_IGN;
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &stop, &in->mask);
}

void ses_restore_limits(const struct ses_inherited *in)
{
	setrlimit(RLIMIT_NOFILE, &in->nofile);
	setrlimit(RLIMIT_FSIZE, &in->fsize);
	if (!in->has_sigxfsz_ignored)
		signal(SIGXFSZ, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &in->mask, NULL);
}

/* In the child: everything the runtime and the program shall find. Never returns. */
static void become_guest(const struct ses_areas *a, const struct ses_inherited *in, pid_t parent,
                         int report_fd)
{
	char number[SES_N_AREAS][12];
	char *argv[SES_N_AREAS + 2] = { "softpmu-guest" };
	char *envp[1] = { NULL };
	int what;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(125);
	for (int i = 0; i < SES_N_AREAS; i++) {
		int fd = a->fd[i];

		/* few descriptors may be left: keep the number where that is possible */
		if (fd >= 3 ? fcntl(fd, F_SETFD, 0) < 0 : (fd = fcntl(fd, F_DUPFD, 3)) < 0)
			goto fail;
		snprintf(number[i], sizeof(number[i]), "%d", fd);
		argv[1 + i] = number[i];
	}
	ses_restore_limits(in);
	syscall(SYS_execveat, a->image_fd, "", argv, envp, AT_EMPTY_PATH);
fail:
	what = errno;
	if (write(report_fd, &what, sizeof(what)) < 0)
		_exit(124);
	_exit(125);
}

int ses_spawn(const struct ses_areas *a, const struct ses_inherited *in, pid_t *pid,
              struct spmu_error *err)
{
	int report[2], what = 0;
	pid_t parent = getpid();
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) != 0)
		return spmu_fail(err, SPMU_ESYS, "cannot make a pipe: %s", strerror(errno));
	*pid = fork();
	if (*pid == 0)
		become_guest(a, in, parent, report[1]);
	what = errno;
	close(report[1]);
	if (*pid < 0) {
		close(report[0]);
		return spmu_fail(err, SPMU_ESYS, "cannot start a process: %s", strerror(what));
	}
	do
		n = read(report[0], &what, sizeof(what));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != sizeof(what))
		return 0;
	waitpid(*pid, NULL, 0);
	*pid = 0; /* nothing ran */
	return spmu_fail(err, SPMU_ESYS,
	                 "cannot start the guest runtime from a descriptor: %s; try 'softpmu doctor'",
	                 strerror(what));
}
