/* What the kernel writes and reads in i386's layouts: each call's numbers are known beforehand. Run
 * with INT 80h and without it (--chaos), the results are the same. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "../programs/check.h"

#define BAD		   ((void *)0xfffff000)
#define FAR		   0x123456789ll /* beyond 4 GB */
#define FAILS(call, error) (errno = 0, (call) == -1 && errno == (error))

static char name[64];
static int file;

static int low(int64_t n)
{
	return (int)n;
}

static int high(int64_t n)
{
	return (int)(n >> 32);
}

/* Sizes and offsets of files, in 32 bits and in 64. */
static void test_sizes(void)
{
	uint32_t s32[16], fs[21];
	uint8_t s64[96];
	int64_t at = 0, size;
	uint32_t mode;

	CHECK(syscall(SYS_ftruncate64, file, low(FAR), high(FAR)) == 0);
	CHECK(syscall(SYS_fstat64, file, s64) == 0);
	memcpy(&size, s64 + 44, 8);
	memcpy(&mode, s64 + 16, 4);
	CHECK(size == FAR && mode == (S_IFREG | 0640));
	CHECK(FAILS(syscall(SYS_fstat, file, s32), EOVERFLOW));
	CHECK(FAILS(syscall(SYS_fstat64, file, BAD), EFAULT));
	CHECK(syscall(SYS__llseek, file, high(FAR), low(FAR) - 9, &at, SEEK_SET) == 0);
	CHECK(at == FAR - 9);
	CHECK(write(file, "beyond", 6) == 6);
	CHECK(syscall(SYS__llseek, file, 0, 0, &at, SEEK_CUR) == 0 && at == FAR - 3);
	CHECK(FAILS(syscall(SYS__llseek, file, 0, 0, BAD, SEEK_CUR), EFAULT));
	CHECK(FAILS(syscall(SYS_lseek, file, -1, SEEK_SET), EINVAL));
	CHECK(syscall(SYS_truncate, name, 1000) == 0 &&
	      syscall(SYS_lseek, file, -1, SEEK_END) == 999);
	CHECK(syscall(SYS_stat, name, s32) == 0 && s32[5] == 1000 && (uint16_t)s32[2] == mode);
	CHECK(FAILS(syscall(SYS_stat, name, BAD), EFAULT));
	CHECK(FAILS(syscall(SYS_lstat64, "/none", s64), ENOENT));
	CHECK(syscall(SYS_fstatfs, file, fs) == 0 && fs[9] == 255);
	CHECK(syscall(SYS_statfs64, name, 84, fs) == 0 && fs[14] == 255);
	CHECK(FAILS(syscall(SYS_statfs64, name, 88, fs), EINVAL));
}

static void test_pieces(void)
{
	char a[4] = "abc", b[8] = "defgh", got[16] = "";
	struct iovec v[2] = {{a, 3}, {b, 5}}, back = {got, 8};
	off_t off;
	int64_t far;
	int other = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	CHECK(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0);
	CHECK(syscall(SYS_writev, file, v, 2) == 8);
	CHECK(syscall(SYS_pwrite64, file, "XY", 2, low(FAR), high(FAR)) == 2);
	CHECK(syscall(SYS_pread64, file, got, 2, low(FAR), high(FAR)) == 2 && got[1] == 'Y');
	CHECK(syscall(SYS_preadv, file, &back, 1, 2, 0) == 8 && !memcmp(got, "cdefgh", 6));
	CHECK(syscall(SYS_pwritev, file, v, 2, low(FAR) + 2, high(FAR)) == 8);
	CHECK(syscall(SYS_preadv2, file, &back, 1, low(FAR) + 1, high(FAR), 0) == 8);
	CHECK(!memcmp(got, "Yabcdefg", 8));
	CHECK(FAILS(syscall(SYS_writev, file, BAD, 1), EFAULT));
	CHECK(FAILS(syscall(SYS_writev, file, v, 1025), EINVAL));
	if (other >= 0) {
		off = 4;
		CHECK(syscall(SYS_sendfile, other, file, &off, 4) == 4 && off == 8);
		far = FAR;
		CHECK(syscall(SYS_sendfile64, other, file, &far, 10) == 10 && far == FAR + 10);
		CHECK(FAILS(syscall(SYS_sendfile, other, file, BAD, 4), EFAULT));
		CHECK(pread(other, got, 14, 0) == 14 && !memcmp(got, "efghXYabcdefgh", 14));
		close(other);
	}
	CHECK(syscall(SYS_fallocate, file, 1, low(FAR), high(FAR), 100, 0) == 0 ||
	      errno == EOPNOTSUPP);
	CHECK(syscall(SYS_fadvise64_64, file, low(FAR), high(FAR), 1, 0, 0) == 0);
	CHECK(syscall(SYS_sync_file_range, file, low(FAR), high(FAR), 1, 0, 2) == 0);
}

