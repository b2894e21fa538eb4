/* calls32_time.c -- calls with times of 32 bits, where the runtime does not leave them to the
 * kernel: done as their newer forms, whose times are those of x86-64. */
#include "guest/calls/calls32.h"
#include "guest/time/clock.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define CLOCK_NANOSLEEP_TIME64 407u
#define FUTEX_TIME64	       422u
#define CLOCK_MONO	       1u
#define FUTEX_OP_MASK	       127u
/* WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2: the fourth argument is a time */
#define FUTEX_OPS_WITH_TIME (1u << 0 | 1u << 6 | 1u << 9 | 1u << 11 | 1u << 13)

/* The time at `at`, made wide at the thread's place below 4 GiB. Returns that, or 0. */
static uint64_t widened(struct gst *g, uint64_t at)
{
	int32_t narrow[2];
	uint64_t wide[2];

	if (gst_copy_in(narrow, at, sizeof(narrow)))
		return 0;
	wide[0] = (uint64_t)(int64_t)narrow[0];
	wide[1] = (uint64_t)(int64_t)narrow[1];
	return gst_low_copy(g, wide, sizeof(wide));
}

long gst_call_futex32(struct gst *g, const uint64_t *a)
{
	uint64_t words[7];

	memcpy(words, a - 1, sizeof(words));
	words[0] = FUTEX_TIME64;
	if (a[3] && (FUTEX_OPS_WITH_TIME >> (a[1] & FUTEX_OP_MASK & 31) & 1)) {
		words[4] = widened(g, a[3]);
		if (!words[4])
			return -EFAULT;
	}
	return gst_call_futex(g, words + 1);
}

long gst_call_clock_gettime32(struct gst *g, const uint64_t *a)
{
	uint64_t wide[2];
	uint32_t narrow[2];

	if (!gst_clock_is_model(g) || gst_clock_read(g, (uint32_t)a[0], wide))
		return gst_call_pass(g, a);
	narrow[0] = (uint32_t)wide[0];
	narrow[1] = (uint32_t)wide[1];
	return gst_copy_out(a[1], narrow, sizeof(narrow)) ? -EFAULT : 0;
}

long gst_call_clock_getres32(struct gst *g, const uint64_t *a)
{
	uint32_t step[2] = {0};

	if (gst_clock_is_model(g))
		step[1] = (uint32_t)gst_clock_step_ns(g, (uint32_t)a[0]);
	if (!step[1])
		return gst_call_pass(g, a);
	return a[1] && gst_copy_out(a[1], step, sizeof(step)) ? -EFAULT : 0;
}

long gst_call_gettimeofday32(struct gst *g, const uint64_t *a)
{
	const uint32_t utc[2] = {0, 0};
	uint64_t wide[2];
	uint32_t narrow[2];

	if (!gst_clock_is_model(g))
		return gst_call_pass(g, a);
	gst_clock_read(g, 0, wide);
	narrow[0] = (uint32_t)wide[0];
	narrow[1] = (uint32_t)(wide[1] / 1000);
	if ((a[0] && gst_copy_out(a[0], narrow, sizeof(narrow))) ||
	    (a[1] && gst_copy_out(a[1], utc, sizeof(utc))))
		return -EFAULT;
	return 0;
}

static long sleep(struct gst *g, uint64_t clock, uint64_t flags, uint64_t time_at, uint64_t left_at)
{
	uint64_t low = widened(g, time_at), left = low + 32;
	uint64_t words[7] = {CLOCK_NANOSLEEP_TIME64, clock, flags, low, left_at ? left : 0},
		 wide[2];
	uint32_t narrow[2];
	long ret;

	if (!low)
		return -EFAULT;
	ret = gst_call_clock_nanosleep(g, words + 1);
	if (ret != -EINTR || !left_at)
		return ret;
	memcpy(wide, (const void *)left, sizeof(wide));
	narrow[0] = (uint32_t)wide[0];
	narrow[1] = (uint32_t)wide[1];
	return gst_copy_out(left_at, narrow, sizeof(narrow)) ? -EFAULT : ret;
}

long gst_call_nanosleep32(struct gst *g, const uint64_t *a)
{
	return g->sched.n_live == 1 ? gst_call_pass(g, a) : sleep(g, CLOCK_MONO, 0, a[0], a[1]);
}

long gst_call_clock_nanosleep32(struct gst *g, const uint64_t *a)
{
	return g->sched.n_live == 1 ? gst_call_pass(g, a) : sleep(g, a[0], a[1], a[2], a[3]);
}
