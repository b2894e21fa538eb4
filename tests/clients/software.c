/* software.c -- a program that knows how often it faults and waits, and where: what software events
 * must count and sample.
 *
 * software faults | where | waits | turns | ends. Ends with 0, or says what was wrong. The same
 * natively, where the kernel lets it, but for ends: turns of 10000 instructions (--quantum).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ul
#define N    100ul

static int n_wrong;

#define IS(what, got, want)                                                                        \
	do {                                                                                       \
		const unsigned long long got_ = (got), want_ = (want);                             \
		if (got_ != want_) {                                                               \
			n_wrong++;                                                                 \
			printf("%s: %llu, not %llu\n", what, got_, want_);                         \
		}                                                                                  \
	} while (0)

static int event_open(uint64_t config, uint64_t period, uint64_t sample)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .size = sizeof(a),
				    .config = config,
				    .sample_period = period,
				    .sample_type = sample};
	const int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);

	if (fd < 0) {
		printf("no event %llu: %s\n", (unsigned long long)config, strerror(errno));
		exit(3);
	}
	return fd;
}

static uint64_t value(int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof(n)) != sizeof(n))
		exit(4);
	return n;
}

/* One access to each of n pages. */
static __attribute__((noinline)) void write_all(volatile char *p, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		p[i * PAGE] = 1;
}

static __attribute__((noinline)) int read_all(volatile char *p, unsigned long n)
{
	int sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum += p[i * PAGE];
	return sum;
}