static void test_locks(void)
{
	struct flock small = {.l_type = F_WRLCK, .l_start = 5, .l_len = 10};
	struct flock64 wide = {.l_type = F_WRLCK, .l_start = FAR, .l_len = 100};
	int status;

	CHECK(syscall(SYS_fcntl, file, F_SETLK, &small) == 0);
	CHECK(syscall(SYS_fcntl64, file, F_SETLK64, &wide) == 0);
	CHECK(FAILS(syscall(SYS_fcntl64, file, F_SETLK64, BAD), EFAULT));
	if (!fork()) {
		small.l_start = wide.l_start = 0;
		small.l_len = 6;
		CHECK(syscall(SYS_fcntl, file, F_GETLK, &small) == 0);
		CHECK(small.l_start == 5 && small.l_len == 10 && small.l_pid == getppid());
		wide.l_start = FAR + 50;
		CHECK(syscall(SYS_fcntl64, file, F_GETLK64, &wide) == 0);
		CHECK(wide.l_start == FAR && wide.l_len == 100 && wide.l_pid == getppid());
		_exit(check_failed ? 1 : 9);
	}
	CHECK(wait(&status) > 0 && WEXITSTATUS(status) == 9);
}

static void test_times_of_files(void)
{
	int32_t two[2] = {1000, 2000}, four[4] = {3000, 5, 4000, 6}, wrong[4] = {0, 1000000};
	struct stat s;

	CHECK(ftruncate(file, 0) == 0);
	CHECK(syscall(SYS_utime, name, two) == 0 && stat(name, &s) == 0);
	CHECK(s.st_atime == 1000 && s.st_mtime == 2000);
	CHECK(syscall(SYS_utimes, name, four) == 0 && stat(name, &s) == 0);
	CHECK(s.st_atime == 3000 && s.st_mtime == 4000 && s.st_mtim.tv_nsec == 6000);
	CHECK(syscall(SYS_utimensat, AT_FDCWD, name, four, 0) == 0 && stat(name, &s) == 0);
	CHECK(s.st_atim.tv_nsec == 5 && s.st_mtim.tv_nsec == 6);
	CHECK(syscall(SYS_futimesat, file, NULL, four) == 0 && fstat(file, &s) == 0);
	CHECK(s.st_atim.tv_nsec == 5000);
	CHECK(FAILS(syscall(SYS_utimes, name, wrong), EINVAL));
	CHECK(FAILS(syscall(SYS_utimes, name, BAD), EFAULT));
}

static void test_clocks(void)
{
	int32_t t[2] = {-1, -1}, wait_for[2] = {0, 1000}, far_from[2] = {-1, 0};
	uint32_t usage[18], ticks[4];

	CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, t) == 0 && t[0] >= 0 &&
	      t[1] < 1000000000);
	CHECK(syscall(SYS_clock_getres, CLOCK_MONOTONIC, t) == 0 && t[0] == 0 && t[1] > 0);
	CHECK(FAILS(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, BAD), EFAULT));
	CHECK(FAILS(syscall(SYS_clock_gettime, 99, t), EINVAL));
	CHECK(syscall(SYS_gettimeofday, t, NULL) == 0 && t[1] >= 0 && t[1] < 1000000);
	CHECK(syscall(SYS_nanosleep, wait_for, NULL) == 0);
	CHECK(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, wait_for, NULL) == 0);
	CHECK(FAILS(syscall(SYS_nanosleep, far_from, NULL), EINVAL));
	CHECK(FAILS(syscall(SYS_nanosleep, BAD, NULL), EFAULT));
	memset(usage, 0xff, sizeof(usage));
	CHECK(syscall(SYS_getrusage, RUSAGE_SELF, usage) == 0 && usage[1] < 1000000);
	CHECK(syscall(SYS_times, ticks) != -1 && ticks[0] < 100000);
	CHECK(syscall(SYS_sched_rr_get_interval, 0, t) == 0 && t[1] < 1000000000);
}

