/* calls_sleep.c -- nanosleep, clock_nanosleep and poll of nothing, while the program has several
 * threads: the scheduler keeps the sleeper, and the others run. Rules: time/sleep.h.
 */
#include "guest/call.h"
#include "guest/gst.h"
#include "guest/memory/copy.h"
#include "guest/time/sleep.h"

#define NANO	     1000000000ull
#define CLOCK_REAL   0
#define CLOCK_MONO   1
#define ABSTIME_FLAG 1u

/* Wait as the scheduler does it. left_at: where the program wants the rest of a wait that a
 * signal ended, or 0. */
static long wait_for(struct gst *g, const struct gst_deadline *until, uint64_t left_at)
{
	long ret = gst_sched_block(g, until);
	uint64_t left, time[2];

	if (ret == -ETIMEDOUT)
		return 0;
	left = gst_sleep_left(until);
	time[0] = left / NANO;
	time[1] = left % NANO;
	if (left_at && gst_copy_out(left_at, time, sizeof(time)))
		return -EFAULT;
	return -EINTR;
}

long gst_call_nanosleep(struct gst *g, const uint64_t *a)
{
	struct gst_deadline until;
	uint64_t time[2];

	if (g->sched.n_live == 1)
		return gst_call_pass(g, a);
	if (gst_copy_in(time, a[0], sizeof(time)))
		return -EFAULT;
	if (gst_sleep_after(time, &until))
		return -EINVAL;
	return wait_for(g, &until, a[1]);
}

long gst_call_clock_nanosleep(struct gst *g, const uint64_t *a)
{
	struct gst_deadline until = {.is_realtime = (uint32_t)a[0] == CLOCK_REAL};
	uint64_t time[2];

	if (g->sched.n_live == 1)
		return gst_call_pass(g, a);
	if ((uint32_t)a[0] > CLOCK_MONO)
		return gst_call_wait(g, a); /* another clock */
	if (gst_copy_in(time, a[2], sizeof(time)))
		return -EFAULT;
	if (time[0] >> 63 || time[1] >= NANO)
		return -EINVAL;
	if (!(a[1] & ABSTIME_FLAG)) {
		gst_sleep_after(time, &until);
		return wait_for(g, &until, a[3]);
	}
	memcpy(until.time, time, sizeof(time));
	return wait_for(g, &until, 0);
}

/* poll() of nothing: a sleep. */
long gst_call_poll(struct gst *g, const uint64_t *a)
{
	int32_t milli = (int32_t)a[2];
	uint64_t time[2] = {(uint64_t)milli / 1000, (uint64_t)milli % 1000 * 1000000};
	struct gst_deadline until;

	if (g->sched.n_live == 1 || a[1] || milli <= 0)
		return gst_call_wait(g, a);
	gst_sleep_after(time, &until);
	return wait_for(g, &until, 0);
}
