/* calls_time.c -- system calls that read a clock: the host's, or the modelled processor's (clock.h). */
#include "guest/calls.h"
#include "guest/clock.h"
#include "guest/calls32.h"
#include "guest/copy.h"
#include "guest/gst.h"

#define NANO_PER_MICRO 1000u
#define TICKS_PER_SECOND 100u /* of times(2): USER_HZ */
#define NANO_PER_TICK 10000000u
#define CLOCK_PROCESS 2
#define RUSAGE_SELF_CODE 0
#define RUSAGE_THREAD_CODE 1
#define ZONE_BYTES 8u /* struct timezone: two words of 32 bits */

long gst_call_clock_gettime(struct gst *g, const uint64_t *a)
{
	uint64_t time[2];

	if (!gst_clock_is_model(g) || gst_clock_read(g, (uint32_t)a[0], time))
		return gst_call_pass(g, a);
	return gst_copy_out(a[1], time, sizeof(time)) ? -EFAULT : 0;
}

long gst_call_gettimeofday(struct gst *g, const uint64_t *a)
{
	const uint8_t utc[ZONE_BYTES] = { 0 };
	uint64_t time[2];

	if (!gst_clock_is_model(g))
		return gst_call_pass(g, a);
	gst_clock_read(g, 0, time);
	time[1] /= NANO_PER_MICRO;
	if ((a[0] && gst_copy_out(a[0], time, sizeof(time))) || (a[1] && gst_copy_out(a[1], utc, sizeof(utc))))
		return -EFAULT;
	return 0;
}

long gst_call_time(struct gst *g, const uint64_t *a)
{
	uint64_t time[2];

	if (!gst_clock_is_model(g))
		return gst_call_pass(g, a);
	gst_clock_read(g, 0, time);
	return a[0] && gst_copy_out(a[0], time, gst_call_word(g)) ? -EFAULT : (long)time[0];
}

static uint64_t ticks(const uint64_t time[2])
{
	return time[0] * TICKS_PER_SECOND + time[1] / NANO_PER_TICK;
}

/* All time of the processor is the program's own: the models have no kernel. What ended children used is not kept. */
long gst_call_times(struct gst *g, const uint64_t *a)
{
	const unsigned word = gst_call_word(g);
	uint64_t time[2], used;

	if (!gst_clock_is_model(g))
		return gst_call_pass(g, a);
	gst_clock_read(g, CLOCK_PROCESS, time);
	used = ticks(time);
	gst_clock_read(g, 1, time);
	if (a[0]) {
		const uint64_t none[3] = { 0 };

		if (gst_copy_out(a[0], &used, word) || gst_copy_out(a[0] + word, none, 3u * word))
			return -EFAULT;
	}
	return (long)ticks(time);
}

long gst_call_getrusage(struct gst *g, const uint64_t *a)
{
	const int32_t who = (int32_t)a[0];
	const unsigned word = gst_call_word(g);
	const uint64_t none[2] = { 0 };
	long ret = gst_call_pass(g, a);
	uint64_t time[2];

	if (ret || !gst_clock_is_model(g) || (who != RUSAGE_SELF_CODE && who != RUSAGE_THREAD_CODE))
		return ret;
	gst_clock_read(g, CLOCK_PROCESS, time);
	time[1] /= NANO_PER_MICRO;
	/* two times, user and system, of two words each */
	if (gst_copy_out(a[1], &time[0], word) || gst_copy_out(a[1] + word, &time[1], word) ||
	    gst_copy_out(a[1] + 2ull * word, none, 2u * word))
		return -EFAULT;
	return 0;
}