static void test_timers(void)
{
	int32_t spec[4] = {7, 250000, 900, 0}, old[4], id, got[4];
	struct {
		int32_t value, signal, how, rest[13];
	} event = {77, SIGUSR1, SIGEV_SIGNAL};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	CHECK(syscall(SYS_setitimer, ITIMER_REAL, spec, NULL) == 0);
	CHECK(syscall(SYS_getitimer, ITIMER_REAL, got) == 0);
	CHECK(got[0] == 7 && got[1] == 250000 && got[2] >= 800 && got[2] <= 900);
	memset(spec, 0, sizeof(spec));
	CHECK(syscall(SYS_setitimer, ITIMER_REAL, spec, old) == 0 && old[0] == 7 && old[2] >= 800);
	CHECK(FAILS(syscall(SYS_setitimer, ITIMER_REAL, BAD, NULL), EFAULT));
	CHECK(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id) == 0);
	spec[2] = 500;
	spec[1] = 3;
	CHECK(syscall(SYS_timer_settime, id, 0, spec, NULL) == 0);
	CHECK(syscall(SYS_timer_gettime, id, got) == 0 && got[1] == 3 && got[2] >= 400);
	CHECK(syscall(SYS_timer_delete, id) == 0);
	CHECK(syscall(SYS_timerfd_settime, fd, 0, spec, old) == 0 && old[2] == 0);
	CHECK(syscall(SYS_timerfd_gettime, fd, got) == 0 && got[1] == 3 && got[2] >= 400);
	CHECK(FAILS(syscall(SYS_timerfd_gettime, fd, BAD), EFAULT));
	close(fd);
}

static int n_queued, queued_value;

static void on_queued(int sig, siginfo_t *info, void *context)
{
	n_queued++;
	queued_value = info->si_value.sival_int;
}

static void test_signals(void)
{
	const struct sigaction act = {.sa_sigaction = on_queued, .sa_flags = SA_SIGINFO};
	int32_t half[2] = {0, 1000};
	siginfo_t info;
	sigset_t set;

	sigaction(SIGUSR2, &act, NULL);
	CHECK(sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 4711}) == 0);
	CHECK(n_queued == 1 && queued_value == 4711);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK(FAILS(syscall(SYS_rt_sigtimedwait, &set, &info, half, 8), EAGAIN));
	CHECK(sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 4712}) == 0);
	memset(&info, 0, sizeof(info));
	CHECK(syscall(SYS_rt_sigtimedwait, &set, &info, half, 8) == SIGUSR2);
	CHECK(info.si_value.sival_int == 4712 && info.si_pid == getpid());
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void test_children(void)
{
	uint32_t usage[18];
	siginfo_t info;
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(33);
	memset(&info, 0, sizeof(info));
	CHECK(syscall(SYS_waitid, P_PID, child, &info, WEXITED | WNOWAIT, usage) == 0);
	CHECK(info.si_pid == child && info.si_status == 33 && info.si_code == CLD_EXITED);
	memset(usage, 0xff, sizeof(usage));
	CHECK(syscall(SYS_wait4, -1, &status, 0, usage) == child && WEXITSTATUS(status) == 33);
	CHECK(usage[1] < 1000000 && usage[3] < 1000000);
	CHECK(FAILS(syscall(SYS_waitpid, -1, &status, 0), ECHILD));
}

