/* sleep.c -- deadlines of waiting threads. Rules: sleep.h. */
#include "guest/time/sleep.h"

#include "guest/gst.h"

#define NANO	     1000000000ull
#define CLOCK_REAL   0
#define CLOCK_MONO   1
#define ABSTIME_FLAG 1u
#define MOST_SECONDS (1ull << 33)

long gst_sleep_after(const uint64_t time[2], struct gst_deadline *until)
{
	uint64_t now[2] = {0, 0}, nano;

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
	uint64_t now[2] = {0, 0}, seconds;

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