static char *fresh(unsigned long n)
{
	return mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Windows of 16 pages that n pages from p lie in. */
static unsigned long windows(const char *p, unsigned long n)
{
	return ((unsigned long)p + n * PAGE - 1) / (16 * PAGE) - (unsigned long)p / (16 * PAGE) + 1;
}

#define COST(what, want, work)                                                                     \
	do {                                                                                       \
		const uint64_t before_ = value(fd);                                                \
		work;                                                                              \
		IS(what, value(fd) - before_, want);                                               \
	} while (0)

static void in_child(int fd, char *p, const char *file)
{
	int status;

	if (fork() == 0) {
		close(fd);
		fd = event_open(PERF_COUNT_SW_PAGE_FAULTS, 0, 0);
		write_all(fresh(1), 1);
		read_all(fresh(1), 1);
		IS("nothing", value(fd) - value(fd), 0);
		COST("a child writes what was its parent's", N, write_all(p, N));
		COST("a child reads a file", windows(file, 64), read_all((char *)file, 64));
		fflush(stdout);
		_exit(n_wrong != 0);
	}
	waitpid(-1, &status, 0);
	n_wrong += status != 0;
}

static void faults(void)
{
	const int fd = event_open(PERF_COUNT_SW_PAGE_FAULTS, 0, 0),
		  minor = event_open(PERF_COUNT_SW_PAGE_FAULTS_MIN, 0, 0),
		  major = event_open(PERF_COUNT_SW_PAGE_FAULTS_MAJ, 0, 0),
		  alignment = event_open(PERF_COUNT_SW_ALIGNMENT_FAULTS, 0, 0);
	char name[] = "/tmp/software.XXXXXX", *file, *shared, *p = fresh(N), *q = fresh(N);
	const int f = mkstemp(name);
	uint64_t from;

	unlink(name);
	for (int i = 0; i < 64; i++)
		if (pwrite(f, name, sizeof(name), i * (off_t)PAGE) < 0 || ftruncate(f, 64 * PAGE))
			exit(5);
	/* all of this program's own pages, and those of the C library that it comes to below (which
	 * 16 a fault maps depends on where it lies) */
	write_all(fresh(1), 1);
	read_all(fresh(1), 1);
	shared = mremap(fresh(1), PAGE, 2 * PAGE, MREMAP_MAYMOVE);
	madvise(shared, PAGE, MADV_DONTNEED);
	munmap(shared, 2 * PAGE);
	value(fd), value(minor), value(major), windows(p, 1);
	COST("nothing", 0, (void)0);
	shared = fresh(1);
	read_all(shared, 1);
	from = value(fd);
	write_all(shared, 1);
	if (value(fd) == from) { /* the kernel's own choice; under softpmu this is a failure */
		puts("this kernel has no page of zeros that is copied at the first write");
		exit(3);
	}
	from = value(minor);
	COST("pages that are written", N, write_all(p, N));
	IS("minor faults", value(minor) - from, N);
	COST("pages that are there", 0, write_all(p, N));
	COST("pages that are read", N, read_all(q, N));
	COST("and then written", N, write_all(q, N));
	munmap(p, N * PAGE);
	p = mmap(p, N * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0);
	COST("pages that were unmapped", N, write_all(p, N));
	madvise(p, N / 2 * PAGE, MADV_DONTNEED);
	COST("half of them are given back", N / 2, write_all(p, N));
	file = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, f, 0);
	COST("a file that is read", windows(file, 64), read_all(file, 64));
	COST("and then written", 64, write_all(file, 64));
	shared = mmap(NULL, N * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	COST("shared memory", N, read_all(shared, N));
	COST("and then written", 0, write_all(shared, N));
	file = mmap(NULL, 64 * PAGE, PROT_READ, MAP_PRIVATE, f, 0);
	COST("a file again", windows(file, 64), read_all(file, 64));
	fflush(stdout);
	in_child(fd, p, file);
	COST("a parent writes what it shared with its child", N, write_all(p, N));
	COST("memory that grows, and was shared with a child", N + 20,
	     p = mremap(q, N * PAGE, (N + 20) * PAGE, MREMAP_MAYMOVE);
	     write_all(p, N + 20));
	IS("major faults", value(major), 0);
	IS("alignment faults", value(alignment), 0);
}

/* Samples of `event` in its ring: each has ip, then addr. Returns how many. */
struct sample {
	uint64_t ip, addr;
};

static unsigned samples(const struct perf_event_mmap_page *ring, struct sample *out, unsigned room)
{
	const char *data = (const char *)ring + PAGE;
	unsigned n = 0;

	for (uint64_t at = ring->data_tail; at < ring->data_head;) {
		const struct perf_event_header *h = (const void *)(data + at % (8 * PAGE));

		if (h->type == PERF_RECORD_SAMPLE && n < room)
			memcpy(&out[n++], h + 1, sizeof(*out));
		at += h->size;
	}
	return n;
}

extern char the_store[], behind_store[];

static __attribute__((noinline)) void store_all(volatile char *p, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		__asm__ volatile(
		    ".globl the_store, behind_store\nthe_store:\n\tmovb $1, (%0)\nbehind_store:\n"
		    :
		    : "r"(p + i * PAGE)
		    : "memory");
}

/* Each fault is a sample: at its instruction, with its address. */
static void where(void)
{
	static struct sample s[200];
	const int fd = event_open(PERF_COUNT_SW_PAGE_FAULTS, 1, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR),
		  third =
		      event_open(PERF_COUNT_SW_PAGE_FAULTS, 3, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR);
	struct perf_event_mmap_page *ring = mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
						 fd, 0),
				    *thirds = mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE,
						   MAP_SHARED, third, 0);
	volatile char *p = fresh(N);
	unsigned n, wrong = 0;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	store_all(fresh(1), 1);
	samples(ring, s, 200);
	memset(s, 0, sizeof(s));
	ioctl(third, PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < 2; i++) { /* the first time these are faults, too */
		value(fd);	      /* samples are there */
		thirds->data_tail = thirds->data_head;
		ring->data_tail = ring->data_head;
	}
	ioctl(third, PERF_EVENT_IOC_ENABLE, 0);
	store_all(p, N);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(third, PERF_EVENT_IOC_DISABLE, 0);
	n = samples(ring, s, 200);
	IS("samples", n, N);
	for (unsigned i = 0; i < n; i++)
		wrong += s[i].ip != (uintptr_t)the_store || s[i].addr != (uintptr_t)(p + i * PAGE);
	IS("samples elsewhere", wrong, 0);
	if (wrong)
		printf("the first: %llx %llx, not %lx %lx\n", (unsigned long long)s[0].ip,
		       (unsigned long long)s[0].addr, (unsigned long)the_store, (unsigned long)p);
	n = samples(thirds, s, 200);
	IS("every third", n == N / 3 || n == N / 3 + 1, 1);
}