static void test_select(void)
{
	int fd[2], got;
	fd_set in, out;
	uint32_t old[5] = {0}; /* number, three sets, time */
	int32_t time[2] = {0, 1000}, seconds[2] = {5, 0};
	struct pollfd p;
	uint32_t pair[2] = {0, 8};

	CHECK(pipe(fd) == 0);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fd[0], &in);
	FD_SET(fd[1], &out);
	CHECK(syscall(SYS__newselect, fd[1] + 1, &in, &out, NULL, seconds) == 1);
	CHECK(!FD_ISSET(fd[0], &in) && FD_ISSET(fd[1], &out) && seconds[0] <= 5);
	FD_SET(fd[0], &in);
	old[0] = (uint32_t)fd[0] + 1;
	old[1] = (uint32_t)&in;
	old[4] = (uint32_t)time;
	CHECK(syscall(SYS_select, old) == 0 && !FD_ISSET(fd[0], &in));
	CHECK(write(fd[1], "x", 1) == 1);
	FD_SET(fd[0], &in);
	seconds[0] = 5;
	CHECK(syscall(SYS_pselect6, fd[0] + 1, &in, NULL, NULL, seconds, pair) == 1);
	CHECK(FD_ISSET(fd[0], &in));
	CHECK(FAILS(syscall(SYS__newselect, fd[0] + 1, BAD, NULL, NULL, NULL), EFAULT));
	p = (struct pollfd){fd[0], POLLIN, 0};
	CHECK(syscall(SYS_ppoll, &p, 1, seconds, NULL, 8) == 1 && p.revents == POLLIN);
	CHECK(ioctl(fd[0], FIONREAD, &got) == 0 && got == 1);
	CHECK(FAILS(ioctl(fd[0], 0x12345678, &got), ENOTTY));
	CHECK(FAILS(ioctl(-1, 0x12345678, &got), EBADF));
	close(fd[0]), close(fd[1]);
}

/* A descriptor and credentials travel beside the data. */
static void test_messages(void)
{
	int pair[2], sent, *got, one = 1;
	char byte = 'm', space[64], room[64];
	struct iovec piece = {&byte, 1};
	struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = space};
	struct cmsghdr *c = (struct cmsghdr *)space;
	struct mmsghdr many[2];
	int32_t time[2] = {3, 500000}, back[2] = {0};
	socklen_t bytes = sizeof(back);
	struct ifreq interface = {.ifr_name = "lo"};

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	m.msg_controllen = CMSG_SPACE(sizeof(int));
	*c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(c), &file, sizeof(int));
	CHECK(syscall(SYS_sendmsg, pair[0], &m, 0) == 1);
	CHECK(setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) == 0);
	byte = 0;
	m.msg_control = room;
	m.msg_controllen = sizeof(room);
	CHECK(syscall(SYS_recvmsg, pair[1], &m, 0) == 1 && byte == 'm');
	sent = -1;
	for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_type != SCM_RIGHTS)
			continue;
		got = (int *)CMSG_DATA(c);
		sent = *got;
		CHECK(c->cmsg_len == CMSG_LEN(sizeof(int)));
	}
	CHECK(sent > file && lseek(sent, 0, SEEK_CUR) == lseek(file, 0, SEEK_CUR));
	close(sent);
	memset(many, 0, sizeof(many));
	many[0].msg_hdr.msg_iov = &piece;
	many[0].msg_hdr.msg_iovlen = 1;
	CHECK(syscall(SYS_sendmmsg, pair[0], many, 1, 0) == 1 && many[0].msg_len == 1);
	CHECK(syscall(SYS_recvmmsg, pair[1], many, 1, 0, NULL) == 1 && many[0].msg_len == 1);
	CHECK(FAILS(syscall(SYS_sendmsg, pair[0], BAD, 0), EFAULT));
	CHECK(syscall(SYS_setsockopt, pair[0], SOL_SOCKET, 20, time, 8) == 0);
	CHECK(syscall(SYS_getsockopt, pair[0], SOL_SOCKET, 20, back, &bytes) == 0);
	CHECK(bytes == 8 && back[0] == 3 && back[1] / 10000 == 50);
	CHECK(ioctl(pair[0], SIOCGIFINDEX, &interface) == 0 || errno == ENOTTY || errno == ENODEV);
	CHECK(errno == ENOTTY || errno == ENODEV || interface.ifr_ifindex >= 1);
	close(pair[0]), close(pair[1]);
}

