/* passed.c -- what becomes of an event's descriptors and mappings: passed on, waited for, closed,
 * mapped on.
 *
 * passed sent | waited | blocked | closed | mapped. Ends with 0, or says what was wrong; 3: there
 * are no events here. Page faults, which every kernel counts: the same natively, where the kernel
 * lets it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define PAGE 4096ul
#define RING 8ul /* pages */

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

static struct perf_event_attr faults_every(uint64_t period)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(struct perf_event_attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = period,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
					.wakeup_events = 1,
					.disabled = 1,
					.exclude_kernel = 1};
}

static int event_open(struct perf_event_attr *a, pid_t pid, int group)
{
	const int fd = (int)syscall(SYS_perf_event_open, a, pid, -1, group, 0);

	if (fd < 0) {
		printf("no page faults: %s\n", strerror(errno));
		exit(3);
	}
	return fd;
}

static int event_of(pid_t pid, uint64_t period)
{
	struct perf_event_attr a = faults_every(period);

	return event_open(&a, pid, -1);
}

static struct perf_event_mmap_page *ring_of(int fd)
{
	void *p = mmap(NULL, (1 + RING) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(p != MAP_FAILED, "mmap: %s", strerror(errno));
	if (p == MAP_FAILED)
		exit(1);
	return p;
}

static void fault(unsigned n)
{
	volatile char *p =
	    mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)p, n * PAGE, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < n; i++)
		p[i * PAGE] = 1;
	munmap((void *)p, n * PAGE);
}

static uint64_t value_of(int fd)
{
	uint64_t v[16] = {0};

	CHECK(read(fd, v, sizeof(v)) > 0, "read: %s", strerror(errno));
	return v[0];
}

/* ---- passed on ------------------------------------------------------------------------------- */

