/* left.c -- finds out if a process is stopped or in another session, and detaches a server from
 * the run. Rules: left.h. */
#include "session/serve/left.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "session/session.h"

#define MOST_FDS 4096u

/* The letter of the process's state in /proc; 0 = not known. */
static char state_of(pid_t pid)
{
	char path[40], text[512];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	end = strrchr(text, ')'); /* behind the command's name, which may hold anything */
	return end && end[1] == ' ' ? end[2] : 0;
}

bool ses_is_settled(pid_t pid, pid_t session, bool looks_closely)
{
	const pid_t own = getsid(pid);
	char state;

	if (own > 0 && own != session)
		return true;
	state = looks_closely ? state_of(pid) : 0;
	return state == 'T' || state == 't';
}

void ses_open_fds_note(struct ses_open_fds *fds)
{
	struct rlimit r = {MOST_FDS, MOST_FDS};
	struct pollfd *p;

	getrlimit(RLIMIT_NOFILE, &r);
	fds->n = r.rlim_cur < MOST_FDS ? (size_t)r.rlim_cur : MOST_FDS;
	fds->is_open = calloc(fds->n + 1, 1);
	p = calloc(fds->n + 1, sizeof(*p));
	for (size_t i = 0; p && i < fds->n; i++)
		p[i].fd = (int)i;
	if (!p || !fds->is_open || poll(p, (nfds_t)fds->n, 0) < 0)
		ses_open_fds_free(fds);
	for (size_t i = 0; fds->is_open && i < fds->n; i++)
		fds->is_open[i] = !(p[i].revents & POLLNVAL);
	free(p);
}

void ses_open_fds_free(struct ses_open_fds *fds)
{
	free(fds->is_open);
	fds->is_open = NULL;
	fds->n = 0;
}

void ses_left_detach(const struct ses_open_fds *fds)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, 0);
	setsid();
	for (int fd = 0; fd < 3; fd++)
		if (nothing < 0 || dup2(nothing, fd) < 0)
			close(fd);
	if (nothing > 2)
		close(nothing);
	for (size_t i = 3; fds->is_open && i < fds->n; i++)
		if (fds->is_open[i])
			close((int)i);
}

const char *ses_left_names(const struct ses_result *result, char out[SES_LEFT_NAMES_BYTES])
{
	const size_t most = SES_LEFT_NAMES_BYTES - sizeof("and 18446744073709551615 more");
	size_t at = 0;

	out[0] = 0;
	for (size_t i = 0; i < result->n_left; i++) {
		const struct ses_left *l = &result->left[i];
		char one[sizeof(l->program) + 20];
		const int n =
		    snprintf(one, sizeof(one), "%s%d (%s)", i ? ", " : "", (int)l->pid, l->program);

		if (at + (size_t)n > most) {
			snprintf(out + at, SES_LEFT_NAMES_BYTES - at, " and %zu more",
				 result->n_left - i);
			break;
		}
		memcpy(out + at, one, (size_t)n + 1);
		at += (size_t)n;
	}
	return out;
}