static void test_directory(void)
{
	uint8_t room[64];
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	uint16_t length;

	CHECK(syscall(SYS_getdents, fd, room, sizeof(room)) > 0);
	memcpy(&length, room + 8, 2);
	CHECK(length == 16 && !strcmp((char *)room + 10, ".") && room[15] == 4 /* DT_DIR */);
	close(fd);
	fd = open("/usr", O_RDONLY | O_DIRECTORY);
	CHECK(FAILS(syscall(SYS_getdents, fd, room, 4), EINVAL));
	CHECK(syscall(SYS_getdents, fd, room, sizeof(room)) > 0);
	CHECK(FAILS(syscall(SYS_getdents, fd, BAD, 1000), EFAULT));
	close(fd);
}

static void test_objects(void)
{
	struct {
		long type;
		char text[8];
	} m = {5, "hello"}, back = {0, ""};
	struct mq_attr look = {.mq_maxmsg = 3, .mq_msgsize = 16};
	struct sembuf up = {0, 1, 0}, down = {0, -2, 0};
	int32_t time[2] = {0, 1000};
	int id = msgget(IPC_PRIVATE, 0600);
	char got[16];
	mqd_t q;

	if (id >= 0) {
		CHECK(msgsnd(id, &m, 6, 0) == 0);
		CHECK(msgrcv(id, &back, 8, 5, 0) == 6 && back.type == 5 &&
		      !strcmp(back.text, "hello"));
		CHECK(FAILS(msgrcv(id, &back, 8, -9, IPC_NOWAIT), ENOMSG));
		CHECK(msgctl(id, IPC_RMID, NULL) == 0);
	}
	id = semget(IPC_PRIVATE, 1, 0600);
	if (id >= 0) {
		CHECK(semctl(id, 0, SETVAL, 3) == 0 && semop(id, &up, 1) == 0);
		CHECK(semctl(id, 0, GETVAL) == 4 && semop(id, &down, 1) == 0);
		CHECK(semop(id, &down, 1) == 0);
		CHECK(FAILS(syscall(SYS_ipc, 4, id, 1, 0, &down, time), EAGAIN));
		CHECK(semctl(id, 0, IPC_RMID) == 0);
	}
	q = mq_open("/softpmu-narrow", O_CREAT | O_RDWR, 0600, &look);
	if (q == (mqd_t)-1)
		return;
	mq_unlink("/softpmu-narrow");
	memset(&look, 0, sizeof(look));
	CHECK(mq_getattr(q, &look) == 0 && look.mq_maxmsg == 3 && look.mq_msgsize == 16);
	CHECK(mq_send(q, "queue", 6, 1) == 0);
	CHECK(mq_receive(q, got, 16, NULL) == 6 && !strcmp(got, "queue"));
	CHECK(FAILS(syscall(SYS_mq_timedreceive, q, got, 16, NULL, time), ETIMEDOUT));
}

/* Numbers of users had 16 bits once. */
static void test_users(void)
{
	uint16_t id[3] = {9, 9, 9}, groups[32];

	CHECK(syscall(SYS_getuid) == (long)(getuid() > 65535 ? 65534 : getuid()));
	CHECK(syscall(SYS_getresuid, &id[0], &id[1], &id[2]) == 0 && id[0] == syscall(SYS_getuid));
	CHECK(FAILS(syscall(SYS_getresuid, BAD, &id[1], &id[2]), EFAULT));
	CHECK(syscall(SYS_setreuid, 65535, 65535) == 0);
	CHECK(syscall(SYS_fchown, file, 65535, 65535) == 0);
	CHECK(syscall(SYS_getgroups, 0, groups) == getgroups(0, NULL));
}

int main(void)
{
	snprintf(name, sizeof(name), "/tmp/narrow-%d", (int)getpid());
	file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_LARGEFILE, 0640);
	CHECK(fchmod(file, 0640) == 0);
	test_sizes();
	test_pieces();
	test_locks();
	test_times_of_files();
	test_clocks();
	test_timers();
	test_signals();
	test_children();
	test_select();
	test_messages();
	test_directory();
	test_objects();
	test_users();
	unlink(name);
	return check_end();
}
