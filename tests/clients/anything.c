/* anything.c -- perf_event_open and what follows it with anything: whatever a program asks, it gets
 * an answer and nothing stays behind.
 *
 * anything SEED N: N steps drawn from SEED: attributes of every type nearly right, groups, other
 * processes, ioctls with any argument, mappings of any size, descriptors copied and closed in any
 * order, children that do the same. At the end no descriptor and no mapping is left, and the
 * counters count exactly as at the beginning. Prints what was wrong.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../engine/draw.h"
#include "check.h"

#define MOST 48
#define PAGE 4096ul

static struct {
	int fd;
	void *map;
	size_t bytes;
} have[MOST];
static unsigned n_opened, n_mapped, n_read;

static int one_in(unsigned n)
{
	return draw() % n == 0;
}

static long event_open(void *a, pid_t pid, int cpu, int group, unsigned long flags)
{
	return syscall(SYS_perf_event_open, a, pid, cpu, group, flags);
}

/* 2n + 1 instructions. */
static __attribute__((noinline)) void spin(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

static uint64_t config_of(uint32_t type)
{
	static const uint16_t known[] = {0xc0,	 0xc4, 0xc5, 0x45, 0x43, 0x79, 0x2e, 0x0f2e,
					 0x0f28, 0x10, 0x12, 0xd2, 0x03, 0x16, 0x17};

	switch (type) {
	case PERF_TYPE_HARDWARE: return draw() % (one_in(8) ? 1000 : 8);
	case PERF_TYPE_HW_CACHE:
		return one_in(4) ? draw() % 9 | draw() % 4 << 8 | draw() % 3 << 16
				 : 0x10000 * (draw() % 2);
	case PERF_TYPE_RAW:
		return one_in(8)   ? draw()
		       : one_in(4) ? draw() & 0xffff
				   : known[draw() % (sizeof(known) / sizeof(known[0]))];
	default: return draw() % 14;
	}
}

static void fill(struct perf_event_attr *a)
{
	static const uint32_t types[] = {0, 0, 0, 1, 1, 3, 4, 4, 4, 2, 5, 6, 77};
	uint64_t flags = 0;

	memset(a, 0, sizeof(*a));
	a->type = types[draw() % (sizeof(types) / sizeof(types[0]))];
	a->config = config_of(a->type);
	a->size = one_in(20) ? draw() % 200 : one_in(3) ? 0 : sizeof(*a);
	if (one_in(2))
		a->sample_period =
		    one_in(6) ? draw() >> draw() % 2
			      : 3000 + draw() % 100000; /* those that stop the program take long */
	for (int i = one_in(2) ? draw() % 4 : 0; i > 0; i--)
		a->sample_type |= 1ull << draw() % (one_in(16) ? 40 : one_in(4) ? 25 : 9);
	for (int i = draw() % 3; i > 0; i--)
		a->read_format |= 1ull << draw() % (one_in(32) ? 40 : 5);
	for (int i = one_in(3) ? draw() % 4 : 0; i > 0; i--)
		flags |= 1ull << draw() % 41;
	if (!one_in(10))
		flags &= ~(3ull << 15); /* precise_ip */
	/* freq begins with a period of 1, and the program is stopped for each of these */
	if (a->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			      PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR))
		flags &= ~(1ull << 10);
	memcpy((char *)a + 40, &flags, 8);
	a->wakeup_events = one_in(2) ? draw() % 10 : 0;
	a->sample_regs_user = draw() & 0xff;
	a->sample_stack_user = 8 * (draw() % 200);
	a->clockid = draw() % 5;
	if (one_in(20))
		((uint8_t *)a)[draw() % sizeof(*a)] = (uint8_t)draw();
}

static int known(int error)
{
	static const int all[] = {EINVAL, E2BIG, EACCES,    ENOENT, EOPNOTSUPP,
				  EBADF,  ESRCH, EOVERFLOW, EMFILE, ENOMEM};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (error == all[i])
			return 1;
	return 0;
}

static void drop(unsigned i)
{
	if (have[i].map && one_in(2)) {
		munmap(have[i].map, have[i].bytes);
		have[i].map = NULL;
	}
	if (have[i].fd >= 0)
		close(have[i].fd);
	have[i].fd = -1;
	if (have[i].map)
		munmap(have[i].map, have[i].bytes);
	have[i].map = NULL;
}

static void open_one(unsigned i)
{
	struct perf_event_attr a;
	long fd;

	fill(&a);
	errno = 0;
	fd = event_open(one_in(200) ? (void *)8 : &a,
			one_in(20)   ? -1
			: one_in(20) ? (pid_t)draw() % 100000
			: one_in(4)  ? getpid()
				     : 0,
			one_in(10) ? (int)(draw() % 4) - 2 : -1,
			one_in(6) ? have[draw() % MOST].fd : -1, one_in(20) ? draw() % 20 : 0);
	CHECK(fd >= 0 || known(errno) || errno == EFAULT, "type %u config %llx: %s", a.type,
	      (unsigned long long)a.config, strerror(errno));
	have[i].fd = (int)fd;
	if (fd >= 0 && one_in(40))
		fcntl((int)fd, F_SETFL, O_NONBLOCK);
	n_opened += fd >= 0;
}

