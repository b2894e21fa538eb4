/* System calls whose structures or arguments are those of i386, by int 80h and by the C library. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

#include "../programs/check.h"

static volatile int count;

/* Six arguments by int 80h: edi and ebp are loaded last. */
static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	long more[3] = {nr, e, f}, ret;

	__asm__ volatile(
	    "pushl %%ebp\n\tpushl %%edi\n\tmovl 8(%%eax), %%ebp\n\tmovl 4(%%eax), %%edi\n\t"
	    "movl (%%eax), %%eax\n\tint $0x80\n\tpopl %%edi\n\tpopl %%ebp"
	    : "=a"(ret)
	    : "0"(more), "b"(a), "c"(b), "d"(c), "S"(d)
	    : "edi", "memory");
	return ret;
}

static void tick(int sig)
{
	count++;
}

static void test_memory(int fd)
{
	long old[6] = {0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0};
	char *p = (char *)call(SYS_mmap, (long)old, 0, 0, 0, 0, 0), *q;
	int id = shmget(IPC_PRIVATE, 10000, IPC_CREAT | 0600);

	CHECK(p != MAP_FAILED && p[0] == 0 && p[8191] == 0);
	q = (char *)call(SYS_mremap, (long)p, 8192, 1 << 20, MREMAP_MAYMOVE, 0, 0);
	CHECK((unsigned long)q < -4095ul && q[0] == 0 && q[(1 << 20) - 1] == 0);
	old[4] = fd, old[3] = MAP_PRIVATE, old[5] = 100;
	CHECK(call(SYS_mmap, (long)old, 0, 0, 0, 0, 0) == -EINVAL);
	q = (char *)call(SYS_mmap2, 0, 4096, PROT_READ, MAP_PRIVATE, fd, 1);
	CHECK((unsigned long)q < -4095ul && q[0] == 'b');
	CHECK(call(SYS_mmap2, 0, -4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -ENOMEM);
	CHECK(call(SYS_mmap2, (long)0xffffe000, 4096, PROT_READ,
		   MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) < 0);
	p = mmap(NULL, 1u << 30, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(p != MAP_FAILED);
	p[(1u << 30) - 1] = 1;
	munmap(p, 1u << 30);
	p = sbrk(0);
	CHECK(sbrk(300000) == p && sbrk(0) == p + 300000);
	p[299999] = 3;
	CHECK(id >= 0);
	p = shmat(id, NULL, 0);
	CHECK(p != (void *)-1);
	p[9999] = 7;
	q = shmat(id, NULL, SHM_RDONLY);
	CHECK(q != p && q[9999] == 7 && shmdt(q) == 0 && shmdt(p) == 0 &&
	      shmctl(id, IPC_RMID, NULL) == 0);
}

static void test_files(const char *self, int fd)
{
	struct stat st;
	struct {
		unsigned long words[16];
	} old;
	struct iovec v[2] = {{(char[4]){0}, 4}, {(char[4]){0}, 4}};
	char buf[64];
	long long at = 5000000000ll;

	CHECK(stat(self, &st) == 0 && st.st_blksize == 4096 && st.st_size > 1000 &&
	      S_ISREG(st.st_mode));
	CHECK(call(SYS_stat, (long)self, (long)&old, 0, 0, 0, 0) == 0 && old.words[6] == 4096 &&
	      old.words[5] == (unsigned long)st.st_size);
	CHECK(readv(fd, v, 2) == 8 && memcmp(v[1].iov_base, "aaaa", 4) == 0);
	CHECK(pread(fd, buf, 3, 4096) == 3 && memcmp(buf, "bbb", 3) == 0);
	CHECK(lseek(fd, at, SEEK_SET) == at && lseek(fd, -1, SEEK_CUR) == at - 1);
	CHECK(call(SYS_lseek, fd, -4, SEEK_END, 0, 0, 0) == 8192 - 4);
	CHECK(ftruncate(fd, at) == 0 && fstat(fd, &st) == 0 && st.st_size == at &&
	      ftruncate(fd, 8192) == 0);
	CHECK(fcntl(fd, F_GETFL) >= 0 && fcntl(fd, F_DUPFD, 60) == 60 && close(60) == 0);
	CHECK(readlink("/proc/self/exe", buf, sizeof(buf)) > 0);
	CHECK(fallocate(fd, 0, 8192, 4096) == 0 || errno == EOPNOTSUPP);
}

/* Until the blocked one has come. */
static void await_alarm(void)
{
	sigset_t now;

	do
		sigpending(&now);
	while (!sigismember(&now, SIGALRM));
}

static void test_waiting(void)
{
	struct sigaction a = {.sa_handler = tick};
	struct itimerval t = {.it_value.tv_usec = 20000};
	struct timespec ts = {0, 1000000}, long_time = {5, 0};
	struct timeval tv = {0, 1000};
	struct pollfd p = {.events = POLLIN};
	struct epoll_event e;
	sigset_t none, block;
	fd_set in;
	int ends[2], ep = epoll_create1(0);
	unsigned long set_old, args[5];

	CHECK(pipe(ends) == 0);
	p.fd = ends[0];
	FD_ZERO(&in);
	FD_SET(ends[0], &in);
	CHECK(select(ends[0] + 1, &in, NULL, NULL, &tv) == 0 && !FD_ISSET(ends[0], &in));
	set_old = 1ul << ends[0];
	tv = (struct timeval){0, 1000};
	args[0] = (unsigned long)ends[0] + 1, args[1] = (unsigned long)&set_old,
	args[2] = args[3] = 0;
	args[4] = (unsigned long)&(long[2]){0, 1000};
	CHECK(call(SYS_select, (long)args, 0, 0, 0, 0, 0) == 0 && set_old == 0);
	CHECK(nanosleep(&ts, NULL) == 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL) == 0);
	/* blocked outside, let in by the call */
	sigemptyset(&none);
	sigemptyset(&block);
	sigaddset(&block, SIGALRM);
	sigaction(SIGALRM, &a, NULL);
	for (int i = 0; i < 5; i++) {
		sigprocmask(SIG_BLOCK, &block, NULL);
		count = 0;
		setitimer(ITIMER_REAL, &t, NULL);
		FD_ZERO(&in);
		FD_SET(ends[0], &in);
		if (i == 0)
			CHECK(pselect(ends[0] + 1, &in, NULL, NULL, &long_time, &none) == -1 &&
			      errno == EINTR);
		else if (i == 1)
			CHECK(ppoll(&p, 1, &long_time, &none) == -1 && errno == EINTR);
		else if (i == 2)
			CHECK(sigsuspend(&none) == -1 && errno == EINTR);
		else if (i == 3)
			CHECK(epoll_pwait(ep, &e, 1, 5000, &none) == -1 && errno == EINTR);
		else
			await_alarm(), sigprocmask(SIG_UNBLOCK, &block, NULL);
		CHECK(count == 1);
	}
	CHECK(call(SYS_rt_sigsuspend, (long)&none, 4, 0, 0, 0, 0) == -EINVAL);
	CHECK(write(ends[1], "x", 1) == 1 && poll(&p, 1, 1000) == 1 && (p.revents & POLLIN));
}

static void test_sockets(void)
{
	int s[2];
	long args[4] = {AF_UNIX, SOCK_STREAM, 0, (long)s};
	char text[] = "hello", got[8] = "";
	struct iovec v = {text, 6};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	struct timeval t = {3, 0};
	socklen_t n = sizeof(t);

	CHECK(call(SYS_socketcall, 8 /* SOCKETPAIR */, (long)args, 0, 0, 0, 0) == 0);
	CHECK(sendmsg(s[0], &m, 0) == 6 && recv(s[1], got, sizeof(got), 0) == 6 &&
	      strcmp(got, "hello") == 0);
	CHECK(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) == 0);
	t.tv_sec = 0;
	CHECK(getsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, &n) == 0 && t.tv_sec == 3);
}

