/* library.c -- libsoftpmu counts what the program knows of itself: step(n) is 2 * n + 1
 * instructions, n branches.
 *
 * library exact [--pmu-...] spans, regions, recursion, threads: every number, to the last
 * instruction
 * library late                the same in time without CPUID: a reading may be early by what the
 *                             reorder buffer of a P6 holds, 40 micro-ops, and no result is negative
 * library readings             a hundred thousand readings, each more than the one before
 * library refuse              a list that two counters cannot hold together
 */
#include <errno.h>
#include <pthread.h>
#include <softpmu/page.h>
#include <softpmu/softpmu.h>
#include <stdio.h>
#include <string.h>

#define ROB_ENTRIES 40

#include "check.h"

typedef unsigned long long ull;

static __attribute__((noinline)) void step(unsigned long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

/* Call of step, its body and its return; then what the loop adds. */
static uint64_t span(struct spmu_thread *me, unsigned long n, uint64_t *branches)
{
	uint64_t count[SPMU_MOST_EVENTS];

	CHECK(!spmu_start(me), "start");
	step(n);
	CHECK(!spmu_stop(me, count), "stop");
	*branches = count[1];
	return count[0];
}

static void region(struct spmu_thread *me, int number, unsigned long n)
{
	CHECK(!spmu_begin(me, number), "begin");
	step(n);
	CHECK(!spmu_end(me, number), "end");
}

static uint64_t sum_of(struct spmu *pmu, int number, uint64_t entries)
{
	struct spmu_total total;

	CHECK(!spmu_region_total(pmu, number, &total) && total.entries == entries,
	      "%llu entries, not %llu", (ull)total.entries, (ull)entries);
	return total.sum[0];
}

struct job {
	struct spmu *pmu;
	unsigned long n;
};

static void *work(void *arg)
{
	const struct job *job = arg;
	struct spmu_thread *me;
	struct spmu_error err;

	if (spmu_thread_open(job->pmu, &me, &err)) {
		CHECK(0, "thread: %s", err.text);
		return NULL;
	}
	for (int i = 0; i < 5; i++)
		region(me, spmu_region(job->pmu, "threads"), job->n);
	spmu_thread_close(me);
	return NULL;
}

/* What the session says of itself, and a reading through the thread's own page. */
static void described(struct spmu *pmu, struct spmu_thread *me)
{
	const volatile struct perf_event_mmap_page *const *page = spmu_pages(me);
	const uint64_t *cost = spmu_least_cost(me);
	uint64_t value[SPMU_MOST_EVENTS], from, to;

	CHECK(spmu_event_count(pmu) == 2 && !strcmp(spmu_event_name(pmu, 0), "instructions") &&
		  !strcmp(spmu_event_name(pmu, 1), "branches"),
	      "%u events", (unsigned)spmu_event_count(pmu));
	CHECK(!strncmp(spmu_machine_name(pmu), "pentium", 7), "machine %s", spmu_machine_name(pmu));
	CHECK(cost[0] > 0 && cost[0] < 1000 && cost[1] < cost[0], "a measurement costs %llu",
	      (ull)cost[0]);
	if (spmu_is_inline(me)) {
		CHECK(page[0] && page[1] && spmu_page_read(page[0], &from), "no page");
		step(1000);
		CHECK(spmu_page_read(page[0], &to) && to - from >= 2001 && to - from < 2100,
		      "by the page: %llu", (ull)(to - from));
	}
	CHECK(!spmu_stop(me, value) && !spmu_stop(me, NULL), "stop");
}

static void exact(struct spmu *pmu, struct spmu_thread *me)
{
	const int a = spmu_region(pmu, "a"), b = spmu_region(pmu, "b"),
		  deep = spmu_region(pmu, "deep");
	struct job jobs[3] = {{pmu, 1000}, {pmu, 2000}, {pmu, 3000}};
	uint64_t value[SPMU_MOST_EVENTS], some, more, branches[2], one, ten;
	struct spmu_total total;
	pthread_t thread[3];
	FILE *text = tmpfile();
	char line[256];
	int n_named = 0;

	CHECK(a == 1 && b == 2 && deep == 3 && spmu_region(pmu, "b") == b, "numbers %d %d %d", a, b,
	      deep);
	spmu_start(me);
	described(pmu, me);
	/* nothing is 0: the cost of measuring is off */
	spmu_start(me);
	CHECK(!spmu_read(me, value) && !value[0] && !value[1], "nothing: %llu %llu", (ull)value[0],
	      (ull)value[1]);
	spmu_begin(me, a);
	spmu_end(me, a);
	CHECK(sum_of(pmu, a, 1) == 0, "an empty region: %llu", (ull)sum_of(pmu, a, 1));
	/* a call of step: its argument, call, the loop, return */
	some = span(me, 1000, &branches[0]);
	more = span(me, 5000, &branches[1]);
	CHECK(more - some == 8000 && branches[1] - branches[0] == 4000,
	      "4000 steps more: %llu, branches %llu", (ull)(more - some),
	      (ull)(branches[1] - branches[0]));
	CHECK(some >= 2001 && some < 2020, "1000 steps: %llu", (ull)some);
	CHECK(branches[0] >= 1002 && branches[0] < 1010, "1000 steps: %llu branches",
	      (ull)branches[0]);
	/* regions add up, with their least and most */
	for (unsigned long n = 100; n <= 300; n += 100)
		region(me, b, n);
	CHECK(!spmu_region_total(pmu, b, &total), "total");
	CHECK(total.most[0] - total.least[0] == 400 &&
		  total.sum[0] == total.least[0] + (total.least[0] + 200) + total.most[0],
	      "sum %llu, least %llu, most %llu", (ull)total.sum[0], (ull)total.least[0],
	      (ull)total.most[0]);
	/* in a recursion the outermost entry counts, once */
	CHECK(!spmu_begin(me, deep) && !spmu_begin(me, deep), "begin twice");
	step(1000);
	CHECK(!spmu_end(me, deep), "end of the inner");
	CHECK(sum_of(pmu, deep, 0) == 0, "the inner counts");
	CHECK(!spmu_end(me, deep) && sum_of(pmu, deep, 1) > 2000, "end of the outer");
	CHECK(spmu_end(me, deep) == -SPMU_EINVAL, "an end without a beginning");
	CHECK(spmu_begin(me, 99) == -SPMU_EINVAL && spmu_begin(me, 0) == -SPMU_EINVAL &&
		  spmu_begin(me, -1) == -SPMU_EINVAL,
	      "regions that do not exist");
	/* threads count themselves, and only themselves */
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, &jobs[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	spmu_region_total(pmu, spmu_region(pmu, "threads"), &total);
	one = total.least[0] - 2000;
	ten = 5 * (one * 3 + 2000 + 4000 + 6000);
	/* a thread may be changed in the middle of a reading, which is then done again: some
	 * instructions more */
	CHECK(total.entries == 15 && total.sum[0] >= ten && total.sum[0] - ten < 1000,
	      "threads: %llu entries, %llu, not %llu", (ull)total.entries, (ull)total.sum[0],
	      (ull)ten);
	CHECK(one < 20, "a step in a thread: %llu more", (ull)one);
	CHECK(!spmu_print(pmu, SPMU_TEXT, text) && fseek(text, 0, SEEK_SET) == 0, "print");
	while (fgets(line, sizeof(line), text))
		n_named += !!strstr(line, " threads ");
	CHECK(n_named == 4, "%d lines of text about the region, not of all and each thread",
	      n_named);
	fclose(text);
	printf("1000 steps: %llu instructions, read with %s\n", (ull)some,
	       spmu_is_inline(me) ? "RDPMC" : "read(2)");
}

static void readings(struct spmu_thread *me, int n)
{
	uint64_t value[SPMU_MOST_EVENTS], last = 0;

	CHECK(spmu_is_inline(me), "not by RDPMC");
	spmu_start(me);
	for (int i = 0; i < n; i++) {
		if (spmu_read(me, value) || (i && value[0] <= last)) {
			CHECK(0, "reading %d: %llu after %llu", i, (ull)value[0], (ull)last);
			return;
		}
		last = value[0];
	}
}

static void may_be_late(struct spmu_thread *me)
{
	uint64_t value[SPMU_MOST_EVENTS], branches, some, more;

	spmu_start(me);
	CHECK(!spmu_read(me, value) && value[0] <= ROB_ENTRIES && value[1] <= ROB_ENTRIES,
	      "nothing: %llu %llu", (ull)value[0], (ull)value[1]);
	some = span(me, 1000, &branches);
	CHECK(some + ROB_ENTRIES >= 2001 && some < 2020 + ROB_ENTRIES, "1000 steps: %llu",
	      (ull)some);
	more = span(me, 5000, &branches);
	CHECK(more - some + 2 * ROB_ENTRIES >= 8000 && more - some <= 8000 + 2 * ROB_ENTRIES,
	      "4000 steps more: %llu", (ull)(more - some));
	printf("read with %s\n", spmu_is_inline(me) ? "RDPMC" : "read(2)");
}

int main(int argc, char **argv)
{
	struct spmu_settings settings = {"instructions,branches", NULL, SPMU_TEXT, false, false};
	struct spmu_thread *me;
	struct spmu_error err;
	struct spmu *pmu;
	int rc;

	if (spmu_settings_arguments(&settings, &argc, argv, &err) || argc != 2) {
		printf("arguments\n");
		return 2;
	}
	if (!strcmp(argv[1], "refuse"))
		settings.events = "instructions,branches,branch-misses";
	if (spmu_open(&pmu, &settings, &err)) {
		printf("%s\n", err.text);
		return 1;
	}
	rc = spmu_thread_open(pmu, &me, &err);
	if (rc || !strcmp(argv[1], "refuse")) {
		printf("%s\n", rc ? err.text : "not refused");
		spmu_close(pmu);
		return rc == -SPMU_ENOTSUP ? 3 : 1;
	}
	if (!strcmp(argv[1], "readings"))
		readings(me, 100000);
	else if (!strcmp(argv[1], "late"))
		may_be_late(me);
	else
		exact(pmu, me);
	spmu_close(pmu);
	return n_wrong > 0;
}
