/* errors.c -- perf_event_open and what can be done to its descriptors, asked wrongly: each line is
 * one attempt and its error.
 *
 * errors SEED N: N attributes made up from SEED, then the attempts by hand. Software events alone,
 * which every kernel has that has perf_event_open: the lines must be the same natively and inside
 * softpmu.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../engine/draw.h"

static int one_in(unsigned n)
{
	return draw() % n == 0;
}

static long event_open(void *a, pid_t pid, int cpu, int group, unsigned long flags)
{
	return syscall(SYS_perf_event_open, a, pid, cpu, group, flags);
}

static const char *result(long rc)
{
	return rc < 0 ? strerrorname_np(errno) : "works";
}

#define SAY(what, call)                                                                            \
	do {                                                                                       \
		errno = 0;                                                                         \
		printf("%s: %s\n", what, result(call));                                            \
	} while (0)

/* Attributes that are nearly right: a few things at random. */
static void fill(struct perf_event_attr *a)
{
	static const uint32_t sizes[] = {0, 1, 63, 64, 72, 80, 96, 104, 112, 120, 128, 4097};
	uint64_t flags = 0;

	memset(a, 0, sizeof(*a));
	a->type = PERF_TYPE_SOFTWARE;
	a->config = one_in(10) ? draw() : draw() % 13;
	a->size = one_in(4) ? sizes[draw() % (sizeof(sizes) / sizeof(sizes[0]))] : 128;
	if (one_in(2))
		a->sample_period = one_in(6) ? draw() : draw() % 100000;
	for (int i = draw() % 3; i > 0; i--)
		a->sample_type |= 1ull << draw() % (one_in(8) ? 40 : 25);
	for (int i = draw() % 3; i > 0; i--)
		a->read_format |= 1ull << draw() % (one_in(8) ? 40 : 5);
	for (int i = draw() % 4; i > 0; i--)
		flags |= 1ull << draw() % 41;
	flags &= ~(3ull << 15); /* precise_ip: meant for hardware */
	memcpy((char *)a + 40, &flags, 8);
	if (one_in(2))
		a->branch_sample_type = one_in(3) ? draw() : 1ull << draw() % 20;
	if (one_in(2))
		a->sample_regs_user = one_in(3) ? draw() & 0xffffffff : draw() & 0xfff;
	if (one_in(2))
		a->sample_regs_intr = one_in(3) ? draw() & 0xffffffff : draw() & 0xfff;
	a->sample_stack_user = one_in(3) ? (uint32_t)draw() % 70000 : 8 * (draw() % 100);
	a->clockid = one_in(2) ? draw() % 14 : 1;
	if (one_in(4))
		a->sample_max_stack = draw() % 300;
	if (one_in(8))
		a->__reserved_2 = draw() & 1;
	/* what kernels of different age answer differently */
	if (a->sample_type & PERF_SAMPLE_READ)
		a->inherit = 0;
	a->sigtrap = a->bpf_event = a->ksymbol = a->text_poke = a->cgroup = 0;
	a->sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
	a->branch_sample_type &= ~(1ull << 19); /* PERF_SAMPLE_BRANCH_COUNTERS */
}

static void random_attributes(unsigned n)
{
	char what[32];

	for (unsigned i = 0; i < n; i++) {
		struct perf_event_attr a;
		long fd;

		fill(&a);
		errno = 0;
		fd = event_open(&a, one_in(20) ? -1 : 0, one_in(10) ? (int)(draw() % 3) - 2 : -1,
				-1, one_in(10) ? draw() % 40 : 0);
		snprintf(what, sizeof(what), "%u", i);
		printf("%s: %s\n", what, result(fd));
		if (getenv("VERBOSE"))
			fprintf(stderr,
				"%u: config %llx size %u period %llx sample %llx read %llx flags "
				"%llx branch %llx user %llx intr %llx stack %u clock %d max %u\n",
				i, (unsigned long long)a.config, a.size,
				(unsigned long long)a.sample_period,
				(unsigned long long)a.sample_type,
				(unsigned long long)a.read_format,
				(unsigned long long)*(uint64_t *)((char *)&a + 40),
				(unsigned long long)a.branch_sample_type,
				(unsigned long long)a.sample_regs_user,
				(unsigned long long)a.sample_regs_intr, a.sample_stack_user,
				a.clockid, a.sample_max_stack);
		if (fd >= 0)
			close((int)fd);
	}
}