static void map_one(unsigned i)
{
	const size_t bytes = (one_in(4) ? draw() % 12 : 1 + (1u << draw() % 5)) * PAGE;

	if (have[i].map || have[i].fd < 0)
		return;
	have[i].bytes = bytes;
	have[i].map =
	    mmap(NULL, bytes, one_in(3) ? PROT_READ : PROT_READ | PROT_WRITE,
		 one_in(20) ? MAP_PRIVATE : MAP_SHARED, have[i].fd, one_in(20) ? PAGE : 0);
	if (have[i].map == MAP_FAILED)
		have[i].map = NULL;
	n_mapped += have[i].map != NULL;
}

static void control_one(unsigned i)
{
	static const unsigned request[] = {PERF_EVENT_IOC_ENABLE,     PERF_EVENT_IOC_DISABLE,
					   PERF_EVENT_IOC_REFRESH,    PERF_EVENT_IOC_RESET,
					   PERF_EVENT_IOC_SET_OUTPUT, PERF_EVENT_IOC_PAUSE_OUTPUT};
	uint64_t word[20];

	for (unsigned k = 0; k < 20; k++)
		word[k] = one_in(2) ? 1000 + draw() % 100000 : draw();
	if (one_in(3))
		ioctl(have[i].fd, one_in(4) ? draw() : _IO('$', draw() % 14),
		      one_in(2) ? (unsigned long)word : draw() % 100);
	else if (one_in(3))
		ioctl(have[i].fd, one_in(2) ? PERF_EVENT_IOC_PERIOD : PERF_EVENT_IOC_ID, word);
	else
		ioctl(have[i].fd, request[draw() % 6],
		      one_in(3) ? (unsigned long)have[draw() % MOST].fd : draw() % 3);
}

static void read_one(unsigned i)
{
	uint8_t to[512];

	n_read += read(have[i].fd, to, one_in(4) ? draw() % sizeof(to) : sizeof(to)) > 0;
}

static void step(int is_child)
{
	const unsigned i = (unsigned)draw() % MOST;
	struct pollfd p = {have[i].fd, POLLIN, 0};

	switch (draw() % (is_child ? 9 : 10)) {
	case 0:
	case 1:
	case 2:
		drop(i);
		open_one(i);
		break;
	case 3: map_one(i); break;
	case 4:
	case 5: control_one(i); break;
	case 6: read_one(i); break;
	case 7:
		if (one_in(4) && have[i].fd >= 0) {
			close(have[draw() % MOST].fd); /* of one that is known to be open no more */
			if (fcntl(have[i].fd, F_GETFD) < 0)
				have[i].fd = -1;
		} else if (one_in(2)) {
			poll(&p, 1, 0);
		} else {
			drop(i);
		}
		break;
	case 8: spin(1 + draw() % 3000); break;
	default:
		if (!one_in(6))
			return;
		if (!fork()) {
			for (unsigned k = 0; k < MOST; k++)
				have[k].map = NULL; /* rings stay behind */
			for (int k = 0; k < 30; k++)
				step(1);
			_exit(n_wrong ? 1 : 0);
		}
		if (wait(&p.fd) > 0)
			CHECK(!p.fd, "a child: %x", p.fd);
	}
}

static unsigned descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static unsigned rings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "rw-s") || strstr(line, "r--s");
	if (f)
		fclose(f);
	return n;
}

/* What two thousand turns count: two counters are free, and count nothing else. */
static uint64_t measured(void)
{
	struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_HW_INSTRUCTIONS,
				    .disabled = 1,
				    .pinned = 1,
				    .exclude_kernel = 1};
	uint64_t v[2] = {0, 0};
	int fd[2];

	for (int i = 0; i < 2; i++)
		fd[i] = (int)event_open(&a, 0, -1, -1, 0);
	for (int i = 0; i < 2; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	spin(1000);
	for (int i = 0; i < 2; i++)
		ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < 2; i++)
		CHECK(read(fd[i], &v[i], 8) == 8, "counter %d cannot be read: %s", i,
		      strerror(errno));
	close(fd[0]);
	close(fd[1]);
	return v[0];
}

int main(int argc, char **argv)
{
	const unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1000;
	const uint64_t first = measured(), second = measured();
	const unsigned fds = descriptors(), maps = rings();
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	setvbuf(stdout, NULL, _IONBF, 0);
	sigaction(SIGIO, &ignore, NULL);
	sigaction(SIGTRAP, &ignore, NULL);
	draw_from(argc > 1 ? strtoull(argv[1], NULL, 0) : 1);
	for (unsigned i = 0; i < MOST; i++)
		have[i].fd = -1;
	for (unsigned i = 0; i < n; i++)
		step(0);
	for (unsigned i = 0; i < MOST; i++)
		drop(i);
	CHECK(n_opened > n / 40 && n_mapped && n_read, "%u opened, %u mapped, %u read of %u steps",
	      n_opened, n_mapped, n_read, n);
	CHECK(descriptors() == fds, "%u descriptors, %u before", descriptors(), fds);
	CHECK(rings() == maps, "%u rings, %u before", rings(), maps);
	CHECK(measured() == second && first >= 2000, "%llu instructions, %llu before",
	      (unsigned long long)measured(), (unsigned long long)second);
	if (getenv("VERBOSE"))
		printf("%u opened, %u mapped, %u read of %u steps\n", n_opened, n_mapped, n_read,
		       n);
	return n_wrong != 0;
}