static void nap(void)
{
	const struct timespec t = {0, 2000000};

	nanosleep(&t, NULL);
}

/* A thread that waits in a system call gives the processor up. */
static void waits(void)
{
	const int fd = event_open(PERF_COUNT_SW_CONTEXT_SWITCHES, 1,
				  PERF_SAMPLE_IP | PERF_SAMPLE_ADDR),
		  migrations = event_open(PERF_COUNT_SW_CPU_MIGRATIONS, 1, PERF_SAMPLE_IP);
	struct perf_event_mmap_page *ring =
	    mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	static struct sample s[1200]; /* more than the ring holds */
	uint64_t from;
	unsigned n;

	nap();
	value(fd);
	ring->data_tail = ring->data_head;
	from = value(fd);
	for (int i = 0; i < 10; i++)
		nap();
	IS("waits, at least 10", value(fd) - from >= 10, 1);
	n = samples(ring, s, 1200);
	IS("samples of waits", n, value(fd) - from);
	for (unsigned i = 0; i < n; i++)
		IS("a sample's address is something", s[i].ip != 0, 1);
	(void)migrations;
}

static int to[2], back[2];

static void *echo(void *arg)
{
	char c;

	while (read(to[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
		;
	return arg;
}

/* Two threads that take turns: each change is a switch of the one that leaves. */
static void turns(void)
{
	const int fd = event_open(PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 0);
	pthread_t t;
	uint64_t n;
	char c = 0;

	if (pipe(to) || pipe(back) || pthread_create(&t, NULL, echo, NULL))
		exit(5);
	for (int i = 0; i < 5; i++)
		if (write(to[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			exit(5);
	n = value(fd);
	for (int i = 0; i < 50; i++)
		if (write(to[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			exit(5);
	n = value(fd) - n;
	IS("switches of 50 turns", n >= 50 && n <= 160, 1);
	if (n < 50 || n > 160)
		printf("%llu\n", (unsigned long long)n);
	close(to[1]);
	pthread_join(t, NULL);
}

#define SPINS 900000u /* of two instructions each */

static void *spin(void *arg)
{
	const int fd = event_open(PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 0);
	const uint64_t before = value(fd);
	unsigned left = SPINS;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(left) : : "cc");
	*(uint64_t *)arg = value(fd) - before;
	return NULL;
}

/* Two threads that never wait: each leaves the processor where its turn ends, as long as the other
 * one has something to do. */
static void ends(void)
{
	uint64_t n[2];
	pthread_t t;

	if (pthread_create(&t, NULL, spin, &n[0]))
		exit(5);
	spin(&n[1]);
	pthread_join(t, NULL);
	for (unsigned i = 0; i < 2; i++) {
		IS("switches of 180 turns", n[i] >= 170 && n[i] <= 190, 1);
		if (n[i] < 170 || n[i] > 190)
			printf("%llu\n", (unsigned long long)n[i]);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} test[] = {{"faults", faults},
		    {"where", where},
		    {"waits", waits},
		    {"turns", turns},
		    {"ends", ends}};

	for (unsigned i = 0; i < sizeof(test) / sizeof(test[0]) && argc > 1; i++)
		if (!strcmp(argv[1], test[i].name))
			test[i].run();
	return n_wrong != 0;
}
