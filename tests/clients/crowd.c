/* crowd.c -- groups as large as they may be (softpmu run --counters all): samples that show all
 * values, and the error of a kernel where a read would return more than 16 KiB. Ends with 0, or
 * says what was wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#define MANY	    300u
#define PERIOD	    10007u
#define PAGE	    4096ul
#define RING	    512ul /* pages */
#define FORMAT_LOST (1u << 4)

static struct perf_event_attr instructions(uint64_t format)
{
	return (struct perf_event_attr){.type = PERF_TYPE_HARDWARE,
					.size = sizeof(struct perf_event_attr),
					.config = PERF_COUNT_HW_INSTRUCTIONS,
					.read_format = format,
					.exclude_kernel = 1};
}

static int event_open(struct perf_event_attr *a, int group)
{
	return (int)syscall(SYS_perf_event_open, a, 0, -1, group, 0);
}

static __attribute__((noinline)) void spin(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}

/* Values of the k-th sample: all counters count the same from the same moment on. */
static void check_sample(const uint64_t *w, uint64_t k, const uint64_t *id)
{
	CHECK(w[0] == MANY, "sample %llu: %llu events", (unsigned long long)k,
	      (unsigned long long)w[0]);
	if (w[0] != MANY)
		return;
	CHECK(w[1] >= k * PERIOD && w[1] < k * PERIOD + 200, "sample %llu: %llu instructions",
	      (unsigned long long)k, (unsigned long long)w[1]);
	for (unsigned i = 0; i < MANY; i++)
		CHECK(w[1 + 2 * i] == w[1] && w[2 + 2 * i] == id[i],
		      "sample %llu, event %u: %llu of id %llu", (unsigned long long)k, i,
		      (unsigned long long)w[1 + 2 * i], (unsigned long long)w[2 + 2 * i]);
}

static void sampled(void)
{
	struct perf_event_attr a = instructions(PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	static uint64_t id[MANY];
	static int fd[MANY];
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t n = 0;

	a.disabled = 1;
	a.sample_period = PERIOD;
	a.sample_type = PERF_SAMPLE_READ;
	for (unsigned i = 0; i < MANY; i++) {
		fd[i] = event_open(&a, i ? fd[0] : -1);
		CHECK(fd[i] >= 0 && !ioctl(fd[i], PERF_EVENT_IOC_ID, &id[i]), "event %u: %s", i,
		      strerror(errno));
		a = instructions(PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	}
	page = mmap(NULL, (1 + RING) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd[0], 0);
	CHECK(page != MAP_FAILED, "mmap: %s", strerror(errno));
	if (page == MAP_FAILED || n_wrong)
		return;
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	spin(100000);
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	data = (const uint8_t *)page + PAGE;
	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *h = (const void *)(data + at);

		CHECK(h->type == PERF_RECORD_SAMPLE && h->size == sizeof(*h) + 8 * (1 + 2 * MANY),
		      "record of type %u, %u bytes", h->type, h->size);
		if (!h->size || n_wrong)
			return;
		check_sample((const uint64_t *)(const void *)(h + 1), ++n, id);
		at += h->size;
	}
	CHECK(n >= 40 && n < 100, "%llu samples", (unsigned long long)n);
	for (unsigned i = 0; i < MANY; i++)
		close(fd[i]);
	munmap(page, (1 + RING) * PAGE);
}

/* 8 bytes, and 24 for each: the 683rd is too much, and says nothing about the size of attributes.
 */
static void too_large(void)
{
	struct perf_event_attr a = instructions(PERF_FORMAT_GROUP | PERF_FORMAT_ID | FORMAT_LOST);
	static uint64_t v[2048];
	int fd[683];
	unsigned n = 0;

	while (n < 683 && (fd[n] = event_open(&a, n ? fd[0] : -1)) >= 0)
		n++;
	CHECK(n == 682 && errno == E2BIG, "%u in a group: %s", n, strerror(errno));
	CHECK(a.size == sizeof(a), "attributes became %u bytes", a.size);
	if (!n)
		return;
	CHECK(read(fd[0], v, sizeof(v)) == 8 * (1 + 3 * 682) && v[0] == 682 && v[1 + 3 * 681] > 0,
	      "read: %llu values", (unsigned long long)v[0]);
	while (n)
		close(fd[--n]);
}

int main(void)
{
	sampled();
	too_large();
	return n_wrong != 0;
}
