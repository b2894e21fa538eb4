/* tasks.c -- what the ring of an event says of threads and processes that begin, end and get a
 * name: FORK, EXIT and COMM, with who and whose.
 *
 * Ends with 0, or says what was wrong; 3: there are no events here. A software event that nothing
 * counts: the same natively.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define PAGE 4096ul
#define RING (8 * PAGE)

/* Behind each record its task and its time, by sample_id_all. */
struct told {
	uint32_t type, pid, parent_pid, tid, parent_tid, id_pid, id_tid;
	char name[16];
};

static struct told told[64];
static unsigned n_told;

static void take(const struct perf_event_mmap_page *page)
{
	const uint8_t *data = (const uint8_t *)page + PAGE;
	struct perf_event_header h;

	for (uint64_t at = page->data_tail; at < page->data_head && n_told < 64; at += h.size) {
		struct told *t = &told[n_told];

		memcpy(&h, data + at, sizeof(h)); /* it never wraps here */
		t->type = h.type;
		if (h.type == PERF_RECORD_COMM) {
			memcpy(&t->pid, data + at + 8, 4);
			memcpy(&t->tid, data + at + 12, 4);
			strncpy(t->name, (const char *)data + at + 16, 15);
		} else if (h.type == PERF_RECORD_FORK || h.type == PERF_RECORD_EXIT) {
			memcpy(&t->pid, data + at + 8, 16);
		} else {
			continue;
		}
		memcpy(&t->id_pid, data + at + h.size - 8, 8);
		n_told++;
	}
}

static void is(unsigned i, uint32_t type, uint32_t pid, uint32_t tid, uint32_t parent_pid,
	       uint32_t parent_tid, uint32_t id_tid, const char *name)
{
	const struct told *t = &told[i];

	CHECK(t->type == type && t->pid == pid && t->tid == tid && t->id_tid == id_tid,
	      "record %u is %u of %u:%u by %u, not %u of %u:%u by %u", i, t->type, t->pid, t->tid,
	      t->id_tid, type, pid, tid, id_tid);
	if (name)
		CHECK(!strcmp(t->name, name), "record %u has the name %s, not %s", i, t->name,
		      name);
	else
		CHECK(t->parent_pid == parent_pid && t->parent_tid == parent_tid,
		      "record %u has the parent %u:%u, not %u:%u", i, t->parent_pid, t->parent_tid,
		      parent_pid, parent_tid);
}

static volatile uint32_t thread_tid;

static void *work(void *name)
{
	thread_tid = (uint32_t)syscall(SYS_gettid);
	prctl(PR_SET_NAME, name);
	return NULL;
}

int main(void)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_SW_DUMMY,
				    .disabled = 1,
				    .inherit = 1,
				    .task = 1,
				    .comm = 1,
				    .sample_id_all = 1,
				    .sample_type = PERF_SAMPLE_TID,
				    .exclude_kernel = 1,
				    .watermark = 1,
				    .wakeup_watermark = 1};
	const int fd = (int)syscall(SYS_perf_event_open, &a, 0, 0, -1,
				    0); /* inherited with a ring: of one processor */
	struct perf_event_mmap_page *page =
	    mmap(NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const uint32_t pid = (uint32_t)getpid(), parent = (uint32_t)getppid();
	uint32_t first, child;
	cpu_set_t one;
	pthread_t t;
	int status;

	if (fd < 0 || page == MAP_FAILED) {
		printf("no event: %s\n", strerror(errno));
		return 3;
	}
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one)) {
		printf("not on processor 0: %s\n", strerror(errno));
		return 3;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pthread_create(&t, NULL, work, "first");
	pthread_join(t, NULL);
	first = thread_tid;
	prctl(PR_SET_NAME, "a name that is too long");
	child = (uint32_t)fork();
	if (!child) {
		prctl(PR_SET_NAME, "child");
		_exit(0);
	}
	waitpid((pid_t)child, &status, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	take(page);
	CHECK(n_told == 7, "%u records", n_told);
	is(0, PERF_RECORD_FORK, pid, first, pid, pid, pid, NULL);
	is(1, PERF_RECORD_COMM, pid, first, 0, 0, first, "first");
	is(2, PERF_RECORD_EXIT, pid, first, parent, parent, first, NULL);
	is(3, PERF_RECORD_COMM, pid, pid, 0, 0, pid, "a name that is ");
	is(4, PERF_RECORD_FORK, child, child, pid, pid, pid, NULL);
	is(5, PERF_RECORD_COMM, child, child, 0, 0, child, "child");
	is(6, PERF_RECORD_EXIT, child, child, pid, pid, child, NULL);
	return n_wrong != 0;
}
