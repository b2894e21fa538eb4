/* sleep.c -- deadlines of waiting threads, and the system calls that only sleep. Rules: sleep.h. */
#include "guest/time/sleep.h"

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define NANO 1000000000ull
#define CLOCK_REAL 0
#define CLOCK_MONO 1
#define ABSTIME_FLAG 1u
#define MOST_SECONDS (1ull << 33)

long gst_sleep_after(const uint64_t time[2], struct gst_deadline *until)
{
	uint64_t now[2] = { 0, 0 }, nano;

	if (time[0] >> 63 || time[1] >= NANO)
		return -EINVAL;
	SYS2(clock_gettime, CLOCK_MONO, now);
	nano = time[1] + now[1];
	until->is_realtime = 0;
	until->time[0] = now[0] + (time[0] < MOST_SECONDS ? time[0] : MOST_SECONDS) + nano / NANO;
	until->time[1] = nano % NANO;
	return 0;
}

uint64_t gst_sleep_left(const struct gst_deadline *until)
{
	uint64_t now[2] = { 0, 0 }, seconds;

	SYS2(clock_gettime, until->is_realtime ? CLOCK_REAL : CLOCK_MONO, now);
	if (now[0] > until->time[0] || (now[0] == until->time[0] && now[1] >= until->time[1]))
		return 0;
	seconds = until->time[0] - now[0];
	if (seconds > MOST_SECONDS)
		seconds = MOST_SECONDS;
	return seconds * NANO + until->time[1] - now[1];
}

uint64_t gst_sleep_instructions(const struct gst_deadline *until)
{
	uint64_t left = gst_sleep_left(until);

	uint64_t step;

	if (left <= 8)
		return left ? left : 1;
	step = 1ull << (61 - __builtin_clzll(left - 1));
	return (left + step - 1) / step * step;
}

void gst_sleep_until(const struct gst_deadline *until)
{
	while (gst_sleep_left(until) &&
	       SYS4(clock_nanosleep, until->is_realtime ? CLOCK_REAL : CLOCK_MONO, ABSTIME_FLAG,
		    until->time, 0) == -EINTR)
		;
}

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
	struct gst_deadline until = { .is_realtime = (uint32_t)a[0] == CLOCK_REAL };
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
	uint64_t time[2] = { (uint64_t)milli / 1000, (uint64_t)milli % 1000 * 1000000 };
	struct gst_deadline until;

	if (g->sched.n_live == 1 || a[1] || milli <= 0)
		return gst_call_wait(g, a);
	gst_sleep_after(time, &until);
	return wait_for(g, &until, 0);
}
