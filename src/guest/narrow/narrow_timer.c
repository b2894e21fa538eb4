/* narrow_timer.c -- i386 calls about timers, dates and message queues on a kernel without INT 80h.
 * Rules: narrow.h. */
#include "guest/narrow/narrow.h"

#include "guest/memory/copy.h"

#define SPEC_WORDS  4u	/* a time and its period */
#define TIMEX_WORDS 21u /* of struct timex: one each here, of 8 bytes there */
#define TIMEX_REST  11u /* spare words of 4 bytes behind them in both */
#define QUEUE_WORDS 8u	/* of struct mq_attr */

/* i386's struct sigevent. */
struct event32 {
	uint32_t value, sig, notify, thread, rest[12];
};

/* A call whose argument `at` receives a time and its period. */
static long read_spec(const struct gst_narrow *n, uint64_t number)
{
	int64_t spec[SPEC_WORDS] = {0};
	const long ret = gst_narrow_make(n, number, n->a[0], (uint64_t)spec, 0, 0, 0, 0);

	if (ret)
		return ret;
	return n->a[1] ? gst_narrow_put_words(n->a[1], spec, SPEC_WORDS) : -EFAULT;
}

/* Arguments: timer, flags, new, old. */
static long write_spec(const struct gst_narrow *n, uint64_t number)
{
	int64_t spec[SPEC_WORDS], old[SPEC_WORDS] = {0};
	const uint64_t *a = n->a;
	long ret;

	if (a[2] && gst_narrow_take_words(spec, a[2], SPEC_WORDS))
		return -EFAULT;
	ret = gst_narrow_make(n, number, a[0], a[1], a[2] ? (uint64_t)spec : 0,
			      a[3] ? (uint64_t)old : 0, 0, 0);
	return ret ? ret : gst_narrow_put_words(a[3], old, SPEC_WORDS);
}

/* Arguments: which, new, old. */
static long set_interval(const struct gst_narrow *n)
{
	int64_t spec[SPEC_WORDS], old[SPEC_WORDS] = {0};
	const uint64_t *a = n->a;
	long ret;

	if (a[1] && gst_narrow_take_words(spec, a[1], SPEC_WORDS))
		return -EFAULT;
	ret = gst_narrow_make(n, __NR_setitimer, a[0], a[1] ? (uint64_t)spec : 0,
			      a[2] ? (uint64_t)old : 0, 0, 0, 0);
	return ret ? ret : gst_narrow_put_words(a[2], old, SPEC_WORDS);
}

/* A call with the struct sigevent at `from`, its second argument; 0: none. */
static long by_event(const struct gst_narrow *n, uint64_t number, uint64_t from, uint64_t third)
{
	struct event32 narrow;
	struct gst_sigevent wide = {0};

	if (from) {
		if (gst_copy_in(&narrow, from, sizeof(narrow)))
			return -EFAULT;
		wide.value = narrow.value;
		wide.sig = narrow.sig;
		wide.notify = narrow.notify;
		wide.thread = narrow.thread;
	}
	return gst_narrow_make(n, number, n->a[0], from ? (uint64_t)&wide : 0, third, 0, 0, 0);
}

static long open_queue(const struct gst_narrow *n)
{
	int64_t look[QUEUE_WORDS] = {0};
	const uint64_t *a = n->a;

	if (a[3] && gst_narrow_take_words(look, a[3], QUEUE_WORDS))
		return -EFAULT;
	return gst_narrow_make(n, __NR_mq_open, a[0], a[1], a[2], a[3] ? (uint64_t)look : 0, 0, 0);
}

static long look_of_queue(const struct gst_narrow *n)
{
	int64_t look[QUEUE_WORDS] = {0}, old[QUEUE_WORDS] = {0};
	const uint64_t *a = n->a;
	long ret;

	if (a[1] && gst_narrow_take_words(look, a[1], QUEUE_WORDS))
		return -EFAULT;
	ret = gst_narrow_make(n, __NR_mq_getsetattr, a[0], a[1] ? (uint64_t)look : 0,
			      a[2] ? (uint64_t)old : 0, 0, 0, 0);
	return ret ? ret : gst_narrow_put_words(a[2], old, QUEUE_WORDS);
}

/* A call whose argument `at` is a time that it only reads; 0: none. */
static long by_time(const struct gst_narrow *n, uint64_t number, unsigned at)
{
	int64_t time[GST_NARROW_TIME_WORDS];
	uint64_t b[6];

	memcpy(b, n->a, sizeof(b));
	if (b[at]) {
		if (gst_narrow_take_words(time, b[at], GST_NARROW_TIME_WORDS))
			return -EFAULT;
		b[at] = (uint64_t)time;
	}
	return gst_narrow_make(n, number, b[0], b[1], b[2], b[3], b[4], b[5]);
}

static long adjust(const struct gst_narrow *n, uint64_t number, unsigned at)
{
	struct {
		int64_t word[TIMEX_WORDS - 1];
		int32_t last, rest[TIMEX_REST];
	} w = {0};
	int64_t last;
	uint64_t b[2] = {n->a[0], n->a[1]};
	long ret;

	if (gst_narrow_take_words(w.word, n->a[at], TIMEX_WORDS - 1) ||
	    gst_narrow_take_words(&last, n->a[at] + 4 * (TIMEX_WORDS - 1), 1))
		return -EFAULT;
	w.last = (int32_t)last;
	b[at] = (uint64_t)&w;
	ret = gst_narrow_make(n, number, b[0], b[1], 0, 0, 0, 0);
	if (ret < 0)
		return ret;
	last = w.last;
	return gst_narrow_put_words(n->a[at], w.word, TIMEX_WORDS - 1) ||
		       gst_narrow_put_words(n->a[at] + 4 * (TIMEX_WORDS - 1), &last, 1)
		   ? -EFAULT
		   : ret;
}

long gst_narrow_timer(const struct gst_narrow *n)
{
	switch (n->number) {
	case NR32_getitimer: return read_spec(n, __NR_getitimer);
	case NR32_setitimer: return set_interval(n);
	case NR32_timer_create: return by_event(n, __NR_timer_create, n->a[1], n->a[2]);
	case NR32_timer_gettime: return read_spec(n, __NR_timer_gettime);
	case NR32_timer_settime: return write_spec(n, __NR_timer_settime);
	case NR32_timerfd_gettime: return read_spec(n, __NR_timerfd_gettime);
	case NR32_timerfd_settime: return write_spec(n, __NR_timerfd_settime);
	case NR32_mq_open: return open_queue(n);
	case NR32_mq_timedsend: return by_time(n, __NR_mq_timedsend, 4);
	case NR32_mq_timedreceive: return by_time(n, __NR_mq_timedreceive, 4);
	case NR32_mq_notify: return by_event(n, __NR_mq_notify, n->a[1], 0);
	case NR32_mq_getsetattr: return look_of_queue(n);
	case NR32_settimeofday: return by_time(n, __NR_settimeofday, 0);
	case NR32_clock_settime: return by_time(n, __NR_clock_settime, 1);
	case NR32_adjtimex: return adjust(n, __NR_adjtimex, 0);
	case NR32_clock_adjtime: return adjust(n, __NR_clock_adjtime, 1);
	default: return -ENOSYS;
	}
}
