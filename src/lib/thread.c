/* thread.c -- the counters of one thread: open, calibrate, close. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <softpmu/page.h>

#include "hw/counter.h"
#include "lib/lib.h"

#define CALIBRATIONS 32

void lib_thread_shut(struct spmu_thread *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->page[i])
			munmap((void *)(uintptr_t)t->page[i], hw_page_bytes());
		if (t->fd[i] >= 0)
			close(t->fd[i]);
		t->page[i] = NULL;
		t->fd[i] = -1;
	}
	t->look[LIB_BEGIN] = t->look[LIB_END] = NULL;
}

/* Say why event i cannot be opened on this machine. */
static int refuse(const struct spmu *s, size_t i, enum hw_refusal why, int error,
		  struct spmu_error *err)
{
	const char *name = s->events.event[i].name, *program = "PROGRAM";
	struct spmu_error reason;

#ifdef __GLIBC__
	program = program_invocation_name;
#endif
	if (why == HW_NO_ROOM)
		return spmu_fail(err, SPMU_ENOTSUP,
				 "event %s: this processor cannot count it together with the "
				 "others of the list, whose "
				 "counters it needs; measure in several runs",
				 name);
	if (why == HW_TROUBLE)
		return spmu_fail(err, SPMU_ESYS, "event %s: %s", name, strerror(error));
	if (hw_has_counters(&reason) == 0)
		return spmu_fail(
		    err, why == HW_NOT_ALLOWED ? SPMU_ESYS : SPMU_ENOTSUP,
		    why == HW_NOT_ALLOWED
			? "event %s may not be counted on this machine (%s)"
			: "event %s: the counters of this machine's %s do not have it",
		    name, why == HW_NOT_ALLOWED ? "kernel.perf_event_paranoid" : s->machine.name);
	return spmu_fail(
	    err, reason.code,
	    "event %s: %s; run the program as softpmu run -- %s, which brings counters", name,
	    reason.text, program);
}

/* A hardware event leads when there is one: the kernel then places the group at once. */
static int choose_leader(const struct hw_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->event[i].type != PERF_TYPE_SOFTWARE)
			return (int)i;
	return 0;
}

static int open_event(struct spmu_thread *t, size_t i, unsigned flags, struct spmu_error *err)
{
	const struct hw_events *events = &t->session->events;
	const int group = (int)i == t->leader ? -1 : t->fd[t->leader];
	enum hw_refusal why;

	t->fd[i] = hw_counter_open(&events->event[i], 0, group, HW_GROUP | flags, &why);
	if (t->fd[i] < 0)
		return refuse(t->session, i, why, errno, err);
	t->page[i] = hw_counter_map(t->fd[i]);
	return 0;
}

static int open_events(struct spmu_thread *t, struct spmu_error *err)
{
	size_t place = 1;
	int rc = open_event(t, (size_t)t->leader, HW_DISABLED | HW_PINNED, err);

	for (size_t i = 0; i < t->n && !rc; i++)
		if ((int)i != t->leader) {
			t->place[i] = place++;
			rc = open_event(t, i, 0, err);
		}
	if (!rc && ioctl(t->fd[t->leader], PERF_EVENT_IOC_ENABLE, 0))
		rc = spmu_fail(err, SPMU_ESYS, "the counters cannot be started: %s",
			       strerror(errno));
	return rc;
}

/* Can all of them be read without a system call, now that they count? */
static bool can_inline(const struct spmu_thread *t)
{
	uint64_t value;

	for (size_t i = 0; i < t->n; i++)
		if (!t->page[i] || !spmu_page_read(t->page[i], &value))
			return false;
	return true;
}

static void keep_least(uint64_t *least, const uint64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (value[i] < least[i])
			least[i] = value[i];
}

/* Have t take its counts this way at that end. A page without a counter makes it fall back. */
static void set_way(struct spmu_thread *t, int end, enum lib_way way)
{
	t->look[end] = way == LIB_CALL ? NULL : way == LIB_FALLBACK ? t->nothing : t->page;
}

/* Measure nothing, some times, by the functions that measure: the least is what measuring costs at
 * least when it begins and ends in these ways. Between the two functions stands a look at the first
 * one's answer, three instructions. They are taken off each measurement, so that nothing is left of
 * an empty one, however its program calls (arguments, a stub of the PLT). */
