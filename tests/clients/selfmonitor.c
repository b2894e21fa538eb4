/* selfmonitor.c -- programs that profile themselves by user RDPMC, the ways that Rust's and Go's
 * packages do it.
 *
 * rust   as the profiler of the Rust compiler: one pinned event per counter on the main thread, the
 *        page mapped for reading, LFENCE before each reading; a self-test of its own first, then
 *        readings as time stamps, nested.
 * go     as Go's packages: a goroutine locked to a thread that is not the first; a group with ids
 *        and times, its page mapped for writing, too; RDPMC beside read(2).
 * count N   the first's reading of N steps, printed.
 *
 * Without "late" every number is exact. With it RDPMC is what it is on a P6 that counts clocks: it
 * waits for nobody, so a reading may be early by what the reorder buffer holds, 40 micro-ops.
 *
 * Each prints a line per difference; exit status 0 when there is none. It knows what it counts:
 * step(n) is 2 * n + 1 instructions and n branches, plus the same few around it each time.
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
#include <unistd.h>

#define ROB_ENTRIES 40

#include "check.h"
static int64_t late; /* instructions by which a reading may be early */

typedef unsigned long long ull;

struct counter {
	int fd;
	volatile struct perf_event_mmap_page *page;
};

static __attribute__((noinline)) void step(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

/* The reader of linux/perf_event.h's comment, with the shifts of the Rust package. */
static inline __attribute__((always_inline)) int read_page(const struct counter *c, uint64_t *count)
{
	uint32_t lock, index, low, high;
	int64_t pmc;

	do {
		lock = c->page->lock;
		__asm__ volatile("lfence" : : : "memory");
		index = c->page->index;
		*count = (uint64_t)c->page->offset;
		if (!c->page->cap_user_rdpmc || !index)
			return -1;
		__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
		pmc = (int64_t)(((uint64_t)high << 32 | low) << (64 - c->page->pmc_width));
		*count += (uint64_t)(pmc >> (64 - c->page->pmc_width));
		__asm__ volatile("" : : : "memory");
	} while (c->page->lock != lock);
	return 0;
}

/* Two readings went into each of these numbers. */
static int is_near(int64_t a, int64_t b)
{
	return a - b <= 2 * late && b - a <= 2 * late;
}

static int event_open(struct counter *c, struct perf_event_attr *a, int group, int protection)
{
	c->fd = (int)syscall(SYS_perf_event_open, a, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
	if (c->fd < 0) {
		CHECK(0, "open: %s", strerror(errno));
		return -1;
	}
	c->page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), protection, MAP_SHARED, c->fd, 0);
	CHECK(c->page != MAP_FAILED, "mmap: %s", strerror(errno));
	return c->page == MAP_FAILED ? -1 : 0;
}

static struct perf_event_attr attr_of(uint64_t config)
{
	struct perf_event_attr a = {
	    .type = PERF_TYPE_HARDWARE, .size = sizeof(a), .config = config};

	a.exclude_kernel = 1;
	a.exclude_hv = 1;
	return a;
}

static int64_t rust_step(const struct counter *c, unsigned long n)
{
	uint64_t before = 0, after = 0;

	CHECK(read_page(c, &before) == 0, "not on a counter before %lu", n);
	step(n);
	CHECK(read_page(c, &after) == 0, "not on a counter after %lu", n);
	return (int64_t)(after - before);
}

/* Readings as time stamps of a region in a region. */
static __attribute__((noinline)) void stamps(const struct counter *c, unsigned long n,
					     uint64_t t[4])
{
	read_page(c, &t[0]);
	read_page(c, &t[1]);
	step(n);
	read_page(c, &t[2]);
	read_page(c, &t[3]);
}

static void rust(void)
{
	struct perf_event_attr a = attr_of(PERF_COUNT_HW_INSTRUCTIONS);
	int64_t nothing, first, second;
	uint64_t t[4], u[4];
	struct counter c;

	a.pinned = 1;
	if (event_open(&c, &a, -1, PROT_READ))
		return;
	/* the self-test: nothing between two readings is the same each time; loops differ by their
	 * length alone */
	nothing = rust_step(&c, 1);
	CHECK(nothing > 0 && nothing < 200, "one step is %lld instructions", (long long)nothing);
	CHECK(is_near(rust_step(&c, 1), nothing), "one step again is another number");
	first = rust_step(&c, 1001);
	second = rust_step(&c, 100001);
	CHECK(is_near(first - nothing, 2000), "1000 steps more: %lld",
	      (long long)(first - nothing));
	CHECK(is_near(second - first, 198000), "99000 steps more: %lld",
	      (long long)(second - first));
	stamps(&c, 1, t);
	CHECK(t[0] < t[1] && t[1] < t[2] && t[2] < t[3], "stamps %llu %llu %llu %llu", (ull)t[0],
	      (ull)t[1], (ull)t[2], (ull)t[3]);
	stamps(&c, 501, u);
	CHECK(is_near((int64_t)(u[2] - u[1]), (int64_t)(t[2] - t[1]) + 1000), "inner %llu and %llu",
	      (ull)(t[2] - t[1]), (ull)(u[2] - u[1]));
	CHECK(is_near((int64_t)(u[3] - u[0]), (int64_t)(t[3] - t[0]) + 1000), "outer %llu and %llu",
	      (ull)(t[3] - t[0]), (ull)(u[3] - u[0]));
	close(c.fd);
}

