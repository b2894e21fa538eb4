/* calls_time.c -- system calls that read a clock: the host's, or the modelled processor's (clock.h). */
#include "guest/calls.h"
#include "guest/clock.h"
#include "guest/copy.h"
#include "guest/gst.h"

#define NANO_PER_MICRO 1000u
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
	return a[0] && gst_copy_out(a[0], time, g->layout.word) ? -EFAULT : (long)time[0];
}