static void send_fd(int to, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec v = {&byte, 1};
	struct msghdr m = {
	    .msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	CHECK(sendmsg(to, &m, 0) == 1, "sendmsg: %s", strerror(errno));
}

static int receive_fd(int from)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec v = {&byte, 1};
	struct msghdr m = {
	    .msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
	int fd = -1;

	if (recvmsg(from, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

/* What another process can do with it, which has opened none itself. */
static void use(int fd)
{
	uint64_t v = 0;

	CHECK(read(fd, &v, 8) == 8 && v >= 100, "received: %llu, %s", (unsigned long long)v,
	      strerror(errno));
	CHECK(pread(fd, &v, 8, 0) == -1 && errno == ESPIPE, "pread: %s", strerror(errno));
	CHECK(preadv2(fd, &(struct iovec){&v, 8}, 1, -1, 0) == 8 && v >= 100, "preadv2: %s",
	      strerror(errno));
	CHECK(!ioctl(fd, PERF_EVENT_IOC_ID, &v) && v, "id: %s", strerror(errno));
	CHECK(!ioctl(fd, PERF_EVENT_IOC_RESET, 0) && !value_of(fd), "reset: %s", strerror(errno));
}

static void sent(void)
{
	int pair[2], way, status, fd;
	pid_t child, parent = getpid();

	for (way = 0; way < 2; way++) {
		CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
		child = fork();
		if (!child) {
			if (way == 0) {
				fd = receive_fd(pair[1]);
			} else {
				int number = -1;

				if (read(pair[1], &number, sizeof(number)) != sizeof(number))
					_exit(9);
				fd = (int)syscall(SYS_pidfd_getfd,
						  syscall(SYS_pidfd_open, parent, 0), number, 0);
				if (fd < 0 && (errno == ENOSYS || errno == EPERM))
					_exit(0);
			}
			use(fd);
			_exit(n_wrong != 0);
		}
		fd = event_of(0, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		fault(100);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		if (way == 0)
			send_fd(pair[0], fd);
		else
			CHECK(write(pair[0], &fd, sizeof(fd)) == sizeof(fd), "write");
		waitpid(child, &status, 0);
		CHECK(!status, "way %d: status %x", way, status);
		close(fd);
		close(pair[0]);
		close(pair[1]);
	}
}

/* ---- waited for ------------------------------------------------------------------------------ */

enum how { POLL, SELECT, EPOLL, EPOLL_EDGE };

static int is_ready(enum how how, int fd, int epoll)
{
	struct pollfd p = {fd, POLLIN, 0};
	struct timeval now = {0, 0};
	struct epoll_event e;
	fd_set set;

	switch (how) {
	case POLL: return poll(&p, 1, 0) == 1 && p.revents == POLLIN;
	case SELECT:
		FD_ZERO(&set);
		FD_SET(fd, &set);
		return select(fd + 1, &set, NULL, NULL, &now) == 1 && FD_ISSET(fd, &set);
	default:
		return epoll_wait(epoll, &e, 1, 0) == 1 && e.events == EPOLLIN &&
		       e.data.u64 == 4711;
	}
}

/* Each wake-up is told once. */
static void waited(void)
{
	for (enum how how = POLL; how <= EPOLL_EDGE; how++) {
		const int fd = event_of(0, 1), epoll = epoll_create1(0);
		struct perf_event_mmap_page *p = ring_of(fd);
		struct epoll_event e = {.events = EPOLLIN | (how == EPOLL_EDGE ? EPOLLET : 0),
					.data.u64 = 4711};
		unsigned woken = 0, again = 0;

		CHECK(!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e), "epoll_ctl: %s", strerror(errno));
		for (int i = 0; i < 600; i++) {
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
			fault(1);
			ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
			woken += is_ready(how, fd, epoll);
			again += is_ready(how, fd, epoll);
			p->data_tail = p->data_head;
		}
		CHECK(woken == 600 && !again, "way %d: woken %u times of 600, and %u for nothing",
		      (int)how, woken, again);
		munmap(p, (1 + RING) * PAGE);
		close(epoll);
		close(fd);
	}
}

/* Whoever waits for samples gets them while the other one waits, and hears of its end. */
static void blocked(void)
{
	struct pollfd p = {.events = POLLIN};
	struct perf_event_mmap_page *ring;
	pid_t child;
	int go[2];
	char c;

	CHECK(!pipe(go), "pipe");
	child = fork();
	if (!child) {
		close(go[1]);
		while (read(go[0], &c, 1) == 1)
			fault(400);
		_exit(0);
	}
	close(go[0]);
	p.fd = event_of(child, 100);
	ring = ring_of(p.fd);
	ioctl(p.fd, PERF_EVENT_IOC_ENABLE, 0);
	CHECK(poll(&p, 1, 50) == 0, "samples of one that does nothing");
	for (int i = 0; i < 5; i++) {
		CHECK(write(go[1], "", 1) == 1 && poll(&p, 1, 20000) == 1 && p.revents == POLLIN,
		      "round %d: %x", i, p.revents);
		for (int k = 0; k < 100 && ring->data_head < (uint64_t)(i + 1) * 4 * 24; k++)
			poll(&p, 1, 100);
		CHECK(ring->data_head >= (uint64_t)(i + 1) * 4 * 24, "round %d: %llu bytes", i,
		      (unsigned long long)ring->data_head);
	}
	close(go[1]);
	waitpid(child, NULL, 0);
	for (int k = 0; k < 100 && !(p.revents & POLLHUP); k++)
		poll(&p, 1, 100);
	CHECK(p.revents == POLLHUP, "the end: %x", p.revents);
	CHECK(value_of(p.fd) >= 2000, "%llu", (unsigned long long)value_of(p.fd));
	munmap(ring, (1 + RING) * PAGE);
	close(p.fd);
}

/* ---- closed, and mapped on ------------------------------------------------------------------- */

static long bytes_of(int fd)
{
	uint64_t v[32];

	return (long)read(fd, v, sizeof(v));
}

/* Members of a group whose leader is closed, in one way or another, are events of their own at
 * once, and go on. */
static void closed(void)
{
	struct perf_event_attr a = faults_every(0);

	a.read_format = PERF_FORMAT_GROUP;
	for (int way = 0; way < 4; way++) {
		const int leader = event_open(&a, 0, -1), one = event_open(&a, 0, leader),
			  two = event_open(&a, 0, leader);
		uint64_t v[2] = {0};

		ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		CHECK(bytes_of(leader) == 32 && bytes_of(one) == 32, "a group of three: %ld %ld",
		      bytes_of(leader), bytes_of(one));
		if (way == 0)
			close(leader);
		else if (way == 1)
			dup2(0, leader);
		else if (way == 2)
			syscall(SYS_dup3, 0, leader, O_CLOEXEC);
		else if (close_range((unsigned)leader, (unsigned)leader, 0))
			close(leader);
		CHECK(bytes_of(one) == 16 && bytes_of(two) == 16, "way %d, members alone: %ld %ld",
		      way, bytes_of(one), bytes_of(two));
		fault(100);
		CHECK(read(one, v, 16) == 16 && v[0] == 1 && v[1] >= 100, "way %d: %llu", way,
		      (unsigned long long)v[1]);
		close(leader);
		close(one);
		close(two);
	}
}

static sigjmp_buf back;

static void on_fault(int signo)
{
	siglongjmp(back, signo);
}

/* Does a child have the page? */
static int child_sees(volatile char *p)
{
	int status;

	if (!fork()) {
		signal(SIGSEGV, on_fault);
		signal(SIGBUS, on_fault);
		if (!sigsetjmp(back, 1))
			_exit(p[0] == 0 ? 2 : 3);
		_exit(0);
	}
	wait(&status);
	return WEXITSTATUS(status);
}

static void mapped(void)
{
	const int fd = event_of(0, 1), other = event_of(0, 0);
	struct perf_event_mmap_page *p = ring_of(fd), *q[8];
	int few[8];
	uint64_t head;

	CHECK(mremap(p, (1 + RING) * PAGE, 64 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED &&
		  errno == EFAULT,
	      "a ring grows: %s", strerror(errno));
	CHECK(mremap(p, 0, (1 + RING) * PAGE, MREMAP_MAYMOVE) == MAP_FAILED && errno == EFAULT,
	      "a ring is doubled: %s", strerror(errno));
	CHECK(!child_sees((void *)p), "a child has the ring");
	CHECK(mmap(NULL, 5 * PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EINVAL,
	      "another size: %s", strerror(errno));
	munmap(p, (1 + RING) * PAGE);
	p = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED && p->data_size == 4 * PAGE && !p->data_head,
	      "another size later: %s", strerror(errno));
	munmap((char *)p + PAGE, PAGE); /* a part of it is still there */
	CHECK(mmap(NULL, (1 + RING) * PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED &&
		  errno == EINVAL,
	      "another size too early");
	munmap(p, 5 * PAGE);
	p = ring_of(fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	close(fd);
	head = p->data_head;
	fault(50);
	value_of(other); /* softpmu has heard of it */
	CHECK(p->data_head - head >= 50 * 24, "closed, mapped: %llu bytes",
	      (unsigned long long)(p->data_head - head));
	p->data_tail = 4711;
	for (int i = 0; i < 8; i++) {
		few[i] = event_of(0, 1);
		q[i] = ring_of(few[i]);
		CHECK(!q[i]->data_tail, "ring %d is another's", i);
		q[i]->data_tail = 17;
	}
	CHECK(p->data_tail == 4711, "the ring of a closed event is another's");
	for (int i = 0; i < 8; i++) {
		munmap(q[i], (1 + RING) * PAGE);
		close(few[i]);
	}
	munmap(p, (1 + RING) * PAGE);
	for (int i = 0; i < 5000;
	     i++) { /* more than there may be at a time: nothing stays behind */
		const int one = event_of(0, 1);

		p = ring_of(one);
		close(one);
		munmap(p, (1 + RING) * PAGE);
	}
	close(other);
}

/* What other calls say of it: no socket, but a file without a name or a type. */
static void kind(void)
{
	const int fd = event_of(0, 0), plain = dup(fd), other = eventfd(0, 0);
	struct stat st, it;
	struct statx x;
	char path[40], to[64];
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t n = sizeof(name);
	int value = 0;

	CHECK(!fstat(fd, &st) && !fstat(other, &it), "fstat: %s", strerror(errno));
	CHECK(st.st_mode == 0600 && !st.st_size && st.st_ino == it.st_ino &&
		  st.st_dev == it.st_dev && st.st_nlink == 1,
	      "fstat: mode %o, inode %llu", st.st_mode, (unsigned long long)st.st_ino);
	CHECK(!fstatat(plain, "", &st, AT_EMPTY_PATH) && st.st_mode == 0600, "fstatat: mode %o",
	      st.st_mode);
	CHECK(!syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &x) &&
		  x.stx_mode == 0600,
	      "statx: mode %o", x.stx_mode);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), i ? "/dev/fd/%d" : "/proc/self/fd/%d", fd);
		CHECK(!stat(path, &st) && st.st_mode == 0600, "stat of %s: mode %o", path,
		      st.st_mode);
		CHECK(!lstat(path, &st) && S_ISLNK(st.st_mode), "lstat of %s: mode %o", path,
		      st.st_mode);
		memset(to, 0, sizeof(to));
		CHECK(readlink(path, to, sizeof(to) - 1) == 23 &&
			  !strcmp(to, "anon_inode:[perf_event]"),
		      "%s leads to %s", path, to);
		CHECK(readlink(path, to, 5) == 5, "a part of it");
	}
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), plain);
	CHECK(readlink(path, to, sizeof(to)) == 23, "%s leads to %s", path, to);
#define NO_SOCKET(call)                                                                            \
	do {                                                                                       \
		errno = 0;                                                                         \
		CHECK((call) == -1 && errno == ENOTSOCK, #call ": %s", strerror(errno));           \
	} while (0)
	NO_SOCKET(recv(fd, to, 1, MSG_DONTWAIT));
	NO_SOCKET(send(fd, to, 1, MSG_DONTWAIT));
	NO_SOCKET(recvmsg(fd, &(struct msghdr){0}, MSG_DONTWAIT));
	NO_SOCKET(sendmsg(fd, &(struct msghdr){0}, MSG_DONTWAIT));
	NO_SOCKET(getsockname(fd, (void *)&name, &n));
	NO_SOCKET(getpeername(fd, (void *)&name, &n));
	NO_SOCKET(getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &n));
	NO_SOCKET(setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &value, sizeof(value)));
	NO_SOCKET(connect(plain, (void *)&name, sizeof(name)));
	NO_SOCKET(bind(plain, (void *)&name, sizeof(name)));
	NO_SOCKET(listen(plain, 1));
	NO_SOCKET(accept(plain, NULL, NULL));
	NO_SOCKET(shutdown(plain, SHUT_RDWR));
	CHECK(writev(fd, &(struct iovec){to, 1}, 1) == -1 && errno == EINVAL, "writev: %s",
	      strerror(errno));
	CHECK(ioctl(fd, FIONREAD, &value) == -1 && errno == ENOTTY, "FIONREAD: %s",
	      strerror(errno));
	CHECK(!ioctl(fd, FIONBIO, &(int){1}) && fcntl(fd, F_GETFL) & O_NONBLOCK, "FIONBIO: %s",
	      strerror(errno));
	CHECK(value_of(fd) == value_of(plain), "it counts no longer");
	close(fd);
	close(plain);
	close(other);
}