static int calibrate_ways(struct spmu_thread *t, enum lib_way begin, enum lib_way end)
{
	uint64_t value[SPMU_MOST_EVENTS], least[SPMU_MOST_EVENTS], least_region[SPMU_MOST_EVENTS];
	int rc = 0;

	memset(least, 0xff, sizeof(least));
	memset(least_region, 0xff, sizeof(least_region));
	set_way(t, LIB_BEGIN, begin);
	set_way(t, LIB_END, end);
	for (int k = 0; k < CALIBRATIONS && !rc; k++) {
		rc = spmu_start(t);
		if (!rc)
			rc = spmu_read(t, value);
		if (!rc && t->start_way == begin)
			keep_least(least, value, t->n);
	}
	for (int k = 0; k < CALIBRATIONS && !rc; k++) {
		rc = spmu_begin(t, LIB_EMPTY_REGION);
		if (!rc)
			rc = spmu_end(t, LIB_EMPTY_REGION);
		if (!rc && t->slot[LIB_EMPTY_REGION].entry_way == begin)
			keep_least(least_region, t->slot[LIB_EMPTY_REGION].total.sum, t->n);
		if (!rc)
			memset(&t->slot[LIB_EMPTY_REGION].total, 0,
			       sizeof(t->slot[LIB_EMPTY_REGION].total));
	}
	if (rc)
		return rc;
	for (size_t i = 0; i < t->n;
	     i++) { /* a way that was never found possible costs nothing that is known */
		t->least[begin][end][i] = least[i] == UINT64_MAX ? 0 : least[i];
		t->least_region[begin][end][i] =
		    least_region[i] == UINT64_MAX ? 0 : least_region[i];
	}
	return 0;
}

static int calibrate(struct spmu_thread *t, struct spmu_error *err)
{
	static const struct perf_event_mmap_page nothing = {.index = 0};
	int rc = 0;

	for (size_t i = 0; i < t->n; i++)
		t->nothing[i] = &nothing;
	t->first_region = LIB_EMPTY_REGION;
	for (int begin = 0; begin < LIB_WAYS && !rc; begin++)
		for (int end = 0; end < LIB_WAYS && !rc; end++)
			if (t->usual == LIB_INLINE || (begin == LIB_CALL && end == LIB_CALL))
				rc = calibrate_ways(t, (enum lib_way)begin, (enum lib_way)end);
	t->first_region = LIB_EMPTY_REGION + 1;
	set_way(t, LIB_BEGIN, t->usual);
	set_way(t, LIB_END, t->usual);
	if (rc)
		return spmu_fail(
		    err, -rc,
		    "the counters of this thread cannot be read: something else holds them");
	return 0;
}

static void join(struct spmu *s, struct spmu_thread *t)
{
	pthread_mutex_lock(&s->lock);
	t->number = s->n_thread++;
	if (s->last)
		s->last->next = t;
	else
		s->first = t;
	s->last = t;
	pthread_mutex_unlock(&s->lock);
}

int spmu_thread_open(struct spmu *s, struct spmu_thread **out, struct spmu_error *err)
{
	struct spmu_thread *t = calloc(1, sizeof(*t));
	int rc;

	*out = NULL;
	if (err)
		err->code = 0;
	if (!t)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for the counters of a thread");
	t->session = s;
	t->tid = (pid_t)syscall(SYS_gettid);
	t->n = s->events.n;
	t->leader = choose_leader(&s->events);
	t->first_region = LIB_EMPTY_REGION + 1;
	memset(t->fd, 0xff, sizeof(t->fd));
	pthread_mutex_init(&t->lock, NULL);
	rc = open_events(t, err);
	if (!rc) {
		t->usual = !s->has_no_inline && can_inline(t) ? LIB_INLINE : LIB_CALL;
		rc = calibrate(t, err);
	}
	if (rc) {
		lib_thread_shut(t);
		pthread_mutex_destroy(&t->lock);
		free(t->slot);
		free(t);
		return rc;
	}
	join(s, t);
	*out = t;
	return 0;
}

void spmu_thread_close(struct spmu_thread *t)
{
	if (t)
		lib_thread_shut(t);
}

bool spmu_is_inline(const struct spmu_thread *t)
{
	return t->usual == LIB_INLINE;
}

const uint64_t *spmu_least_cost(const struct spmu_thread *t)
{
	return t->least[t->usual][t->usual];
}

const volatile struct perf_event_mmap_page *const *spmu_pages(const struct spmu_thread *t)
{
	return t->page;
}
