/* calls_timer.c -- system calls that set and show timers: the kernel's, or those of timer.h
 * (--clock model). */
#include "guest/calls/calls32.h"
#include "guest/time/clock.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/time/timer_file.h"

#define NANO		     1000000000ull
#define NANO_PER_MICRO	     1000u
#define HALF_SECOND	     500000000ull
#define MOST_SECONDS	     (1ull << 32)
#define N_INTERVAL	     3
#define ABSTIME_FLAG	     1u
#define SIGALRM_NUMBER	     14
#define SIGEV_SIGNAL_CODE    0
#define SIGEV_THREAD_ID_CODE 4
#define CLOCK_REAL	     0
#define CLOCK_PROCESS	     2
#define CLOCK_THREAD	     3
#define CLOCK_REAL_ALARM     8

/* The calls are the kernel's: its clock, or a child's in borrowed memory, which is about to
 * execute a program. */
static int is_kernels(const struct gst *g)
{
	return !gst_clock_is_model(g) || gst_is_vforked(g);
}

/* Bytes of each of the four words of a time and its period, in the call being made. */
static unsigned word_bytes(const struct gst *g)
{
	return g->t->call_like == GST_NO_LIKE ? 4 : 8;
}

/* struct itimerspec, or itimerval: `unit` nanoseconds are one in the second word. Returns 0 or
 * -errno. */
static long read_spec(struct gst *g, uint64_t at, uint64_t unit, struct gst_timer_spec *s)
{
	const unsigned bytes = word_bytes(g);
	uint64_t w[4] = {0};

	for (unsigned i = 0; i < 4; i++) {
		if (gst_copy_in(&w[i], at + i * bytes, bytes))
			return -EFAULT;
		if (w[i] >> (8 * bytes - 1) || (i % 2 && w[i] >= NANO / unit))
			return -EINVAL;
		if (i % 2 == 0 && w[i] > MOST_SECONDS)
			w[i] = MOST_SECONDS;
	}
	s->period = w[0] * NANO + w[1] * unit;
	s->value = w[2] * NANO + w[3] * unit;
	return 0;
}

static long write_spec(struct gst *g, uint64_t at, uint64_t unit, const struct gst_timer_spec *s)
{
	const unsigned bytes = word_bytes(g);
	const uint64_t value = s->value + unit - 1; /* rounded up: a rest is never 0 */
	const uint64_t w[4] = {s->period / NANO, s->period % NANO / unit, value / NANO,
			       value % NANO / unit};

	for (unsigned i = 0; at && i < 4; i++) {
		if (gst_copy_out(at + i * bytes, &w[i], bytes))
			return -EFAULT;
	}
	return 0;
}

/* ---- setitimer, alarm ------------------------------------------------------------------------ */

long gst_call_setitimer(struct gst *g, const uint64_t *a)
{
	struct gst_timer_spec s = {0, 0}, old;
	struct gst_timer *t;
	long ret;

	if (is_kernels(g) || a[0] >= N_INTERVAL)
		return gst_call_pass(g, a);
	ret = a[1] ? read_spec(g, a[1], NANO_PER_MICRO, &s) : 0;
	if (ret)
		return ret;
	t = gst_timer_interval(g, (int32_t)a[0]);
	if (!t)
		return -ENOMEM;
	old = gst_timer_left(g, t);
	gst_timer_set(g, t, &s, 0);
	return write_spec(g, a[2], NANO_PER_MICRO, &old);
}

long gst_call_getitimer(struct gst *g, const uint64_t *a)
{
	struct gst_timer_spec s = {0, 0};
	struct gst_timer *t;

	if (is_kernels(g) || a[0] >= N_INTERVAL)
		return gst_call_pass(g, a);
	t = gst_timer_find(g, GST_TIMER_INTERVAL, (int32_t)a[0]);
	if (t)
		s = gst_timer_left(g, t);
	return a[1] ? write_spec(g, a[1], NANO_PER_MICRO, &s) : -EFAULT;
}

long gst_call_alarm(struct gst *g, const uint64_t *a)
{
	const struct gst_timer_spec s = {0, (uint32_t)a[0] * NANO};
	struct gst_timer_spec old;
	struct gst_timer *t;

	if (is_kernels(g))
		return gst_call_pass(g, a);
	t = gst_timer_interval(g, 0);
	if (!t)
		return 0;
	old = gst_timer_left(g, t);
	gst_timer_set(g, t, &s, 0);
	if (old.value && old.value < NANO)
		return 1;
	return (long)((old.value + HALF_SECOND) / NANO);
}

/* ---- timer_create ---------------------------------------------------------------------------- */

/* Fill in how timer t notifies, by the program's struct sigevent at `at`; at 0: the default,
 * SIGALRM. */
