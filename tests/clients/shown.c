/* shown.c -- an event's descriptor as /proc shows it: to a process that has opened none, and by a
 * directory that was opened before.
 *
 * Ends with 0, or says what was wrong; 3: there are no events here. Page faults: the same natively.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define LINK "anon_inode:[perf_event]"

/* By a directory and a name in it: what link and file say. */
static void look(int dir, const char *name, const char *link, mode_t mode)
{
	char to[64] = "";
	struct stat st = {0};
	struct statx x = {0};

	CHECK(readlinkat(dir, name, to, sizeof(to) - 1) > 0 && !strncmp(to, link, strlen(link)),
	      "%s leads to %s", name, to);
	CHECK(readlinkat(dir, name, to, 5) == 5 && !memcmp(to, link, 5), "a part of it: %.5s", to);
	CHECK(!fstatat(dir, name, &st, 0) && (st.st_mode & ~0777) == (mode & ~0777), "%s: mode %o",
	      name, st.st_mode);
	CHECK(!syscall(SYS_statx, dir, name, 0, STATX_BASIC_STATS, &x) &&
		  (x.stx_mode & ~0777) == (mode & ~0777),
	      "%s: statx: mode %o", name, x.stx_mode);
	CHECK(!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode),
	      "%s itself: mode %o", name, st.st_mode);
}

static void look_both(int dir, const char *head, int event, int sock)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%d", head, event);
	look(dir, name, LINK, 0600);
	snprintf(name, sizeof(name), "%s%d", head, sock);
	look(dir, name, "socket:[", S_IFSOCK);
}

static void child(int said, int go)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_SW_PAGE_FAULTS,
				    .disabled = 1,
				    .exclude_kernel = 1};
	int fd[2] = {(int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0),
		     socket(AF_UNIX, SOCK_STREAM, 0)},
	    dir;
	char byte;

	if (fd[0] >= 0) {
		dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
		look_both(dir, "", fd[0], fd[1]);
		look_both(AT_FDCWD, "/proc/self/fd/", fd[0], fd[1]);
		look_both(AT_FDCWD, "/proc/self/task/../fd/", fd[0], fd[1]);
	}
	if (write(said, fd, sizeof(fd)) != sizeof(fd) || read(go, &byte, 1) != 1)
		_exit(4);
	_exit(n_wrong);
}

int main(void)
{
	int said[2], go[2], fd[2], status, dir;
	char head[64];
	pid_t pid;

	if (pipe(said) || pipe(go))
		return 4;
	pid = fork();
	if (!pid)
		child(said[1], go[0]);
	if (read(said[0], fd, sizeof(fd)) != sizeof(fd))
		return 4;
	if (fd[0] < 0) {
		printf("no page faults\n");
		return 3;
	}
	snprintf(head, sizeof(head), "/proc/%d/fd/", pid);
	dir = open(head, O_RDONLY | O_DIRECTORY);
	look_both(AT_FDCWD, head, fd[0], fd[1]);
	look_both(dir, "", fd[0], fd[1]);
	snprintf(head, sizeof(head), "/proc/%d/task/%d/fd/", pid, pid);
	look_both(AT_FDCWD, head, fd[0], fd[1]);
	CHECK(write(go[1], "", 1) == 1 && waitpid(pid, &status, 0) == pid && !status,
	      "status of the child %x", status);
	return n_wrong != 0;
}