/* What n steps are between two readings. */
static void count(unsigned long n)
{
	struct perf_event_attr a = attr_of(PERF_COUNT_HW_INSTRUCTIONS);
	struct counter c;

	a.pinned = 1;
	if (!event_open(&c, &a, -1, PROT_READ))
		printf("%012lld\n", (long long)rust_step(&c, n));
}

struct group {
	uint64_t n, enabled, running;
	struct {
		uint64_t value, id;
	} event[2];
};

/* Both counters around n steps: what they moved. */
static __attribute__((noinline)) void go_step(const struct counter c[2], unsigned long n,
					      uint64_t moved[2])
{
	uint64_t before[2] = {0}, after[2] = {0};

	CHECK(!read_page(&c[0], &before[0]) && !read_page(&c[1], &before[1]), "not on counters");
	step(n);
	CHECK(!read_page(&c[0], &after[0]) && !read_page(&c[1], &after[1]), "not on counters");
	moved[0] = after[0] - before[0];
	moved[1] = after[1] - before[1];
}

static void *go(void *unused)
{
	struct perf_event_attr instructions = attr_of(PERF_COUNT_HW_INSTRUCTIONS),
			       branches = attr_of(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	struct group before, after;
	uint64_t id[2] = {0, 0}, some[2], more[2];
	struct counter c[2];

	(void)unused;
	instructions.disabled = 1;
	instructions.read_format = branches.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
							  PERF_FORMAT_TOTAL_TIME_ENABLED |
							  PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (event_open(&c[0], &instructions, -1, PROT_READ | PROT_WRITE) ||
	    event_open(&c[1], &branches, c[0].fd, PROT_READ | PROT_WRITE))
		return NULL;
	ioctl(c[0].fd, PERF_EVENT_IOC_ID, &id[0]);
	ioctl(c[1].fd, PERF_EVENT_IOC_ID, &id[1]);
	step(100000); /* not counted */
	CHECK(!ioctl(c[0].fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), "reset: %s",
	      strerror(errno));
	CHECK(!ioctl(c[0].fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), "enable: %s",
	      strerror(errno));
	CHECK(read(c[0].fd, &before, sizeof(before)) == sizeof(before), "read of the group");
	CHECK(before.event[0].value < 1000, "before: %llu", (ull)before.event[0].value);
	go_step(c, 20001, some);
	go_step(c, 50001, more);
	CHECK(read(c[0].fd, &after, sizeof(after)) == sizeof(after), "read of the group");
	ioctl(c[0].fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	CHECK(after.n == 2 && after.event[0].id == id[0] && after.event[1].id == id[1], "ids");
	CHECK(after.enabled == after.running && after.enabled > before.enabled, "times %llu %llu",
	      (ull)after.enabled, (ull)after.running);
	for (int k = 0; k < 2; k++) {
		const uint64_t each = k ? 1 : 2, all = after.event[k].value - before.event[k].value;

		CHECK(is_near((int64_t)(more[k] - some[k]), (int64_t)(30000 * each)),
		      "event %d: %llu and %llu", k, (ull)some[k], (ull)more[k]);
		CHECK(some[k] + (uint64_t)late >= 20001 * each && some[k] < 20001 * each + 200,
		      "event %d: %llu", k, (ull)some[k]);
		/* read(2) before and behind holds both; what lies between the readings is little */
		CHECK(all >= some[k] + more[k] && all < some[k] + more[k] + 400,
		      "event %d: read(2) %llu, RDPMC %llu and %llu", k, (ull)all, (ull)some[k],
		      (ull)more[k]);
	}
	close(c[1].fd);
	close(c[0].fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	late = argc == 3 && !strcmp(argv[2], "late") ? ROB_ENTRIES : 0;
	if (argc > 1 && !strcmp(argv[1], "rust")) {
		rust();
	} else if (argc > 2 && !strcmp(argv[1], "count")) {
		count(strtoul(argv[2], NULL, 10));
	} else if (argc > 1 && !strcmp(argv[1], "go")) {
		if (pthread_create(&thread, NULL, go, NULL))
			return 2;
		pthread_join(thread, NULL);
	} else {
		return argc == 2 && !strcmp(argv[1], "nothing") ? 0 : 2;
	}
	return n_wrong > 0;
}