/* Bits that an epoll instance with nothing but this event and a pipe says of it, -1: there is more,
 * or something else. */
static long told_by(int epoll, int fd, int ms)
{
	struct epoll_event e[3];
	const int n = epoll_wait(epoll, e, 3, ms);

	return n == 0 ? 0 : n == 1 && e[0].data.fd == fd ? (long)e[0].events : -1;
}

/* Who polls an event without a ring is told at once that there is nothing to wait for; with one he
 * waits, and again when it is gone. */
static void ringless(void)
{
	const int fd = event_of(0, 1000000), second = event_of(0, 0);
	const int epoll = epoll_create1(0), edge = epoll_create1(0);
	int pipes[2];
	struct pollfd p[3];
	fd_set in, out;
	void *ring;

	CHECK(!pipe(pipes), "pipe");
	epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &(struct epoll_event){.events = EPOLLIN});
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd,
		  &(struct epoll_event){.events = EPOLLIN | EPOLLOUT, .data.fd = fd});
	epoll_ctl(edge, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLET, .data.fd = fd});
	CHECK(told_by(edge, fd, -1) == EPOLLHUP && !told_by(edge, fd, 10), "no ring, edges");
	for (int round = 0; round < 2; round++) {
		p[0] = (struct pollfd){.fd = pipes[0], .events = POLLIN};
		p[1] = (struct pollfd){.fd = fd, .events = POLLIN | POLLOUT};
		p[2] = (struct pollfd){.fd = -1};
		CHECK(poll(p, 3, -1) == 1 && p[1].revents == POLLHUP && !p[0].revents &&
			  !p[2].revents,
		      "no ring: %x", p[1].revents);
		CHECK(ppoll(p, 3, NULL, NULL) == 1 && p[1].revents == POLLHUP, "no ring, ppoll: %x",
		      p[1].revents);
		p[1].events = 0;
		CHECK(poll(p + 1, 1, 100000) == 1 && p[1].revents == POLLHUP,
		      "no ring, nothing asked: %x", p[1].revents);
		FD_ZERO(&in);
		FD_ZERO(&out);
		FD_SET(pipes[0], &in);
		FD_SET(fd, &in);
		FD_SET(fd, &out);
		CHECK(select((fd > pipes[0] ? fd : pipes[0]) + 1, &in, &out, NULL, NULL) == 1 &&
			  FD_ISSET(fd, &in) && !FD_ISSET(fd, &out) && !FD_ISSET(pipes[0], &in),
		      "no ring, select");
		for (int i = 0; i < 2; i++)
			CHECK(told_by(epoll, fd, -1) == EPOLLHUP, "no ring, epoll");
		ring = ring_of(fd);
		CHECK(!told_by(epoll, fd, 10), "a ring, epoll");
		p[1].events = POLLIN | POLLOUT;
		CHECK(poll(p, 3, 10) == 0, "a ring: %x", p[1].revents);
		ioctl(second, PERF_EVENT_IOC_SET_OUTPUT, fd);
		p[1].fd = second;
		CHECK(poll(p, 3, 10) == 0, "another's ring: %x", p[1].revents);
		/* which kernels of 64 bits do not understand from 32-bit programs */
		if (sizeof(long) == 4 || ioctl(second, PERF_EVENT_IOC_SET_OUTPUT, -1l))
			goto done;
		CHECK(poll(p, 3, 10) == 1 && p[1].revents == POLLHUP,
		      "no longer another's ring: %x", p[1].revents);
	done:
		munmap(ring, (1 + RING) * PAGE);
	}
	close(fd);
	CHECK(!told_by(epoll, fd, 10), "closed, epoll");
	close(second);
	close(epoll);
	close(edge);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} test[] = {{"sent", sent},	   {"waited", waited}, {"blocked", blocked},
		    {"closed", closed},	   {"mapped", mapped}, {"kind", kind},
		    {"ringless", ringless}};

	setvbuf(stdout, NULL, _IONBF, 0);
	for (unsigned i = 0; i < sizeof(test) / sizeof(test[0]) && argc > 1; i++)
		if (!strcmp(argv[1], test[i].name))
			test[i].run();
	return n_wrong != 0;
}