static void test_machine(void)
{
	struct sysinfo info;
	struct rlimit lim;
	struct {
		unsigned long now, most;
	} old = {0, 0};
	struct utsname u;
	struct timespec a, b;
	struct timeval tv;
	struct rusage use;
	cpu_set_t set;
	char bytes[16] = "", zero[16] = "";

	CHECK(sysinfo(&info) == 0 && info.totalram > 0 && info.mem_unit > 0 && info.procs > 0);
	CHECK(getrlimit(RLIMIT_STACK, &lim) == 0 && lim.rlim_cur >= 65536);
	CHECK(call(SYS_getrlimit, RLIMIT_NOFILE, (long)&old, 0, 0, 0, 0) == 0 && old.now > 0 &&
	      old.now <= 0x7fffffff);
	lim.rlim_cur = 1 << 20;
	CHECK(setrlimit(RLIMIT_STACK, &lim) == 0 && getrlimit(RLIMIT_STACK, &lim) == 0 &&
	      lim.rlim_cur == 1 << 20);
	CHECK(uname(&u) == 0 && strcmp(u.sysname, "Linux") == 0);
	printf("machine %s\n", u.machine);
	CHECK(clock_gettime(CLOCK_MONOTONIC, &a) == 0 && clock_gettime(CLOCK_MONOTONIC, &b) == 0);
	CHECK(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
	CHECK(gettimeofday(&tv, NULL) == 0 && tv.tv_sec > 1000000000 &&
	      time(NULL) - tv.tv_sec <= 1);
	CHECK(clock_getres(CLOCK_REALTIME, &a) == 0 && a.tv_sec == 0);
	CHECK(getrusage(RUSAGE_SELF, &use) == 0 && use.ru_maxrss > 0);
	CHECK(sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) >= 1);
	CHECK(getrandom(bytes, 16, 0) == 16 && memcmp(bytes, zero, 16) != 0);
	CHECK(call(SYS_arch_prctl, 0x1002, 0, 0, 0, 0, 0) == -EINVAL);
	CHECK(call(1000, 0, 0, 0, 0, 0, 0) == -ENOSYS && call(17, 0, 0, 0, 0, 0, 0) == -ENOSYS);
	CHECK(call(SYS_getpid, 0, 0, 0, 0, 0, 0) == getpid());
}

int main(int argc, char **argv)
{
	char name[] = "/tmp/calls32-XXXXXX", block[4096];
	int fd = mkstemp(name);

	unlink(name);
	memset(block, 'a', sizeof(block));
	CHECK(write(fd, block, sizeof(block)) == 4096);
	memset(block, 'b', sizeof(block));
	CHECK(write(fd, block, sizeof(block)) == 4096 && lseek(fd, 0, SEEK_SET) == 0);
	test_files(argv[0], fd);
	test_memory(fd);
	test_waiting();
	test_sockets();
	test_machine();
	return check_end();
}