/* Clocks of times must be one in a group and in a ring; what cannot be changed; no more descriptors
 * than there may be. */
static void together(void)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .size = 128,
				    .config = PERF_COUNT_SW_DUMMY},
			       raw = a, other = a;
	struct rlimit limit, few;
	const int fd = (int)event_open(&a, 0, -1, -1, 0);
	void *ring = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int with, n = 0, last;

	raw.use_clockid = 1;
	raw.clockid = CLOCK_MONOTONIC_RAW;
	SAY("a ring", ring == MAP_FAILED ? -1 : 0);
	SAY("a member with another clock", event_open(&raw, 0, -1, fd, 0));
	with = (int)event_open(&raw, 0, -1, -1, 0);
	SAY("the same clock", event_open(&raw, 0, -1, with, 0));
	SAY("a ring with another clock", ioctl(with, PERF_EVENT_IOC_SET_OUTPUT, fd));
	SAY("a member alone on its counter",
	    event_open(
		&(struct perf_event_attr){.type = 1, .config = 9, .size = 128, .exclusive = 1}, 0,
		-1, fd, 0));
	SAY("a member that is inherited",
	    event_open(&(struct perf_event_attr){.type = 1, .config = 9, .size = 128, .inherit = 1},
		       0, -1, fd, 0));
	SAY("new attributes", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &a));
	SAY("new attributes elsewhere", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 8));
	other.type = PERF_TYPE_RAW;
	SAY("another type", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &other));
	SAY("programs", ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, &a));
	SAY("a program that is not open", ioctl(fd, PERF_EVENT_IOC_SET_BPF, 99));
	SAY("a filter elsewhere", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, 8));
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = 40;
	setrlimit(RLIMIT_NOFILE, &few);
	while ((last = (int)event_open(&a, 0, -1, -1, 0)) >= 0)
		n = last;
	SAY("one too many", event_open(&a, 0, -1, -1, 0));
	printf("the last has number %d\n", n);
	close(n);
	SAY("one fewer", event_open(&a, 0, -1, -1, 0));
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void by_hand(void)
{
	struct perf_event_attr a = {
	    .type = PERF_TYPE_SOFTWARE, .size = 128, .config = PERF_COUNT_SW_DUMMY};
	struct perf_event_attr clock = {
	    .type = PERF_TYPE_SOFTWARE, .size = 128, .config = PERF_COUNT_SW_TASK_CLOCK};
	int fd = (int)event_open(&a, 0, -1, -1, 0), other = (int)event_open(&a, 0, -1, -1, 0),
	    status;
	static const unsigned long pages[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 18};
	char what[64], text[64];
	uint64_t v[8], zero = 0, huge = ~0ull;
	void *p;

	SAY("a type that nobody has",
	    event_open(&(struct perf_event_attr){.type = 4711, .size = 128}, 0, -1, -1, 0));
	SAY("no attributes", event_open(NULL, 0, -1, -1, 0));
	SAY("attributes elsewhere", event_open((void *)8, 0, -1, -1, 0));
	SAY("a group that is no event", event_open(&a, 0, -1, 0, 0));
	SAY("a group that is not open", event_open(&a, 0, -1, 99, 0));
	SAY("a member", event_open(&a, 0, -1, fd, 0));
	SAY("output into it", event_open(&a, 0, -1, fd, PERF_FLAG_FD_OUTPUT));
	SAY("no group", event_open(&a, 0, -1, fd, PERF_FLAG_FD_NO_GROUP));
	SAY("neither process nor processor", event_open(&a, -1, -1, -1, 0));
	SAY("control group without processor", event_open(&a, 0, -1, -1, PERF_FLAG_PID_CGROUP));
	SAY("what is no control group", event_open(&a, fd, 0, -1, PERF_FLAG_PID_CGROUP));
	SAY("more callers than there may be, and a clock that is none",
	    event_open(&(struct perf_event_attr){.type = 1,
						 .config = 9,
						 .size = 128,
						 .sample_type = PERF_SAMPLE_CALLCHAIN,
						 .sample_max_stack = 200,
						 .use_clockid = 1,
						 .clockid = 5},
		       0, -1, -1, 0));
	SAY("on no processor what is no control group",
	    event_open(&a, fd, -2, -1, PERF_FLAG_PID_CGROUP));
	SAY("an event that is none on no processor, of what is no control group",
	    event_open(&(struct perf_event_attr){.type = 1, .config = 99, .size = 128}, fd, -2, -1,
		       PERF_FLAG_PID_CGROUP));
	SAY("an area of its own for what is no control group",
	    event_open(
		&(struct perf_event_attr){.type = 1, .config = 9, .size = 128, .aux_output = 1}, fd,
		0, -1, PERF_FLAG_PID_CGROUP));
	SAY("an event that is none, of what is no control group",
	    event_open(&(struct perf_event_attr){.type = 1, .config = 99, .size = 128}, fd, 0, -1,
		       PERF_FLAG_PID_CGROUP));
	SAY("a process that is none", event_open(&a, 0x3ffffff, -1, -1, 0));
	SAY("a negative process", event_open(&a, -5, -1, -1, 0));
	SAY("a processor that is none", event_open(&a, 0, 1 << 20, -1, 0));
	status = fork();
	if (!status)
		_exit(0);
	waitpid(status, NULL, 0);
	SAY("a process that is gone", event_open(&a, status, -1, -1, 0));
	for (unsigned i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		const int own = (int)event_open(&a, 0, -1, -1, 0);

		snprintf(what, sizeof(what), "map %lu pages", pages[i]);
		p = mmap(NULL, pages[i] * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, own, 0);
		SAY(what, p == MAP_FAILED ? -1 : 0);
		if (p != MAP_FAILED) {
			SAY("twice",
			    mmap(NULL, pages[i] * 4096, PROT_READ, MAP_SHARED, own, 0) == MAP_FAILED
				? -1
				: 0);
			SAY("twice, larger", mmap(NULL, pages[i] * 2 * 4096 + 4096, PROT_READ,
						  MAP_SHARED, own, 0) == MAP_FAILED
						 ? -1
						 : 0);
		}
		close(own);
	}
	SAY("map privately",
	    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? -1 : 0);
	a.inherit = 1;
	status = (int)event_open(&a, 0, -1, -1, 0);
	SAY("map an inherited event",
	    mmap(NULL, 4096, PROT_READ, MAP_SHARED, status, 0) == MAP_FAILED ? -1 : 0);
	a.inherit = 0;
	for (unsigned i = 0; i < 14; i++) {
		if (i == 8) /* a program, which is not tried */
			continue;
		snprintf(what, sizeof(what), "ioctl %u of an event that does not overflow", i);
		SAY(what, ioctl(fd, _IO('$', i), 0));
	}
	SAY("refresh", ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	SAY("period of none", ioctl(fd, PERF_EVENT_IOC_PERIOD, &v));
	SAY("period elsewhere", ioctl(fd, PERF_EVENT_IOC_PERIOD, 8));
	SAY("output to itself", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd));
	SAY("output to what is no event", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 0));
	SAY("output to what is not open", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 99));
	SAY("no output", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1l));
	SAY("number elsewhere", ioctl(fd, PERF_EVENT_IOC_ID, 8));
	SAY("a terminal's request", ioctl(fd, 0x5401, text));
	clock.sample_period = 1000000;
	status = (int)event_open(&clock, 0, -1, -1, 0);
	SAY("period 0", ioctl(status, PERF_EVENT_IOC_PERIOD, &zero));
	SAY("period -1", ioctl(status, PERF_EVENT_IOC_PERIOD, &huge));
	SAY("refresh what overflows", ioctl(status, PERF_EVENT_IOC_REFRESH, 1));
	SAY("read 0 bytes", read(fd, v, 0));
	SAY("read 7 bytes", read(fd, v, 7));
	SAY("read 8 bytes", read(fd, v, 8));
	SAY("read elsewhere", read(fd, (void *)8, 8));
	SAY("read pieces", readv(fd, (struct iovec[]){{v, 8}, {v + 1, 8}}, 2) == 16 ? 0 : -1);
	SAY("read pieces, the first too small", readv(fd, (struct iovec[]){{v, 4}, {v + 1, 8}}, 2));
	SAY("read pieces, the second too small",
	    readv(fd, (struct iovec[]){{v, 8}, {v + 1, 4}}, 2) == 8 ? 0 : -1);
	SAY("read no pieces", readv(fd, NULL, 0));
	SAY("write", write(fd, v, 8));
	SAY("seek", lseek(fd, 0, SEEK_SET));
	close(fd);
	SAY("read what is closed", read(fd, v, 8));
	SAY("ioctl of what is closed", ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	close(other);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	draw_from(argc > 1 ? strtoull(argv[1], NULL, 0) : 1);
	random_attributes(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 100);
	by_hand();
	together();
	return 0;
}