static void read_event(struct gst *g, uint64_t at, struct gst_timer *t)
{
	const unsigned word = g->layout.word;
	uint32_t rest[3] = {0}; /* signal, what is done, thread */

	t->signal = SIGALRM_NUMBER;
	t->value = (uint32_t)t->id;
	if (!at)
		return;
	t->value = 0;
	gst_copy_in(&t->value, at, word);
	gst_copy_in(rest, at + word, sizeof(rest));
	t->signal =
	    rest[1] == SIGEV_SIGNAL_CODE || rest[1] == SIGEV_THREAD_ID_CODE ? (int32_t)rest[0] : 0;
	t->tid = rest[1] == SIGEV_THREAD_ID_CODE ? (int32_t)rest[2] : 0;
}

static int is_processor_clock(uint32_t clock)
{
	return clock == CLOCK_PROCESS || clock == CLOCK_THREAD || (int32_t)clock < 0;
}

/* The kernel gives the number, and keeps one that never runs but in waits. */
long gst_call_timer_create(struct gst *g, const uint64_t *a)
{
	struct gst_timer *t;
	int32_t id;
	long ret;

	if (is_kernels(g))
		return gst_call_pass(g, a);
	t = gst_timer_new(g, GST_TIMER_POSIX, -1);
	if (!t)
		return -EAGAIN;
	ret = gst_call_pass(g, a);
	if (ret || gst_copy_in(&id, a[2], sizeof(id))) {
		gst_timer_drop(g, t);
		return ret;
	}
	t->id = id;
	t->is_processor = (uint8_t)is_processor_clock((uint32_t)a[0]);
	t->is_realtime = (uint32_t)a[0] == CLOCK_REAL || (uint32_t)a[0] == CLOCK_REAL_ALARM;
	read_event(g, a[1], t);
	return 0;
}

static struct gst_timer *posix_timer(struct gst *g, uint64_t id)
{
	return is_kernels(g) ? NULL : gst_timer_find(g, GST_TIMER_POSIX, (int32_t)id);
}

long gst_call_timer_settime(struct gst *g, const uint64_t *a)
{
	struct gst_timer *t = posix_timer(g, a[0]);
	struct gst_timer_spec s, old;
	long ret;

	if (!t || !a[2])
		return gst_call_pass(g, a);
	ret = read_spec(g, a[2], 1, &s);
	if (ret)
		return ret;
	old = gst_timer_left(g, t);
	gst_timer_set(g, t, &s, (a[1] & ABSTIME_FLAG) != 0);
	return write_spec(g, a[3], 1, &old);
}

long gst_call_timer_gettime(struct gst *g, const uint64_t *a)
{
	struct gst_timer *t = posix_timer(g, a[0]);
	struct gst_timer_spec s;

	if (!t || !a[1])
		return gst_call_pass(g, a);
	s = gst_timer_left(g, t);
	return write_spec(g, a[1], 1, &s);
}

long gst_call_timer_getoverrun(struct gst *g, const uint64_t *a)
{
	const struct gst_timer *t = posix_timer(g, a[0]);

	if (!t)
		return gst_call_pass(g, a);
	return t->overruns < INT32_MAX ? (long)t->overruns : INT32_MAX;
}

long gst_call_timer_delete(struct gst *g, const uint64_t *a)
{
	struct gst_timer *t = posix_timer(g, a[0]);

	if (t)
		gst_timer_drop(g, t);
	return gst_call_pass(g, a);
}

/* ---- timerfd --------------------------------------------------------------------------------- */

/* Of which clock it is only timerfd_create hears: the date and all others differ by what
 * absolute times are. */
#define EARLIEST_DATE (MOST_SECONDS / 10 * NANO) /* 1983; nothing runs so long */

long gst_call_timerfd_settime(struct gst *g, const uint64_t *a)
{
	const int fd = (int)a[0], is_absolute = (a[1] & ABSTIME_FLAG) != 0;
	struct gst_timer_spec s, old = {0, 0};
	struct gst_timer *t;
	int is_timer;
	long ret;

	if (is_kernels(g) || (a[1] & ~3ull))
		return gst_call_pass(g, a);
	t = gst_timer_of_file(g, fd, &is_timer);
	if (!is_timer || !a[2])
		return gst_call_pass(g, a);
	ret = read_spec(g, a[2], 1, &s);
	if (ret)
		return ret;
	if (!t)
		t = gst_timer_file_new(g, fd);
	if (!t)
		return -ENOMEM;
	if (a[3])
		old = gst_timer_left(g, t);
	gst_timer_file_rest(t);
	t->is_realtime = s.value >= EARLIEST_DATE;
	gst_timer_set(g, t, &s, is_absolute);
	return write_spec(g, a[3], 1, &old);
}

long gst_call_timerfd_gettime(struct gst *g, const uint64_t *a)
{
	struct gst_timer_spec s = {0, 0};
	struct gst_timer *t;
	int is_timer;

	if (is_kernels(g))
		return gst_call_pass(g, a);
	t = gst_timer_of_file(g, (int)a[0], &is_timer);
	if (!is_timer || !a[1])
		return gst_call_pass(g, a);
	if (t)
		s = gst_timer_left(g, t);
	return write_spec(g, a[1], 1, &s);
}
